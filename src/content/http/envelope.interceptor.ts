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
import { parseTags } from '../query/parse-tags.js';
import { ChangedAnswers } from './changed-answers.js';
import { JSON_TEXT } from './metadata.js';
import { type HttpRequest, isRead, stateOf } from './request-state.js';

export interface HttpResponse {
  removeHeader(name: string): unknown;
}

type HttpContext = ReturnType<ExecutionContext['switchToHttp']>;

const CONTENT_TYPE = 'Content-Type';
/** Statuses that shared caches may store. */
const SHARED_CACHE_STATUSES: readonly number[] = [200, 304];

/**
 * Sends the {@link Answer} that a handler returns: status, headers, and the envelope around the JSON text of
 * `data`. Other results pass unchanged.
 *
 * @publicApi
 */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(ChangedAnswers) private readonly changed: ChangedAnswers,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): ReturnType<CallHandler['handle']> {
    const http = context.switchToHttp();
    return next
      .handle()
      .pipe(map((result: unknown) => (result instanceof Answer ? this.send(http, result) : result)));
  }

  /** Sets status and headers and returns the body, or undefined if `If-None-Match` matches. */
  send(http: HttpContext, whole: Answer): string | undefined {
    const { httpAdapter } = this.host;
    const [request, response] = [http.getRequest<HttpRequest>(), http.getResponse<HttpResponse>()];
    const answer = whole.unlessKnown(isRead(request) ? parseTags(request.headers['if-none-match']) : null);
    const text = answer.envelope();
    if (SHARED_CACHE_STATUSES.includes(answer.head?.status ?? 200)) this.share(request, response);
    if (answer.head !== null) this.sendHead(response, answer.head);
    const { timing } = stateOf(request);
    timing?.ended(isRead(request) ? 'read' : 'write');
    if (timing !== undefined) httpAdapter.setHeader(response, 'Server-Timing', timing.header());
    if (text !== undefined) this.changed.compare(response, text);
    if (text === undefined) response.removeHeader(CONTENT_TYPE);
    else if (httpAdapter.getHeader(response, CONTENT_TYPE) === undefined)
      httpAdapter.setHeader(response, CONTENT_TYPE, JSON_TEXT);
    return text;
  }

  /**
   * Adds the headers of features, and allows shared caches to store the response. Browsers revalidate every
   * time, shared caches after `s-maxage`.
   */
  private share(request: object, response: object): void {
    const { sharedMaxAge = 0, headers = {} } = stateOf(request);
    for (const [name, value] of Object.entries(headers))
      this.host.httpAdapter.setHeader(response, name, value);
    if (sharedMaxAge > 0)
      this.host.httpAdapter.setHeader(
        response,
        'Cache-Control',
        `public, max-age=0, must-revalidate, s-maxage=${sharedMaxAge}`,
      );
  }

  private sendHead(response: object, { status, headers }: AnswerHead): void {
    const { httpAdapter } = this.host;
    if (status !== null) httpAdapter.status(response, status);
    for (const [name, value] of Object.entries(headers)) httpAdapter.setHeader(response, name, value);
  }
}
