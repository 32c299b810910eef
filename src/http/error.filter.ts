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
import { ContentError, type ErrorName, ERRORS } from '../errors.js';
import { isObject } from '../json.js';
import { ContentRoutes } from './routes.js';
import { type HttpRequest, pathOf } from './request-state.js';

/** The one error shape (protocol 2.1). */
interface ErrorBody {
  readonly data: null;
  readonly error: {
    readonly status: number;
    readonly name: string;
    readonly message: string;
    readonly details: unknown;
  };
}

/** What is said of an error. */
interface Said {
  readonly name: string;
  readonly message: string;
  readonly details?: unknown;
}

const body = (status: number, { name, message, details = {} }: Said): ErrorBody => ({
  data: null,
  error: { status, name, message, details },
});

const NAMES = new Map<number, ErrorName>(
  (
    [
      'BadRequestError',
      'UnauthorizedError',
      'ForbiddenError',
      'NotFoundError',
      'MethodNotAllowedError',
      'ConflictError',
      'PreconditionFailedError',
      'PayloadTooLargeError',
      'UriTooLongError',
      'UnsupportedMediaTypeError',
      'RateLimitError',
      'ServiceUnavailableError',
    ] as const
  ).map((name) => [ERRORS[name], name]),
);

/**
 * What Nest and the body parsers say by themselves, in the protocol's words; what the host's own code says
 * stays.
 */
const MESSAGES: readonly (readonly [number, RegExp, string])[] = [
  [403, /^Forbidden resource$/, 'Forbidden'],
  [404, /^Cannot [A-Z]+ /, 'Not Found'],
  [413, /too large/i, 'request entity too large'],
];

/** Whether a 400 of the framework is about the JSON text of a body. */
const isJsonSyntax = (message: string): boolean => /JSON|prototype property/i.test(message);

/** Express reports a body that begins with neither `{` nor `[` this way, scalars included. */
const NO_CONTAINER = /^Unexpected token .*?, "\s*[^\s{[]/s;

/**
 * What is wrong with a body's JSON. Parsers quote the body around the mistake, which may be a password; only
 * the place is kept.
 */
function jsonMistake(message: string): string {
  if (NO_CONTAINER.test(message)) return 'invalid JSON, only supports object and array';
  if (!/["']/.test(message)) return message;
  const [place = ''] = / at position \d+( \(line \d+ column \d+\))?/.exec(message) ?? [];
  return `The body is not valid JSON${place}`;
}

/** Express reports undecodable percent signs in paths this way. */
const isBadPath = (message: string): boolean => /decode param|bad url|not a valid url/i.test(message);

/** Fastify says so of a client who goes while its body is read: nobody waits, and nothing is wrong here. */
const isHangup = (error: unknown): boolean =>
  isObject(error) && error['message'] === 'aborted' && error['code'] === 'ECONNRESET';

/** What the host says; a ValidationPipe says it as a list. */
function wordsOf(exception: HttpException): string {
  const response = exception.getResponse();
  const said = typeof response === 'object' && 'message' in response ? response.message : null;
  return Array.isArray(said) ? said.join('; ') : exception.message;
}

function fromHttp(exception: HttpException): ErrorBody {
  const status = exception.getStatus();
  const [, , message = wordsOf(exception)] =
    MESSAGES.find(([of, pattern]) => of === status && pattern.test(exception.message)) ?? [];
  if (status === 400 && isBadPath(exception.message))
    return body(400, { name: 'BadRequestError', message: 'failed to decode' });
  if (status === 400 && isJsonSyntax(exception.message))
    return body(400, { name: 'SyntaxError', message: jsonMistake(exception.message) });
  const name = NAMES.get(status) ?? (status < 500 ? 'ApplicationError' : 'InternalServerError');
  return body(status, { name, message });
}

/** Answers errors of the content routes in the one error shape; nothing internal ever shows. */
@Catch()
export class ContentErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('ContentApi');

  constructor(@Inject(HttpAdapterHost) private readonly host: HttpAdapterHost) {}

  catch(exception: unknown, context: ArgumentsHost): void {
    this.reply(exception, context.switchToHttp().getResponse<object>());
  }

  /** Answers an error where no handler of Nest's is under way. */
  reply(exception: unknown, response: object): void {
    const answer = this.answerTo(exception);
    const { httpAdapter } = this.host;
    const { retryAfter } = answer.error.details as { readonly retryAfter?: unknown };
    if (typeof retryAfter === 'number') httpAdapter.setHeader(response, 'Retry-After', String(retryAfter));
    httpAdapter.reply(response, answer, answer.error.status);
  }

  private answerTo(exception: unknown): ErrorBody {
    if (exception instanceof ContentError) return body(exception.status, exception);
    if (exception instanceof HttpException) return fromHttp(exception);
    this.logger.error(
      exception instanceof Error ? (exception.stack ?? exception.message) : String(exception),
    );
    return body(500, { name: 'InternalServerError', message: 'Internal Server Error' });
  }
}

/**
 * The last global filter: gives the error shape to what goes wrong below the content prefix before any
 * handler is reached (no such route, a body that is not JSON), and leaves everything else to Nest.
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

  /** First in the list is asked last, so that filters of the host's own come before it. */
  register(): void {
    this.application.getGlobalFilters().unshift(this);
  }

  override catch(thrown: unknown, context: ArgumentsHost): void {
    const exception = isHangup(thrown) ? new BadRequestException('The request was broken off') : thrown;
    const ours =
      context.getType() === 'http' && exception instanceof HttpException
        ? this.ours(exception, context)
        : null;
    if (ours === null) super.catch(thrown, context);
    else this.content.catch(ours, context);
  }

  /** What to answer to an error below the content prefix; null for an error that is none of ours. */
  private ours(exception: HttpException, context: ArgumentsHost): unknown {
    const request = context.switchToHttp().getRequest<HttpRequest>();
    const path = pathOf(request);
    if (!this.routes.covers(path)) return null;
    const unmatched = exception.getStatus() === 404 && exception.message.startsWith('Cannot ');
    return unmatched || this.routes.hasRoute(path) ? exception : null;
  }
}
