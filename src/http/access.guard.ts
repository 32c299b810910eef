import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { refusal } from '../access/auth-strategy.js';
import { type Caller, scopeOf } from '../access/caller.js';
import { ContentAccess } from '../access/content-access.js';
import { ContentAction, ServesType } from './metadata.js';
import { credentialsOf, type HttpRequest, stateOf } from './request-state.js';

/** Decides the route: who asks, and whether the type's action is granted to them (contract "Authentication"). */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(ContentAccess) private readonly access: ContentAccess,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const action = this.reflector.get(ContentAction, context.getHandler());
    if (action === undefined) return true;
    const type = this.reflector.get(ServesType, context.getClass());
    const request = context.switchToHttp().getRequest<HttpRequest>();
    const admit = (caller: Caller): boolean => {
      if (scopeOf(caller, type, action) === 'none') throw refusal(caller);
      stateOf(request).caller = caller;
      return true;
    };
    const caller = this.access.authenticate(credentialsOf(request));
    return caller instanceof Promise ? caller.then(admit) : admit(caller);
  }
}
