/** Parses `filters` in every spelling. Throws a 400 instead of ignoring a condition. */
import { invalidKey, overLimit, type Source, validationError } from '../../kernel/errors.js';
import { isObject, isSingle } from '../../kernel/json.js';
import { isOperator } from './operators.js';
import type { Filter } from './query.js';

/** Parameter name for messages, and the remaining number of conditions. */
export interface FilterContext {
  readonly source: Source;
  readonly budget: { left: number; readonly allowed: number };
}

const and = (parts: readonly Filter[]): Filter =>
  parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: 'group', op: '$and', parts };

function spend(context: FilterContext): void {
  context.budget.left -= 1;
  if (context.budget.left < 0)
    throw overLimit('conditions', context.budget.allowed, 'Too many conditions in the query');
}

interface RawGroup {
  readonly op: '$and' | '$or';
  readonly value: unknown;
}

function group({ op, value }: RawGroup, at: string, context: FilterContext): Filter {
  if (!Array.isArray(value)) throw invalidKey(op, { at, path: at === '' ? null : at }, context.source);
  const parts = value.map((part: unknown) => {
    if (!isObject(part) && !Array.isArray(part))
      throw validationError(`Invalid ${op}: expected a list of condition objects`, {
        key: op,
        path: at || null,
        ...context.source,
      });
    return Array.isArray(part)
      ? group({ op: '$and', value: part }, at, context)
      : parseObject(part, at, context);
  });
  return { kind: 'group', op, parts };
}

/** Parses the value of an attribute: operators, conditions on a relation, or a plain value. */
function parseValue(value: unknown, at: string, context: FilterContext): Filter {
  if (isObject(value)) return parseObject(value, at, context);
  spend(context);
  if (value === null) return { kind: 'operator', op: '$null', operand: true };
  if (Array.isArray(value)) {
    if (!value.every(isSingle)) throw invalidKey('0', { at, path: at }, context.source);
    return { kind: 'operator', op: '$in', operand: value };
  }
  return { kind: 'operator', op: '$eq', operand: value };
}

function parseNot(value: unknown, at: string, context: FilterContext): Filter {
  if (isObject(value)) return { kind: 'not', of: parseObject(value, at, context) };
  if (at === '') throw invalidKey('$not', { at, path: null }, context.source);
  return { kind: 'not', of: parseValue(value, at, context) };
}

function parseObject(object: Readonly<Record<string, unknown>>, at: string, context: FilterContext): Filter {
  const parts = Object.entries(object).map(([key, value]): Filter => {
    if (key === '$and' || key === '$or') return group({ op: key, value }, at, context);
    if (key === '$not') return parseNot(value, at, context);
    if (isOperator(key)) {
      spend(context);
      return { kind: 'operator', op: key, operand: value };
    }
    return { kind: 'member', key, of: parseValue(value, at === '' ? key : `${at}.${key}`, context) };
  });
  return and(parts);
}

/** Throws a ValidationError when `filters` is not an object of conditions (protocol 5.9, 5.10). */
export function parseFilters(raw: unknown, context: FilterContext): Filter | null {
  if (raw === undefined) return null;
  if (Array.isArray(raw)) throw invalidKey('0', { at: '', path: null }, context.source);
  if (!isObject(raw)) throw validationError('The filters parameter must be an object or an array');
  return parseObject(raw, '', context);
}

/** Whether a condition at the root names `key`, at any depth of groups. */
export function mentions(filter: Filter | null, key: string): boolean {
  if (filter === null) return false;
  switch (filter.kind) {
    case 'group':
      return filter.parts.some((part) => mentions(part, key));
    case 'not':
      return mentions(filter.of, key);
    case 'member':
      return filter.key === key;
    case 'operator':
      return false;
  }
}
