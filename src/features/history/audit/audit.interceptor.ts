import {
  type CallHandler,
  type ExecutionContext,
  HttpException,
  Inject,
  Injectable,
  Logger,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Observable } from 'rxjs';
import { catchError, concatMap } from 'rxjs/operators';
import { Audited, type AuditedHandler } from '../../../content/http/metadata.js';
import { stateOf } from '../../../content/http/request-state.js';
import { ContentError } from '../../../kernel/errors.js';
import { isObject } from '../../../kernel/json.js';
import { actorOf, type AuditedAction, type AuditedRequest, AuditLog } from './audit-log.js';

const SERVER_ERROR = 500;
const TOO_MANY_REQUESTS = 429;

/** Actions by which a caller without credentials proves who it is. */
const SIGN_INS: readonly string[] = ['sign-in', 'register', 'reset-password'];

/**
 * Whether an outcome is an entry. Otherwise clients without credentials could fill the log: rate limits bound
 * their sign-ins only, and what exceeds these limits is not an attempt.
 */
const isRecorded = (action: string, { status, actor }: Pick<AuditedAction, 'status' | 'actor'>): boolean =>
  status !== TOO_MANY_REQUESTS && (actor.kind !== 'public' || SIGN_INS.includes(action));

/** Returns the id in a member of a response; null for other responses. */
function idIn(answer: unknown, member: string): string | null {
  const found = isObject(answer) && isObject(answer[member]) ? answer[member] : {};
  const id = found['documentId'] ?? found['id'];
  return typeof id === 'string' ? id : null;
}

const statusOf = (error: unknown): number => {
  if (error instanceof HttpException) return error.getStatus();
  return error instanceof ContentError ? error.status : SERVER_ERROR;
};

interface Exchange {
  readonly request: AuditedRequest;
  /** Response of Express or Fastify, which has the status of a success before the handler runs. */
  readonly response: { readonly statusCode: number };
}

/** Makes the request known to writes, and records further actions with their outcome. */
@Injectable()
export class AuditInterceptor implements NestInterceptor {
  private readonly logger = new Logger('ContentAudit');

  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(AuditLog) private readonly log: AuditLog,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() !== 'http') return next.handle();
    const http = context.switchToHttp();
    const request = http.getRequest<AuditedRequest>();
    const audited = this.reflector.get(Audited, context.getHandler());
    const handled = new Observable<unknown>((observer) =>
      this.log.current.run(request, () => next.handle().subscribe(observer)),
    );
    if (audited === undefined) return handled;
    return this.recorded(handled, audited, { request, response: http.getResponse() });
  }

  /** Records the outcome before the response is sent. A success that cannot be recorded is an error. */
  private recorded(
    handled: Observable<unknown>,
    { action, type }: AuditedHandler,
    { request, response }: Exchange,
  ): Observable<unknown> {
    const { id = null } = request.params ?? {};
    const note = async (outcome: Pick<AuditedAction, 'status' | 'documentId' | 'actor'>): Promise<void> => {
      const { attributes = [], isDryRun = false } = stateOf(request).audited ?? {};
      if (isDryRun || !isRecorded(action, outcome)) return;
      await this.log.note({ ...outcome, action, type: type ?? null, attributes }, request);
    };
    return handled.pipe(
      concatMap(async (answer) => {
        const user = idIn(answer, 'user');
        const actor = user === null ? actorOf(request) : ({ kind: 'user', id: user } as const);
        await note({ status: response.statusCode, documentId: id ?? user ?? idIn(answer, 'data'), actor });
        return answer;
      }),
      catchError(async (error: unknown) => {
        const outcome = { status: statusOf(error), documentId: id, actor: actorOf(request) };
        await note(outcome).catch((failure: unknown) => {
          this.logger.error(`An action could not be recorded: ${String(failure)}`);
        });
        throw error;
      }),
    );
  }
}
