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
 * The two interceptors of content routes, one inside the other. Nest takes them for one, because each that it
 * knows of costs kilobytes of promises and observables a request.
 *
 * For the same reason what a generated controller is asked for is done from here, where the host has no pipes
 * for the body of a write: nothing of the host's is between here and its handler, which would do just this.
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

  /** Whether nothing of the host's stands before the handler, which is generated. */
  private isOurs(request: HttpRequest): boolean {
    if (stateOf(request).route?.isGenerated !== true) return false;
    if (isRead(request)) return true;
    const { application } = this;
    return application.getGlobalPipes().length + application.getGlobalRequestPipes().length === 0;
  }
}
