/** Entries of permissions: actions on types, on all documents or on those that meet a condition. */
import { type FieldScope, fieldsText, union } from './field-scope.js';
import type { GrantCondition } from './grant-condition.js';
import type { Action } from './actions.js';

/** Action on a type, which may be `*`, and its attributes. */
export interface Entry {
  readonly type: string;
  readonly action: Action;
  readonly fields: FieldScope;
}

/** Grant of all documents (null) or of those that meet a condition. */
export interface AnyEntry extends Entry {
  readonly limit: GrantCondition | null;
}

/** Grant of an action on the documents that meet a condition. */
export interface LimitedGrant {
  readonly condition: GrantCondition;
  readonly fields: FieldScope;
}

/** Grant of some documents, with its type and action. */
export interface LimitedEntry extends Entry {
  readonly limit: GrantCondition;
}

/** Limited grants by type and action. Those with equal conditions are one grant. */
export type LimitedGrants = ReadonlyMap<string, readonly LimitedGrant[]>;

export const placeOf = ({ type, action }: Pick<Entry, 'type' | 'action'>): string => `${action} ${type}`;

export function limitedOf(entries: readonly LimitedEntry[]): LimitedGrants {
  const limited = new Map<string, LimitedGrant[]>();
  for (const { limit: condition, fields, ...entry } of entries) {
    const grants = limited.get(placeOf(entry)) ?? [];
    const same = grants.findIndex((one) => one.condition.key === condition.key);
    if (same < 0) grants.push({ condition, fields });
    else grants[same] = { condition, fields: union(grants[same]?.fields ?? null, fields) };
    limited.set(placeOf(entry), grants);
  }
  return limited;
}

export const limitedText = (limited: LimitedGrants): string[] =>
  [...limited]
    .flatMap(([place, grants]) =>
      grants.map(({ condition, fields }) => JSON.stringify([place, condition.key, fieldsText(fields)])),
    )
    .sort();
