import { Controller, Get, Header, Inject, Req, UseFilters, UseGuards, VERSION_NEUTRAL } from '@nestjs/common';
import { AccountGuard, callerWith } from '../../content/http/account.guard.js';
import { ContentErrorFilter } from '../../content/http/error.filter.js';
import { Described } from '../../content/http/metadata.js';
import { CONTENT_SCHEMA, type Schema } from '../../content/model/model.js';
import { DESK_GRANT } from '../../content/model/naming.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../../kernel/settings.js';
import type { DeskModel } from './desk-model.js';
import { describeForDesk } from './describe-for-desk.js';

/** Routes of the desk, which require the grant `open` on `desk`. */
@Controller({ path: 'desk', version: VERSION_NEUTRAL })
@UseFilters(ContentErrorFilter)
@UseGuards(AccountGuard)
@Described()
export class DeskController {
  constructor(
    @Inject(CONTENT_SCHEMA) private readonly schema: Schema,
    @Inject(CONTENT_SETTINGS) private readonly settings: ContentSettings,
  ) {}

  @Get('model')
  @Header('Cache-Control', 'no-store')
  model(@Req() request: object): { readonly data: DeskModel } {
    const caller = callerWith(request, DESK_GRANT, 'open');
    return { data: describeForDesk({ schema: this.schema, settings: this.settings, caller }) };
  }
}
