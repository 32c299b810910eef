import {
  type ArgumentsHost,
  BadRequestException,
  Catch,
  type ExceptionFilter,
  HttpException,
  Inject,
  Logger,
} from '@nestjs/common';
import { ApplicationConfig, BaseExceptionFilter, HttpAdapterHost } from '@nestjs/core';
import { ContentError, nameOfStatus, stackOf } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json.js';
import { messageIn } from '../documents/host-errors.js';
import { RequestCounts } from './request-counts.js';
import { ContentRoutes } from './routes.js';
import { type HttpRequest, pathOf, rawOf, requestIdOf } from './request-state.js';

/** Body of every error (protocol 2.1). */
interface ErrorBody {
  readonly data: null;
  readonly error: {
    readonly status: number;
    readonly name: string;
    readonly message: string;
    readonly details: ContentError['details'];
  };
}

interface ErrorText {
  readonly name: string;
  readonly message: string;
  readonly details?: ContentError['details'];
}

const body = (status: number, { name, message, details = {} }: ErrorText): ErrorBody => ({
  data: null,
  error: { status, name, message, details },
});

/**
 * Messages of Nest and of body parsers, replaced by those of the protocol. Messages of the application stay.
 */
const MESSAGES: readonly (readonly [number, RegExp, string])[] = [
  [403, /^Forbidden resource$/, 'Forbidden'],
  [404, /^Cannot [A-Z]+ /, 'Not Found'],
  [413, /too large/i, 'request entity too large'],
];

/** Whether a 400 of the framework concerns the JSON text of a body. */
const isJsonSyntax = (message: string): boolean => /JSON|prototype property/i.test(message);

/** Message of Express for a body that begins with neither `{` nor `[`, scalars included. */
const NO_CONTAINER = /^Unexpected token .*?, "\s*[^\s{[]/s;

/**
 * Returns the message for invalid JSON. Parsers quote the body, which may contain a password, so only the
 * position stays.
 */
function jsonMistake(message: string): string {
  if (NO_CONTAINER.test(message)) return 'invalid JSON, only supports object and array';
  if (!/["']/.test(message)) return message;
  const [place = ''] = / at position \d+( \(line \d+ column \d+\))?/.exec(message) ?? [];
  return `The body is not valid JSON${place}`;
}

/** Message of Nest for a path without a route. */
const UNROUTED = /^Cannot [A-Z]+ \//;

/** Express reports undecodable percent signs in paths this way. */
const isBadPath = (message: string): boolean => /decode param|bad url|not a valid url/i.test(message);

/**
 * Fastify reports a client that disconnects while its body is read this way. The server has made no error.
 */
const isDisconnect = (error: unknown, request: HttpRequest): boolean =>
  isObject(error) &&
  error['message'] === 'aborted' &&
  error['code'] === 'ECONNRESET' &&
  // Requests that the application sends to other servers fail with the same error.
  Reflect.get(rawOf(request), 'complete') === false;

function fromHttp(exception: HttpException): ErrorBody {
  const status = exception.getStatus();
  const [, , message = messageIn(exception)] =
    MESSAGES.find(([of, pattern]) => of === status && pattern.test(exception.message)) ?? [];
  if (status === 400 && isBadPath(exception.message))
    return body(400, { name: 'BadRequestError', message: 'failed to decode' });
  if (status === 400 && isJsonSyntax(exception.message))
    return body(400, { name: 'SyntaxError', message: jsonMistake(exception.message) });
  return body(status, { name: nameOfStatus(status), message });
}

/** Responds to errors of the content routes in the protocol's format, without internal details. */
@Catch()
export class ContentErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('ContentApi');

  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(RequestCounts) private readonly counts: RequestCounts,
  ) {}

  catch(exception: unknown, context: ArgumentsHost): void {
    const http = context.switchToHttp();
    this.reply(exception, http.getResponse<object>(), requestIdOf(http.getRequest<object>()));
  }

  /** Sends an error. An unexpected one is logged, with the id of its request. */
  reply(exception: unknown, response: object, requestId: string | null = null): void {
    const answer = this.answerTo(exception, requestId);
    this.counts.refused(exception, answer.error);
    this.send(answer, response);
  }

  /** Sends an error that is not the refusal of a request. */
  replyUncounted(problem: Error, response: object): void {
    this.send(this.answerTo(problem, null), response);
  }

  private send(answer: ErrorBody, response: object): void {
    const { httpAdapter } = this.host;
    const { retryAfter } = answer.error.details;
    if (typeof retryAfter === 'number') httpAdapter.setHeader(response, 'Retry-After', String(retryAfter));
    httpAdapter.reply(response, answer, answer.error.status);
  }

  /** Logs the reason of a refusal that only the application can remedy, such as a wrong value in a grant. */
  private warn({ status, cause }: ContentError, requestId: string | null): void {
    if (status !== 403 || !(cause instanceof Error)) return;
    this.logger.warn(
      `${requestId === null ? 'A request' : `Request ${requestId}`} was refused: ${cause.message}`,
    );
  }

  private answerTo(exception: unknown, requestId: string | null): ErrorBody {
    if (exception instanceof ContentError) {
      this.warn(exception, requestId);
      return body(exception.status, exception);
    }
    if (exception instanceof HttpException) return fromHttp(exception);
    const cause = stackOf(exception);
    this.logger.error(requestId === null ? cause : `Request ${requestId} failed: ${cause}`);
    return body(500, { name: 'InternalServerError', message: 'Internal Server Error' });
  }
}

/**
 * Last global filter: formats errors below the content prefix that occur before a handler, such as an unknown
 * route. It also formats errors of services in controllers of the application. Others stay with Nest.
 */
@Catch()
export class UnroutedErrorFilter extends BaseExceptionFilter {
  constructor(
    @Inject(ContentErrorFilter) private readonly content: ContentErrorFilter,
    @Inject(ContentRoutes) private readonly routes: ContentRoutes,
    @Inject(ApplicationConfig) private readonly application: ApplicationConfig,
    @Inject(HttpAdapterHost) host: HttpAdapterHost,
  ) {
    super(host.httpAdapter);
  }

  /** Nest consults the first filter of the list last, so filters of the application come before it. */
  register(): void {
    this.application.getGlobalFilters().unshift(this);
  }

  override catch(thrown: unknown, context: ArgumentsHost): void {
    // Resolvers and message handlers have no HTTP response: Nest handles what no filter has handled.
    if (context.getType() !== 'http') return;
    const exception = isDisconnect(thrown, context.switchToHttp().getRequest())
      ? new BadRequestException('The client aborted the request')
      : thrown;
    // Nest calls one filter only, and each content module of the application registers its own.
    for (const filter of this.unrouted) {
      const ours = filter.ours(exception, context);
      if (ours !== null) return filter.content.catch(ours, context);
    }
    super.catch(thrown, context);
  }

  private get unrouted(): readonly UnroutedErrorFilter[] {
    const filters: readonly unknown[] = this.application.getGlobalFilters();
    return filters.filter((filter) => filter instanceof UnroutedErrorFilter);
  }

  private ours(exception: unknown, context: ArgumentsHost): unknown {
    if (exception instanceof ContentError) return exception;
    if (!(exception instanceof HttpException)) return null;
    const request = context.switchToHttp().getRequest<HttpRequest>();
    const path = pathOf(request);
    if (!this.routes.covers(path)) return null;
    const unmatched = exception.getStatus() === 404 && UNROUTED.test(exception.message);
    return unmatched || this.routes.hasRoute(path) ? exception : null;
  }
}
