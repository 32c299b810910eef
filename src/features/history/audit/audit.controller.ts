import { Controller, Get, Inject, Req, UseFilters, UseGuards, VERSION_NEUTRAL } from '@nestjs/common';
import { refusal } from '../../../content/access/auth-strategy.js';
import { compileOwnFilter, FILTERS } from '../../../content/compile/compile-own-filter.js';
import { type PaginationMeta, paginationMeta } from '../../../content/documents/answer.js';
import { AccountGuard, callerOf } from '../../../content/http/account.guard.js';
import { ContentErrorFilter } from '../../../content/http/error.filter.js';
import { Described } from '../../../content/http/metadata.js';
import { type HttpRequest, queryOf } from '../../../content/http/request-state.js';
import { CONTENT_SCHEMA, type Schema } from '../../../content/model/model.js';
import { AUDIT_GRANT } from '../../../content/model/naming.js';
import { parseFilters } from '../../../content/query/parse-filters.js';
import { parsePagination } from '../../../content/query/parse-query.js';
import { readRaw } from '../../../content/query/read-raw.js';
import { Database } from '../../../content/store/database.js';
import { refuseOtherKeys, validationError } from '../../../kernel/errors.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../../../kernel/settings.js';
import { AUDIT_FIELDS, compilePage } from './compile-audit.js';

interface AuditAnswer {
  readonly data: unknown;
  readonly meta: { readonly pagination: PaginationMeta };
}

const ORDERS: Readonly<Record<string, boolean>> = { at: false, 'at:asc': false, 'at:desc': true };

/** Returns whether the newest entries come first. Throws a 400 for another order than that of the time. */
function isDescending(sort: unknown = 'at:desc'): boolean {
  const order = typeof sort === 'string' && Object.hasOwn(ORDERS, sort) ? ORDERS[sort] : undefined;
  if (order !== undefined) return order;
  throw validationError('Invalid sort: expected at:asc or at:desc', {
    key: 'sort',
    path: null,
    source: 'query',
    param: 'sort',
  });
}

/** Route `GET /api/audit`: entries of the audit log (protocol section 26). */
@Controller({ path: AUDIT_GRANT, version: VERSION_NEUTRAL })
@UseFilters(ContentErrorFilter)
@UseGuards(AccountGuard)
@Described()
export class AuditController {
  constructor(
    @Inject(CONTENT_SCHEMA) private readonly schema: Schema,
    @Inject(CONTENT_SETTINGS) private readonly settings: ContentSettings,
    @Inject(Database) private readonly database: Database,
  ) {}

  @Get()
  async find(@Req() request: HttpRequest): Promise<AuditAnswer> {
    const caller = callerOf(request);
    if (!caller.permissions.allows(AUDIT_GRANT, 'open')) throw refusal(caller);
    const { limits } = this.settings;
    const raw = readRaw(queryOf(request), limits);
    refuseOtherKeys(raw, ['filters', 'sort', 'pagination'], 'query');
    const budget = { left: limits.conditions, allowed: limits.conditions };
    const where = compileOwnFilter(parseFilters(raw['filters'], { source: FILTERS, budget }), AUDIT_FIELDS);
    const page = parsePagination(raw['pagination'], this.settings);
    const { start, limit, withCount } = page;
    const asked = { where, descending: isDescending(raw['sort']), start, limit };
    const [{ data, total } = {}] = await this.database.run(compilePage(this.schema.file, asked, withCount));
    return {
      data: JSON.parse(String(data)) as unknown,
      meta: { pagination: paginationMeta(page, withCount ? Number(total) : null) },
    };
  }
}
