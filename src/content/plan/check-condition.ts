/** Checks of conditions and presets as JSON: from code, from a source of grants, or from the role routes. */
import type { DataPart } from '../access/check-grants.js';
import { isMisspelled, variableIn } from '../access/data-conditions.js';
import { type GrantFilters, isComplete } from '../access/grant-condition.js';
import { ContentError, validationError } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json.js';
import type { ContentType } from '../model/model.js';
import { among } from '../model/suggest.js';
import { isFlag } from '../query/operators.js';
import { parseFilters } from '../query/parse-filters.js';
import { openFilter, tokenOf } from '../query/text-shape.js';
import { unknownOperands, unknownPresets } from './known-values.js';
import { planFilter } from './plan-filter.js';
import type { Rights } from './rights.js';

const SOURCE = { source: 'body', param: 'where' } as const;

const conditionError = (message: string, path: readonly string[]): ContentError =>
  validationError(message, { key: path.at(-1) ?? 'where', path: path.join('.'), source: 'body' });

/** Replaces variables by placeholders. Throws for misspelled ones, and for a variable as a flag. */
function withPlaceholders(value: unknown, path: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item, i) => withPlaceholders(item, [...path, String(i)]));
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, withPlaceholders(item, [...path, key])]),
    );
  if (isMisspelled(value))
    throw conditionError('expected "$CURRENT_USER" or "$CURRENT_USER.", followed by an attribute', path);
  if (variableIn(value) === undefined) return value;
  const key = path.at(-1) ?? '';
  if (isFlag(key)) throw conditionError(`${key} takes true or false, no variable`, path);
  return tokenOf('grant', 0);
}

/** Permissions of conditions as JSON: all but private attributes, in types that `mayEnter` accepts. */
function rightsTo(mayEnter: (type: ContentType) => boolean): Rights {
  const rights: Rights = {
    budget: { hops: Infinity, allowed: { hops: Infinity, hopDepth: Infinity } },
    mayEnter: (_attribute, type) => mayEnter(type),
    seesAll: () => true,
    mayRead: () => true,
    enter: () => rights,
  };
  return rights;
}

/**
 * Throws a ContentError with key and path for a condition that does not fit the model, or that no document
 * can meet. It may name related types that `mayEnter` accepts, and known values of enumerations.
 */
export function checkCondition(
  type: ContentType,
  filters: GrantFilters,
  mayEnter: (type: ContentType) => boolean = () => true,
): void {
  const raw = withPlaceholders(filters, []);
  if (!isComplete(filters))
    throw conditionError('no document can meet a condition with null or an empty object', []);
  const filter = parseFilters(raw, { source: SOURCE, budget: { left: Infinity, allowed: Infinity } });
  if (filter === null) return;
  const condition = planFilter(openFilter(filter), {
    model: type,
    attribute: null,
    open: true,
    path: [],
    negated: false,
    rights: rightsTo(mayEnter),
    source: SOURCE,
  });
  for (const { message, path } of unknownOperands(condition)) throw conditionError(message, path);
}

/**
 * Throws a ContentError with key and path for a preset of attributes that no body can contain, and of
 * relations to types that `mayEnter` refuses. Values of enumerations must be known.
 */
export function checkPreset(
  type: ContentType,
  values: GrantFilters,
  mayEnter: (type: ContentType) => boolean = () => true,
): void {
  const names = [...type.attributes.values()].flatMap((attribute): string[] => {
    const { name, writable, linked } = attribute;
    const isEntered = !linked || attribute.targets.every(mayEnter);
    return writable && isEntered && name !== type.owner ? [name] : [];
  });
  for (const [name, value] of Object.entries(values)) {
    if (!names.includes(name))
      throw conditionError(`"${name}" is not an attribute that a preset can set${among(name, names)}`, [
        name,
      ]);
    withPlaceholders(value, [name]);
  }
  for (const { message, path } of unknownPresets(type, values)) throw conditionError(message, path);
}

/** Returns the error of a condition or preset as JSON; null for a valid one. */
export function dataMistake({ type, part, data }: DataPart): string | null {
  try {
    if (part === 'where') checkCondition(type, data);
    else checkPreset(type, data);
    return null;
  } catch (error) {
    if (error instanceof ContentError) return error.message;
    throw error;
  }
}
