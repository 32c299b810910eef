import { Controller, Get, Header, Inject } from '@nestjs/common';
import { ContentMetrics } from 'nestjs-content-api';

/** Metrics for Prometheus, without a guard. In production add one, or let your proxy hide the path. */
@Controller('metrics')
export class Metrics {
  constructor(@Inject(ContentMetrics) private readonly metrics: ContentMetrics) {}

  @Get()
  @Header('Content-Type', ContentMetrics.CONTENT_TYPE)
  text(): string {
    return this.metrics.prometheus();
  }
}
