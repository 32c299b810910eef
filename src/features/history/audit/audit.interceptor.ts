import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  Logger,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Observable } from 'rxjs';
import { catchError, concatMap } from 'rxjs/operators';
import { Audited } from '../../../content/http/metadata.js';
import { ContentError } from '../../../kernel/errors.js';
import { isObject } from '../../../kernel/json.js';
import { actorOf, type AuditedRequest, AuditLog } from './audit-log.js';

const OK = 200;
const SERVER_ERROR = 500;

/** Returns the id of the user in the response to a sign-in; null for other responses. */
function userIn(answer: unknown): string | null {
  const user = isObject(answer) && isObject(answer['user']) ? answer['user'] : {};
  const id = user['documentId'] ?? user['id'];
  return typeof id === 'string' ? id : null;
}

const statusOf = (error: unknown): number => (error instanceof ContentError ? error.status : SERVER_ERROR);

/** Makes the request known to writes, and records actions on accounts with their outcome. */
@Injectable()
export class AuditInterceptor implements NestInterceptor {
  private readonly logger = new Logger('ContentAudit');

  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(AuditLog) private readonly log: AuditLog,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() !== 'http') return next.handle();
    const request = context.switchToHttp().getRequest<AuditedRequest>();
    const action = this.reflector.get(Audited, context.getHandler());
    const handled = new Observable<unknown>((observer) =>
      this.log.current.run(request, () => next.handle().subscribe(observer)),
    );
    return action === undefined ? handled : this.recorded(handled, action, request);
  }

  /** Records the outcome before the response is sent. A success that cannot be recorded is an error. */
  private recorded(
    handled: Observable<unknown>,
    action: string,
    request: AuditedRequest,
  ): Observable<unknown> {
    const { id = null } = request.params ?? {};
    return handled.pipe(
      concatMap(async (answer) => {
        const user = userIn(answer);
        const actor = user === null ? actorOf(request) : ({ kind: 'user', id: user } as const);
        await this.log.note({ action, status: OK, documentId: id ?? user, actor }, request);
        return answer;
      }),
      catchError(async (error: unknown) => {
        const entry = { action, status: statusOf(error), documentId: id, actor: actorOf(request) };
        await this.log.note(entry, request).catch((failure: unknown) => {
          this.logger.error(`An action could not be recorded: ${String(failure)}`);
        });
        throw error;
      }),
    );
  }
}
