/** Parses the body of a bulk write (protocol section 22). */
import { ContentError, overLimit, validationError } from '../../kernel/errors.js';
import { isObject, keysOf } from '../../kernel/json.js';
import { parseTags, type Tags } from './parse-tags.js';

/** Actions of bulk items, with the handler of the route that does the same to one document. */
export const BULK_ACTIONS = {
  create: 'create',
  update: 'update',
  delete: 'delete',
  publish: 'publish',
  unpublish: 'unpublish',
  discard: 'discardDraft',
} as const;

export type BulkAction = keyof typeof BULK_ACTIONS;

export interface BulkItem {
  readonly action: BulkAction;
  /** Null for `create`. */
  readonly documentId: string | null;
  readonly locale: string | null;
  readonly status: string | null;
  readonly data: unknown;
  readonly match: Tags | null;
}

/** Item that has no meaning: `error` says why. Only this item fails in a bulk that is not atomic. */
export interface InvalidItem extends Pick<BulkItem, 'documentId'> {
  readonly error: ContentError;
}

/** Action on every document that matches. */
export interface BulkSelection extends Pick<BulkItem, 'action' | 'locale' | 'status' | 'data'> {
  readonly filters: unknown;
  readonly search: unknown;
  /** Most documents that may match. */
  readonly limit: number;
  /** Whether to count only. */
  readonly dryRun: boolean;
}

export interface Bulk {
  /** Whether all items are written in one transaction, or each in its own. */
  readonly atomic: boolean;
  readonly asked: readonly (BulkItem | InvalidItem)[] | BulkSelection;
}

const MEMBERS = ['data', 'atomic'];
const ITEM_MEMBERS = ['action', 'documentId', 'locale', 'status', 'data', 'ifMatch'];
const SELECTION_MEMBERS = ['action', 'filters', '_q', 'locale', 'status', 'data', 'limit', 'dryRun'];
const WITH_DATA: readonly BulkAction[] = ['create', 'update'];

type JsonObject = Readonly<Record<string, unknown>>;

function wrong(message: string, path: readonly string[]): ContentError {
  const [key = '', ...before] = [...path].reverse();
  return validationError(`Invalid ${path.join('.')}: ${message}`, {
    key,
    path: [...before.reverse(), key].join('.'),
    source: 'body',
  });
}

function refuseUnknown(given: JsonObject, known: readonly string[], path: readonly string[]): void {
  const other = Object.keys(given).find((key) => !known.includes(key));
  if (other !== undefined) throw wrong(`expected one of ${known.join(', ')}`, [...path, other]);
}

function boolean(given: JsonObject, name: string, path: readonly string[]): boolean | null {
  const { [name]: value = null } = given;
  if (value === null || typeof value === 'boolean') return value;
  throw wrong('expected true or false', [...path, name]);
}

function text(given: JsonObject, name: string, path: readonly string[]): string | null {
  const { [name]: value = null } = given;
  if (value === null || (typeof value === 'string' && value !== '')) return value;
  throw wrong('expected a string', [...path, name]);
}

function actionOf({ action }: JsonObject, path: readonly string[]): BulkAction {
  const known = keysOf(BULK_ACTIONS);
  const found = known.find((one) => one === action);
  if (found !== undefined) return found;
  throw wrong(`expected one of ${known.join(', ')}`, [...path, 'action']);
}

function dataOf(given: JsonObject, action: BulkAction, path: readonly string[]): unknown {
  const { data } = given;
  if (WITH_DATA.includes(action)) {
    if (isObject(data)) return data;
    throw wrong('expected an object', [...path, 'data']);
  }
  if (data === undefined) return null;
  throw wrong(`"${action}" has no data`, [...path, 'data']);
}

function documentIdOf(given: JsonObject, action: BulkAction, path: readonly string[]): string | null {
  const id = text(given, 'documentId', path);
  if (action === 'create' && id !== null)
    throw wrong('a new document gets its id from the server', [...path, 'documentId']);
  if (action !== 'create' && id === null) throw wrong('expected a string', [...path, 'documentId']);
  return id;
}

function itemOf(given: unknown, path: readonly string[]): BulkItem {
  if (!isObject(given)) throw wrong('expected an object', path);
  refuseUnknown(given, ITEM_MEMBERS, path);
  const action = actionOf(given, path);
  const documentId = documentIdOf(given, action, path);
  const match = text(given, 'ifMatch', path);
  if (match !== null && action === 'create') throw wrong('"create" has no version', [...path, 'ifMatch']);
  return {
    action,
    documentId,
    locale: text(given, 'locale', path),
    status: text(given, 'status', path),
    data: dataOf(given, action, path),
    match: parseTags(match ?? undefined),
  };
}

function itemOrError(given: unknown, index: number): BulkItem | InvalidItem {
  try {
    return itemOf(given, ['data', String(index)]);
  } catch (error) {
    if (!(error instanceof ContentError)) throw error;
    const { documentId } = isObject(given) ? given : {};
    return { documentId: typeof documentId === 'string' ? documentId : null, error };
  }
}

function selectionOf(given: JsonObject, most: number): BulkSelection {
  const path = ['data'];
  refuseUnknown(given, SELECTION_MEMBERS, path);
  const action = actionOf(given, path);
  if (action === 'create') throw wrong('"create" needs a list of items', ['data', 'action']);
  const { filters = null, _q: search = null, limit = most } = given;
  // A client that has lost its filters sends null: it must not reach every document.
  if (filters === null && (search === null || search === ''))
    throw wrong('expected filters; {} selects every document', ['data', 'filters']);
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > most)
    throw wrong(`expected an integer from 1 to ${most}`, ['data', 'limit']);
  return {
    action,
    filters: filters ?? {},
    search: search ?? undefined,
    locale: text(given, 'locale', path),
    status: text(given, 'status', path),
    data: dataOf(given, action, path),
    limit,
    dryRun: boolean(given, 'dryRun', path) ?? false,
  };
}

/**
 * Parses a bulk body: `{ data: [item, …] }`, or `{ data: { action, filters, … } }` for every document that
 * matches. `most` is the limit of items. Throws the 400 of the protocol, with the path of the wrong member.
 * The error of a single item is in its place in the list.
 */
export function parseBulk(body: unknown, most: number): Bulk {
  if (!isObject(body)) throw wrong('expected a list of items, or an object with filters', ['data']);
  refuseUnknown(body, MEMBERS, []);
  const { data } = body;
  const atomic = boolean(body, 'atomic', []) ?? true;
  if (isObject(data)) return { atomic, asked: selectionOf(data, most) };
  if (!Array.isArray(data) || data.length === 0)
    throw wrong('expected a list of items, or an object with filters', ['data']);
  if (data.length > most) throw overLimit('bulkItems', most, `Too many items: ${data.length}`);
  return { atomic, asked: data.map(itemOrError) };
}
