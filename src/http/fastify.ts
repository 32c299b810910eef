/** What Fastify does otherwise than Express. */
import { hash } from 'node:crypto';
import type { HttpAdapterHost } from '@nestjs/core';
import { hasBody, TEXT } from './json-body.js';
import { pathIn } from './request-state.js';

const FORM = 'multipart/form-data';
/** Characters of a parameter that Fastify's router takes unless it is told otherwise. */
const LONGEST = 100;

interface FastifyRoute {
  readonly url: string;
  readonly method: string | string[];
}

interface FastifyOptions {
  readonly ignoreTrailingSlash?: boolean;
  readonly maxParamLength?: number;
}

/** Node's own request. */
interface RawRequest {
  url: string;
  readonly headers: Record<string, string | undefined>;
}

type RequestHook = (request: { readonly raw: RawRequest }, reply: object, done: () => void) => void;

interface Server {
  prependListener?(event: 'request', listener: (request: RawRequest) => void): unknown;
}

/** Whether a lower-case path is one that this library answers at. */
type Owns = (path: string) => boolean;

interface FastifyInstance {
  readonly initialConfig?: FastifyOptions & { readonly routerOptions?: FastifyOptions };
  addHook(name: 'onRoute', hook: (route: FastifyRoute) => void): void;
  addHook(name: 'onRequest', hook: RequestHook): void;
  route(route: FastifyRoute): void;
  hasContentTypeParser(type: string): boolean;
  addContentTypeParser(
    type: string,
    parser: (request: object, payload: object, done: (error: null) => void) => void,
  ): void;
}

/** Fastify only: trailing slashes are tolerated, as on Express. */
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

/** Fastify only: leaves forms unread for handlers that read them, unless the host has a parser of its own. */
export function leaveForms({ httpAdapter }: HttpAdapterHost): void {
  if (httpAdapter?.getType() !== 'fastify') return;
  const instance = httpAdapter.getInstance<FastifyInstance>();
  if (instance.hasContentTypeParser(FORM)) return;
  instance.addContentTypeParser(FORM, (_request, _payload, done) => done(null));
}

/**
 * Fastify only: a body that it has no parser for is a text, so that it is refused by who knows what the
 * caller may do, as on Express.
 */
export function takeAnyBody({ httpAdapter }: HttpAdapterHost, owns: Owns): void {
  if (httpAdapter?.getType() !== 'fastify') return;
  const instance = httpAdapter.getInstance<FastifyInstance>();
  const isRead = (type: string): boolean =>
    instance.hasContentTypeParser(type.split(';', 1)[0]?.trim() ?? '');
  instance.addHook('onRequest', ({ raw }, _reply, done) => {
    const { headers, url } = raw;
    const type = headers['content-type'];
    if (hasBody(raw) && (type === undefined || !isRead(type)) && owns(pathIn(url)))
      headers['content-type'] = TEXT;
    done();
  });
}

/** The paths at which this library answers, as far as Fastify's router matters. */
interface TakenPaths {
  readonly owns: Owns;
  /** Whether they are routes, of which some have parameters. */
  readonly areRoutes: boolean;
  /** Told of a request whose path could not be decoded. */
  readonly undecoded: (request: object) => void;
}

/**
 * Fastify only: its router answers paths that it cannot decode, and parameters that are too long for it,
 * before any hook and in a shape of its own. It gets others in their place: percent signs that stand for
 * themselves, and digests, which name nothing.
 */
export function takeAnyPath(
  { httpAdapter }: HttpAdapterHost,
  { owns, areRoutes, undecoded }: TakenPaths,
): void {
  if (httpAdapter?.getType() !== 'fastify') return;
  const { initialConfig = {} } = httpAdapter.getInstance<FastifyInstance>();
  const longest = initialConfig.routerOptions?.maxParamLength ?? initialConfig.maxParamLength ?? LONGEST;
  // Tests of hosts that inject their requests have no server.
  const server = httpAdapter.getHttpServer() as Server | undefined;
  server?.prependListener?.('request', (request) => {
    const { path, rest } = partsOf(request.url);
    if ((!path.includes('%') && path.length <= longest) || !owns(pathIn(request.url))) return;
    const isDecodable = decodes(path);
    const taken = isDecodable ? path : path.replaceAll('%', '%25');
    request.url = (areRoutes ? shortened(taken, longest) : taken) + rest;
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

const shortened = (path: string, longest: number): string =>
  path
    .split('/')
    .map((one) => (one.length <= longest ? one : hash('sha256', one, 'hex').slice(0, longest)))
    .join('/');
