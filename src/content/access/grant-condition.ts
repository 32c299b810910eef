/** Conditions of grants, and their filters for one caller. */
import { isObject } from '../../kernel/json.js';
import type { ContentType } from '../model/model.js';
import type { Caller } from './caller.js';

/** Filters of the protocol as an object, as in a query in code: `{ team: { members: { id: 42 } } }`. */
export type GrantFilters = Readonly<Record<string, unknown>>;

/**
 * Returns the filters that a document must meet for this caller, or false for no document. Called in every
 * request, so it must be fast and must not have side effects. Filters that contain null, undefined or an empty
 * object match no document. To compare with null, use `$null: true`.
 */
export type WhereOf = (caller: Caller) => GrantFilters | false;

/** Condition of a grant as the application wrote it; `key` is equal for equal conditions. */
export interface GrantCondition {
  readonly key: string;
  readonly where: 'own' | WhereOf;
}

export const OWN: GrantCondition = Object.freeze({ key: 'own', where: 'own' });

const functions = new WeakMap<WhereOf, GrantCondition>();
let made = 0;

export function conditionOf(where: WhereOf): GrantCondition {
  const known = functions.get(where);
  if (known !== undefined) return known;
  made += 1;
  const condition = Object.freeze({ key: `where ${made}`, where });
  functions.set(where, condition);
  return condition;
}

/** Filters that one caller's documents of a type must meet. Equal keys mean equal filters. */
export interface WhereCondition {
  readonly kind: 'where';
  readonly type: ContentType;
  /** Filters as JSON. */
  readonly key: string;
}

/** Whether a value cannot widen a condition: a missing value or an empty group would match every document. */
function isComplete(value: unknown, key = ''): boolean {
  if (Array.isArray(value))
    return (value.length > 0 || key !== '$and') && value.every((item) => isComplete(item));
  if (value instanceof Date) return !Number.isNaN(value.getTime());
  if (typeof value === 'number') return Number.isFinite(value);
  if (!isObject(value)) return typeof value === 'string' || typeof value === 'boolean';
  const members = Object.entries(value);
  return members.length > 0 && members.every(([name, member]) => isComplete(member, name));
}

/** Returns the filters for a caller; null if no document meets them. */
export function filtersFor(where: WhereOf, caller: Caller, type: ContentType): WhereCondition | null {
  const filters: unknown = where(caller);
  if (!isObject(filters) || !isComplete(filters)) return null;
  // The text is a copy: a later change of the returned object cannot reach a cached plan.
  return { kind: 'where', type, key: JSON.stringify(filters) };
}
