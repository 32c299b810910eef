/** Content routes: one Nest controller class per content type, which the application can guard and extend. */
import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Post,
  Put,
  Req,
  type Type,
  UseFilters,
  UseGuards,
  UseInterceptors,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import type { Answer } from '../documents/answer.js';
import { DOCUMENT_ACTIONS, type DocumentAction } from '../model/actions.js';
import { ROUTES } from '../model/definitions.js';
import type { ContentType } from '../model/model.js';
import { AccessGuard } from './access.guard.js';
import { ContentRequests } from './content-requests.js';
import { ContentInterceptor } from './content.interceptor.js';
import { ContentErrorFilter } from './error.filter.js';
import { ContentAction, DescribedHandlers, Generated, Json, OnDocument, ServesType } from './metadata.js';

/**
 * Base of both kinds of controllers. Before a handler runs, the guard has authenticated the caller, and an
 * interceptor has planned the response. Another interceptor sends the `Answer` that the handler returns.
 */
@UseFilters(ContentErrorFilter)
@UseGuards(AccessGuard)
@UseInterceptors(ContentInterceptor)
abstract class ContentController {
  // Property injection leaves the constructor to subclasses.
  @Inject(ContentRequests) private readonly requests!: ContentRequests;

  protected perform(request: object, body?: unknown): Promise<Answer> {
    return this.requests.perform(request, body);
  }
}

/**
 * Routes `GET|POST /api/:pluralApiId` and `GET|PUT|DELETE /api/:pluralApiId/:documentId` (contract
 * "Collection type"), and `/actions/…` below a document if the type has them.
 *
 * @publicApi
 */
@DescribedHandlers()
export abstract class CollectionController extends ContentController {
  @Get()
  @Json()
  @ContentAction('find')
  find(@Req() request: object): Promise<Answer> {
    return this.perform(request);
  }

  @Get(':documentId')
  @Json()
  @ContentAction('findOne')
  findOne(@Req() request: object): Promise<Answer> {
    return this.perform(request);
  }

  @Post()
  @Json()
  @ContentAction('create')
  create(@Req() request: object, @Body() body: unknown): Promise<Answer> {
    return this.perform(request, body);
  }

  @Put(':documentId')
  @Json()
  @ContentAction('update')
  update(@Req() request: object, @Body() body: unknown): Promise<Answer> {
    return this.perform(request, body);
  }

  @Delete(':documentId')
  @HttpCode(204)
  @ContentAction('delete')
  delete(@Req() request: object): Promise<Answer> {
    return this.perform(request);
  }

  @Post(':documentId/actions/publish')
  @OnDocument('publish')
  publish(@Req() request: object): Promise<Answer> {
    return this.perform(request);
  }

  @Post(':documentId/actions/unpublish')
  @OnDocument('unpublish')
  unpublish(@Req() request: object): Promise<Answer> {
    return this.perform(request);
  }

  @Post(':documentId/actions/discard')
  @OnDocument('discardDraft')
  discardDraft(@Req() request: object): Promise<Answer> {
    return this.perform(request);
  }

  @Get(':documentId/actions/schedule')
  @OnDocument('findSchedule')
  findSchedule(@Req() request: object): Promise<Answer> {
    return this.perform(request);
  }

  @Put(':documentId/actions/schedule')
  @OnDocument('schedule')
  schedule(@Req() request: object, @Body() body: unknown): Promise<Answer> {
    return this.perform(request, body);
  }

