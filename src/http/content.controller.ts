/**
 * The routes of the contract: a real Nest controller class per content type, open to host guards and
 * subclasses.
 */
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
  VERSION_NEUTRAL,
} from '@nestjs/common';
import type { Caller } from '../access/caller.js';
import type { Answer } from '../documents/answer.js';
import { Documents } from '../documents/documents.service.js';
import type { ReadPlan } from '../plan/plan.js';
import { byDocumentId } from '../plan/plan-read.js';
import { ROUTES } from '../schema/definitions.js';
import type { ContentType } from '../schema/model.js';
import { AccessGuard } from './access.guard.js';
import { hangupOf } from './connection.js';
import { ContentErrorFilter } from './error.filter.js';
import { ContentAction, Json, ServesType } from './metadata.js';
import { type HttpRequest, queryOf, stateOf } from './request-state.js';
import { UnsentAnswers } from './unsent-answers.js';

interface Planned {
  readonly plan: ReadPlan;
  readonly caller: Caller;
}

/** What both kinds of routes share. */
@UseFilters(ContentErrorFilter)
@UseGuards(AccessGuard)
abstract class ContentController {
  constructor(
    @Inject(Documents) protected readonly documents: Documents,
    @Inject(UnsentAnswers) private readonly unsent: UnsentAnswers,
  ) {}

  /**
   * Plans the answer before anything is read or written: the query is checked, and its populate tree narrowed
   * to what the caller that the guard found may `find`. What is not permitted is never fetched (contract
   * "Authentication" 4).
   *
   * Not in an interceptor: the first one on a route costs more than all the rest that this library does for a
   * GET in Node.
   */
  private planned(request: HttpRequest): Planned {
    const { caller, route } = stateOf(request);
    if (caller === undefined || route === undefined)
      throw new Error('Only the routes of a content controller can be planned');
    const { type, action } = route;
    const plan = this.documents.planText(queryOf(request), {
      type,
      kind: action === 'find' && type.kind === 'collectionType' ? 'list' : 'one',
      by: byDocumentId(request.params?.['documentId'] ?? null),
      caller,
      format: request.headers['strapi-response-format'] === 'v4' ? 'v4' : 'flat',
      action,
    });
    return { plan, caller };
  }

  /** Reads what the request asks for. */
  protected async read(given: object): Promise<Answer> {
    const request = given as HttpRequest;
    const answer = await this.documents.read(this.planned(request).plan, hangupOf(request));
    this.unsent.admit(request, answer.data);
    return answer;
  }

  /** Writes a request's body on behalf of its caller, and answers as the request asks. */
  protected write(action: 'create' | 'update', request: object, body: unknown): Promise<Answer> {
    const { plan, caller } = this.planned(request as HttpRequest);
    return this.documents[action](plan, body, { caller, hangup: hangupOf(request) });
  }

  protected remove(request: object): Promise<void> {
    const { plan, caller } = this.planned(request as HttpRequest);
    return this.documents.delete(plan, { caller, hangup: hangupOf(request) });
  }
}

/**
 * `GET|POST /api/:pluralApiId` and `GET|PUT|DELETE /api/:pluralApiId/:documentId` (contract "Collection
 * type").
 *
 * @publicApi
 */
export abstract class CollectionController extends ContentController {
  @Get()
  @Json()
  @ContentAction('find')
  async find(@Req() request: object): Promise<string> {
    return (await this.read(request)).envelope();
  }

  @Get(':documentId')
  @Json()
  @ContentAction('findOne')
  async findOne(@Req() request: object): Promise<string> {
    return (await this.read(request)).envelope();
  }

  @Post()
  @Json()
  @ContentAction('create')
  async create(@Req() request: object, @Body() body: unknown): Promise<string> {
    return (await this.write('create', request, body)).envelope();
  }

  @Put(':documentId')
  @Json()
  @ContentAction('update')
  async update(@Req() request: object, @Body() body: unknown): Promise<string> {
    return (await this.write('update', request, body)).envelope();
  }

  @Delete(':documentId')
  @HttpCode(204)
  @ContentAction('delete')
  async delete(@Req() request: object): Promise<void> {
    await this.remove(request);
  }
}

/**
 * `GET|PUT|DELETE /api/:singularApiId` (contract "Single type").
 *
 * @publicApi
 */
export abstract class SingleController extends ContentController {
  @Get()
  @Json()
  @ContentAction('find')
  async find(@Req() request: object): Promise<string> {
    return (await this.read(request)).envelope();
  }

  @Put()
  @Json()
  @ContentAction('update')
  async update(@Req() request: object, @Body() body: unknown): Promise<string> {
    return (await this.write('update', request, body)).envelope();
  }

  @Delete()
  @HttpCode(204)
  @ContentAction('delete')
  async delete(@Req() request: object): Promise<void> {
    await this.remove(request);
  }
}

const className = (id: string): string =>
  `${id.replace(/(^|-)([a-z0-9])/g, (_match, _dash, letter: string) => letter.toUpperCase())}ContentController`;

type Methods = Readonly<Record<string, unknown>>;

/**
 * Lets a method that overrides a route keep the route's decorators, which Nest looks for on the very
 * function.
 */
function keepRoutes(given: Type, base: Type): void {
  const own = given.prototype as Methods;
  const inherited = base.prototype as Methods;
  for (const name of Object.getOwnPropertyNames(inherited)) {
    const [override, route] = [own[name], inherited[name]];
    if (typeof override !== 'function' || typeof route !== 'function' || override === route) continue;
    for (const key of Reflect.getMetadataKeys(route) as unknown[]) {
      if (!Reflect.hasMetadata(key, override))
        Reflect.defineMetadata(key, Reflect.getMetadata(key, route), override);
    }
  }
}

/** Nest takes a method without decorators for none of its business. */
function dropRoutes(controller: Type, dropped: readonly string[]): void {
  const methods = controller.prototype as Readonly<Record<string, (...args: unknown[]) => unknown>>;
  for (const name of dropped) {
    const inherited = methods[name];
    const value = function (this: unknown, ...args: unknown[]): unknown {
      return inherited?.apply(this, args);
    };
    Object.defineProperty(methods, name, { value });
  }
}

/**
 * The controller class of a content type, at `path`: its own, or a subclass of the one that the host gave.
 */
export function contentController(type: ContentType, path: string, given?: Type): Type {
  const generated = (type.kind === 'collectionType'
    ? CollectionController
    : SingleController) as unknown as Type<object>;
  if (given !== undefined) keepRoutes(given, generated);
  const base = given ?? generated;
  const controller = { [className(type.singularApiId)]: class extends base {} }[
    className(type.singularApiId)
  ] as Type;
  dropRoutes(
    controller,
    ROUTES[type.kind].filter((route) => !type.routes.includes(route)),
  );
  // The contract knows no versions (contract "Versioning"); what the host says for its own class stands.
  Controller({
    path,
    version: (Reflect.getMetadata('__version__', base) as string | undefined) ?? VERSION_NEUTRAL,
  })(controller);
  ServesType(type)(controller);
  return controller;
}
