import { Controller, Get, Inject, Req, UseFilters, UseGuards, VERSION_NEUTRAL } from '@nestjs/common';
import { validationError } from '../../kernel/errors.js';
import type { ContentDocument } from '../../content/openapi/document.js';
import { readRaw } from '../../content/query/read-raw.js';
import { toBoolean } from '../../content/model/formats.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../../kernel/settings.js';
import { AccountGuard, callerOf } from '../../content/http/account.guard.js';
import { ContentOpenApi } from '../../content/http/content-openapi.js';
import { ContentErrorFilter } from '../../content/http/error.filter.js';
import { Description } from '../../content/http/metadata.js';
import { type HttpRequest, queryOf } from '../../content/http/request-state.js';

function countsOf(raw: unknown): boolean {
  const counts = raw === undefined ? true : toBoolean(raw);
  if (counts !== undefined) return counts;
  throw validationError('Invalid count parameter. Expected "true" or "false"', {
    key: 'count',
    path: null,
    source: 'query',
    param: 'count',
  });
}

/**
 * Route `GET /api/openapi.json`: the operations that the caller may use. It requires no grant, because
 * callers could find out the same by requests.
 */
@Controller({ path: 'openapi.json', version: VERSION_NEUTRAL })
@UseFilters(ContentErrorFilter)
@UseGuards(AccountGuard)
@Description()
export class OpenApiController {
  constructor(
    @Inject(ContentOpenApi) private readonly openApi: ContentOpenApi,
    @Inject(CONTENT_SETTINGS) private readonly settings: ContentSettings,
  ) {}

  @Get()
  find(@Req() request: HttpRequest): ContentDocument {
    const { count } = readRaw(queryOf(request), this.settings.limits);
    const format = request.headers['strapi-response-format'] === 'v4' ? 'v4' : 'flat';
    return this.openApi.documentFor(callerOf(request), { format, counts: countsOf(count) });
  }
}
