/** Bodies of the routes of releases. */
import { instantOf } from '../../content/plan/schedule.js';
import { unstorable } from '../../content/model/cast-value.js';
import { SCHEDULED_ACTIONS } from '../../content/model/schedule.js';
import { mapWithIndex } from '../../content/documents/write-list.js';
import { dataOf, refuseKeysNextToData } from '../../content/plan/read-body.js';
import { type ContentError, invalidKey, refuseOtherKeys, validationError } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json.js';
import type { NewEntry, ReleaseChange } from './compile-releases.js';

/** Most characters of a name. */
const LONGEST = 255;
const MEMBERS = ['name', 'at'];
const ENTRY_MEMBERS = ['type', 'documentId', 'locale', 'action'];

/** Id of a release or an entry: a positive `bigint`. */
const ID = /^[1-9]\d{0,17}$/;

export const isId = (value: unknown): value is string => typeof value === 'string' && ID.test(value);

const wrong = (path: string, expected: string): ContentError =>
  validationError(`Invalid ${path}: expected ${expected}`, {
    key: path.split('.').at(-1) ?? path,
    path,
    source: 'body',
  });

/** Returns the `data` of a body. Throws a 400 for keys beside it, and for other keys in it. */
function dataWith(body: unknown, allowed: readonly string[]): Readonly<Record<string, unknown>> {
  const data = dataOf(body);
  if (isObject(body)) refuseKeysNextToData(body);
  refuseOtherKeys(data, allowed, 'body');
  return data;
}

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= LONGEST && !unstorable(value);

/** Parses `{ data: { name, at } }`: an omitted member stays, and a null `at` clears the time. */
export function changeIn(body: unknown): ReleaseChange {
  const { name, at } = dataWith(body, MEMBERS);
  if (name !== undefined && !isName(name)) throw wrong('name', `a string of 1 to ${LONGEST} characters`);
  const due = at === undefined ? undefined : instantOf(at);
  if (at !== undefined && due === undefined)
    throw wrong('at', 'a time in UTC, such as 2026-11-20T09:30:00Z, or null');
  return { ...(name === undefined ? {} : { name }), ...(due === undefined ? {} : { at: due }) };
}

/** Parses the body of a new release, which needs a name. */
export function newReleaseIn(body: unknown): Required<ReleaseChange> {
  const { name, at = null } = changeIn(body);
  if (name === undefined) throw wrong('name', `a string of 1 to ${LONGEST} characters`);
  return { name, at };
}

/** Entry of a body. The locale is null if it is omitted. */
export type EntryInput = Omit<NewEntry, 'locale' | 'documentId'> & {
  /** Null for a single type. */
  readonly documentId: string | null;
  readonly locale: string | null;
  readonly action: (typeof SCHEDULED_ACTIONS)[number];
};

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= LONGEST && !unstorable(value);

function entryIn(input: unknown, path: string): EntryInput {
  if (!isObject(input)) throw wrong(path, 'an object');
  const other = Object.keys(input).find((key) => !ENTRY_MEMBERS.includes(key));
  if (other !== undefined)
    throw invalidKey(other, { at: path, path: `${path}.${other}` }, { source: 'body' });
  const { type, documentId = null, locale = null, action = 'publish' } = input;
  if (!isText(type)) throw wrong(`${path}.type`, 'the name of a type');
  if (documentId !== null && !isText(documentId)) throw wrong(`${path}.documentId`, 'the id of a document');
  if (locale !== null && !isText(locale)) throw wrong(`${path}.locale`, 'a locale, or * for all');
  const scheduled = SCHEDULED_ACTIONS.find((one) => one === action);
  if (scheduled === undefined) throw wrong(`${path}.action`, SCHEDULED_ACTIONS.join(' or '));
  return { type, documentId, locale, action: scheduled };
}

/** Parses `{ data: entry }` or `{ data: [entry, …] }`. Errors of an entry have its `index`. */
export function entriesIn(body: unknown): readonly EntryInput[] {
  const data: unknown = isObject(body) ? body['data'] : undefined;
  const list: readonly unknown[] = Array.isArray(data) ? data : [dataOf(body)];
  if (isObject(body)) refuseKeysNextToData(body);
  if (list.length === 0) throw wrong('data', 'at least one entry');
  return mapWithIndex(list, (one, i) => entryIn(one, Array.isArray(data) ? `data.${i}` : 'data'));
}

/** Parses `{ data: { entries: [id, …] } }`. */
export function entryIdsIn(body: unknown): readonly string[] {
  const { entries } = dataWith(body, ['entries']);
  if (!Array.isArray(entries) || entries.length === 0 || !entries.every(isId))
    throw wrong('entries', 'a list of ids of entries');
  return entries;
}

/** Parses the optional body `{ data: { dryRun } }`. */
export function isDryRun(body: unknown): boolean {
  if (body === undefined || (isObject(body) && Object.keys(body).length === 0)) return false;
  const { dryRun = false } = dataWith(body, ['dryRun']);
  if (typeof dryRun !== 'boolean') throw wrong('dryRun', 'true or false');
  return dryRun;
}
