import type { Action } from './actions.js';
import { type FieldScope, fieldsText, union } from './field-scope.js';
import type { Entry } from './limited-grants.js';

/** Field scopes by type, which may be `*`, and action. */
export type FieldScopes = ReadonlyMap<string, ReadonlyMap<Action, FieldScope>>;

export const entriesOf = (granted: FieldScopes): Entry[] =>
  [...granted].flatMap(([type, actions]) =>
    [...actions].map(([action, fields]) => ({ type, action, fields })),
  );

export function grantedOf(entries: readonly Entry[]): FieldScopes {
  const granted = new Map<string, Map<Action, FieldScope>>();
  for (const { type, action, fields } of entries) {
    const actions = granted.get(type) ?? new Map<Action, FieldScope>();
    granted.set(type, actions);
    actions.set(action, actions.has(action) ? union(actions.get(action) ?? null, fields) : fields);
  }
  return granted;
}

export const textOf = (granted: FieldScopes): string[] =>
  entriesOf(granted)
    .map(({ type, action, fields }) => JSON.stringify([type, action, fieldsText(fields)]))
    .sort();
