import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { Caller } from '../access/caller.js';
import { Documents } from '../documents/documents.service.js';
import { TELEMETRY, type Telemetry } from '../../kernel/telemetry.js';
import type { ReadPlan } from '../plan/plan.js';
import { byDocumentId, type ReadRequest } from '../plan/plan-read.js';
import { leavesDraft } from '../model/routes.js';
import { withDraftByDefault } from '../query/read-raw.js';
import { preconditionOf } from './precondition-of.js';
import { type ContentRoute, type HttpRequest, queryOf, rawOf, stateOf } from './request-state.js';

/**
 * Plans the response of a content route before any read or write. It validates the query, and restricts
 * `populate` to what the caller may `find`; other data is never fetched (contract "Authentication" 4). Routes
 * that the application added have no plan.
 *
 * @publicApi
 */
@Injectable()
export class PopulateInterceptor implements NestInterceptor {
  constructor(
    @Inject(Documents) private readonly documents: Documents,
    @Inject(TELEMETRY) private readonly telemetry: Telemetry,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): ReturnType<CallHandler['handle']> {
    this.planResponse(context.switchToHttp().getRequest<HttpRequest>());
    return next.handle();
  }

  planResponse(request: HttpRequest): void {
    const state = stateOf(request);
    const { caller, route } = state;
    if (caller !== undefined && route !== undefined) {
      const planned = {
        action: route.action,
        handler: route.handler,
        caller,
        plan: this.telemetry.within('content.plan', {}, () => this.plan(request, route, caller)),
        precondition: preconditionOf(request),
      };
      state.planned = planned;
      // For the log line of a slow request, which has Node's own request only.
      stateOf(rawOf(request)).planned = planned;
    }
    state.timing?.ended('plan');
  }

  private plan(request: HttpRequest, { type, action, handler }: ContentRoute, caller: Caller): ReadPlan {
    const readRequest: ReadRequest = {
      type,
      kind: action === 'find' && type.kind === 'collectionType' ? 'list' : 'one',
      by: byDocumentId(request.params?.['documentId'] ?? null),
      caller,
      format: request.headers['strapi-response-format'] === 'v4' ? 'v4' : 'flat',
      action,
    };
    const defaults = leavesDraft(handler) ? withDraftByDefault : undefined;
    return this.documents.planText(queryOf(request), readRequest, defaults);
  }
}
