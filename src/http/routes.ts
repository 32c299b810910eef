import { Inject, Injectable, RequestMethod, type Type } from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost, MetadataScanner } from '@nestjs/core';
import { ContentModelError } from '../schema/content-model-error.js';
import type { ContentType } from '../schema/model.js';
import { trimSlashes } from '../settings.js';
import { adaptFastify } from './fastify.js';

/** The content controllers and the prefix that the options gave. */
export interface Routed {
  readonly prefix: string;
  readonly controllers: readonly { readonly type: ContentType; readonly controller: Type }[];
}

/** Injection token of {@link Routed}. */
export const ROUTED = Symbol('ContentRouted');

/**
 * Injection token of {@link ContentRoutes} for the modules that need a ContentModule. If the application has
 * none, Nest's error quotes the description.
 */
export const CONTENT_MODULE = Symbol('ContentModule: import ContentModule.forRoot(…) as well');

/** A handler of a controller: its method, and the segments of its path below the controller's. */
interface Handler {
  readonly method: string;
  readonly segments: readonly string[];
}

/** The order in which `Allow` names methods. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

const segmentsOf = (path: string): string[] => path.split('/').filter((segment) => segment !== '');

/** The handlers that Nest finds in a controller class, those that the host put there included. */
function handlersOf(controller: Type): Handler[] {
  const prototype = controller.prototype as Readonly<Record<string, object>>;
  return new MetadataScanner().getAllMethodNames(prototype).flatMap((name) => {
    const handler = prototype[name] as object;
    const path = Reflect.getMetadata('path', handler) as string | readonly string[] | undefined;
    const method = Reflect.getMetadata('method', handler) as RequestMethod | undefined;
    if (path === undefined || method === undefined) return [];
    return [path].flat().map((one) => ({ method: RequestMethod[method], segments: segmentsOf(one) }));
  });
}

/** Whether lower-case segments of a request's path lead to a handler. */
const leadsTo =
  (given: readonly string[]) =>
  ({ segments }: Handler): boolean =>
    segments.length === given.length &&
    segments.every(
      (segment, i) => given[i] !== '' && (segment.startsWith(':') || segment.toLowerCase() === given[i]),
    );

/** The paths below which this module answers. */
@Injectable()
export class ContentRoutes {
  /**
   * Paths before the content routes, each in lower case between slashes; one, unless the host excludes some
   * routes from its prefix.
   */
  private bases: readonly string[] = [];
  /** Controllers below the prefix by the first segment of their paths. */
  private readonly placed = new Map<string, { controller: Type; handlers: readonly Handler[] }>();

  constructor(
    @Inject(ROUTED) private readonly routed: Routed,
    @Inject(ApplicationConfig) private readonly application: ApplicationConfig,
    @Inject(HttpAdapterHost) private readonly adapter: HttpAdapterHost,
  ) {}

  /**
   * The path of the content prefix, without slashes; empty where the application's global prefix ends in it.
   */
  private get own(): string {
    const global = `/${trimSlashes(this.application.getGlobalPrefix())}`.toLowerCase();
    return global.endsWith(`/${this.routed.prefix.toLowerCase()}`) ? '' : this.routed.prefix;
  }

  /**
   * Puts a controller below the content prefix, at a path of one segment. To be called before the routes are
   * registered. Throws a ContentModelError for a path that another controller has.
   */
  setPath(controller: Type, path: string): void {
    const first = this.placed.get(path)?.controller ?? controller;
    if (first !== controller)
      throw new ContentModelError(
        [`route "${path}": ${this.nameOf(first)} and ${this.nameOf(controller)} both have it`],
        'routes',
      );
    this.placed.set(path, { controller, handlers: handlersOf(controller) });
    Reflect.defineMetadata('path', this.own === '' ? path : `${this.own}/${path}`, controller);
  }

  /**
   * Sets the controllers' paths. The content prefix is not repeated when it is the application's global one.
   */
  mount(): void {
    this.bases = this.basesOf();
    for (const { type, controller } of this.routed.controllers) this.setPath(controller, type.route);
    adaptFastify(this.adapter, (path) => this.hasRoute(path));
  }

  /** The controller's type as the model names it, or the name of a controller of the library. */
  private nameOf(controller: Type): string {
    const routed = this.routed.controllers.find((one) => one.controller === controller);
    return routed === undefined ? controller.name : `the type "${routed.type.singularApiId}"`;
  }

  /** The paths of all types. */
  get typePaths(): readonly string[] {
    return this.routed.controllers.map(({ type }) => `${this.base}/${type.route}`.toLowerCase());
  }

  /** The path before all content routes, with a leading slash, as requests have it; empty at the root. */
  get base(): string {
    return [trimSlashes(this.application.getGlobalPrefix()), this.own]
      .filter((part) => part !== '')
      .map((part) => `/${part}`)
      .join('');
  }

  /** Whether a lower-case path is below the content prefix. */
  covers(path: string): boolean {
    return this.bases.some((base) => path.startsWith(base) || (path !== '' && `${path}/` === base));
  }

  /** Whether a lower-case path is that of a placed controller, or below it. */
  hasRoute(path: string): boolean {
    return this.bases.some((base) => {
      if (!path.startsWith(base)) return false;
      const end = path.indexOf('/', base.length);
      return this.placed.has(path.slice(base.length, end < 0 ? undefined : end));
    });
  }

  /**
   * The methods that a lower-case path has, HEAD and OPTIONS included, in the order of `Allow`; none for a
   * path that no placed controller has a handler for.
   */
  methodsAt(path: string): readonly string[] {
    const methods = new Set(this.handlersAt(path).map(({ method }) => method));
    if (methods.size === 0) return [];
    if (methods.has('GET')) methods.add('HEAD');
    methods.add('OPTIONS');
    return METHODS.filter((method) => methods.has(method));
  }

  private handlersAt(path: string): readonly Handler[] {
    return this.bases
      .filter((base) => path.startsWith(base))
      .flatMap((base) => {
        const [name = '', ...segments] = path.slice(base.length).replace(/\/$/, '').split('/');
        return (this.placed.get(name)?.handlers ?? []).filter(leadsTo(segments));
      });
  }

  /**
   * The paths that routes may be below. A host that excludes some routes from its prefix has them with it and
   * without.
   */
  private basesOf(): string[] {
    const { exclude = [] } = this.application.getGlobalPrefixOptions();
    const globals =
      exclude.length === 0 ? [this.application.getGlobalPrefix()] : [this.application.getGlobalPrefix(), ''];
    return globals.map((global) => {
      const parts = [trimSlashes(global), this.own].filter((part) => part !== '');
      return `/${parts.map((part) => `${part}/`).join('')}`.toLowerCase();
    });
  }
}
