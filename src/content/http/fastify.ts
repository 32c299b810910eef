/** Adaptations of Fastify to the behaviour of Express. */
import { hash } from 'node:crypto';
import { type Readable, Transform } from 'node:stream';
import type { HttpAdapterHost } from '@nestjs/core';
import { hasBody, TEXT } from './json-body.js';
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

type RequestHook = (request: { readonly raw: RawRequest }, reply: object, done: () => void) => void;

interface Server {
  prependListener?(event: 'request', listener: (request: RawRequest) => void): unknown;
}

type BodyHook = (
  request: { readonly raw: RawRequest },
  reply: object,
  payload: Readable,
) => Promise<Readable>;

type Owns = (path: string) => boolean;

interface FastifyInstance {
  readonly initialConfig?: FastifyOptions & { readonly routerOptions?: FastifyOptions };
  addHook(name: 'onRoute', hook: (route: FastifyRoute) => void): void;
  addHook(name: 'onRequest', hook: RequestHook): void;
  addHook(name: 'preParsing', hook: BodyHook): void;
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

/**
 * Fastify only: treats a body without a parser as text, so that the access check refuses it, as on Express.
 */
export function acceptAnyBody({ httpAdapter }: HttpAdapterHost, owns: Owns): void {
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

/**
 * Fastify only: reads JSON without any byte as an empty object, as Express does. Proxies that do not know the
 * length of a body send such a one, in chunks.
 */
export function acceptEmptyBody({ httpAdapter }: HttpAdapterHost, owns: Owns): void {
  if (httpAdapter?.getType() !== 'fastify') return;
  httpAdapter.getInstance<FastifyInstance>().addHook('preParsing', ({ raw }, _reply, payload) => {
    const { 'transfer-encoding': coding, 'content-type': type = '' } = raw.headers;
    const isChunked = coding !== undefined && type.startsWith('application/json');
    return Promise.resolve(isChunked && owns(pathIn(raw.url)) ? orObject(payload) : payload);
  });
}

function orObject(payload: Readable): Readable {
  let isEmpty = true;
  const filled = new Transform({
    transform: (chunk, _encoding, done) => {
      isEmpty = false;
      done(null, chunk);
    },
    flush: (done) => done(null, isEmpty ? '{}' : undefined),
  });
  // Fastify listens until it has responded. A client may disconnect later.
  filled.on('error', () => undefined);
  payload.once('error', (error) => filled.destroy(error));
  return payload.pipe(filled);
}

interface AcceptedPaths {
  readonly owns: Owns;
  readonly areRoutes: boolean;
  readonly undecoded: (request: object) => void;
}

/**
 * Fastify only: its router responds to undecodable paths and too long parameters itself, before any hook. The
 * request is rewritten before: percent signs are escaped, and long parameters are replaced by digests, which
 * match no document.
 */
export function acceptAnyPath(
  { httpAdapter }: HttpAdapterHost,
  { owns, areRoutes, undecoded }: AcceptedPaths,
): void {
  if (httpAdapter?.getType() !== 'fastify') return;
  const { initialConfig = {} } = httpAdapter.getInstance<FastifyInstance>();
  const longest = initialConfig.routerOptions?.maxParamLength ?? initialConfig.maxParamLength ?? LONGEST;
  // Applications in tests that inject requests have no server.
  const server = httpAdapter.getHttpServer() as Server | undefined;
  server?.prependListener?.('request', (request) => {
    const { path, rest } = partsOf(request.url);
    if ((!path.includes('%') && path.length <= longest) || !owns(pathIn(request.url))) return;
    const isDecodable = decodes(path);
    const decodable = isDecodable ? path : path.replaceAll('%', '%25');
    request.url = (areRoutes ? shortenPath(decodable, longest) : decodable) + rest;
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
