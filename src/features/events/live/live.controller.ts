import {
  Controller,
  Get,
  Inject,
  Param,
  Req,
  Res,
  UseFilters,
  UseGuards,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { ContentAccess } from '../../../content/access/content-access.js';
import { AccountGuard, callerOf } from '../../../content/http/account.guard.js';
import { ContentErrorFilter } from '../../../content/http/error.filter.js';
import { Description } from '../../../content/http/metadata.js';
import { credentialsOf, type HttpRequest, queryOf } from '../../../content/http/request-state.js';
import { CONTENT_SCHEMA, type ContentType, type Schema } from '../../../content/model/model.js';
import { readRaw } from '../../../content/query/read-raw.js';
import { notFound, refuseOtherKeys } from '../../../kernel/errors.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../../../kernel/settings.js';
import { LiveHub } from './live-hub.js';
import { StaleStreams } from './stale-streams.js';
import { TypeStream } from './type-stream.js';
import { isStreamed, VisibleEvents } from './visible-events.js';

const lastIdOf = ({ headers }: HttpRequest): string | undefined => {
  const id = headers['last-event-id'];
  return typeof id === 'string' && id !== '' ? id : undefined;
};

/** Routes `/api/live` and `/api/live/:type` (protocol 21.16, 21.19). */
@Controller({ path: 'live', version: VERSION_NEUTRAL })
@UseFilters(ContentErrorFilter)
@Description()
export class LiveController {
  constructor(
    @Inject(CONTENT_SCHEMA) private readonly schema: Schema,
    @Inject(CONTENT_SETTINGS) private readonly settings: ContentSettings,
    @Inject(ContentAccess) private readonly access: ContentAccess,
    @Inject(LiveHub) private readonly hub: LiveHub,
    @Inject(StaleStreams) private readonly stale: StaleStreams,
    @Inject(VisibleEvents) private readonly visible: VisibleEvents,
  ) {}

  @Get()
  async tags(@Req() request: HttpRequest, @Res() response: object): Promise<void> {
    refuseOtherKeys(readRaw(queryOf(request), this.settings.limits), [], 'query');
    if (request.method === 'HEAD') (await this.hub.open(response)).end();
    else await this.stale.open(response, lastIdOf(request));
  }

  @Get(':type')
  @UseGuards(AccountGuard)
  async events(
    @Req() request: HttpRequest,
    @Res() response: object,
    @Param('type') route: string,
  ): Promise<void> {
    const caller = callerOf(request);
    const type = this.typeAt(route);
    const text = queryOf(request);
    const asked = { query: readRaw(text, this.settings.limits), text };
    const watched = this.visible.watch(type, asked, caller);
    await this.visible.admit(watched, caller);
    const stream = await this.hub.open(response);
    if (request.method === 'HEAD') return stream.end();
    const { hub, visible, access } = this;
    const credentials = credentialsOf(request);
    const authenticate = (): ReturnType<ContentAccess['authenticate']> => access.authenticate(credentials);
    void new TypeStream({ hub, visible, watched, stream, authenticate }).begin(lastIdOf(request));
  }

  /** Throws NotFoundError for a path without a type that has streams. */
  private typeAt(route: string): ContentType {
    const found = [...this.schema.types.values()].find(
      (type) => type.route === route.toLowerCase() && isStreamed(type),
    );
    if (found === undefined) throw notFound();
    return found;
  }
}