  @Delete(':documentId/actions/schedule')
  @HttpCode(204)
  @OnDocument('unschedule')
  unschedule(@Req() request: object): Promise<Answer> {
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
export abstract class SingleController extends ContentController {
  @Get()
  @Json()
  @ContentAction('find')
  find(@Req() request: object): Promise<Answer> {
    return this.perform(request);
  }

  @Put()
  @Json()
  @ContentAction('update')
  update(@Req() request: object, @Body() body: unknown): Promise<Answer> {
    return this.perform(request, body);
  }

  @Delete()
  @HttpCode(204)
  @ContentAction('delete')
  delete(@Req() request: object): Promise<Answer> {
    return this.perform(request);
  }

  @Post('actions/publish')
  @OnDocument('publish')
  publish(@Req() request: object): Promise<Answer> {
    return this.perform(request);
  }

  @Post('actions/unpublish')
  @OnDocument('unpublish')
  unpublish(@Req() request: object): Promise<Answer> {
    return this.perform(request);
  }

  @Post('actions/discard')
  @OnDocument('discardDraft')
  discardDraft(@Req() request: object): Promise<Answer> {
    return this.perform(request);
  }

  @Get('actions/schedule')
  @OnDocument('findSchedule')
  findSchedule(@Req() request: object): Promise<Answer> {
    return this.perform(request);
  }

  @Put('actions/schedule')
  @OnDocument('schedule')
  schedule(@Req() request: object, @Body() body: unknown): Promise<Answer> {
    return this.perform(request, body);
  }

  @Delete('actions/schedule')
  @HttpCode(204)
  @OnDocument('unschedule')
  unschedule(@Req() request: object): Promise<Answer> {
    return this.perform(request);
  }
}

const className = (id: string): string =>
  `${id.replace(/(^|-)([a-z0-9])/g, (_match, _dash, letter: string) => letter.toUpperCase())}ContentController`;

type Methods = Readonly<Record<string, unknown>>;

type Base = abstract new () => object;

const HANDLERS: Readonly<Record<DocumentAction, readonly string[]>> = {
  publish: ['publish'],
  unpublish: ['unpublish'],
  discard: ['discardDraft'],
  schedule: ['findSchedule', 'schedule', 'unschedule'],
};

/**
 * Whether a method of the application has the name of an action's handler, but is a route at another path.
 */
function isElsewhere(name: string, method: object, route: object): boolean {
  if (!Object.values(HANDLERS).flat().includes(name)) return false;
  const path: unknown = Reflect.getMetadata('path', method);
  return path !== undefined && path !== Reflect.getMetadata('path', route);
}

/**
 * Copies the decorators of a route to a method that overrides it, because Nest reads them from the function.
 */
function keepRoutes(given: Type, base: Base): void {
  const own = given.prototype as Methods;
  const inherited = base.prototype as Methods;
  for (const name of Object.getOwnPropertyNames(inherited)) {
    const [override, route] = [own[name], inherited[name]];
    if (typeof override !== 'function' || typeof route !== 'function' || override === route) continue;
    if (isElsewhere(name, override, route)) continue;
    for (const key of Reflect.getMetadataKeys(route) as unknown[]) {
      if (!Reflect.hasMetadata(key, override))
        Reflect.defineMetadata(key, Reflect.getMetadata(key, route), override);
    }
  }
}

function handlersWithout({ kind, routes }: ContentType): string[] {
  const actions = DOCUMENT_ACTIONS.filter((action) => !routes.includes(action));
  return [
    ...ROUTES[kind].filter((route) => !routes.includes(route)),
    ...actions.flatMap((action) => HANDLERS[action]),
  ];
}

/** Replaces the handlers by methods without decorators, which Nest ignores. */
function dropRoutes(controller: Type, generated: Base, dropped: readonly string[]): void {
  const methods = controller.prototype as Readonly<Record<string, (...args: unknown[]) => unknown>>;
  for (const name of dropped) {
    const inherited = methods[name];
    if (isElsewhere(name, methods[name] as object, (generated.prototype as Methods)[name] as object))
      continue;
    const value = function (this: unknown, ...args: unknown[]): unknown {
      return inherited?.apply(this, args);
    };
    Object.defineProperty(methods, name, { value });
  }
}

/** Creates the controller class of a content type at `path`, or a subclass of the application's own. */
export function contentController(type: ContentType, path: string, given?: Type): Type {
  const generated: Base = type.kind === 'collectionType' ? CollectionController : SingleController;
  if (given !== undefined) keepRoutes(given, generated);
  const base: Base = given ?? generated;
  const controller = { [className(type.singularApiId)]: class extends base {} }[
    className(type.singularApiId)
  ] as Type;
  dropRoutes(controller, generated, handlersWithout(type));
  // The protocol has no versions (contract "Versioning"); a version of the application's class is respected.
  Controller({
    path,
    version: (Reflect.getMetadata('__version__', base) as string | undefined) ?? VERSION_NEUTRAL,
  })(controller);
  ServesType(type)(controller);
  Generated(given === undefined)(controller);
  return controller;
}
