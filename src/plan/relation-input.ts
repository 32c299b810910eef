/**
 * A relation in a request body, in every spelling, as one of three things: nothing, a list, or a change
 * (protocol section 11).
 */
import { invalidKey, validationError } from '../errors.js';
import { isObject } from '../json.js';
import type { RelationAttribute } from '../schema/model.js';

/** A document as a body names it: by document id, or by the id of one of its rows. */
export type Reference = { readonly documentId: string } | { readonly id: number };

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
const ITEM_KEYS = ['id', 'documentId', 'locale', 'status', 'position', '__type'];
const SOURCE = { source: 'body' } as const;

const invalid = (at: string): Error =>
  validationError('Invalid relations', { key: at.split('.').at(-1), path: at, ...SOURCE });

function single(raw: unknown, at: string): Reference {
  if (typeof raw === 'number' && Number.isSafeInteger(raw)) return { id: raw };
  if (typeof raw !== 'string' || raw === '' || raw.includes('\u0000')) throw invalid(at);
  return /^\d{1,15}$/.test(raw) ? { id: Number(raw) } : { documentId: raw };
}

function reference(raw: unknown, attribute: RelationAttribute, at: string): Reference {
  if (!isObject(raw)) return single(raw, at);
  const known = (key: string): boolean =>
    ITEM_KEYS.includes(key) || attribute.media || attribute.target.attributes.has(key);
  const foreign = Object.keys(raw).find((key) => !known(key));
  if (foreign !== undefined) throw invalidKey(foreign, { at, path: at }, SOURCE);
  // A document id says more than a row id, so it wins when a populated object is sent back with both.
  const named = raw['documentId'] ?? raw['id'];
  if (named === undefined || named === null) throw invalid(at);
  if (raw['documentId'] === undefined) return single(named, at);
  if (typeof named !== 'string' || named === '' || named.includes('\u0000')) throw invalid(at);
  return { documentId: named };
}

function list(raw: unknown): readonly unknown[] {
  if (raw === null || raw === undefined) return [];
  return (Array.isArray(raw) ? raw : [raw]).filter((item) => item !== null);
}

function position(raw: unknown, at: string): Position {
  const given = isObject(raw) && isObject(raw['position']) ? raw['position'] : {};
  for (const kind of ['before', 'after'] as const) {
    const anchor = given[kind];
    if (anchor !== undefined && anchor !== null)
      return { kind, anchor: single(anchor, at), shown: JSON.stringify({ [kind]: anchor }) };
  }
  return { kind: given['start'] === true ? 'start' : 'end' };
}

function strictOption(raw: unknown, at: string): boolean {
  if (raw === undefined) return true;
  const strict = isObject(raw) ? raw['strict'] : null;
  if (strict === undefined) return true;
  if (typeof strict !== 'boolean') throw invalidKey('options', { at, path: at }, SOURCE);
  return strict;
}

function change(
  raw: Readonly<Record<string, unknown>>,
  attribute: RelationAttribute,
  at: string,
): RelationInput {
  const foreign = Object.keys(raw).find((key) => !OPERATIONS.includes(key));
  if (foreign !== undefined) throw invalidKey(foreign, { at, path: at }, SOURCE);
  if (raw['set'] !== undefined && raw['set'] !== null) {
    return { kind: 'set', references: list(raw['set']).map((item) => reference(item, attribute, at)) };
  }
  const connect = list(raw['connect']).map((item) => ({
    reference: reference(item, attribute, at),
    position: position(item, at),
  }));
  const disconnect = list(raw['disconnect']).map((item) => reference(item, attribute, at));
  const strict = strictOption(raw['options'], at);
  return connect.length + disconnect.length === 0
    ? { kind: 'keep' }
    : { kind: 'change', connect, disconnect, strict };
}

/**
 * Reads a relation payload. Throws `Invalid relations` or `Invalid key … at …` with the attribute's place.
 */
export function relationInput(raw: unknown, attribute: RelationAttribute, at: string): RelationInput {
  if (isObject(raw)) {
    if (Object.keys(raw).length === 0) return { kind: 'keep' };
    if (OPERATIONS.some((key) => key in raw)) return change(raw, attribute, at);
  }
  return { kind: 'set', references: list(raw).map((item) => reference(item, attribute, at)) };
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
