/**
 * A relation in a request body, in every spelling, as one of three things: nothing, a list, or a change
 * (protocol section 11).
 */
import { invalidKey, validationError } from '../errors.js';
import { isObject } from '../json.js';
import type { ContentType, LinkedAttribute } from '../schema/model.js';
import { TYPE, typeUid } from '../schema/naming.js';

type Named = { readonly documentId: string } | { readonly id: number };

/** A document as a body names it: its type, and its document id or the id of one of its rows. */
export type Reference = Named & { readonly type: ContentType };

/** Where a relation stands in a body, and which types its items may be of. */
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

function single(raw: unknown, at: string): Named {
  if (typeof raw === 'number' && Number.isSafeInteger(raw)) return { id: raw };
  if (typeof raw !== 'string' || raw === '' || raw.includes('\u0000')) throw invalid(at);
  return /^\d{1,15}$/.test(raw) ? { id: Number(raw) } : { documentId: raw };
}

/** A relation or type that the body must not name (protocol 11.28, 11.30). */
const refused = ({ attribute: { name }, at }: RelationPlace): Error =>
  invalidKey(name, { at: at === name ? '' : at, path: at }, SOURCE);

/** The type that an item says it is of, where it has to say so. */
function typeOf(raw: unknown, place: RelationPlace): ContentType {
  const { attribute, at, types } = place;
  const [only] = attribute.targets;
  if (!attribute.named && only !== undefined) return only;
  const said = isObject(raw) ? raw[TYPE] : undefined;
  if (said === undefined || said === null) throw refused(place);
  const type = attribute.targets.find((one) => typeUid(one) === said);
  if (type === undefined) throw invalidKey(TYPE, { at, path: at }, SOURCE);
  if (!types.includes(type)) throw refused(place);
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
  // A document id says more than a row id, so it wins when a populated object is sent back with both.
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

/** The position of an item, which names one place at most (protocol 11.11). */
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

/** Where an item is to stand. An anchor is of the item's own type unless `__type` beside it says another. */
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

/** `options.strict` of a change; no other option exists. */
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

/**
 * Reads a relation payload. Throws `Invalid relations` or `Invalid key … at …` with the attribute's place;
 * where targets are of several types, for items that do not say of which, or of one that they may not be of.
 */
export function relationInput(raw: unknown, place: RelationPlace): RelationInput {
  if (isObject(raw)) {
    if (Object.keys(raw).length === 0) return { kind: 'keep' };
    if (OPERATIONS.some((key) => key in raw)) return change(raw, place);
  }
  return { kind: 'set', references: list(raw).map((item) => reference(item, place)) };
}

/** Every document that an input names. */
export function referencesOf(input: RelationInput): readonly Reference[] {
  if (input.kind === 'keep') return [];
  if (input.kind === 'set') return input.references;
  const anchors = input.connect.flatMap(({ position: at }) =>
    at.kind === 'before' || at.kind === 'after' ? [at.anchor] : [],
  );
  return [...input.connect.map((item) => item.reference), ...anchors, ...input.disconnect];
}
