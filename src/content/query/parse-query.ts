/** Parses the query string; the only code that reads top-level parameters. */
import { ContentError, invalidKey, validationError } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json.js';
import { toBoolean } from '../model/formats.js';
import type { ContentSettings } from '../../kernel/settings.js';
import { parseFields, parseSort } from './parse-fields.js';
import { parseFilters } from './parse-filters.js';
import { PARAMETERS } from './parameters.js';
import { parsePopulate } from './parse-populate.js';
import { type Pagination, PUBLICATION_FILTERS, type PublicationFilter, type Query } from './query.js';
import { type RawQuery } from './read-raw.js';

function publication(raw: RawQuery): PublicationFilter | null {
  const value = raw['publicationFilter'];
  if (value !== undefined) {
    const found = PUBLICATION_FILTERS.find((name) => name === value);
    if (found !== undefined) return found;
    throw validationError(
      `Invalid value for 'publicationFilter'. Expected one of: ${PUBLICATION_FILTERS.join(', ')}.`,
      {
        source: 'query',
        param: 'publicationFilter',
      },
    );
  }
  const has = flag(raw, 'hasPublishedVersion');
  if (has === null) return null;
  return has ? 'has-published-version-document' : 'never-published-document';
}

/** Returns a boolean parameter, null if it is missing. `place` is added to the details of the error. */
function flag(raw: RawQuery, param: string, place: object = {}): boolean | null {
  if (raw[param] === undefined) return null;
  const value = toBoolean(raw[param]);
  if (value !== undefined) return value;
  throw validationError(`Invalid value for '${param}'. Expected "true" or "false"`, {
    ...place,
    source: 'query',
    param,
  });
}

function search(raw: unknown): string | null {
  if (raw === undefined || raw === null || raw === '') return null;
  if (typeof raw === 'string' && !raw.includes('\u0000')) return raw;
  if (typeof raw === 'number') return String(raw);
  throw validationError('Invalid _q parameter. Expected a string', { source: 'query', param: '_q' });
}

/** Matches two or three letters, and groups after dashes (protocol 9.17). */
const LOCALE_CODE = /^[a-z]{2,3}(-[a-z0-9]+)*$/i;
const LONGEST_CODE = 35;

/** With `strictParams`, refuses unknown parameters and invalid locale codes. */
function checkStrictly(raw: RawQuery, { locales }: ContentSettings): void {
  const unknown = Object.keys(raw).find((key) => !PARAMETERS.has(key));
  if (unknown !== undefined)
    throw invalidKey(unknown, { at: '', path: null }, { source: 'query', param: unknown });
  const isCode = (code: unknown): boolean =>
    typeof code === 'string' &&
    (code === '*' || locales.includes(code) || (code.length <= LONGEST_CODE && LOCALE_CODE.test(code)));
  if (raw['locale'] !== undefined && ![raw['locale']].flat().every(isCode))
    throw validationError('Invalid locale parameter. Expected a locale code', {
      key: 'locale',
      path: null,
      source: 'query',
      param: 'locale',
    });
}

/** Parses a raw query. Throws the 400 of the protocol for invalid values. */
export function parseQuery(raw: RawQuery, settings: ContentSettings): Query {
  if (settings.strictParams) checkStrictly(raw, settings);
  const { limits } = settings;
  const budget = { left: limits.conditions, allowed: limits.conditions };
  return {
    fields: parseFields(raw['fields']),
    populate: parsePopulate(raw['populate'], { limits, conditions: budget, depth: 1 }),
    filters: parseFilters(raw['filters'], { source: { source: 'query', param: 'filters' }, budget }),
    sort: parseSort(raw['sort'], { source: 'query', param: 'sort' }),
    pagination: pagination(raw),
    status: raw['status'],
    locale: raw['locale'],
    fallbackLocale: raw['fallbackLocale'],
    search: search(raw['_q']),
    publication: publication(raw),
    withState: flag(raw, 'withState', { key: 'withState', path: null }) ?? false,
  };
}

function pagination(raw: RawQuery): unknown {
  if (raw['page'] !== undefined || raw['pageSize'] !== undefined) {
    throw new ContentError(
      'PaginationError',
      'Invalid pagination attributes. The page parameters are incorrect and must be in the pagination object',
    );
  }
  return raw['pagination'];
}

/** Null is a name without a value, which means 0. */
function toNumber(raw: unknown): number {
  if (raw === null) return 0;
  return typeof raw === 'number' || typeof raw === 'string' ? Number(raw) : Number.NaN;
}

function integer(raw: unknown, name: string): number {
  const value = toNumber(raw);
  if (Number.isSafeInteger(value)) return value;
  const path = `pagination.${name}`;
  throw validationError(`Invalid ${path}: expected an integer`, {
    key: name,
    path,
    source: 'query',
    param: 'pagination',
  });
}

function withCount(raw: unknown, settings: ContentSettings): boolean {
  if (raw === undefined) return settings.withCount;
  const counted = toBoolean(raw);
  if (counted !== undefined) return counted;
  throw new ContentError(
    'ValidationError',
    'Invalid withCount parameter. Expected "t","1","true","false","0","f"',
  );
}

/** Parses page and offset pagination and applies the limits (protocol 7.13–7.23). */
export function parsePagination(raw: unknown, settings: ContentSettings): Pagination {
  const given = isObject(raw) ? raw : {};
  const counted = withCount(given['withCount'], settings);
  const offset = given['start'] !== undefined || given['limit'] !== undefined;
  if (offset && (given['page'] !== undefined || given['pageSize'] !== undefined)) {
    throw new ContentError('PaginationError', 'Cannot use both page & offset pagination in the same query');
  }
  const size = (name: string): number =>
    Math.min(
      settings.maxLimit,
      given[name] === undefined ? settings.defaultLimit : Math.max(1, integer(given[name], name)),
    );
  if (offset) {
    const start = given['start'] === undefined ? 0 : Math.max(0, integer(given['start'], 'start'));
    return {
      kind: 'offset',
      start,
      limit: size('limit'),
      largest: settings.maxLimit,
      page: 0,
      withCount: counted,
    };
  }
  const page = given['page'] === undefined ? 1 : Math.max(1, integer(given['page'], 'page'));
  const limit = size('pageSize');
  return {
    kind: 'page',
    start: Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER),
    limit,
    largest: settings.maxLimit,
    page,
    withCount: counted,
  };
}
