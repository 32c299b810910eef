import { type CallHandler, type ExecutionContext, Inject, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Observable } from 'rxjs';
import { publicCaller, userOf } from '../access/caller.js';
import { Permissions } from '../access/permissions.js';
import { Documents } from '../documents/documents.service.js';
import { ContentAction, ServesType } from './metadata.js';
import { type HttpRequest, queryOf, stateOf } from './request-state.js';

/**
 * Plans the answer before anything is read or written: the query is checked, and its populate tree narrowed to what
 * the caller may `find`. What is not permitted is never fetched (contract "Authentication" 4).
 */
@Injectable()
export class PopulateInterceptor implements NestInterceptor {
  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(Documents) private readonly documents: Documents,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const action = this.reflector.get(ContentAction, context.getHandler());
    if (action === undefined) return next.handle();
    const request = context.switchToHttp().getRequest<HttpRequest>();
    const state = stateOf(request);
    const type = this.reflector.get(ServesType, context.getClass());
    const caller = state.caller ?? publicCaller(Permissions.NONE);
    state.plan = this.documents.planText(queryOf(request), {
      type,
      kind: action === 'find' && type.kind === 'collectionType' ? 'list' : 'one',
      documentId: request.params?.['documentId'] ?? null,
      permissions: caller.permissions,
      user: userOf(caller),
      format: request.headers['strapi-response-format'] === 'v4' ? 'v4' : 'flat',
      action,
    });
    return next.handle();
  }
}
