/** Conditions and presets as JSON, in which `$CURRENT_USER` stands for the caller. */
import { LRUCache } from 'lru-cache';
import { isObject } from '../../kernel/json.js';
import type { CallerFacts } from './caller-facts.js';
import type { GrantFilters, PresetOf, WhereOf } from './grant-condition.js';

const PREFIX = '$CURRENT_USER';
const VARIABLE = /^\$CURRENT_USER(?:\.(\w+))?$/;

/** Attribute that a text stands for: null for the caller's id; undefined if the text is not a variable. */
export function variableIn(text: unknown): { readonly attribute: string | null } | undefined {
  const found = typeof text === 'string' ? VARIABLE.exec(text) : null;
  return found === null ? undefined : { attribute: found[1] ?? null };
}

/** Whether a text looks like a variable without being one. */
export const isMisspelled = (text: unknown): boolean =>
  typeof text === 'string' && text.startsWith(PREFIX) && variableIn(text) === undefined;

const isPlain = (value: unknown): boolean =>
  typeof value === 'string' ||
  typeof value === 'number' ||
  typeof value === 'boolean' ||
  value instanceof Date;

/** Returns a value, or a list of values. An object could add operators to a condition, so it is undefined. */
export function plainValue(value: unknown): unknown {
  return (Array.isArray(value) ? value.every(isPlain) : isPlain(value)) ? value : undefined;
}

/** Value of a variable. */
function valueOf(attribute: string | null, { kind, id, attributes = {} }: CallerFacts): unknown {
  if (attribute === null) return kind === 'user' ? (id ?? undefined) : undefined;
  return Object.hasOwn(attributes, attribute) ? plainValue(attributes[attribute]) : undefined;
}

function fillVariables(value: unknown, caller: CallerFacts): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => fillVariables(item, caller));
    return items.some((item, i) => Array.isArray(item) && !Array.isArray(value[i])) ? undefined : items;
  }
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillVariables(item, caller)]));
  const variable = variableIn(value);
  if (variable !== undefined) return valueOf(variable.attribute, caller);
  return isMisspelled(value) ? undefined : value;
}

/** Returns a condition or preset with the caller's values in place of variables. */
function filledObject(data: GrantFilters, caller: CallerFacts): GrantFilters {
  const value = fillVariables(data, caller);
  return isObject(value) ? value : {};
}

type FromData = (caller: CallerFacts) => GrantFilters;

const sources = new WeakMap<WhereOf | PresetOf, GrantFilters>();

/** Functions of equal JSON are the same, so that grants that are loaded again share plans. */
const conditions = new LRUCache<string, FromData>({ max: 1000 });

/** Returns the function of a condition or preset as JSON; a function itself. */
export function fromData<F extends WhereOf | PresetOf>(condition: F | GrantFilters): F | FromData {
  if (typeof condition === 'function') return condition;
  const text = JSON.stringify(condition);
  const cached = conditions.get(text);
  if (cached !== undefined) return cached;
  const copy: unknown = JSON.parse(text);
  const data = isObject(copy) ? copy : {};
  const of: FromData = (caller) => filledObject(data, caller);
  sources.set(of, data);
  conditions.set(text, of);
  return of;
}

/** Returns the JSON of a condition or preset; undefined for a function of the application. */
export const dataOf = (of: WhereOf | PresetOf): GrantFilters | undefined => sources.get(of);

/** Returns the attributes of the caller that JSON names. */
export function attributesIn(value: unknown): readonly string[] {
  if (Array.isArray(value) || isObject(value)) return Object.values(value).flatMap(attributesIn);
  const name = variableIn(value)?.attribute ?? null;
  return name === null ? [] : [name];
}
