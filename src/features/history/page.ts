/** Parameters of lists of stored versions. */
import { validationError } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json.js';
import type { ContentSettings } from '../../kernel/settings.js';
import type { PaginationMeta } from '../../content/documents/answer.js';
import type { ContentType } from '../../content/model/model.js';
import { publishedState } from '../../content/plan/plan-read.js';
import { type RawQuery, readRaw } from '../../content/query/read-raw.js';
import type { Row } from '../../pool/runner.js';
import type { VersionsPage } from './compile-version-reads.js';

interface Page extends VersionsPage {
  readonly page: number;
}

const wrong = (param: string, message: string): Error =>
  validationError(`Invalid ${param}: ${message}`, { key: param, path: null, source: 'query', param });

/** Parses a query string that may have only some parameters. Throws a 400 for others. */
export function refuseParameters(
  text: string,
  { limits }: ContentSettings,
  known: readonly string[] = [],
): RawQuery {
  const raw = readRaw(text, limits);
  const other = Object.keys(raw).find((name) => !known.includes(name));
  if (other !== undefined) throw wrong(other, 'this route does not have it');
  return raw;
}

function countIn(pagination: RawQuery, name: string, without: number): number {
  const { [name]: value = without } = pagination;
  const count = Number(value);
  if (Number.isSafeInteger(count) && count >= 1) return count;
  throw wrong('pagination', `expected a positive integer as ${name}`);
}

/** Parses `pagination[page]`, `pagination[pageSize]`, `locale` and `status`. Throws a 400 for others. */
export function pageOf(text: string, type: ContentType, settings: ContentSettings): Page {
  const raw = refuseParameters(text, settings, ['pagination', 'locale', 'status']);
  const { pagination = {}, locale = null, status } = raw;
  if (!isObject(pagination)) throw wrong('pagination', 'expected an object');
  if (locale !== null && typeof locale !== 'string') throw wrong('locale', 'expected a locale code');
  const page = countIn(pagination, 'page', 1);
  const limit = Math.min(countIn(pagination, 'pageSize', settings.defaultLimit), settings.maxLimit);
  return {
    page,
    start: (page - 1) * limit,
    limit,
    locale,
    published: status === undefined ? null : publishedState(status, type),
  };
}

export function paginationOf({ page, limit: pageSize }: Page, rows: readonly Row[]): PaginationMeta {
  const total = Number(rows[0]?.['total'] ?? 0);
  return { page, pageSize, pageCount: Math.ceil(total / pageSize), total };
}
