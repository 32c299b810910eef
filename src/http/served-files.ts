/** `GET /uploads/…`: the bytes of files, which never change under their URL, so that caches keep them. */
import { Readable } from 'node:stream';
import { Inject, Injectable, Logger, type OnModuleInit, StreamableFile } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import QuickLRU from 'quick-lru';
import { ContentError, forbidden, notFound, unavailable } from '../errors.js';
import type { ServedBytes } from '../files/file-images.js';
import { RASTER } from '../files/file-kinds.js';
import { type AskedFile, FileLookup, REMEMBERED } from '../files/file-lookup.js';
import type { KeptBytes } from '../files/file-storage.js';
import { FILES_OPTIONS, type ResolvedFilesOptions } from '../files/files.options.js';
import { SignedUrls } from '../files/signed-urls.js';
import { type Part, partOf } from './byte-ranges.js';
import { ContentErrorFilter } from './error.filter.js';
import { takeAnyPath } from './fastify.js';
import { isPlain, sendBytes } from './send-bytes.js';
import { connect, type RawRequest } from './request-hooks.js';

const BELOW = '/uploads/';
const READS: readonly string[] = ['GET', 'HEAD'];
const YEAR = 31_536_000;

/** Of the key, which names the content: half of its digest, and what was made of it. */
const tagOf = (key: string): string => `"${key.slice(6, 38)}${key.slice(70).replace('/', '-')}"`;

/** Frameworks add this to JSON, or not. */
const contentType = (mime: string): string =>
  /^text\/|^application\/json$/.test(mime) ? `${mime}; charset=utf-8` : mime;

/** Smaller ones are read at once. */
const LARGE = 256 * 1024;

/** Bytes that were found, and what of them is sent. */
interface Served {
  readonly found: ServedBytes;
  readonly kept: KeptBytes;
  readonly part: Part;
}

/** What a request for bytes is. */
interface Asked {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly request: RawRequest;
}

function askedOf(request: RawRequest): Asked | null {
  const [raw = '', query = ''] = request.url.split('?', 2);
  if (!raw.startsWith(BELOW) || !READS.includes(request.method)) return null;
  return { path: decoded(raw), query: new URLSearchParams(query), request };
}

/** What cannot be decoded names no file as it is. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Serves what no route of the host's has at `/uploads/`, after the host's own middleware and hooks. */
@Injectable()
export class ServedFiles implements OnModuleInit {
  private readonly logger = new Logger('ContentFiles');
  private readonly known = new QuickLRU<string, KeptBytes>(REMEMBERED);

  constructor(
    @Inject(HttpAdapterHost) private readonly adapter: HttpAdapterHost,
    @Inject(FILES_OPTIONS) private readonly options: ResolvedFilesOptions,
    @Inject(FileLookup) private readonly lookup: FileLookup,
    @Inject(SignedUrls) private readonly signed: SignedUrls,
    @Inject(ContentErrorFilter) private readonly errors: ContentErrorFilter,
  ) {}

  onModuleInit(): void {
    takeAnyPath(this.adapter, {
      owns: (path) => path.startsWith(BELOW),
      areRoutes: false,
      undecoded: () => undefined,
    });
    connect(this.adapter, 'last', (request, response) => {
      const asked = askedOf(request);
      if (asked === null) return false;
      this.serve(asked, response).catch((error: unknown) => this.fail(error, response));
      return true;
    });
  }

  private async serve({ path, query, request }: Asked, response: object): Promise<void> {
    if (!this.signed.admits(path, query)) throw forbidden();
    const accept = request.headers['accept'] ?? '';
    const wanted = { path: path.slice(BELOW.length), query, accept };
    const found = await this.lookup.find(wanted);
    const kept = found === null ? null : await this.head(found.key);
    if (found === null || kept === null) return this.sendOn(wanted, response);
    const part = partOf(request, kept, tagOf(found.key));
    if (await this.sendOpen(request, response, { found, kept, part })) return;
    const hasBody = request.method !== 'HEAD' && part.status < 300;
    const body = hasBody ? await this.bytesOf(kept, part) : null;
    // It has just gone.
    if (hasBody && body === null) return this.sendOn(wanted, response);
    this.sendHead(response, found, kept, part);
    const { httpAdapter } = this.adapter;
    if (body === null) return httpAdapter.reply(response, undefined, part.status) as void;
    const sent = new StreamableFile(body).setErrorLogger(() => undefined);
    httpAdapter.reply(response, sent, part.status);
  }

