/**
 * Conditions of a caller's grants without their values. Callers whose conditions differ only in values share
 * plans. A shared plan is made for a caller without attributes, whose id is a placeholder, so it contains no
 * value.
 */
import { type Caller, userOf } from '../access/caller.js';
import { filterTextOf, withFilters, type WhereOf } from '../access/grant-condition.js';
import { isObject } from '../../kernel/json.js';
import { isFlag, isOperator, operatorOf } from '../query/operators.js';
import { tokenOf } from '../query/text-shape.js';

export interface OpenConditions {
  /** Caller for plans: its conditions have placeholders. */
  readonly caller: Caller;
  /** Form of the conditions. Callers with the same permissions and equal forms differ only in values. */
  readonly key: string;
  readonly values: readonly unknown[];
}

/** Values by place. Equal values have one place, so that equal conditions also have equal forms. */
class Places {
  private readonly places = new Map<string, number>();
  readonly values: unknown[] = [];

  token(origin: 'grant' | 'granted list', value: unknown): string {
    const text = JSON.stringify(value);
    const cached = this.places.get(text);
    const place = cached ?? this.values.push(value) - 1;
    if (cached === undefined) this.places.set(text, place);
    return tokenOf(origin, place);
  }
}

const isListOf = (key: string): boolean => !isOperator(key) || operatorOf(key).operand === 'list';

function openList(list: readonly unknown[], key: string, places: Places): unknown {
  if (key === '$and' || key === '$or') return list.map((item) => open(item, key, places));
  // The number of values in a list does not change the plan, unless the list is empty.
  if (list.length === 0 || !isListOf(key)) return list.map((item) => open(item, key, places));
  const token = places.token('granted list', list);
  return isOperator(key) ? token : { $in: token };
}

/** Replaces the values in filters by tokens. `$null` and `$notNull` stay: their values decide the plan. */
function open(value: unknown, key: string, places: Places): unknown {
  if (isFlag(key)) return value;
  if (Array.isArray(value)) return openList(value, key, places);
  if (!isObject(value)) return places.token('grant', value);
  return Object.fromEntries(Object.entries(value).map(([name, of]) => [name, open(of, name, places)]));
}

/** Returns filters with placeholders for their values. */
export const withPlaceholders = (filters: unknown): unknown => open(filters, '', new Places());

function openText(text: string | null, places: Places): string | null {
  return text === null ? null : JSON.stringify(open(JSON.parse(text), '', places));
}

/**
 * Returns the conditions of a caller with placeholders, and its id as one if grants cover own documents. Null
 * if a condition fails.
 */
export function openConditions(caller: Caller): OpenConditions | null {
  const { permissions, kind } = caller;
  const places = new Places();
  const user = permissions.hasOwn ? userOf(caller) : null;
  const id = user === null ? null : places.token('grant', user);
  const filters = new Map<WhereOf, string | null>();
  try {
    for (const where of permissions.filters)
      filters.set(where, openText(filterTextOf(where, caller), places));
  } catch {
    // Planning calls the condition again if it applies, and reports the error.
    return null;
  }
  return {
    caller: Object.freeze(withFilters({ kind, id, permissions }, filters)),
    key: JSON.stringify([id, ...filters.values()]),
    values: places.values,
  };
}

/**
 * Returns a text that is equal for callers to whom the same description applies. They have the same
 * permissions, and equal forms of conditions and presets. Null if a condition or a preset fails.
 */
export function descriptionKey(caller: Caller): string | null {
  const { kind, permissions } = caller;
  const key = [kind, userOf(caller) !== null, permissions.id];
  if (!permissions.hasWhere) return JSON.stringify(key);
  const open = openConditions(caller);
  if (open === null) return null;
  try {
    const presets = permissions.presets.map((preset) => Object.keys(preset(caller)));
    return JSON.stringify([...key, open.key, presets]);
  } catch {
    return null;
  }
}
