import { Controller, Get, Inject, Req, UseFilters, UseGuards, VERSION_NEUTRAL } from '@nestjs/common';
import { PrivateGuard, callerWith } from '../../../content/http/account.guard.js';
import { ContentErrorFilter } from '../../../content/http/error.filter.js';
import { Description } from '../../../content/http/metadata.js';
import { findOwn, type OwnListAnswer } from '../../../content/http/own-list.js';
import type { HttpRequest } from '../../../content/http/request-state.js';
import { CONTENT_SCHEMA, type Schema } from '../../../content/model/model.js';
import { AUDIT_GRANT } from '../../../content/model/naming.js';
import { Database } from '../../../content/store/database.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../../../kernel/settings.js';
import { auditList } from './compile-audit.js';

/** Route `GET /api/audit`: entries of the audit log (protocol section 26). */
@Controller({ path: AUDIT_GRANT, version: VERSION_NEUTRAL })
@UseFilters(ContentErrorFilter)
@UseGuards(PrivateGuard)
@Description()
export class AuditController {
  constructor(
    @Inject(CONTENT_SCHEMA) private readonly schema: Schema,
    @Inject(CONTENT_SETTINGS) private readonly settings: ContentSettings,
    @Inject(Database) private readonly database: Database,
  ) {}

  @Get()
  async find(@Req() request: HttpRequest): Promise<OwnListAnswer> {
    callerWith(request, AUDIT_GRANT, 'open');
    const { schema, database, settings } = this;
    return findOwn(request, auditList(schema.file), { database, settings });
  }
}
