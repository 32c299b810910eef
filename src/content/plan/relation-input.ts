/**
 * Parses a relation in a body, in every spelling, to one of: no change, a list, a change (protocol section
 * 11).
 */
import { invalidKey, validationError } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json.js';
import type { ContentType, LinkedAttribute } from '../model/model.js';
import { isUidOf, TYPE, typeUid } from '../model/naming.js';

type TargetId = { readonly documentId: string } | { readonly id: number };

export type Reference = TargetId & { readonly type: ContentType };

export interface RelationPlace {
  readonly attribute: LinkedAttribute;
  readonly at: string;
  readonly types: readonly ContentType[];
}

type Position =
  | { readonly kind: 'end' | 'start' }
  | { readonly kind: 'before' | 'after'; readonly anchor: Reference; readonly shown: string };

interface Connection {
  readonly reference: Reference;
  readonly position: Position;
}

export type RelationInput =
  | { readonly kind: 'keep' }
  | { readonly kind: 'set'; readonly references: readonly Reference[] }
  | {
      readonly kind: 'change';
      readonly connect: readonly Connection[];
      readonly disconnect: readonly Reference[];
      readonly strict: boolean;
    };

const OPERATIONS = ['set', 'connect', 'disconnect', 'options'];
const ITEM_KEYS: readonly string[] = ['id', 'documentId', 'locale', 'status', 'position', TYPE];
const SOURCE = { source: 'body' } as const;

const invalid = (at: string): Error =>
  validationError('Invalid relations', { key: at.split('.').at(-1), path: at, ...SOURCE });

function single(raw: unknown, at: string): TargetId {
  if (typeof raw === 'number' && Number.isSafeInteger(raw)) return { id: raw };
  if (typeof raw !== 'string' || raw === '' || raw.includes('\u0000')) throw invalid(at);
  return /^\d{1,15}$/.test(raw) ? { id: Number(raw) } : { documentId: raw };
}

/** Error for a relation or type that the body may not use (protocol 11.28, 11.30). */
const refusedRelation = ({ attribute: { name }, at }: RelationPlace): Error =>
  invalidKey(name, { at: at === name ? '' : at, path: at }, SOURCE);

/** Error for a `__type` that is not a target. It names the targets that the caller may find. */
function wrongType({ at, types }: RelationPlace): Error {
  const allowed = types.map(typeUid).join(', ');
  const message = `${at}.${TYPE} must be one of the following values: ${allowed}`;
  return validationError(message, { key: TYPE, path: at, ...SOURCE });
}

/** Returns the type of an item, which items of polymorphic relations must contain. */
function typeOf(raw: unknown, place: RelationPlace): ContentType {
  const { attribute, types } = place;
  const [only] = attribute.targets;
  if (!attribute.named && only !== undefined) return only;
  const said = isObject(raw) ? raw[TYPE] : undefined;
  if (said === undefined || said === null) throw refusedRelation(place);
  const type = attribute.targets.find((one) => isUidOf(one, said));
  if (type === undefined) throw wrongType(place);
  if (!types.includes(type)) throw refusedRelation(place);
  return type;
}

function reference(raw: unknown, place: RelationPlace): Reference {
  const { attribute, at } = place;
  const type = typeOf(raw, place);
  if (!isObject(raw)) return { type, ...single(raw, at) };
  const known = (key: string): boolean =>
    ITEM_KEYS.includes(key) || attribute.media || type.attributes.has(key);
  const foreign = Object.keys(raw).find((key) => !known(key));
  if (foreign !== undefined) throw invalidKey(foreign, { at, path: at }, SOURCE);
  // The document id has precedence, for populated objects that are sent back with both ids.
  const named = raw['documentId'] ?? raw['id'];
  if (named === undefined || named === null) throw invalid(at);
  if (raw['documentId'] === undefined) return { type, ...single(named, at) };
  if (typeof named !== 'string' || named === '' || named.includes('\u0000')) throw invalid(at);
  return { type, documentId: named };
}

function list(raw: unknown): readonly unknown[] {
  if (raw === null || raw === undefined) return [];
  return (Array.isArray(raw) ? raw : [raw]).filter((item) => item !== null);
}

const POSITIONS = ['before', 'after', 'start', 'end'];

