/** Content routes: one Nest controller class per content type, which the application can guard and extend. */
import {
  Body,
  Controller,
  type ControllerOptions,
  Delete,
  Get,
  HttpCode,
  Inject,
  Post,
  Put,
  Req,
  type ScopeOptions,
  type Type,
  UseFilters,
  UseGuards,
  UseInterceptors,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { type Method, methodOf } from '../../kernel/methods.js';
import type { Answer } from '../documents/answer.js';
import type { ContentType } from '../model/model.js';
import { type Handler, HANDLERS, HANDLERS_OF, isHandler, isServed, pathBelow } from '../model/routes.js';
import { AccessGuard } from './access.guard.js';
import { ContentRequests } from './content-requests.js';
import { ContentInterceptor } from './content.interceptor.js';
import { ContentErrorFilter } from './error.filter.js';
import type { HttpRequest } from './request-state.js';
import { ContentAction, DescribedHandlers, Generated, Handles, Json, ServesType } from './metadata.js';

/**
 * Base of both kinds of controllers; {@link routeDecorators} makes routes of its methods. Before a handler
 * runs, the guard has authenticated the caller, and an interceptor has planned the response. Another
 * interceptor sends the `Answer` that the handler returns.
 */
@UseFilters(ContentErrorFilter)
@UseGuards(AccessGuard)
@UseInterceptors(ContentInterceptor)
abstract class ContentController {
  // Property injection leaves the constructor to subclasses.
  @Inject(ContentRequests) private readonly requests!: ContentRequests;

  protected perform(request: object, body?: unknown): Promise<Answer> {
    return this.requests.perform(request as HttpRequest, body);
  }

  find(request: object): Promise<Answer> {
    return this.perform(request);
  }

  update(request: object, body: unknown): Promise<Answer> {
    return this.perform(request, body);
  }

  delete(request: object): Promise<Answer> {
    return this.perform(request);
  }

  publish(request: object): Promise<Answer> {
    return this.perform(request);
  }

  unpublish(request: object): Promise<Answer> {
    return this.perform(request);
  }

  discardDraft(request: object): Promise<Answer> {
    return this.perform(request);
  }

  findSchedule(request: object): Promise<Answer> {
    return this.perform(request);
  }

  schedule(request: object, body: unknown): Promise<Answer> {
    return this.perform(request, body);
  }

  unschedule(request: object): Promise<Answer> {
    return this.perform(request);
  }

  findVersions(request: object): Promise<Answer> {
    return this.perform(request);
  }

  findVersion(request: object): Promise<Answer> {
    return this.perform(request);
  }

  compareVersion(request: object): Promise<Answer> {
    return this.perform(request);
  }

  restoreVersion(request: object): Promise<Answer> {
    return this.perform(request);
  }
}

type Base = (abstract new () => object) & { readonly prototype: object };

/** Gives a class its own method that calls the inherited one, because Nest stores routes with functions. */
function redefine(controller: { readonly prototype: object }, name: string): PropertyDescriptor {
  const inherited = methodOf(controller, name);
  const value: Method = function (...args) {
    return inherited?.apply(this, args);
  };
  const descriptor = { value, writable: true, configurable: true };
  Object.defineProperty(controller.prototype, name, descriptor);
  return descriptor;
}

const routeDecorators =
  (kind: ContentType['kind']) =>
  (controller: Base): void => {
    const { prototype } = controller;
    for (const handler of HANDLERS_OF[kind]) {
      const descriptor = redefine(controller, handler);
      const { method, status, action, hasBody } = HANDLERS[handler];
      const decorators: MethodDecorator[] = [
        METHODS[method](pathBelow(handler, kind, ':documentId').slice(1)),
        HttpCode(status),
        ContentAction(action),
        Handles(handler),
        ...(status === 204 ? [] : [Json()]),
      ];
      for (const decorate of decorators) decorate(prototype, handler, descriptor);
      Req()(prototype, handler, 0);
      if (hasBody) Body()(prototype, handler, 1);
      // Nest warns about parameters without types if the application has a `ValidationPipe`.
      Reflect.defineMetadata('design:paramtypes', [Object, Object], prototype, handler);
    }
  };

const METHODS = { get: Get, post: Post, put: Put, delete: Delete };

/**
 * Routes `GET|POST /api/:pluralApiId` and `GET|PUT|DELETE /api/:pluralApiId/:documentId` (contract
 * "Collection type"), `POST …/bulk`, and `/actions/…` below a document if the type has them.
 *
 * @publicApi
 */
@DescribedHandlers()
@routeDecorators('collectionType')
export abstract class CollectionController extends ContentController {
  // Express matches routes in the order of the methods: a fixed path precedes one with a parameter.
  findTrash(request: object): Promise<Answer> {
    return this.perform(request);
  }

  findOne(request: object): Promise<Answer> {
    return this.perform(request);
  }

  create(request: object, body: unknown): Promise<Answer> {
    return this.perform(request, body);
  }

  bulk(request: object, body: unknown): Promise<Answer> {
    return this.perform(request, body);
  }

  restore(request: object): Promise<Answer> {
    return this.perform(request);
  }
}

/**
 * Routes `GET|PUT|DELETE /api/:singularApiId` (contract "Single type"), and `/actions/…` below it if the type
 * has them.
 *
 * @publicApi
 */
@DescribedHandlers()
@routeDecorators('singleType')
export abstract class SingleController extends ContentController {}

const className = (id: string): string =>
  `${id.replace(/(^|-)([a-z0-9])/g, (_match, _dash, letter: string) => letter.toUpperCase())}ContentController`;

/**
 * Whether a method of the application has the name of an action's handler, but is a route at another path.
 */
function isElsewhere(name: string, method: Method | undefined, route: Method | undefined): boolean {
  if (method === undefined || route === undefined || !isHandler(name) || HANDLERS[name].below === '')
    return false;
  const path: unknown = Reflect.getMetadata('path', method);
  return path !== undefined && path !== Reflect.getMetadata('path', route);
}

/**
 * Copies the decorators of a route to a method that overrides it, because Nest reads them from the function.
 */
function keepRoutes(custom: Type, base: Base): void {
  for (const name of Object.getOwnPropertyNames(base.prototype)) {
    const [override, route] = [methodOf(custom, name), methodOf(base, name)];
    if (override === undefined || route === undefined || override === route) continue;
    if (isElsewhere(name, override, route)) continue;
    const keys: unknown[] = Reflect.getMetadataKeys(route);
    for (const key of keys) {
      if (!Reflect.hasMetadata(key, override))
        Reflect.defineMetadata(key, Reflect.getMetadata(key, route), override);
    }
  }
}

const handlersWithout = (type: ContentType): readonly Handler[] =>
  HANDLERS_OF[type.kind].filter((handler) => !isServed(handler, type));

/** Replaces the handlers by methods without decorators, which Nest ignores. */
function dropRoutes(controller: Type, generated: Base, dropped: readonly string[]): void {
  for (const name of dropped)
    if (!isElsewhere(name, methodOf(controller, name), methodOf(generated, name))) redefine(controller, name);
}

/** Creates the controller class of a content type at `path`, or a subclass of the application's own. */
export function contentController(type: ContentType, path: string, custom?: Type): Type {
  const generated: Base = type.kind === 'collectionType' ? CollectionController : SingleController;
  if (custom !== undefined) keepRoutes(custom, generated);
  const base: Base = custom ?? generated;
  const controller: Type = class extends base {};
  Object.defineProperty(controller, 'name', { value: className(type.singularApiId) });
  dropRoutes(controller, generated, handlersWithout(type));
  // The protocol has no versions (contract "Versioning"). Options of the application's class are respected.
  const given: ControllerOptions = {
    ...(Reflect.getMetadata('scope:options', base) as ScopeOptions | undefined),
    version: (Reflect.getMetadata('__version__', base) as string | undefined) ?? VERSION_NEUTRAL,
  };
  const host = Reflect.getMetadata('host', base) as ControllerOptions['host'];
  Controller({ path, ...given, ...(host === undefined ? {} : { host }) })(controller);
  ServesType(type)(controller);
  Generated(custom === undefined)(controller);
  return controller;
}

const ENHANCERS = ['__interceptors__', '__pipes__'];

const enhancersOf = (controller: Type): number =>
  ENHANCERS.reduce((sum, key) => sum + ((Reflect.getMetadata(key, controller) ?? []) as []).length, 0);

/** Decorates a controller. Interceptors and pipes are code of the application, which runs around handlers. */
export function decorateController(controller: Type, decorators: readonly ClassDecorator[]): void {
  const before = enhancersOf(controller);
  for (const decorate of decorators) decorate(controller);
  if (enhancersOf(controller) > before) Generated(false)(controller);
}
