/** Parses `fields` and `sort`, in every spelling. */
import { type Source, validationError } from '../../kernel/errors.js';
import { isListOf, isNullOr, isObject, isText } from '../../kernel/json.js';
import type { Fields, SortKey } from './query.js';

const isNames = isListOf(isNullOr(isText));

const split = (text: string): string[] => text.split(',').map((part) => part.trim());

/** Parses a string, a comma list or a list of strings; any `*` means all fields (protocol section 3). */
export function parseFields(raw: unknown): Fields {
  if (raw === undefined || raw === null) return null;
  if (typeof raw === 'string') {
    const names = split(raw);
    return names.length === 1 && names[0] === '*' ? '*' : names;
  }
  if (!isNames(raw))
    throw validationError('Invalid fields parameter. Expected a string or an array of strings');
  const names = raw.filter((name) => name !== null);
  return names.length === 0 ? '*' : names;
}

const DIRECTIONS = new Map([
  ['asc', false],
  ['desc', true],
]);

function direction(raw: unknown): boolean {
  const descending = typeof raw === 'string' ? DIRECTIONS.get(raw.toLowerCase()) : undefined;
  if (descending === undefined)
    throw validationError('Invalid order. order can only be one of asc|desc|ASC|DESC');
  return descending;
}

/** Parses `a.b:desc`. An empty name is ignored, and text after a second colon (protocol 7.1, 7.6). */
function fromText(text: string): SortKey[] {
  return split(text).flatMap((part) => {
    const [path = '', order] = part.split(':');
    if (path === '') return [];
    return [{ path: path.split('.'), descending: order === undefined ? false : direction(order) }];
  });
}

function fromObject(object: Readonly<Record<string, unknown>>, prefix: readonly string[]): SortKey[] {
  return Object.entries(object).flatMap(([key, value]): SortKey[] => {
    const path = [...prefix, ...key.split('.')];
    if (isObject(value)) return fromObject(value, path);
    return [{ path, descending: value === '' || value === null ? false : direction(value) }];
  });
}

/** Parses sort keys in the given order (protocol 7.2). */
export function parseSort(raw: unknown, source: Source): SortKey[] {
  if (raw === undefined || raw === null) return [];
  if (typeof raw === 'string') return fromText(raw);
  if (isObject(raw)) return fromObject(raw, []);
  if (!Array.isArray(raw))
    throw validationError(
      'Invalid sort parameter. Expected a string, an array of strings, a sort object or an array of sort objects',
      { ...source },
    );
  return raw.flatMap((item: unknown) => {
    if (item === null) return [];
    if (typeof item === 'string') return fromText(item);
    if (isObject(item)) return fromObject(item, []);
    throw validationError(
      'Invalid sort parameter. Expected a string, an array of strings, a sort object or an array of sort objects',
      { ...source },
    );
  });
}
