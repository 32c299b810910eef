import { Inject, Injectable, type Type } from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost } from '@nestjs/core';
import type { ContentType } from '../schema/model.js';
import { trimSlashes } from '../settings.js';
import { adaptFastify } from './fastify.js';

/** The content controllers and the prefix that the options gave. */
export interface Routed {
  readonly prefix: string;
  readonly controllers: readonly { readonly type: ContentType; readonly controller: Type }[];
}

/** What the paths of documents allow: of a list of them, and of one. */
export const METHODS = { list: 'GET, HEAD, POST, OPTIONS', one: 'GET, HEAD, PUT, DELETE, OPTIONS' } as const;

/** Injection token of {@link Routed}. */
export const ROUTED = Symbol('ContentRouted');

/** The paths below which this module answers. */
@Injectable()
export class ContentRoutes {
  /**
   * Paths before the content routes, each with a leading slash and in lower case, or empty; one, unless the
   * host excludes some routes from its prefix.
   */
  private bases: readonly string[] = [];
  private readonly names: Set<string>;

  constructor(
    @Inject(ROUTED) private readonly routed: Routed,
    @Inject(ApplicationConfig) private readonly application: ApplicationConfig,
    @Inject(HttpAdapterHost) private readonly adapter: HttpAdapterHost,
  ) {
    this.names = new Set(routed.controllers.map(({ type }) => type.route));
  }

  /**
   * The path of the content prefix, without slashes; empty where the application's global prefix ends in it.
   */
  private get own(): string {
    const global = `/${trimSlashes(this.application.getGlobalPrefix())}`.toLowerCase();
    return global.endsWith(`/${this.routed.prefix.toLowerCase()}`) ? '' : this.routed.prefix;
  }

  /**
   * Puts another module's controller below the content prefix. To be called before the routes are registered.
   */
  place(controller: Type, path: string): void {
    this.names.add(path);
    Reflect.defineMetadata('path', this.own === '' ? path : `${this.own}/${path}`, controller);
  }

  /**
   * Sets the controllers' paths. The content prefix is not repeated when it is the application's global one.
   */
  mount(): void {
    this.bases = this.basesOf();
    for (const { type, controller } of this.routed.controllers) this.place(controller, type.route);
    adaptFastify(this.adapter, (path) => this.owns(path));
  }

  /** Whether a lower-case path is below the content prefix. */
  covers(path: string): boolean {
    return this.bases.some((base) => (path === base ? path !== '' : path.startsWith(`${base}/`)));
  }

  /** Whether a lower-case path belongs to a content type. */
  owns(path: string): boolean {
    return this.below(path).some(([name = '']) => this.names.has(name));
  }

  /** The methods of a content type's route, or null for a path that is none. */
  methodsAt(path: string): string | null {
    for (const [name, ...more] of this.below(path)) {
      const routed = this.routed.controllers.find(({ type }) => type.route === name);
      const parts = more.filter((part) => part !== '').length;
      if (routed !== undefined && parts === 0)
        return routed.type.kind === 'collectionType' ? METHODS.list : METHODS.one;
      if (routed !== undefined && parts === 1 && routed.type.kind === 'collectionType') return METHODS.one;
    }
    return null;
  }

  /** The parts of a lower-case path below the content prefix. */
  private below(path: string): string[][] {
    return this.bases
      .filter((base) => path.startsWith(`${base}/`))
      .map((base) => path.slice(base.length + 1).split('/'));
  }

  /**
   * The paths that routes may be below. A host that excludes some routes from its prefix has them with it and
   * without.
   */
  private basesOf(): string[] {
    const { exclude = [] } = this.application.getGlobalPrefixOptions();
    const globals =
      exclude.length === 0 ? [this.application.getGlobalPrefix()] : [this.application.getGlobalPrefix(), ''];
    return globals.map((global) =>
      [trimSlashes(global), this.own]
        .filter((part) => part !== '')
        .map((part) => `/${part.toLowerCase()}`)
        .join(''),
    );
  }
}
