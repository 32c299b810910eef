/** Adaptations of the body parsers of Fastify to those of Express. */
import { type Readable, Transform } from 'node:stream';
import zlib from 'node:zlib';
import { BadRequestException, PayloadTooLargeException, UnsupportedMediaTypeException } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';
import { hasBody, TEXT } from './json-body.js';
import { pathIn, stateOf } from './request-state.js';

interface RawRequest {
  url: string;
  readonly headers: Record<string, string | undefined>;
}

interface Request {
  readonly raw: RawRequest;
  readonly routeOptions: { readonly bodyLimit?: number };
  body: unknown;
}

type Hook = (request: Request, reply: object, done: () => void) => void;
type BodyHook = (request: Request, reply: object, payload: Readable) => Promise<Readable>;

interface FastifyInstance {
  addHook(name: 'onRequest' | 'preValidation', hook: Hook): void;
  addHook(name: 'preParsing', hook: BodyHook): void;
  hasContentTypeParser(type: string): boolean;
}

type Owns = (path: string) => boolean;

/** Types that the parsers of Express read, after the normalization of the content type. */
const PARSED = /^application\/(?:json|x-www-form-urlencoded)(?:;|$)/i;

const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', () => zlib.createGunzip()],
  ['deflate', () => zlib.createInflate()],
  ['br', () => zlib.createBrotliDecompress()],
  ['zstd', () => zlib.createZstdDecompress()],
]);

/**
 * Fastify only: reads bodies as Express does. A body without a parser is undefined, so that the access check
 * refuses it. Compressed bodies are decompressed, and JSON without any byte is an empty object.
 */
export function adaptBodies({ httpAdapter }: HttpAdapterHost, owns: Owns): void {
  if (httpAdapter?.getType() !== 'fastify') return;
  const instance = httpAdapter.getInstance<FastifyInstance>();
  const isRead = (type: string): boolean =>
    instance.hasContentTypeParser(type.split(';', 1)[0]?.trim() ?? '');
  instance.addHook('onRequest', ({ raw }, _reply, done) => {
    const { headers, url } = raw;
    const type = headers['content-type'];
    if (hasBody(raw) && (type === undefined || !isRead(type)) && owns(pathIn(url))) {
      headers['content-type'] = TEXT;
      stateOf(raw).isUnparsed = true;
    }
    done();
  });
  instance.addHook(
    'preParsing',
    (request, _reply, payload) =>
      // Turns what `decode` throws into a rejection.
      new Promise((resolve) => resolve(owns(pathIn(request.raw.url)) ? bodyOf(request, payload) : payload)),
  );
  instance.addHook('preValidation', (request, _reply, done) => {
    if (stateOf(request.raw).isUnparsed === true) request.body = undefined;
    done();
  });
}

function bodyOf(request: Request, payload: Readable): Readable {
  const { 'content-type': type = '', 'content-length': length } = request.raw.headers;
  if (!PARSED.test(type)) return payload;
  const decoded = decode(request, payload);
  // Proxies that do not know the length of a body send an empty one in chunks, or frames of HTTP/2.
  return length === undefined && type.startsWith('application/json') ? orObject(decoded) : decoded;
}

/**
 * Returns the body without its `Content-Encoding`. Removes that header, so that plugins do not decode the
 * body a second time.
 */
function decode({ raw, routeOptions }: Request, payload: Readable): Readable {
  const coding = (raw.headers['content-encoding'] ?? '').toLowerCase();
  if (coding === '' || coding === 'identity') return payload;
  const decoder = DECODERS.get(coding)?.();
  if (decoder === undefined)
    throw new UnsupportedMediaTypeException(`unsupported content encoding "${coding}"`);
  delete raw.headers['content-encoding'];
  const limited = limitedTo(routeOptions.bodyLimit ?? Infinity);
  const fail = (error: Error): void => {
    payload.unpipe(decoder).resume();
    decoder.destroy();
    limited.destroy(error);
  };
  decoder.on('error', ({ message }) => fail(new BadRequestException(message)));
  limited.on('error', fail);
  payload.once('error', fail);
  // Fastify compares it with `Content-Length`.
  payload.on('data', ({ length }: Buffer) => (limited.receivedEncodedLength += length));
  payload.pipe(decoder).pipe(limited);
  return limited;
}

class Limited extends Transform {
  receivedEncodedLength = 0;
}

/** Returns a stream that fails after more bytes, before all of them are decompressed. */
function limitedTo(bytes: number): Limited {
  let size = 0;
  return new Limited({
    transform: (chunk: Buffer, _encoding, done) => {
      size += chunk.length;
      if (size > bytes) done(new PayloadTooLargeException('request entity too large'));
      else done(null, chunk);
    },
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
