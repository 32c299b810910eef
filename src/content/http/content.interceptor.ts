import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { ApplicationConfig } from '@nestjs/core';
import { from } from 'rxjs';
import { ContentRequests } from './content-requests.js';
import { EnvelopeInterceptor } from './envelope.interceptor.js';
import { PopulateInterceptor } from './populate.interceptor.js';
import { type HttpRequest, isRead, stateOf } from './request-state.js';

/**
 * Combines the two interceptors of content routes into one, because each interceptor costs kilobytes of
 * promises and observables per request.
 *
 * For the same reason it runs requests of generated controllers itself, without their handler. A write with
 * global pipes takes the usual way, because pipes may change its body.
 */
@Injectable()
export class ContentInterceptor implements NestInterceptor {
  constructor(
    @Inject(EnvelopeInterceptor) private readonly envelope: EnvelopeInterceptor,
    @Inject(PopulateInterceptor) private readonly populate: PopulateInterceptor,
    @Inject(ContentRequests) private readonly requests: ContentRequests,
    @Inject(ApplicationConfig) private readonly application: ApplicationConfig,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): ReturnType<CallHandler['handle']> {
    const http = context.switchToHttp();
    const request = http.getRequest<HttpRequest>();
    if (!this.isOurs(request))
      return this.envelope.intercept(context, { handle: () => this.populate.intercept(context, next) });
    this.populate.narrow(request);
    return from(
      this.requests.perform(request, request.body).then((answer) => this.envelope.send(http, answer)),
    );
  }

  /** Whether no code of the application runs between this interceptor and a generated handler. */
  private isOurs(request: HttpRequest): boolean {
    if (stateOf(request).route?.isGenerated !== true) return false;
    if (isRead(request)) return true;
    const { application } = this;
    return application.getGlobalPipes().length + application.getGlobalRequestPipes().length === 0;
  }
}
