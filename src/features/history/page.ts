/** Parameters of lists of stored versions. */
import { validationError } from '../../kernel/errors.js';
import { isListOf, isObject, isText, type Test } from '../../kernel/json.js';
import type { ContentSettings } from '../../kernel/settings.js';
import { type PaginationMeta, paginationMeta } from '../../content/documents/answer.js';
import { unstorable } from '../../content/model/cast-value.js';
import type { ContentType } from '../../content/model/model.js';
import { publishedState } from '../../content/plan/plan-read.js';
import { parsePagination } from '../../content/query/parse-query.js';
import type { Pagination } from '../../content/query/query.js';
import { type RawQuery, readRaw } from '../../content/query/read-raw.js';
import type { Row } from '../../pool/runner.js';
import type { TrashPage, VersionsPage } from './compile-version-reads.js';

type Page = VersionsPage & Pagination;

/** Returns the 400 of a parameter. */
export const wrong = (param: string, message: string): Error =>
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

/** Returns the parameters that select what a response to a restore shows, as those of a PUT. */
export function shownParameters(text: string, { limits }: ContentSettings): RawQuery {
  const { fields, populate } = readRaw(text, limits);
  return { ...(fields === undefined ? {} : { fields }), ...(populate === undefined ? {} : { populate }) };
}

/**
 * Parses `pagination`, `locale` and `status`. Throws a 400 for others. Types without locales or drafts ignore
 * these.
 */
export function pageOf(text: string, type: ContentType, settings: ContentSettings): Page {
  return readPage(refuseParameters(text, settings, PAGE), type, settings);
}

const PAGE = ['pagination', 'locale', 'status'];

function readPage(raw: RawQuery, type: ContentType, settings: ContentSettings): Page {
  const { pagination, locale = '', status } = raw;
  if (!isText(locale) || unstorable(locale)) throw wrong('locale', 'expected a locale code or *');
  const published = status === undefined ? null : publishedState(status, type);
  return {
    ...parsePagination(pagination, settings),
    locale: !type.localized || ['', '*'].includes(locale) ? null : locale,
    published: type.draftAndPublish ? published : null,
  };
}

/** Parses the parameters of `pageOf`, and `documentId`: an id or a list of ids. Throws a 400 for others. */
export function trashPageOf(
  text: string,
  type: ContentType,
  settings: ContentSettings,
): TrashPage & Pagination {
  const raw = refuseParameters(text, settings, [...PAGE, 'documentId']);
  const { documentId } = raw;
  const ids = documentId === undefined ? null : [documentId].flat();
  if (ids !== null && (!isTexts(ids) || unstorable(ids))) throw wrong('documentId', 'expected document ids');
  const { defaultLocale } = settings;
  return { ...readPage(raw, type, settings), documentIds: ids, defaultLocale };
}

const isTexts = isListOf(isText);

/** Row of a list statement: `list` as JSON, and `total` if it is counted. */
export function listIn(row: Row | undefined): readonly Row[] {
  const text = row?.['list'];
  const list: unknown = typeof text === 'string' ? JSON.parse(text) : null;
  return isRows(list) ? list : [];
}

const isRows: Test<readonly Row[]> = isListOf((one): one is Row => isObject(one));

export const paginationOf = (page: Pagination, row: Row | undefined): PaginationMeta =>
  paginationMeta(page, page.withCount ? Number(row?.['total'] ?? 0) : null);
