/** Size limit of JSON bodies on the content routes, independent of the limit of the application's routes. */
import type { HttpAdapterHost } from '@nestjs/core';
import { pathIn } from './request-state.js';

export interface LimitedBodies {
  /** Whether the library's own handler serves a lower-case path. */
  readonly owns: (method: string, path: string) => boolean;
  readonly bytes: number;
}

interface RawRequest {
  readonly method: string;
  readonly url: string;
}

type Next = (error?: unknown) => void;

type Middleware = (request: RawRequest, response: object, next: Next) => void;

interface Layer {
  readonly handle: Middleware;
}

interface ExpressAdapter {
  use(middleware: Middleware): void;
  useBodyParser(type: 'json', rawBody: boolean, options: { readonly limit: number }): void;
}

interface Express {
  use(middleware: Middleware): void;
  readonly router: { readonly stack: Layer[] };
}

interface FastifyRoute {
  readonly url: string;
  readonly method: string | string[];
  bodyLimit?: number;
}

interface Fastify {
  addHook(name: 'onRoute', hook: (route: FastifyRoute) => void): void;
}

/** Name of the middleware that `express.json()` returns. Nest recognizes it by this name, too. */
const JSON_PARSER = 'jsonParser';

/** Returns the parser of the application's own Express, which Nest's adapter would add for all routes. */
function parserOf(adapter: object, bytes: number): Middleware | null {
  const captured: { parser: Middleware | null } = { parser: null };
  const use = (parser: Middleware): void => void (captured.parser = parser);
  const catching = Object.create(adapter, { use: { value: use } }) as ExpressAdapter;
  // Keeps the bytes, which applications read that enable `rawBody`.
  catching.useBodyParser('json', true, { limit: bytes });
  return captured.parser;
}

/**
 * Express only: parses the bodies of content routes before the first parser of JSON, which then skips them.
 * Call it after Nest and the application have added their parsers. Without any, the application reads bodies
 * itself.
 */
export function limitParsedBodies({ httpAdapter }: HttpAdapterHost, { owns, bytes }: LimitedBodies): void {
  if (httpAdapter?.getType() !== 'express') return;
  const express = httpAdapter.getInstance<Express>();
  const { stack } = express.router;
  const first = stack.findIndex(({ handle }) => handle.name === JSON_PARSER);
  const parser = first < 0 ? null : parserOf(httpAdapter, bytes);
  if (parser === null) return;
  express.use((request, response, next) => {
    if (owns(request.method, pathIn(request.url))) parser(request, response, next);
    else next();
  });
  stack.splice(first, 0, ...stack.splice(-1));
}

/** Fastify only: sets the limit of content routes, which is stronger than that of a parser. */
export function limitRouteBodies({ httpAdapter }: HttpAdapterHost, { owns, bytes }: LimitedBodies): void {
  if (httpAdapter?.getType() !== 'fastify') return;
  httpAdapter.getInstance<Fastify>().addHook('onRoute', (route) => {
    if ([route.method].flat().some((method) => owns(method, route.url.toLowerCase())))
      route.bodyLimit = bytes;
  });
}
