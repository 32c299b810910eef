/** Route `GET /uploads/…` for files. Their bytes never change under a URL, so caches can store them. */
import { Readable } from 'node:stream';
import { Inject, Injectable, Logger, type OnModuleInit, StreamableFile } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { LRUCache } from 'lru-cache';
import { ContentError, forbidden, notFound, stackOf, unavailable } from '../../kernel/errors.js';
import type { ServedBytes } from './file-images.js';
import { RASTER } from './file-kinds.js';
import { type FileRequest, FileLookup, CACHE_LIMITS } from './file-lookup.js';
import type { KeptBytes } from './file-storage.js';
import { FILES_OPTIONS, type ResolvedFilesOptions } from './files.options.js';
import { SignedUrls } from './signed-urls.js';
import { type Part, partOf } from './byte-ranges.js';
import { ContentErrorFilter } from '../../content/http/error.filter.js';
import { acceptAnyPath } from '../../content/http/fastify.js';
import { begun, exactly } from './checked-bytes.js';
import { isPlain, sendBytes } from './send-bytes.js';
import { connect, type RawRequest } from '../../content/http/request-hooks.js';
import { varyBy } from '../../content/http/vary.js';

const BELOW = '/uploads/';
const READS: readonly string[] = ['GET', 'HEAD'];
const YEAR = 31_536_000;

/** For errors. A cache that stored a 416 could send it to clients that request the whole file. */
const NOT_STORED = 'no-store';

/** ETag from the key, which contains a digest of the content: half of the digest, and the variant. */
const tagOf = (key: string): string => `"${key.slice(6, 38)}${key.slice(70).replace('/', '-')}"`;

/** Adds the charset, because only some frameworks do. */
const contentType = (mime: string): string =>
  /^text\/|^application\/json$/.test(mime) ? `${mime}; charset=utf-8` : mime;

/** Minimum size in bytes of files sent through the buffer pool. */
const LARGE = 256 * 1024;

interface Served {
  readonly found: ServedBytes;
  readonly head: KeptBytes;
  readonly part: Part;
}

interface BytesRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly request: RawRequest;
}

function bytesRequestOf(request: RawRequest): BytesRequest | null {
  const [raw = '', query = ''] = request.url.split('?', 2);
  if (!raw.startsWith(BELOW) || !READS.includes(request.method)) return null;
  return { path: decoded(raw), query: new URLSearchParams(query), request };
}

/** Returns an undecodable path unchanged; it matches no file. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/**
 * Serves requests below `/uploads/` that match no route, after the application's own middleware and hooks.
 */
@Injectable()
export class ServedFiles implements OnModuleInit {
  private readonly logger = new Logger('ContentFiles');
  private readonly headCache = new LRUCache<string, KeptBytes>(CACHE_LIMITS);

  constructor(
    @Inject(HttpAdapterHost) private readonly adapter: HttpAdapterHost,
    @Inject(FILES_OPTIONS) private readonly options: ResolvedFilesOptions,
    @Inject(FileLookup) private readonly lookup: FileLookup,
    @Inject(SignedUrls) private readonly signed: SignedUrls,
    @Inject(ContentErrorFilter) private readonly errors: ContentErrorFilter,
  ) {}

  onModuleInit(): void {
    acceptAnyPath(this.adapter, {
      owns: (path) => path.startsWith(BELOW),
      hasRoute: () => false,
      undecoded: () => undefined,
    });
    connect(this.adapter, 'last', (request, response) => {
      const bytesRequest = bytesRequestOf(request);
      if (bytesRequest === null) return false;
      this.serve(bytesRequest, response).catch((error: unknown) => this.fail(error, response));
      return true;
    });
  }

  private async serve({ path, query, request }: BytesRequest, response: object): Promise<void> {
    if (!this.signed.admits(path, query)) throw forbidden();
    const accept = request.headers['accept'] ?? '';
    const fileRequest = { path: path.slice(BELOW.length), query, accept };
    const found = await this.lookup.find(fileRequest);
    const head = found === null ? null : await this.head(found.key);
    if (found === null || head === null) return this.sendOn(fileRequest, response);
    const part = partOf(request, head, tagOf(found.key));
    if (await this.sendOpen(request, response, { found, head, part })) return;
    const hasBody = request.method !== 'HEAD' && part.status < 300;
    const body = hasBody ? await this.bytesOf(head, part) : null;
    if (this.isAnswered(response)) return void body?.destroy();
    // The file was deleted in the meantime.
    if (hasBody && body === null) return this.sendOn(fileRequest, response);
    this.sendHead(response, { found, head, part });
    const { httpAdapter } = this.adapter;
    if (body === null) return httpAdapter.reply(response, undefined, part.status) as void;
    const sent = new StreamableFile(body).setErrorLogger(() => undefined);
    httpAdapter.reply(response, sent, part.status);
  }

