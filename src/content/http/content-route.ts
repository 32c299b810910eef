/** Recognition of the library's routes, for guards and interceptors of the application. */
import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Action } from '../access/actions.js';
import { ContentAction, isDescribed, ServesType } from './metadata.js';

/** Content type and action of a content route. */
export interface ContentRouteInfo {
  /** `singularApiId` of the type. */
  readonly type: string;
  /** Action that the caller must be granted. */
  readonly action: Action;
}

const reflector = new Reflector();

type RouteContext = Pick<ExecutionContext, 'getClass' | 'getHandler'>;

/**
 * Returns the type and action of a content route, and null for all other routes. Routes that the application
 * adds to a controller of a type are its own.
 *
 * @publicApi
 */
export function contentRouteOf(context: RouteContext): ContentRouteInfo | null {
  const type = reflector.get(ServesType, context.getClass());
  const action = reflector.get(ContentAction, context.getHandler());
  return type === undefined || action === undefined ? null : { type: type.singularApiId, action };
}

/**
 * Returns whether a handler is one of the library: of a content type, accounts, uploads, the desk, or the API
 * description. The library checks callers and formats responses there itself.
 *
 * @example
 * canActivate(context: ExecutionContext) {
 *   return isContentRoute(context) || this.hasValidToken(context);
 * }
 *
 * @publicApi
 */
export const isContentRoute = (context: RouteContext): boolean =>
  isDescribed(context.getClass()) || contentRouteOf(context) !== null;
