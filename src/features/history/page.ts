/** Parameters of lists of stored versions. */
import { validationError } from '../../kernel/errors.js';
import { isListOf, isObject, type Test } from '../../kernel/json.js';
import type { ContentSettings } from '../../kernel/settings.js';
import { type PaginationMeta, paginationMeta } from '../../content/documents/answer.js';
import type { ContentType } from '../../content/model/model.js';
import { publishedState } from '../../content/plan/plan-read.js';
import { parsePagination } from '../../content/query/parse-query.js';
import type { Pagination } from '../../content/query/query.js';
import { type RawQuery, readRaw } from '../../content/query/read-raw.js';
import type { Row } from '../../pool/runner.js';
import type { VersionsPage } from './compile-version-reads.js';

type Page = VersionsPage & Pagination;

const wrong = (param: string, message: string): Error =>
  validationError(`Invalid ${param}: ${message}`, { key: param, path: null, source: 'query', param });

/** Parses a query string that may have only some parameters. Throws a 400 for others. */
export function refuseParameters(
  text: string,
  { limits }: ContentSettings,
  allowed: readonly string[] = [],
): RawQuery {
  const raw = readRaw(text, limits);
  const other = Object.keys(raw).find((name) => !allowed.includes(name));
  if (other !== undefined) throw wrong(other, 'this route does not have it');
  return raw;
}

/** Parses `pagination`, `locale` and `status`. Throws a 400 for others. */
export function pageOf(text: string, type: ContentType, settings: ContentSettings): Page {
  const raw = refuseParameters(text, settings, ['pagination', 'locale', 'status']);
  const { pagination, locale = null, status } = raw;
  if (locale !== null && typeof locale !== 'string') throw wrong('locale', 'expected a locale code');
  return {
    ...parsePagination(pagination, settings),
    locale,
    published: status === undefined ? null : publishedState(status, type),
  };
}

/** Row of a list statement: `list` as JSON, and `total` if it is counted. */
export function listIn(row: Row | undefined): readonly Row[] {
  const text = row?.['list'];
  const list: unknown = typeof text === 'string' ? JSON.parse(text) : null;
  return isRows(list) ? list : [];
}

const isRows: Test<readonly Row[]> = isListOf((one): one is Row => isObject(one));

export const paginationOf = (page: Page, row: Row | undefined): PaginationMeta =>
  paginationMeta(page, page.withCount ? Number(row?.['total'] ?? 0) : null);