  /** Content that was replaced has another URL. Throws NotFoundError where there is no such file. */
  private async sendOn(wanted: AskedFile, response: object): Promise<void> {
    const url = this.options.private === null ? await this.lookup.movedTo(wanted) : null;
    if (url === null) throw notFound();
    const { httpAdapter } = this.adapter;
    httpAdapter.setHeader(response, 'Cache-Control', 'no-cache');
    httpAdapter.setHeader(response, 'Location', url);
    httpAdapter.reply(response, undefined, 302);
  }

  /** What is known of bytes, for a while without asking: a key names its content. */
  private async head(key: string): Promise<KeptBytes | null> {
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const kept = await this.options.storage.head(key);
    if (kept !== null) this.known.set(key, kept);
    return kept;
  }

  /** Sends large bytes that are at hand; whether it did. */
  private async sendOpen(request: RawRequest, response: object, served: Served): Promise<boolean> {
    const { storage } = this.options;
    const { kept, part } = served;
    const range = part.range ?? { start: 0, end: kept.size - 1 };
    const isLarge = range.end - range.start >= LARGE;
    if (!isLarge || request.method === 'HEAD' || part.status >= 300 || !isPlain(response)) return false;
    const open = (await storage.open?.(kept.key)) ?? null;
    if (open === null) return false;
    this.sendHead(response, served.found, kept, part);
    response.statusCode = part.status;
    void sendBytes(response, open, range);
    return true;
  }

  /** What is sent; null where it is not there any more. */
  private async bytesOf({ key, size }: KeptBytes, { range }: Part): Promise<Readable | null> {
    // Who knows where the end is reads no further, and holds no more.
    const all = size === 0 ? undefined : { start: 0, end: size - 1 };
    const stream = await this.options.storage.get(key, range ?? all);
    if (stream === null) this.known.delete(key);
    return stream;
  }

  // What was found of the bytes, and what of them is sent.
  // eslint-disable-next-line no-restricted-syntax
  private sendHead(response: object, found: ServedBytes, kept: KeptBytes, part: Part): void {
    // Of a body that is not sent nothing is said but how long the client may go on with the one it has.
    const kind = part.status === 304 ? {} : kindOf(found);
    const headers = { ...this.policy(found), ...kind, ...lengthOf(kept, part), ETag: tagOf(found.key) };
    const { httpAdapter } = this.adapter;
    httpAdapter.setHeader(response, 'Last-Modified', kept.modified.toUTCString());
    for (const [name, value] of Object.entries(headers)) httpAdapter.setHeader(response, name, value);
    if (found.isLasting) return;
    const before = httpAdapter.getHeader(response, 'Vary') as string | undefined;
    httpAdapter.setHeader(response, 'Vary', before === undefined ? 'Accept' : `${before}, Accept`);
  }

  /** What a browser may do with bytes that somebody has uploaded (S23). */
  private policy({ isLasting }: ServedBytes): Readonly<Record<string, string>> {
    const { private: hidden } = this.options;
    const age = hidden === null ? `max-age=${YEAR}, immutable` : `max-age=${hidden.seconds}`;
    return {
      'Cache-Control': `${hidden === null ? 'public' : 'private'}, ${isLasting ? age : 'no-cache'}`,
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': 'sandbox',
    };
  }

  private fail(error: unknown, response: object): void {
    this.adapter.httpAdapter.setHeader(response, 'Cache-Control', 'no-store');
    if (error instanceof ContentError) return this.errors.reply(error, response);
    this.logger.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
    this.errors.reply(unavailable('The file cannot be read now'), response);
  }
}

/** What the bytes are, and what is no picture is a download. */
const kindOf = ({ mime }: ServedBytes): Readonly<Record<string, string>> => ({
  'Content-Type': contentType(mime),
  ...(RASTER.has(mime) ? {} : { 'Content-Disposition': 'attachment' }),
});

function lengthOf({ size }: KeptBytes, { status, range }: Part): Readonly<Record<string, string>> {
  if (status === 304) return { 'Accept-Ranges': 'bytes' };
  if (status === 416) return { 'Content-Range': `bytes */${size}` };
  const ranges = { 'Accept-Ranges': 'bytes' };
  if (range === null) return { ...ranges, 'Content-Length': String(size) };
  return {
    ...ranges,
    'Content-Length': String(range.end - range.start + 1),
    'Content-Range': `bytes ${range.start}-${range.end}/${size}`,
  };
}
