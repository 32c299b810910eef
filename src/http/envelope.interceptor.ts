import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { map } from 'rxjs';
import { Answer, type AnswerHead } from '../documents/answer.js';
import { JSON_TEXT } from './metadata.js';

const CONTENT_TYPE = 'Content-Type';

/**
 * Sends the {@link Answer} that a handler returns: its status, its headers, and the contract's envelope
 * around the text that `data` already is. Whatever else a handler returns passes unchanged.
 *
 * @publicApi
 */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  constructor(@Inject(HttpAdapterHost) private readonly host: HttpAdapterHost) {}

  intercept(context: ExecutionContext, next: CallHandler): ReturnType<CallHandler['handle']> {
    const response = context.switchToHttp().getResponse<object>();
    return next
      .handle()
      .pipe(map((result: unknown) => (result instanceof Answer ? this.send(response, result) : result)));
  }

  /** Sets status and headers, and answers the body. What `If-None-Match` leaves of an answer belongs here. */
  send(response: object, answer: Answer): string | undefined {
    const { httpAdapter } = this.host;
    const text = answer.envelope();
    if (answer.head !== null) this.sendHead(response, answer.head);
    if (text !== undefined && httpAdapter.getHeader(response, CONTENT_TYPE) === undefined)
      httpAdapter.setHeader(response, CONTENT_TYPE, JSON_TEXT);
    return text;
  }

  private sendHead(response: object, { status, headers }: AnswerHead): void {
    const { httpAdapter } = this.host;
    if (status !== null) httpAdapter.status(response, status);
    for (const [name, value] of Object.entries(headers)) httpAdapter.setHeader(response, name, value);
  }
}
