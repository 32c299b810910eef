import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { authenticate, bearerOf, unauthorized } from '../access/auth-strategy.js';
import { type AccessControl, ACCESS_CONTROL } from '../access/access-control.js';
import { forbidden } from '../errors.js';
import { ContentAction, ServesType } from './metadata.js';
import { type HttpRequest, stateOf } from './request-state.js';

/** Decides the route: who asks, and whether the type's action is granted to them (contract "Authentication"). */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(ACCESS_CONTROL) private readonly access: AccessControl,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const action = this.reflector.get(ContentAction, context.getHandler());
    if (action === undefined) return true;
    const type = this.reflector.get(ServesType, context.getClass());
    const request = context.switchToHttp().getRequest<HttpRequest>();
    const { headers } = request;
    const credentials = { headers, bearer: bearerOf(headers.authorization), request };
    const caller = await authenticate(this.access.strategies, credentials, this.access.anybody);
    if (!caller.permissions.allows(type.singularApiId, action)) {
      // The public that may do nothing at all is asked to sign in (protocol 18.1).
      throw caller.kind === 'public' && caller.permissions.isEmpty ? unauthorized() : forbidden();
    }
    stateOf(request).caller = caller;
    return true;
  }
}
