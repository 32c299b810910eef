/** Lists of rows of the library's own tables, with the parameters of lists of content. */
import { refuseOtherKeys } from '../../kernel/errors.js';
import type { ContentSettings } from '../../kernel/settings.js';
import { compileOwnFilter, compileOwnPage, FILTERS, type OwnList } from '../compile/compile-own-filter.js';
import { type PaginationMeta, paginationMeta } from '../documents/answer.js';
import { parseFilters } from '../query/parse-filters.js';
import { parsePagination } from '../query/parse-query.js';
import { readRaw } from '../query/read-raw.js';
import type { Database } from '../store/database.js';
import { type HttpRequest, queryOf } from './request-state.js';

export interface OwnListAnswer {
  readonly data: unknown;
  readonly meta: { readonly pagination: PaginationMeta };
}

/** Returns the rows that a request asks for. Throws a 400 for other parameters than those of lists. */
export async function findOwn(
  request: HttpRequest,
  list: OwnList,
  { database, settings }: { readonly database: Database; readonly settings: ContentSettings },
): Promise<OwnListAnswer> {
  const { limits } = settings;
  const raw = readRaw(queryOf(request), limits);
  refuseOtherKeys(raw, ['filters', 'sort', 'pagination'], 'query');
  const budget = { left: limits.conditions, allowed: limits.conditions };
  const where = compileOwnFilter(parseFilters(raw['filters'], { source: FILTERS, budget }), list.fields);
  const page = parsePagination(raw['pagination'], settings);
  const statement = compileOwnPage(list, { ...page, where, order: list.order(raw['sort']) });
  const [{ data, total } = {}] = await database.run(statement);
  const rows: unknown = JSON.parse(String(data));
  return {
    data: rows,
    meta: { pagination: paginationMeta(page, page.withCount ? Number(total) : null) },
  };
}