/** Parses the position of an item, at most one (protocol 11.11). */
function givenPosition(raw: unknown, { attribute, at }: RelationPlace): Readonly<Record<string, unknown>> {
  if (raw === undefined || raw === null) return {};
  const given = isObject(raw) ? raw : { position: raw };
  const known = (key: string): boolean => POSITIONS.includes(key) || (attribute.named && key === TYPE);
  const said = POSITIONS.filter(
    (key) => given[key] !== undefined && given[key] !== null && given[key] !== false,
  );
  const isFlag = (key: string): boolean => typeof (given[key] ?? false) === 'boolean';
  if (!Object.keys(given).every(known) || said.length > 1 || !['start', 'end'].every(isFlag))
    throw invalidKey('position', { at, path: at }, SOURCE);
  return given;
}

/** Resolves the position of an item. An anchor has the item's type unless it has its own `__type`. */
function position(raw: unknown, type: ContentType, place: RelationPlace): Position {
  const given = givenPosition(isObject(raw) ? raw['position'] : undefined, place);
  for (const kind of ['before', 'after'] as const) {
    const named = given[kind];
    if (named === undefined || named === null) continue;
    const other = place.attribute.named && given[TYPE] !== undefined ? typeOf(given, place) : type;
    const anchor = { type: other, ...single(named, place.at) };
    return { kind, anchor, shown: JSON.stringify({ [kind]: named }) };
  }
  return { kind: given['start'] === true ? 'start' : 'end' };
}

/** Parses `options.strict`, the only option. */
function strictOption(raw: unknown, at: string): boolean {
  if (raw === undefined) return true;
  const { strict = true, ...others } = isObject(raw) ? raw : { strict: null };
  if (typeof strict !== 'boolean' || Object.keys(others).length > 0)
    throw invalidKey('options', { at, path: at }, SOURCE);
  return strict;
}

function connection(raw: unknown, place: RelationPlace): Connection {
  const named = reference(raw, place);
  return { reference: named, position: position(raw, named.type, place) };
}

function change(raw: Readonly<Record<string, unknown>>, place: RelationPlace): RelationInput {
  const { at } = place;
  const foreign = Object.keys(raw).find((key) => !OPERATIONS.includes(key));
  if (foreign !== undefined) throw invalidKey(foreign, { at, path: at }, SOURCE);
  const strict = strictOption(raw['options'], at);
  if (raw['set'] !== undefined && raw['set'] !== null) {
    return { kind: 'set', references: list(raw['set']).map((item) => reference(item, place)) };
  }
  const connect = list(raw['connect']).map((item) => connection(item, place));
  const disconnect = list(raw['disconnect']).map((item) => reference(item, place));
  return connect.length + disconnect.length === 0
    ? { kind: 'keep' }
    : { kind: 'change', connect, disconnect, strict };
}

/** Whether an object is a populated target whose attributes have the names of operations. */
const isTarget = (
  raw: Readonly<Record<string, unknown>>,
  operations: readonly string[],
  { attribute: { targets } }: RelationPlace,
): boolean =>
  (raw['documentId'] ?? raw['id'] ?? null) !== null &&
  targets.some(({ attributes }) => operations.every((key) => attributes.has(key)));

/**
 * Parses a relation. Throws `Invalid relations` or `Invalid key … at …` with the path of the attribute, also
 * for items of polymorphic relations without a valid type.
 */
export function relationInput(raw: unknown, place: RelationPlace): RelationInput {
  if (isObject(raw)) {
    if (Object.keys(raw).length === 0) return { kind: 'keep' };
    const operations = OPERATIONS.filter((key) => key in raw);
    if (operations.length > 0 && !isTarget(raw, operations, place)) return change(raw, place);
  }
  return { kind: 'set', references: list(raw).map((item) => reference(item, place)) };
}

export function referencesOf(input: RelationInput): readonly Reference[] {
  if (input.kind === 'keep') return [];
  if (input.kind === 'set') return input.references;
  const anchors = input.connect.flatMap(({ position: at }) =>
    at.kind === 'before' || at.kind === 'after' ? [at.anchor] : [],
  );
  return [...input.connect.map((item) => item.reference), ...anchors, ...input.disconnect];
}
