import { Inject, Injectable, type Type } from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost } from '@nestjs/core';
import type { ContentType } from '../schema/model.js';
import { adaptFastify } from './fastify.js';

/** The content controllers and the prefix that the options gave. */
export interface Routed {
  readonly prefix: string;
  readonly controllers: readonly { readonly type: ContentType; readonly controller: Type }[];
}

/** Injection token of {@link Routed}. */
export const ROUTED = Symbol('ContentRouted');

const trim = (path: string): string => path.replace(/^\/+|\/+$/g, '');

/** The paths below which this module answers. */
@Injectable()
export class ContentRoutes {
  /** Path before every content route, with a leading slash and lower case; empty for none. */
  base = '';
  private readonly names: Set<string>;

  constructor(
    @Inject(ROUTED) private readonly routed: Routed,
    @Inject(ApplicationConfig) private readonly application: ApplicationConfig,
    @Inject(HttpAdapterHost) private readonly adapter: HttpAdapterHost,
  ) {
    this.names = new Set(routed.controllers.map(({ type }) => type.route));
  }

  /** The path of the content prefix, without slashes; empty where the application's global prefix is the same. */
  private get own(): string {
    return trim(this.application.getGlobalPrefix()) === this.routed.prefix ? '' : this.routed.prefix;
  }

  /** Puts another module's controller below the content prefix. To be called before the routes are registered. */
  place(controller: Type, path: string): void {
    this.names.add(path);
    Reflect.defineMetadata('path', this.own === '' ? path : `${this.own}/${path}`, controller);
  }

  /** Sets the controllers' paths. The content prefix is not repeated when it is the application's global one. */
  mount(): void {
    const global = trim(this.application.getGlobalPrefix());
    const { own } = this;
    this.base = [global, own].filter((part) => part !== '').map((part) => `/${part.toLowerCase()}`).join('');
    for (const { type, controller } of this.routed.controllers) {
      Reflect.defineMetadata('path', own === '' ? type.route : `${own}/${type.route}`, controller);
    }
    adaptFastify(this.adapter, (path) => this.owns(path));
  }

  /** Whether a lower-case path is below the content prefix. */
  covers(path: string): boolean {
    return path === this.base ? path !== '' : path.startsWith(`${this.base}/`);
  }

  /** Whether a lower-case path belongs to a content type. */
  owns(path: string): boolean {
    if (!path.startsWith(`${this.base}/`)) return false;
    const [first = ''] = path.slice(this.base.length + 1).split('/');
    return this.names.has(first);
  }
}
