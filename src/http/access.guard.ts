import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { refusal } from '../access/auth-strategy.js';
import type { Caller } from '../access/caller.js';
import { ContentAccess } from '../access/content-access.js';
import { decide } from '../access/decide.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../settings.js';
import { requireJson } from './json-body.js';
import { ContentAction, Does, ServesType } from './metadata.js';
import { type ContentRoute, credentialsOf, type HttpRequest, stateOf } from './request-state.js';
import { Timing } from './timing.js';

/**
 * Decides the route: who asks, and whether the type's action is granted to them (contract "Authentication").
 */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(ContentAccess) private readonly access: ContentAccess,
    @Inject(CONTENT_SETTINGS) private readonly settings: ContentSettings,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const route = this.routeOf(context);
    if (route === null) return true;
    const http = context.switchToHttp();
    const request = http.getRequest<HttpRequest>();
    const timing = this.settings.serverTiming ? new Timing() : null;
    const admit = (caller: Caller): boolean => {
      if (decide(caller, route.type, route.action) === 'none') throw refusal(caller);
      requireJson(request);
      const state = stateOf(request);
      state.caller = caller;
      state.route = route;
      state.response = http.getResponse<object>();
      if (timing === null) return true;
      state.timing = timing;
      timing.ended('access');
      return true;
    };
    const caller = this.access.authenticate(credentialsOf(request));
    return caller instanceof Promise ? caller.then(admit) : admit(caller);
  }

  /** What a handler serves; null for a route that the host put beside the generated ones. */
  private routeOf(context: ExecutionContext): ContentRoute | null {
    const action = this.reflector.get(ContentAction, context.getHandler());
    if (action === undefined) return null;
    const deed = this.reflector.get(Does, context.getHandler()) ?? null;
    return { type: this.reflector.get(ServesType, context.getClass()), action, deed };
  }
}
