/** Conditions of grants, and their filters for one caller. */
import { isObject } from '../../kernel/json.js';
import type { ContentType } from '../model/model.js';
import type { CallerFacts } from './caller-facts.js';

/** Filters of the protocol as an object, as in a query in code: `{ team: { members: { id: 42 } } }`. */
export type GrantFilters = Readonly<Record<string, unknown>>;

/**
 * Returns the filters that a document must meet for this caller, or false for no document. Called in every
 * request, so it must be fast and must not have side effects. Filters that contain null, undefined or an
 * empty object match no document. To compare with null, use `$null: true`.
 */
export type WhereOf = (caller: CallerFacts) => GrantFilters | false;

/**
 * Returns values that a created document gets, as in a body: `{ organisation: 'a documentId' }`. The caller
 * can neither send nor change these attributes. An undefined value refuses the create.
 */
export type PresetOf = (caller: CallerFacts) => Readonly<Record<string, unknown>>;

/** Condition of a grant as the application wrote it; `key` is equal for equal conditions. */
export interface GrantCondition {
  readonly key: string;
  readonly where: 'own' | 'all' | WhereOf;
  readonly preset: PresetOf | null;
}

const functions = new WeakMap<WhereOf | PresetOf, number>();
let count = 0;

function idOf(part: GrantCondition['where'] | PresetOf): string | number {
  if (typeof part === 'string') return part;
  const number = functions.get(part) ?? (count += 1);
  functions.set(part, number);
  return number;
}

export const conditionOf = (where: GrantCondition['where'], preset: PresetOf | null): GrantCondition => ({
  key: JSON.stringify([idOf(where), preset === null ? null : idOf(preset)]),
  where,
  preset,
});

/** Filters that one caller's documents of a type must meet. Equal keys mean equal filters. */
export interface WhereCondition {
  readonly kind: 'where';
  readonly type: ContentType;
  /** Filters as JSON, possibly with placeholders of a shared plan. */
  readonly key: string;
}

/** Filters as JSON by condition; null if no document meets them. */
export type EvaluatedFilters = ReadonlyMap<WhereOf, string | null>;

const evaluatedFilters = new WeakMap<CallerFacts, EvaluatedFilters>();

/** Fixes the filters of a caller's conditions: they are not called for this object. */
export function withFilters<C extends CallerFacts>(caller: C, filters: EvaluatedFilters): C {
  evaluatedFilters.set(caller, filters);
  return caller;
}

/** Whether a value cannot widen a condition. A missing value or an empty group would match every document. */
export function isComplete(value: unknown, key = ''): boolean {
  if (Array.isArray(value))
    return (value.length > 0 || key !== '$and') && value.every((item) => isComplete(item));
  if (value instanceof Date) return !Number.isNaN(value.getTime());
  if (typeof value === 'number') return Number.isFinite(value);
  if (!isObject(value)) return typeof value === 'string' || typeof value === 'boolean';
  const members = Object.entries(value);
  return members.length > 0 && members.every(([name, member]) => isComplete(member, name));
}

/** Returns the filters of a condition for a caller as JSON; null if no document meets them. */
export function filterTextOf(where: WhereOf, caller: CallerFacts): string | null {
  const cached = evaluatedFilters.get(caller);
  if (cached !== undefined) return cached.get(where) ?? null;
  const filters: unknown = where(caller);
  // The text is a copy: a later change of the returned object cannot reach a cached plan.
  return isObject(filters) && isComplete(filters) ? JSON.stringify(filters) : null;
}

/** Returns the filters for a caller; null if no document meets them. */
export function filtersFor(where: WhereOf, caller: CallerFacts, type: ContentType): WhereCondition | null {
  const key = filterTextOf(where, caller);
  return key === null ? null : { kind: 'where', type, key };
}
