import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost } from '@nestjs/core';
import { concatMap } from 'rxjs';
import { Database } from '../store/database.js';
import { MARK_HEADER } from '../query/mark.js';
import { type HttpRequest, isRead } from './request-state.js';

/**
 * Sends the WAL position that includes a request's writes, so that later reads of replicas can wait for it.
 * It covers content, accounts, uploads, and the application's own controllers and transactions. Concurrent
 * writes can only make the position later.
 */
@Injectable()
export class PositionInterceptor implements NestInterceptor {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(ApplicationConfig) private readonly application: ApplicationConfig,
  ) {}

  /**
   * Registers the interceptor for all routes, if there are replicas. Call it before the routes are
   * registered.
   */
  register(): void {
    if (this.database.hasReplicas) this.application.addGlobalInterceptor(this);
  }

  intercept(context: ExecutionContext, next: CallHandler): ReturnType<CallHandler['handle']> {
    if (context.getType() !== 'http') return next.handle();
    const http = context.switchToHttp();
    if (isRead(http.getRequest<HttpRequest>())) return next.handle();
    const before = this.database.committed;
    return next.handle().pipe(
      concatMap(async (result: unknown) => {
        if (this.database.committed !== before) await this.say(http.getResponse<object>());
        return result;
      }),
    );
  }

  private async say(response: object): Promise<void> {
    const mark = await this.database.mark();
    const { httpAdapter } = this.host;
    // A handler may have sent its response itself.
    if (httpAdapter.isHeadersSent(response) !== true) httpAdapter.setHeader(response, MARK_HEADER, mark);
  }
}
