/** Serves the pages and files of the desk to requests that match no route. */
import { randomBytes } from 'node:crypto';
import { Inject, Injectable, Logger, type OnModuleInit, StreamableFile } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ContentErrorFilter } from '../../content/http/error.filter.js';
import { acceptAnyPath } from '../../content/http/fastify.js';
import { connect, type RawRequest } from '../../content/http/request-hooks.js';
import { pathIn } from '../../content/http/request-state.js';
import { varyBy } from '../../content/http/vary.js';
import { notFound, unavailable } from '../../kernel/errors.js';
import { CODINGS, DESK_FOLDER, type DeskBuild, DeskContents, readBuild } from './desk-files.js';
import { pageOf, policyOf } from './desk-page.js';
import { DeskSite } from './desk-site.js';
import { DESK_OPTIONS, type ResolvedDeskOptions } from './desk.options.js';

const READS: readonly string[] = ['GET', 'HEAD'];
const YEAR = 31_536_000;
/** First segments below the desk that are not pages. */
const NO_PAGES: readonly string[] = ['assets', 'model', 'session', 'preview', 'presence'];

interface Exchange {
  readonly request: RawRequest;
  readonly response: object;
}

type Headers = Readonly<Record<string, string>>;

const acceptsHtml = (accept = ''): boolean => accept === '' || /text\/(?:html|\*)|\*\/\*/i.test(accept);

/** Whether `Accept-Encoding` names a content coding, and not with the quality 0. */
const accepts = (header: string, coding: string): boolean =>
  header.split(',').some((one) => {
    const [name = '', ...parameters] = one.toLowerCase().split(';');
    return name.trim() === coding && !parameters.some((text) => /^\s*q=0(?:\.0*)?\s*$/.test(text));
  });

@Injectable()
export class DeskPages implements OnModuleInit {
  private readonly logger = new Logger('ContentDesk');
  private readonly contents = new DeskContents();
  private build: DeskBuild | null = null;

  constructor(
    @Inject(HttpAdapterHost) private readonly adapter: HttpAdapterHost,
    @Inject(ContentErrorFilter) private readonly errors: ContentErrorFilter,
    @Inject(DeskSite) private readonly site: DeskSite,
    @Inject(DESK_OPTIONS) private readonly options: ResolvedDeskOptions,
    @Inject(DESK_FOLDER) private readonly folder: string,
  ) {}

  async onModuleInit(): Promise<void> {
    if (this.adapter.httpAdapter === undefined) return;
    this.build = await readBuild(this.folder).catch((error: unknown) => {
      this.logger.warn(
        `The pages of the desk are not available: ${String(error)}. ` +
          'Install the package again, or run "npm run build" in its source',
      );
      return null;
    });
    const base = this.site.base.toLowerCase();
    const owns = (path: string): boolean => path === base || path.startsWith(`${base}/`);
    acceptAnyPath(this.adapter, { owns, hasRoute: () => false, undecoded: () => undefined });
    connect(this.adapter, 'last', (request, response) => {
      if (!READS.includes(request.method) || !owns(pathIn(request.url))) return false;
      this.serve(request, response).catch((error: unknown) => this.fail(error, response));
      return true;
    });
  }

  private async serve(request: RawRequest, response: object): Promise<void> {
    const [path = ''] = request.url.split(/[?#]/, 1);
    const below = path.slice(this.site.base.length + 1);
    const [first = '', ...rest] = below.split('/');
    const name = first.toLowerCase();
    if (name === 'assets') return this.sendFile(rest.join('/'), request, response);
    if (NO_PAGES.includes(name) || !acceptsHtml(request.headers['accept'])) throw notFound();
    this.sendPage(request, response);
  }

  private sendPage(request: RawRequest, response: object): void {
    if (this.build === null) throw unavailable('The pages of the desk are not available');
    const nonce = randomBytes(16).toString('base64');
    const page = Buffer.from(pageOf(this.build, this.site.settings(nonce)));
    this.send(
      page,
      { request, response },
      {
        'Content-Type': 'text/html; charset=utf-8',
        'Cache-Control': 'no-cache',
        'Content-Security-Policy': policyOf(nonce, this.options),
        'Referrer-Policy': 'same-origin',
        'Cross-Origin-Opener-Policy': 'same-origin',
        'X-Frame-Options': 'DENY',
      },
    );
  }

  /** Throws NotFoundError for a name that the build did not have at the start. */
  private async sendFile(name: string, request: RawRequest, response: object): Promise<void> {
    const file = this.build?.files.get(name);
    if (file === undefined) throw notFound();
    const accepted = request.headers['accept-encoding'] ?? '';
    const coding = (file.compressed && CODINGS.find((one) => accepts(accepted, one))) || null;
    // A deployment may have removed the file since the start.
    const bytes = await this.contents.read(file, coding).catch(() => null);
    if (bytes === null) throw notFound();
    varyBy(this.adapter, response, 'Accept-Encoding');
    this.send(
      bytes,
      { request, response },
      {
        'Content-Type': file.type,
        'Cache-Control': `public, max-age=${YEAR}, immutable`,
        ...(coding === null ? {} : { 'Content-Encoding': coding }),
      },
    );
  }

  private send(bytes: Buffer, { request, response }: Exchange, headers: Headers): void {
    const { httpAdapter } = this.adapter;
    const all = { ...headers, 'X-Content-Type-Options': 'nosniff', 'Content-Length': String(bytes.length) };
    for (const [name, value] of Object.entries(all)) httpAdapter.setHeader(response, name, value);
    // A stream gets no ETag, which Express adds to texts.
    httpAdapter.reply(response, request.method === 'HEAD' ? undefined : new StreamableFile(bytes), 200);
  }

  private fail(error: unknown, response: object): void {
    this.adapter.httpAdapter.setHeader(response, 'Cache-Control', 'no-store');
    this.errors.reply(error, response);
  }
}
