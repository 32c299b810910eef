import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { refusal } from '../access/auth-strategy.js';
import type { Caller } from '../access/caller.js';
import { ContentAccess } from '../access/content-access.js';
import type { Action } from '../access/actions.js';
import type { Permissions } from '../access/permissions.js';
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

const callerIf = (request: object, isGranted: (permissions: Permissions) => boolean): Caller => {
  const caller = callerOf(request);
  if (isGranted(caller.permissions)) return caller;
  throw refusal(caller);
};

/**
 * Returns the caller of a route that knows neither conditions nor attributes: a grant with either gives
 * nothing here. Throws 403, or 401 for an unauthenticated caller without any permission.
 */
export const callerWith = (request: object, type: string, action: Action): Caller =>
  callerIf(request, (permissions) => permissions.allowsWhole(type, action));

/** Returns the caller of a route that limits itself to the attributes of the grant. Throws as callerWith. */
export const callerWithSome = (request: object, type: string, action: Action): Caller =>
  callerIf(request, (permissions) => permissions.allows(type, action));
