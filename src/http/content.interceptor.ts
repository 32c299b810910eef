import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { EnvelopeInterceptor } from './envelope.interceptor.js';
import { PopulateInterceptor } from './populate.interceptor.js';

/**
 * The two interceptors of content routes, one inside the other. Nest takes them for one, because each that it
 * knows of costs some 4 kB of promises and observables a request.
 */
@Injectable()
export class ContentInterceptor implements NestInterceptor {
  constructor(
    @Inject(EnvelopeInterceptor) private readonly envelope: EnvelopeInterceptor,
    @Inject(PopulateInterceptor) private readonly populate: PopulateInterceptor,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): ReturnType<CallHandler['handle']> {
    return this.envelope.intercept(context, { handle: () => this.populate.intercept(context, next) });
  }
}
