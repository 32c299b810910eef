import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { map, type Observable } from 'rxjs';
import { Answer } from '../documents/answer.js';

/** Puts an {@link Answer} into the contract's envelope, as the text it already is. Other results pass unchanged. */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(map((result: unknown) => (result instanceof Answer ? result.envelope() : result)));
  }
}
