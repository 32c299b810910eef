import { type CanActivate, type ExecutionContext, Inject, Injectable, type Type } from '@nestjs/common';
import { HttpAdapterHost, Reflector } from '@nestjs/core';
import { refusal } from '../access/auth-strategy.js';
import type { Caller } from '../access/caller.js';
import { ContentAccess } from '../access/content-access.js';
import { decide } from '../access/decide.js';
import type { Action } from '../access/actions.js';
import { HANDLERS } from '../model/routes.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../../kernel/settings.js';
import { requireContainer, requireJson } from './json-body.js';
import { ContentAction, Generated, Handles, ServesType } from './metadata.js';
import { type ContentRoute, credentialsOf, type HttpRequest, stateOf } from './request-state.js';
import { Timing } from './timing.js';

/** Returns the first action of a route that the caller may do. */
const permittedAction = (caller: Caller, { type, action, handler }: ContentRoute): Action | undefined =>
  [action, ...HANDLERS[handler].otherwise].find((one) => decide(caller, type, one) !== 'none');

/** Authenticates the caller and checks the grant for the type's action (contract "Authentication"). */
@Injectable()
export class AccessGuard implements CanActivate {
  /** Route metadata by controller class, because handlers are inherited. */
  private readonly routes = new WeakMap<Type, Map<object, ContentRoute | null>>();

  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(ContentAccess) private readonly access: ContentAccess,
    @Inject(CONTENT_SETTINGS) private readonly settings: ContentSettings,
    @Inject(HttpAdapterHost) private readonly adapter: HttpAdapterHost,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const route = this.routeOf(context);
    const http = context.switchToHttp();
    const request = http.getRequest<HttpRequest>();
    if (route === null) {
      requireContainer(request);
      return true;
    }
    // Old contents may be more private than the current one: no cache stores them, errors included.
    if (HANDLERS[route.handler].route === 'history')
      this.adapter.httpAdapter.setHeader(http.getResponse<object>(), 'Cache-Control', 'no-store');
    const timing = this.settings.serverTiming ? new Timing() : null;
    const admit = (caller: Caller): boolean => {
      const action = permittedAction(caller, route);
      if (action === undefined) throw refusal(caller);
      requireJson(request);
      const state = stateOf(request);
      state.caller = caller;
      state.route = action === route.action ? route : { ...route, action };
      state.response = http.getResponse<object>();
      if (timing === null) return true;
      state.timing = timing;
      timing.ended('access');
      return true;
    };
    const caller = this.access.authenticate(credentialsOf(request));
    return caller instanceof Promise ? caller.then(admit) : admit(caller);
  }

  private routeOf(context: ExecutionContext): ContentRoute | null {
    const [controller, handler] = [context.getClass(), context.getHandler()];
    const cached = this.routes.get(controller)?.get(handler);
    if (cached !== undefined) return cached;
    const route = this.routeFor(controller, handler);
    const ofClass = this.routes.get(controller) ?? new Map<object, ContentRoute | null>();
    this.routes.set(controller, ofClass.set(handler, route));
    return route;
  }

  private routeFor(
    controller: Type,
    handler: ReturnType<ExecutionContext['getHandler']>,
  ): ContentRoute | null {
    const action = this.reflector.get(ContentAction, handler);
    if (action === undefined) return null;
    return {
      type: this.reflector.get(ServesType, controller),
      action,
      handler: this.reflector.get(Handles, handler),
      isGenerated: this.reflector.get(Generated, controller) === true,
    };
  }
}
