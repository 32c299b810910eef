import type { IncomingMessage } from 'node:http';
import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Req,
  Res,
  UseFilters,
  UseGuards,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Caller } from '../../content/access/caller.js';
import type { Action } from '../../content/access/actions.js';
import { refusal } from '../../content/access/auth-strategy.js';
import { decide } from '../../content/access/decide.js';
import type { Countable } from '../../content/compile/compile-record.js';
import type { Answer } from '../../content/documents/answer.js';
import { Documents } from '../../content/documents/documents.service.js';
import { type ContentReadEvent, Hooks } from '../../content/documents/hooks.js';
import { ContentError, forbidden, invalidKey, validationError } from '../../kernel/errors.js';
import { FileLibrary, type Uploader } from './file-library.js';
import { fileKeyOf, type FileRow, FileTable } from './file-table.js';
import { SignedUrls } from './signed-urls.js';
import { isObject } from '../../kernel/json.js';
import type { ReadPlan } from '../../content/plan/plan.js';
import { refuseAbsent } from '../../content/plan/precondition.js';
import type { DocumentKey } from '../../content/plan/plan-read.js';
import { parseRequestKey, REQUEST_KEY_HEADER } from '../../content/query/request-key.js';
import { parseTags } from '../../content/query/parse-tags.js';
import { type QueryDefaults, readRaw } from '../../content/query/read-raw.js';
import { unstorable } from '../../content/model/cast-value.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../../kernel/settings.js';
import { callerOf } from '../../content/http/account.guard.js';
import { disconnectOf } from '../../content/http/connection.js';
import { ContentErrorFilter } from '../../content/http/error.filter.js';
import { FormGuard, isForm } from './form.guard.js';
import { Description, Json } from '../../content/http/metadata.js';
import type { HttpResponse } from '../../content/http/envelope.interceptor.js';
import { preconditionOf } from '../../content/http/precondition-of.js';
import { type HttpRequest, queryOf, rawOf, requestIdOf } from '../../content/http/request-state.js';
import { wholeList } from '../../content/http/whole-list.js';

interface FileAccess {
  readonly caller: Caller;
  readonly action: Action;
  readonly by?: DocumentKey | null;
}

const isAbsent = (error: unknown): boolean => error instanceof ContentError && error.name === 'NotFoundError';

/** Error of the protocol for a missing file (20.9). */
const fileNotFound = (): ContentError => new ContentError('NotFoundError', 'file.notFound');

/** Error for a parameter that would otherwise leave the list as long as without it. */
const invalidFolder = (): ContentError =>
  validationError('Invalid folder: expected one path such as "/countries/flags"', {
    key: 'folder',
    path: null,
    source: 'query',
    param: 'folder',
  });

const messageOf = (request: HttpRequest): IncomingMessage => rawOf(request) as IncomingMessage;

const uploaderOf = (request: HttpRequest, caller: Caller): Uploader => ({
  caller,
  disconnect: disconnectOf(request),
  requestId: requestIdOf(request),
  precondition: preconditionOf(request),
});

/** Reader of a request, for hooks. */
type Reader = Pick<ContentReadEvent, 'action' | 'caller' | 'requestId'>;

const readerOf = (request: HttpRequest, { caller, action }: Omit<Reader, 'requestId'>): Reader => ({
  caller,
  action,
  requestId: requestIdOf(request),
});

/** Media library at `/api/upload…`, under the grants on `file` (protocol section 20). */
@Controller({ path: 'upload', version: VERSION_NEUTRAL })
@UseFilters(ContentErrorFilter)
@UseGuards(FormGuard)
@Description()
export class FilesController {
  constructor(
    @Inject(Documents) private readonly documents: Documents,
    @Inject(FileLibrary) private readonly library: FileLibrary,
    @Inject(FileTable) private readonly files: FileTable,
    @Inject(SignedUrls) private readonly signed: SignedUrls,
    @Inject(CONTENT_SETTINGS) private readonly settings: ContentSettings,
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(Hooks) private readonly hooks: Hooks,
  ) {}

