/**
 * Request hooks outside of Nest's handlers, for both frameworks: before any middleware, parser or guard, and
 * after the last route.
 */
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ContentAccess } from '../access/content-access.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../../kernel/settings.js';
import { Database } from '../store/database.js';
import { MARK_HEADER } from '../query/mark.js';
import { REQUEST_ID_HEADER, requestIdIn } from '../query/request-id.js';
import { ContentError } from '../../kernel/errors.js';
import { type LimitedBodies, limitParsedBodies, limitRouteBodies } from './body-limit.js';
import { ContentErrorFilter } from './error.filter.js';
import { acceptAnyPath } from './fastify.js';
import { adaptBodies } from './fastify-bodies.js';
import { declareBody } from './json-body.js';
import { Probes } from './probes.js';
import { pathIn, stateOf } from './request-state.js';
import { RequestWatch } from './request-watch.js';
import { ContentRoutes } from './routes.js';
import { varyBy } from './vary.js';

export interface RawRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string | undefined>;
}

type Hook = (request: RawRequest, response: object) => boolean;

interface FastifyRequest {
  readonly raw: RawRequest;
  readonly is404: boolean;
  readonly params: Readonly<Record<string, string>>;
}

interface Framework {
  use(middleware: (request: RawRequest, response: object, next: () => void) => void): void;
  addHook(name: 'onRequest', hook: (request: FastifyRequest, reply: object, done: () => void) => void): void;
}

/** Fastify matches an empty parameter: `/api/articles/` for `/api/articles/:documentId`. */
const hasNoRoute = ({ is404, params }: FastifyRequest): boolean =>
  is404 || Object.values(params).includes('');

const asMiddleware =
  (hook: Hook): Parameters<Framework['use']>[0] =>
  (request, response, next) => {
    if (!hook(request, response)) next();
  };

/** Registration of hooks by framework. */
const FRAMEWORKS: Readonly<
  Record<
    string,
    { first(framework: Framework, hook: Hook): void; last(framework: Framework, hook: Hook): void }
  >
> = {
  express: {
    first: (express, hook) => express.use(asMiddleware(hook)),
    last: (express, hook) => express.use(asMiddleware(hook)),
  },
  // Fastify runs these hooks after it matched a route, and before the application's handler for unmatched
  // requests.
  fastify: {
    first: (fastify, hook) =>
      fastify.addHook('onRequest', ({ raw }, reply, done) => {
        if (!hook(raw, reply)) done();
      }),
    last: (fastify, hook) =>
      fastify.addHook('onRequest', (request, reply, done) => {
        if (!hasNoRoute(request) || !hook(request.raw, reply)) done();
      }),
  },
};

const PRIVATE = 'private, no-cache';

/** Registers a hook for every request: first of all, or for requests without a route. */
export function connect({ httpAdapter }: HttpAdapterHost, place: 'first' | 'last', hook: Hook): void {
  FRAMEWORKS[httpAdapter?.getType()]?.[place](httpAdapter.getInstance<Framework>(), hook);
}

/** Runs before the application's middleware and Nest's body parser. */
@Injectable()
export class BeforeRoutes implements OnModuleInit {
  private readonly undecoded = new WeakSet<object>();

  constructor(
    @Inject(HttpAdapterHost) private readonly adapter: HttpAdapterHost,
    @Inject(ContentRoutes) private readonly routes: ContentRoutes,
    @Inject(ContentAccess) private readonly access: ContentAccess,
    @Inject(ContentErrorFilter) private readonly errors: ContentErrorFilter,
    @Inject(CONTENT_SETTINGS) private readonly settings: ContentSettings,
    @Inject(Database) private readonly database: Database,
    @Inject(Probes) private readonly probes: Probes,
    @Inject(RequestWatch) private readonly watch: RequestWatch,
  ) {
    // Emits at once if there is an adapter.
    adapter.init$.subscribe(() => {
      connect(adapter, 'first', (request, response) => this.arrive(request, response));
      adaptBodies(adapter, (path) => routes.hasRoute(path));
      limitRouteBodies(adapter, this.bodies);
    });
  }

  private get bodies(): LimitedBodies {
    const { routes, settings } = this;
    return { owns: (method, path) => routes.isOwn(method, path), bytes: settings.limits.bodyBytes };
  }

  onModuleInit(): void {
    limitParsedBodies(this.adapter, this.bodies);
    acceptAnyPath(this.adapter, {
      owns: (path) => this.routes.covers(path),
      hasRoute: (path) => this.routes.hasRoute(path),
      undecoded: (request) => this.undecoded.add(request),
    });
  }

  private arrive(request: RawRequest, response: object): boolean {
    const path = pathIn(request.url);
    if (this.routes.hasRoute(path)) {
      declareBody(request);
      this.identify(request, response);
      this.watch.begin(request, path, response);
      this.protect(response);
      if (this.undecoded.has(request)) {
        this.errors.reply(new ContentError('BadRequestError', 'failed to decode'), response);
        return true;
      }
    }
    return this.probes.answer(path, response);
  }

  private identify(request: RawRequest, response: object): void {
    const requestId = requestIdIn(request.headers);
    stateOf(request).requestId = requestId;
    this.adapter.httpAdapter.setHeader(response, REQUEST_ID_HEADER, requestId);
  }

  /** Keeps caches from mixing up callers, formats or positions. */
  private protect(response: object): void {
    const position = this.database.hasReplicas ? `, ${MARK_HEADER}` : '';
    varyBy(this.adapter, response, `${this.access.vary}, Strapi-Response-Format${position}`);
    this.adapter.httpAdapter.setHeader(response, 'Cache-Control', PRIVATE);
  }
}

/**
 * Responds to a path that has other methods than the requested one: 405, or the methods for OPTIONS (protocol
 * 1.9, 1.10).
 */
@Injectable()
export class AfterRoutes implements OnModuleInit {
  constructor(
    @Inject(HttpAdapterHost) private readonly adapter: HttpAdapterHost,
    @Inject(ContentRoutes) private readonly routes: ContentRoutes,
    @Inject(ContentErrorFilter) private readonly errors: ContentErrorFilter,
  ) {}

  /** Nest calls this after it registered the routes and before its handler for all other paths. */
  onModuleInit(): void {
    connect(this.adapter, 'last', (request, response) => this.answer(request, response));
  }

  private answer(request: RawRequest, response: object): boolean {
    const methods = this.routes.methodsAt(pathIn(request.url));
    const asks = request.method === 'OPTIONS';
    if (methods.length === 0 || (methods.includes(request.method) && !asks)) return false;
    const { httpAdapter } = this.adapter;
    httpAdapter.setHeader(response, 'Allow', methods.join(', '));
    if (asks) httpAdapter.reply(response, undefined, 204);
    else this.errors.reply(new ContentError('MethodNotAllowedError', 'Method Not Allowed'), response);
    return true;
  }
}
