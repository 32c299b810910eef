import { Inject, Injectable } from '@nestjs/common';
import { Readiness, type ReadinessChecks } from './readiness.js';

/** Result of {@link ContentHealthIndicator}, as `@nestjs/terminus` expects it. */
export type ContentHealth<K extends string> = Record<K, { readonly status: 'up' | 'down' } & ReadinessChecks>;

/**
 * Health indicator for `@nestjs/terminus`: `'up'` if this process can serve content requests. Never throws.
 *
 * @example
 * @Get('health') @HealthCheck()
 * check() { return this.health.check([() => this.content.isHealthy('content')]); }
 *
 * @publicApi
 */
@Injectable()
export class ContentHealthIndicator {
  constructor(@Inject(Readiness) private readonly readiness: Readiness) {}

  async isHealthy<K extends string>(key: K): Promise<ContentHealth<K>> {
    const checks = await this.readiness.checks();
    const isUp = Object.values(checks).every((state) => state === 'up');
    return { [key]: { status: isUp ? 'up' : 'down', ...checks } } as ContentHealth<K>;
  }
}
