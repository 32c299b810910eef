import { Inject, Injectable, RequestMethod, type Type, VersioningType } from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost, MetadataScanner } from '@nestjs/core';
import { ContentModelError } from '../model/content-model-error.js';
import type { ContentType } from '../model/model.js';
import { isText } from '../../kernel/json.js';
import { methodOf, prototypeOf } from '../../kernel/methods.js';
import { joinPath, trimSlashes } from '../../kernel/paths.js';
import { adaptFastify } from './fastify.js';
import { Handles, ServesType } from './metadata.js';

export interface RoutedControllers {
  readonly prefix: string;
  readonly controllers: readonly { readonly type: ContentType; readonly controller: Type }[];
}

/** Injection token of {@link RoutedControllers}. */
export const ROUTED_CONTROLLERS = Symbol('ContentRouted');

/**
 * Injection token of {@link ContentRoutes} for the modules that need a ContentModule. If the application has
 * none, Nest's error quotes the description.
 */
export const CONTENT_MODULE = Symbol('ContentModule: import ContentModule.forRoot(…) as well');

/** Controller at a path outside of the content prefix. */
interface Outside {
  /** Lower-case path with a leading slash. */
  readonly path: string;
  readonly handlers: readonly Handler[];
}

interface Handler {
  readonly method: string;
  readonly segments: readonly string[];
  /** False for a route that the application added to a controller of the library. */
  readonly isOwn: boolean;
  /** Whether the application excludes the route from its global prefix. */
  readonly isExcluded: boolean;
}

/** Global prefix, and the handlers that have it: those that the application excludes have an empty one. */
interface Global {
  readonly prefix: string;
  readonly has: (handler: Handler) => boolean;
}

/** Content prefix with its controllers by path. */
interface Base {
  /** In lower case, with slashes at both ends. */
  readonly path: string;
  readonly placed: ReadonlyMap<string, readonly Handler[]>;
}

/** Handler of a path, and the path of its controller. */
interface Match {
  readonly at: string;
  readonly handler: Handler;
}

