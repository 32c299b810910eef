import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { from } from 'rxjs';
import { ContentRequests } from './content-requests.js';
import { EnvelopeInterceptor } from './envelope.interceptor.js';
import { PopulateInterceptor } from './populate.interceptor.js';
import { type HttpRequest, isRead, stateOf } from './request-state.js';

/**
 * The two interceptors of content routes, one inside the other. Nest takes them for one, because each that it
 * knows of costs kilobytes of promises and observables a request.
 *
 * For the same reason a read of a generated controller is done from here: it has no body for pipes, and no
 * code of the host's between here and its handler, which would do just this.
 */
@Injectable()
export class ContentInterceptor implements NestInterceptor {
  constructor(
    @Inject(EnvelopeInterceptor) private readonly envelope: EnvelopeInterceptor,
    @Inject(PopulateInterceptor) private readonly populate: PopulateInterceptor,
    @Inject(ContentRequests) private readonly requests: ContentRequests,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): ReturnType<CallHandler['handle']> {
    const http = context.switchToHttp();
    const request = http.getRequest<HttpRequest>();
    if (!isRead(request) || stateOf(request).route?.isGenerated !== true)
      return this.envelope.intercept(context, { handle: () => this.populate.intercept(context, next) });
    this.populate.narrow(request);
    return from(this.requests.perform(request).then((answer) => this.envelope.send(http, answer)));
  }
}