  @Post()
  @HttpCode(201)
  @Json()
  async upload(
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) response: HttpResponse,
    @Body() body: unknown,
  ): Promise<string | undefined> {
    const { id } = readRaw(queryOf(request), this.settings.limits);
    if (id !== undefined) {
      this.host.httpAdapter.status(response, 200);
      return this.shown(response, await this.change(request, id, body));
    }
    const caller = this.callerWith(request, 'create');
    if (!isForm(request)) throw validationError('Files are empty');
    const key = parseRequestKey(request.headers[REQUEST_KEY_HEADER.toLowerCase()]);
    const { data, head } = await this.library.upload(messageOf(request), uploaderOf(request, caller), key);
    for (const [name, value] of Object.entries(head?.headers ?? {}))
      this.host.httpAdapter.setHeader(response, name, value);
    return this.signed.shown(data);
  }

  @Get('files')
  @Json()
  async find(@Req() request: HttpRequest): Promise<string> {
    const access = { caller: this.callerWith(request, 'find'), action: 'find' } as const;
    const by = readerOf(request, access);
    return this.signed.shown((await this.documents.read(this.list(request, access, wholeList), { by })).data);
  }

  /** Paginated list in an envelope (20.8). */
  @Get('files/page')
  @Json()
  async page(@Req() request: HttpRequest): Promise<string> {
    const access = { caller: this.callerWith(request, 'find'), action: 'find' } as const;
    const by = readerOf(request, access);
    const { data, meta } = await this.documents.read(
      this.list(request, access, (query) => query),
      { by },
    );
    return `{"data":${this.signed.shown(data)},"meta":${JSON.stringify(meta)}}`;
  }

  @Get('folders')
  async folders(
    @Req() request: HttpRequest,
  ): Promise<readonly { readonly path: string; readonly files: number }[]> {
    const access = { caller: this.callerWith(request, 'find'), action: 'find' } as const;
    if (!this.mayReadFolders(access.caller)) throw forbidden();
    const event = { type: this.files.type.singularApiId, documentId: null, ...readerOf(request, access) };
    await this.hooks.runReadHooks(event);
    const counts = [...(await this.files.folders(this.among(access.caller, access.action)))];
    return counts
      .map(([path, files]) => ({ path: typeof path === 'string' ? path : '/', files }))
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  @Get('files/:id')
  @Json()
  async findOne(
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) response: HttpResponse,
    @Param('id') id: string,
  ): Promise<string | undefined> {
    const access = {
      caller: this.callerWith(request, 'findOne'),
      action: 'findOne',
      by: fileKeyOf(id),
    } as const;
    const { answer } = await this.read(request, access, readerOf(request, access));
    return this.shown(response, answer.unlessKnown(parseTags(request.headers['if-none-match'])));
  }

  @Delete('files/:id')
  @Json()
  async remove(@Req() request: HttpRequest, @Param('id') id: string): Promise<string> {
    const caller = this.callerWith(request, 'delete');
    const uploader = uploaderOf(request, caller);
    const row = await this.row(id, this.among(caller, 'delete'));
    if (row === null) {
      refuseAbsent(uploader.precondition);
      throw fileNotFound();
    }
    const { documentId } = row;
    const { plan, answer } = await this.read(request, { caller, action: 'delete', by: { documentId } });
    const shown = this.signed.shown(answer.data);
    await this.library.remove(row, plan, uploader);
    return shown;
  }

  private async change(request: HttpRequest, id: unknown, body: unknown): Promise<Answer> {
    const caller = this.callerWith(request, 'update');
    const row = await this.row(typeof id === 'string' ? id : '', this.among(caller, 'update'));
    const uploader = uploaderOf(request, caller);
    if (row === null) {
      refuseAbsent(uploader.precondition);
      throw new ContentError('NotFoundError', 'Entity not found');
    }
    if (isForm(request)) return this.library.change(row, messageOf(request), uploader);
    const info: unknown = isObject(body) ? body['fileInfo'] : undefined;
    if (info === undefined) throw validationError('Files are empty');
    return this.library.describe(row, info, uploader);
  }

  /** Sends the tag of a file. Returns the file as JSON text, or undefined if the client has it. */
  private shown(response: HttpResponse, { data, head }: Answer): string | undefined {
    const { httpAdapter } = this.host;
    const { ETag: tag } = head?.headers ?? {};
    if (tag !== undefined) httpAdapter.setHeader(response, 'ETag', tag);
    if (head?.status !== 304) return this.signed.shown(data);
    httpAdapter.status(response, 304);
    response.removeHeader('Content-Type');
    return undefined;
  }

  /** Returns the caller if some files are granted. Throws 403, or 401 for a caller without any permission. */
  private callerWith(request: HttpRequest, action: Action): Caller {
    const caller = callerOf(request);
    if (decide(caller, this.files.type, action) !== 'none') return caller;
    throw refusal(caller);
  }

  private mayReadFolders({ permissions }: Caller): boolean {
    const fields = permissions.fields(this.files.type.singularApiId, 'find');
    return fields === null || fields.has('folderPath');
  }

  /** Returns the files on which a caller may act. */
  private among(caller: Caller, action: Action): Countable {
    return {
      decision: decide(caller, this.files.type, action),
      defaultLocale: this.settings.defaultLocale,
    };
  }

  /** Returns a row, and null for a file outside the conditions of the caller: it does not exist. */
  private async row(id: string, among: Countable): Promise<FileRow | null> {
    const row = await this.files.one(id);
    return row !== null && (await this.files.isAmong(row, among)) ? row : null;
  }

  /** Reads one file; without `by`, no hook of reads runs. */
  private async read(
    request: HttpRequest,
    access: FileAccess,
    by?: Reader,
  ): Promise<{ readonly plan: ReadPlan; readonly answer: Answer }> {
    try {
      const plan = this.plan(request, access);
      return { plan, answer: await this.documents.read(plan, by === undefined ? {} : { by }) };
    } catch (error) {
      throw isAbsent(error) ? fileNotFound() : error;
    }
  }

  private list(request: HttpRequest, access: FileAccess, defaults: QueryDefaults): ReadPlan {
    const { folder } = readRaw(queryOf(request), this.settings.limits);
    const plan = this.plan(request, access, ({ folder: _folder, ...query }, settings) =>
      defaults(query, settings),
    );
    if (folder === undefined) return plan;
    if (!this.mayReadFolders(access.caller))
      throw invalidKey('folder', { at: '', path: 'folder' }, { source: 'query', param: 'folder' });
    if (typeof folder !== 'string' || unstorable(folder)) throw invalidFolder();
    const parts = [...(plan.where === null ? [] : [plan.where]), this.files.isIn(folder)];
    return { ...plan, where: { kind: 'all', parts }, shared: null };
  }

  private plan(
    request: HttpRequest,
    { caller, action, by = null }: FileAccess,
    defaults?: QueryDefaults,
  ): ReadPlan {
    const kind = action === 'find' ? 'list' : 'one';
    const readRequest = { type: this.files.type, kind, by, caller, format: 'flat', action } as const;
    return this.documents.planText(queryOf(request), readRequest, defaults);
  }
}