/** Order of methods in `Allow`. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

const segmentsOf = (path: string): string[] => path.split('/').filter((segment) => segment !== '');

type Excludes = (path: string, method: RequestMethod) => boolean;

function handlersOf(controller: Type, at: string, excludes: Excludes): Handler[] {
  const canExtend = Reflect.hasMetadata(ServesType.KEY, controller);
  return new MetadataScanner().getAllMethodNames(prototypeOf(controller)).flatMap((name) => {
    const handler = methodOf(controller, name);
    if (handler === undefined) return [];
    const path: unknown = Reflect.getMetadata('path', handler);
    const method: unknown = Reflect.getMetadata('method', handler);
    if (typeof method !== 'number') return [];
    const isOwn = !canExtend || Reflect.hasMetadata(Handles.KEY, handler);
    const paths = [path].flat().filter(isText);
    return paths.map((one) => ({
      method: RequestMethod[method] ?? '',
      segments: segmentsOf(one),
      isOwn,
      isExcluded: excludes(joinPath(at, trimSlashes(one)), method),
    }));
  });
}

const isBelow = (path: string, base: string): boolean => path === base || path.startsWith(`${base}/`);

const matchesSegments =
  (parts: readonly string[]) =>
  ({ segments }: Handler): boolean =>
    segments.length === parts.length &&
    segments.every(
      (segment, i) => parts[i] !== '' && (segment.startsWith(':') || segment.toLowerCase() === parts[i]),
    );

@Injectable()
export class ContentRoutes {
  /** Prefixes with routes: one, unless the application excludes some of them from its prefix. */
  private bases: readonly Base[] | null = null;
  private readonly placed = new Map<string, { controller: Type; handlers: readonly Handler[] }>();
  private readonly outside: Outside[] = [];

  constructor(
    @Inject(ROUTED_CONTROLLERS) private readonly routed: RoutedControllers,
    @Inject(ApplicationConfig) private readonly application: ApplicationConfig,
    @Inject(HttpAdapterHost) private readonly adapter: HttpAdapterHost,
  ) {}

  /** Content prefix without slashes; empty if the application's global prefix ends with it. */
  private get own(): string {
    const global = `/${trimSlashes(this.application.getGlobalPrefix())}`.toLowerCase();
    return global.endsWith(`/${this.routed.prefix.toLowerCase()}`) ? '' : this.routed.prefix;
  }

  /**
   * Mounts a controller at a one-segment path below the content prefix. Call it before the routes are
   * registered. Throws a ContentModelError if another controller has the path.
   */
  setPath(controller: Type, path: string): void {
    const first = this.placed.get(path)?.controller ?? controller;
    if (first !== controller)
      throw new ContentModelError(
        [`route "${path}": ${this.nameOf(first)} and ${this.nameOf(controller)} both have it`],
        'routes',
      );
    const at = this.own === '' ? path : `${this.own}/${path}`;
    this.placed.set(path, { controller, handlers: handlersOf(controller, at, this.excludes) });
    this.bases = null;
    Reflect.defineMetadata('path', at, controller);
  }

  /**
   * Mounts a controller at a path below the global prefix, outside of the content prefix. Errors, methods and
   * body limits are those of the content routes.
   */
  setPathOutside(controller: Type, path: string): void {
    const all = handlersOf(controller, path, this.excludes);
    for (const { prefix, has } of this.globals) {
      const handlers = all.filter(has);
      if (handlers.length > 0) this.outside.push({ path: joinPath(prefix, path).toLowerCase(), handlers });
    }
    Reflect.defineMetadata('path', path, controller);
  }

  mount(): void {
    for (const { type, controller } of this.routed.controllers) this.setPath(controller, type.route);
    adaptFastify(this.adapter, (path) => this.hasRoute(path));
  }

  private nameOf(controller: Type): string {
    const routed = this.routed.controllers.find((one) => one.controller === controller);
    return routed === undefined ? controller.name : `the type "${routed.type.singularApiId}"`;
  }

  get typePaths(): readonly string[] {
    return this.routed.controllers.map(({ type }) => `${this.base}/${type.route}`.toLowerCase());
  }

  /** Path prefix of all content routes with a leading slash; empty at the root. */
  get base(): string {
    const [first] = this.routed.controllers;
    return joinPath(this.globalAt(joinPath(this.own, first?.type.route ?? '')), this.own);
  }

  /** Returns the global prefix of a path without it; empty if the application excludes the path. */
  globalAt(path: string): string {
    const isExcluded = this.excludes(joinPath(trimSlashes(path)), RequestMethod.GET);
    return isExcluded ? '' : trimSlashes(this.application.getGlobalPrefix());
  }

  covers(path: string): boolean {
    return (
      this.allBases.some((base) => path.startsWith(base.path) || (path !== '' && `${path}/` === base.path)) ||
      this.outside.some((one) => isBelow(path, one.path))
    );
  }

  hasRoute(path: string): boolean {
    const isPlaced = this.allBases.some((base) => {
      if (!path.startsWith(base.path)) return false;
      const end = path.indexOf('/', base.path.length);
      return base.placed.has(path.slice(base.path.length, end < 0 ? undefined : end));
    });
    return isPlaced || this.outsideAt(path).length > 0;
  }

  /**
   * Returns the methods of a lower-case path in the order of `Allow`, including HEAD and OPTIONS; none for a
   * path without a handler.
   */
  methodsAt(path: string): readonly string[] {
    const methods = new Set(this.handlersAt(path).map(({ method }) => method));
    if (methods.size === 0) return [];
    if (methods.has('GET')) methods.add('HEAD');
    methods.add('OPTIONS');
    return METHODS.filter((method) => methods.has(method));
  }

  /** Whether the library serves a lower-case path; false for routes that the application added. */
  isOwn(method: string, path: string): boolean {
    const handlers = this.handlersAt(path).filter((handler) => handler.method === method);
    return handlers.length > 0 && handlers.every(({ isOwn }) => isOwn);
  }

  /** Returns the template of a lower-case path, such as `/api/articles/:documentId`; null without a route. */
  templateOf(path: string): string | null {
    const [match] = this.matchesAt(path);
    return match === undefined ? null : [match.at, ...match.handler.segments].join('/');
  }

  private handlersAt(path: string): readonly Handler[] {
    return this.matchesAt(path).map(({ handler }) => handler);
  }

  private matchesAt(path: string): readonly Match[] {
    const placed = this.allBases
      .filter((base) => path.startsWith(base.path))
      .flatMap((base) => {
        const [name = '', ...segments] = path.slice(base.path.length).replace(/\/$/, '').split('/');
        const at = `${base.path}${name}`;
        return (base.placed.get(name) ?? [])
          .filter(matchesSegments(segments))
          .map((handler) => ({ at, handler }));
      });
    return [...placed, ...this.outsideAt(path)];
  }

  private outsideAt(path: string): readonly Match[] {
    return this.outside
      .filter((one) => isBelow(path, one.path))
      .flatMap(({ path: at, handlers }) =>
        handlers
          .filter(matchesSegments(segmentsOf(path.slice(at.length))))
          .map((handler) => ({ at, handler })),
      );
  }

  private readonly excludes: Excludes = (path, method) => {
    const { exclude = [] } = this.application.getGlobalPrefixOptions();
    return exclude.some(
      ({ requestMethod, pathRegex }) =>
        [RequestMethod.ALL, method].includes(requestMethod) && pathRegex.test(path),
    );
  };

  private get globals(): readonly Global[] {
    const prefix = trimSlashes(this.application.getGlobalPrefix());
    if (prefix === '') return [{ prefix, has: () => true }];
    return [
      { prefix, has: ({ isExcluded }) => !isExcluded },
      { prefix: '', has: ({ isExcluded }) => isExcluded },
    ];
  }

  private get allBases(): readonly Base[] {
    return (this.bases ??= this.basesOf());
  }

  /** Returns the segments of paths for the versions of a controller: an empty one for no version. */
  private versionsOf(controller: Type): readonly string[] {
    const versioning = this.application.getVersioning();
    const versions: unknown = Reflect.getMetadata('__version__', controller);
    if (versioning?.type !== VersioningType.URI) return [''];
    const before = versioning.prefix === false ? '' : (versioning.prefix ?? 'v');
    return [versions].flat().map((version) => (isText(version) ? `${before}${version}` : ''));
  }

  /** Returns the prefixes with routes; without any route, the prefix that it would have. */
  private basesOf(): readonly Base[] {
    const controllers = [...this.placed].map(([name, one]) => {
      return { name, handlers: one.handlers, versions: this.versionsOf(one.controller) };
    });
    const versions = new Set(['', ...controllers.flatMap((one) => one.versions)]);
    const all = this.globals.flatMap(({ prefix, has }) =>
      [...versions].map((version) => {
        const placed = controllers
          .filter((one) => one.versions.includes(version))
          .map(({ name, handlers }) => [name, handlers.filter(has)] as const);
        return {
          path: `${joinPath(prefix, version, this.own)}/`.toLowerCase(),
          placed: new Map(placed.filter(([, handlers]) => handlers.length > 0)),
        };
      }),
    );
    const used = all.filter(({ placed }) => placed.size > 0);
    return used.length > 0 ? used : all.slice(0, 1);
  }
}
