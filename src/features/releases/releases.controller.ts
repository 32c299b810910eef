import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Put,
  Req,
  UseFilters,
  UseGuards,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import type { Caller } from '../../content/access/caller.js';
import { PrivateGuard, callerWith } from '../../content/http/account.guard.js';
import { ContentErrorFilter } from '../../content/http/error.filter.js';
import { Audited, Description } from '../../content/http/metadata.js';
import { findOwn, type OwnListAnswer } from '../../content/http/own-list.js';
import { type HttpRequest, requestIdOf, stateOf } from '../../content/http/request-state.js';
import { CONTENT_SCHEMA, type Schema } from '../../content/model/model.js';
import { RELEASES_GRANT } from '../../content/model/naming.js';
import { Database } from '../../content/store/database.js';
import { notFound } from '../../kernel/errors.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../../kernel/settings.js';
import { releaseList } from './compile-releases.js';
import { changeIn, entriesIn, entryIdsIn, isDryRun, isId, newReleaseIn } from './parse-release.js';
import { ReleaseCheck } from './release-check.js';
import { ReleaseUndo } from './release-undo.js';
import { Releases } from './releases.service.js';

interface Envelope {
  readonly data: unknown;
  readonly meta: object;
}

const answer = (data: unknown): Envelope => ({ data, meta: {} });

/** Returns the caller. Throws 403 without the grant, or 401. */
const callerOf = (request: object): Caller => callerWith(request, RELEASES_GRANT, 'open');

/** Names the changed members of a release for the audit log. */
function changes(request: object, attributes: readonly string[]): void {
  stateOf(request).audited = { attributes };
}

/** Whether a request is a dry run, which the audit log leaves out. */
function checksOnly(request: object, body: unknown): boolean {
  const dry = isDryRun(body);
  stateOf(request).audited = { isDryRun: dry };
  return dry;
}

function idOf(text: string): string {
  if (isId(text)) return text;
  throw notFound();
}

/** Routes `/api/releases` (protocol section 27). */
@Controller({ path: RELEASES_GRANT, version: VERSION_NEUTRAL })
@UseFilters(ContentErrorFilter)
@UseGuards(PrivateGuard)
@Description()
export class ReleasesController {
  constructor(
    @Inject(CONTENT_SCHEMA) private readonly schema: Schema,
    @Inject(CONTENT_SETTINGS) private readonly settings: ContentSettings,
    @Inject(Database) private readonly database: Database,
    @Inject(Releases) private readonly releases: Releases,
    @Inject(ReleaseCheck) private readonly checks: ReleaseCheck,
    @Inject(ReleaseUndo) private readonly undoing: ReleaseUndo,
  ) {}

  @Get()
  async find(@Req() request: HttpRequest): Promise<OwnListAnswer> {
    callerOf(request);
    const { schema, database, settings } = this;
    return findOwn(request, releaseList(schema.file), { database, settings });
  }

  @Audited({ action: 'create', type: RELEASES_GRANT })
  @Post()
  async create(@Req() request: HttpRequest, @Body() body: unknown): Promise<Envelope> {
    const caller = callerOf(request);
    const input = newReleaseIn(body);
    changes(request, Object.keys(input));
    return answer(await this.releases.create(input, caller));
  }

  @Get(':id')
  async findOne(@Req() request: HttpRequest, @Param('id') id: string): Promise<Envelope> {
    const caller = callerOf(request);
    return answer(await this.releases.one(idOf(id), caller));
  }

  @Audited({ action: 'update', type: RELEASES_GRANT })
  @Put(':id')
  async update(
    @Req() request: HttpRequest,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<Envelope> {
    const caller = callerOf(request);
    const input = changeIn(body);
    changes(request, Object.keys(input));
    return answer(await this.releases.change(idOf(id), input, caller));
  }

  @Audited({ action: 'delete', type: RELEASES_GRANT })
  @Delete(':id')
  @HttpCode(204)
  async remove(@Req() request: HttpRequest, @Param('id') id: string): Promise<void> {
    await this.releases.remove(idOf(id), callerOf(request));
  }

  @Audited({ action: 'update', type: RELEASES_GRANT })
  @Post(':id/entries')
  @HttpCode(200)
  async add(@Req() request: HttpRequest, @Param('id') id: string, @Body() body: unknown): Promise<Envelope> {
    const caller = callerOf(request);
    changes(request, ['entries']);
    return answer(await this.releases.add(idOf(id), entriesIn(body), caller));
  }

  @Audited({ action: 'update', type: RELEASES_GRANT })
  @Delete(':id/entries/:entry')
  @HttpCode(204)
  async removeEntry(
    @Req() request: HttpRequest,
    @Param('id') id: string,
    @Param('entry') entry: string,
  ): Promise<void> {
    const caller = callerOf(request);
    changes(request, ['entries']);
    await this.releases.removeEntries(idOf(id), [idOf(entry)], caller);
  }

  @Audited({ action: 'update', type: RELEASES_GRANT })
  @Post(':id/actions/remove')
  @HttpCode(200)
  async removeEntries(
    @Req() request: HttpRequest,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<Envelope> {
    const caller = callerOf(request);
    changes(request, ['entries']);
    return answer(await this.releases.removeEntries(idOf(id), entryIdsIn(body), caller));
  }

  @Audited({ action: 'publish', type: RELEASES_GRANT })
  @Post(':id/actions/publish')
  @HttpCode(200)
  async publish(
    @Req() request: HttpRequest,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<Envelope> {
    const sender = { caller: callerOf(request), requestId: requestIdOf(request) };
    if (checksOnly(request, body)) return answer(await this.checks.report(idOf(id), sender));
    return answer(await this.releases.publish(idOf(id), sender));
  }

  @Audited({ action: 'undo', type: RELEASES_GRANT })
  @Post(':id/actions/undo')
  @HttpCode(200)
  async undo(@Req() request: HttpRequest, @Param('id') id: string, @Body() body: unknown): Promise<Envelope> {
    const sender = { caller: callerOf(request), requestId: requestIdOf(request) };
    if (checksOnly(request, body)) return answer(await this.undoing.report(idOf(id), sender));
    return answer(await this.undoing.undo(idOf(id), sender));
  }
}
