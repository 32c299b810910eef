/** Adaptations of Fastify to the behaviour of Express. */
import { hash } from 'node:crypto';
import type { HttpAdapterHost } from '@nestjs/core';
import { pathIn } from './request-state.js';

const FORM = 'multipart/form-data';
/** Default of Fastify's `maxParamLength` in characters. */
const LONGEST = 100;

interface FastifyRoute {
  readonly url: string;
  readonly method: string | string[];
}

interface FastifyOptions {
  readonly ignoreTrailingSlash?: boolean;
  readonly maxParamLength?: number;
}

interface RawRequest {
  url: string;
  readonly headers: Record<string, string | undefined>;
}

interface Server {
  prependListener?(event: 'request', listener: (request: RawRequest) => void): unknown;
}

type Owns = (path: string) => boolean;

interface FastifyInstance {
  readonly initialConfig?: FastifyOptions & { readonly routerOptions?: FastifyOptions };
  addHook(name: 'onRoute', hook: (route: FastifyRoute) => void): void;
  route(route: FastifyRoute): void;
  hasContentTypeParser(type: string): boolean;
  addContentTypeParser(
    type: string,
    parser: (request: object, payload: object, done: (error: null) => void) => void,
  ): void;
}

/** Fastify only: accepts trailing slashes, as Express does. */
export function adaptFastify({ httpAdapter }: HttpAdapterHost, owns: Owns): void {
  if (httpAdapter?.getType() !== 'fastify') return;
  const instance = httpAdapter.getInstance<FastifyInstance>();
  const { initialConfig = {} } = instance;
  if (initialConfig.ignoreTrailingSlash === true || initialConfig.routerOptions?.ignoreTrailingSlash === true)
    return;
  instance.addHook('onRoute', (route) => {
    const own = owns(route.url.toLowerCase()) && !route.url.endsWith('/') && route.method !== 'HEAD';
    if (own) instance.route({ ...route, url: `${route.url}/` });
  });
}

/** Fastify only: leaves forms unparsed for handlers that read them, unless the application has a parser. */
export function leaveForms({ httpAdapter }: HttpAdapterHost): void {
  if (httpAdapter?.getType() !== 'fastify') return;
  const instance = httpAdapter.getInstance<FastifyInstance>();
  if (instance.hasContentTypeParser(FORM)) return;
  instance.addContentTypeParser(FORM, (_request, _payload, done) => done(null));
}

interface AcceptedPaths {
  readonly owns: Owns;
  /** Whether a path has routes of the library, whose parameters may be long. */
  readonly hasRoute: Owns;
  readonly undecoded: (request: object) => void;
}

/**
 * Fastify only: its router responds to undecodable paths and too long parameters itself, before any hook. The
 * request is rewritten before: percent signs are escaped, and long parameters are replaced by digests, which
 * match no document.
 */
export function acceptAnyPath(
  { httpAdapter }: HttpAdapterHost,
  { owns, hasRoute, undecoded }: AcceptedPaths,
): void {
  if (httpAdapter?.getType() !== 'fastify') return;
  const { initialConfig = {} } = httpAdapter.getInstance<FastifyInstance>();
  const longest = initialConfig.routerOptions?.maxParamLength ?? initialConfig.maxParamLength ?? LONGEST;
  // Applications in tests that inject requests have no server.
  const server = httpAdapter.getHttpServer() as Server | undefined;
  server?.prependListener?.('request', (request) => {
    const { path, rest } = partsOf(request.url);
    const at = pathIn(request.url);
    if ((!path.includes('%') && path.length <= longest) || !owns(at)) return;
    const isDecodable = decodes(path);
    const decodable = isDecodable ? path : path.replaceAll('%', '%25');
    request.url = (hasRoute(at) ? shortenPath(decodable, longest) : decodable) + rest;
    if (!isDecodable) undecoded(request);
  });
}

function partsOf(url: string): { readonly path: string; readonly rest: string } {
  const end = url.search(/[?#]/);
  return end < 0 ? { path: url, rest: '' } : { path: url.slice(0, end), rest: url.slice(end) };
}

function decodes(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

const shortenPath = (path: string, longest: number): string =>
  path
    .split('/')
    .map((one) => (one.length <= longest ? one : hash('sha256', one, 'hex').slice(0, longest)))
    .join('/');