  /** Redirects the former URL of replaced content. Throws NotFoundError for an unknown file. */
  private async sendOn(fileRequest: FileRequest, response: object): Promise<void> {
    const url = this.options.private === null ? await this.lookup.movedTo(fileRequest) : null;
    if (url === null) throw notFound();
    if (this.isAnswered(response)) return;
    const { httpAdapter } = this.adapter;
    httpAdapter.setHeader(response, 'Cache-Control', 'no-cache');
    httpAdapter.setHeader(response, 'Location', url);
    httpAdapter.reply(response, undefined, 302);
  }

  /** Returns cached metadata, because a key identifies its content. */
  private async head(key: string): Promise<KeptBytes | null> {
    const cached = this.headCache.get(key);
    if (cached !== undefined) return cached;
    const head = await this.options.storage.head(key);
    if (head !== null) this.headCache.set(key, head);
    return head;
  }

  private async sendOpen(request: RawRequest, response: object, served: Served): Promise<boolean> {
    const { storage } = this.options;
    const { head, part } = served;
    const range = part.range ?? { start: 0, end: head.size - 1 };
    const isLarge = range.end - range.start >= LARGE;
    if (!isLarge || request.method === 'HEAD' || part.status >= 300 || !isPlain(response)) return false;
    const open = (await storage.open?.(head.key)) ?? null;
    if (open === null) return false;
    if (this.isAnswered(response)) {
      await open.close();
      return true;
    }
    this.sendHead(response, served);
    response.statusCode = part.status;
    void sendBytes(response, open, range);
    return true;
  }

  private async bytesOf({ key, size }: KeptBytes, { range }: Part): Promise<Readable | null> {
    // A known end avoids a read beyond it and a larger buffer.
    const all = size === 0 ? undefined : { start: 0, end: size - 1 };
    const stream = await this.options.storage.get(key, range ?? all);
    if (stream === null) {
      this.headCache.delete(key);
      return null;
    }
    // Fewer bytes than `Content-Length` make clients wait; more are read as the next response.
    const { start, end } = range ?? { start: 0, end: size - 1 };
    return begun(exactly(stream, end - start + 1));
  }

  private sendHead(response: object, { found, head, part }: Served): void {
    // A 304 has only the headers about validity.
    const kind = part.status === 304 ? {} : kindOf(found);
    const policy = this.policy(found, part);
    const headers = { ...policy, ...kind, ...lengthOf(head, part), ETag: tagOf(found.key) };
    const { httpAdapter } = this.adapter;
    httpAdapter.setHeader(response, 'Last-Modified', head.modified.toUTCString());
    for (const [name, value] of Object.entries(headers)) httpAdapter.setHeader(response, name, value);
    if (!found.isLasting) varyBy(this.adapter, response, 'Accept');
  }

  /** Headers about caches, and those that restrict browsers, because uploads are untrusted. */
  private policy({ isLasting }: ServedBytes, { status }: Served['part']): Readonly<Record<string, string>> {
    const { private: hidden } = this.options;
    const age = hidden === null ? `max-age=${YEAR}, immutable` : `max-age=${hidden.seconds}`;
    const cached = `${hidden === null ? 'public' : 'private'}, ${isLasting ? age : 'no-cache'}`;
    return {
      'Cache-Control': status === 416 ? NOT_STORED : cached,
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': 'sandbox',
    };
  }

  private fail(error: unknown, response: object): void {
    const isOurs = error instanceof ContentError;
    if (!isOurs) this.logger.error(stackOf(error));
    if (this.isAnswered(response)) return;
    this.adapter.httpAdapter.setHeader(response, 'Cache-Control', NOT_STORED);
    const sent = isOurs ? error : unavailable('The file storage is unavailable; retry later');
    this.errors.reply(sent, response);
  }

  /** Whether middleware of the application, such as a time limit, has responded during a wait. */
  private isAnswered(response: object): boolean {
    return this.adapter.httpAdapter.isHeadersSent(response) as boolean;
  }
}

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
