import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { refusal } from '../access/auth-strategy.js';
import type { Caller } from '../access/caller.js';
import { ContentAccess } from '../access/content-access.js';
import type { Action } from '../access/actions.js';
import { requireJson } from './json-body.js';
import { credentialsOf, type HttpRequest, stateOf } from './request-state.js';

/**
 * Authenticates the caller on routes that check permissions themselves, and refuses bodies other than JSON.
 */
@Injectable()
export class AccountGuard implements CanActivate {
  constructor(@Inject(ContentAccess) private readonly access: ContentAccess) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<HttpRequest>();
    stateOf(request).caller = await this.access.authenticate(credentialsOf(request));
    requireJson(request);
    return true;
  }
}

/** Authenticates on routes with private responses, errors included: no cache stores them. */
@Injectable()
export class PrivateGuard extends AccountGuard {
  constructor(
    @Inject(ContentAccess) access: ContentAccess,
    @Inject(HttpAdapterHost) private readonly adapter: HttpAdapterHost,
  ) {
    super(access);
  }

  override canActivate(context: ExecutionContext): Promise<boolean> {
    const response = context.switchToHttp().getResponse<object>();
    this.adapter.httpAdapter.setHeader(response, 'Cache-Control', 'no-store');
    return super.canActivate(context);
  }
}

/** Returns the authenticated caller. Throws an Error on routes without one of the library's guards. */
export function callerOf(request: object): Caller {
  const { caller } = stateOf(request);
  if (caller === undefined) throw new Error('The route has no guard that authenticates the caller');
  return caller;
}

/**
 * Returns the caller, checked as on content routes. Throws 403, or 401 for an unauthenticated caller without
 * any permission.
 */
export function callerWith(request: object, type: string, action: Action): Caller {
  const caller = callerOf(request);
  if (caller.permissions.allows(type, action)) return caller;
  throw refusal(caller);
}
