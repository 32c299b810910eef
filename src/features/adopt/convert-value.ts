/** Values of the source as stored values: what a request may send, else what the column can store. */
import type { Issue } from '../../kernel/errors.js';
import { isObject, isText } from '../../kernel/json.js';
import { MAX_DECIMAL, storableText, toBigint } from '../../content/model/cast-value.js';
import type { ScalarAttribute } from '../../content/model/model.js';
import { storedValue } from '../../content/model/value-context.js';

export interface ConvertedValue {
  readonly value: unknown;
  /** Why no request could send the value, or why it is not stored; null for an ordinary value. */
  readonly problem: string | null;
}

function storableJson(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(storableJson);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [storableText(key), storableJson(one)]),
  );
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

/** Returns the number of a value; NaN for a blank one, which JavaScript converts to zero. */
const numberIn = (value: unknown): number => (textOf(value).trim() === '' ? Number.NaN : Number(value));

const MAX_INTEGER = 2_147_483_647;

/** Returns ISO 8601 in UTC; undefined for an instant that the database cannot store. */
export function instantOf(value: unknown): string | undefined {
  const time =
    typeof value === 'number' || (isText(value) && /^\d{4}-/.test(value))
      ? new Date(value).getTime()
      : Number.NaN;
  const text = Number.isFinite(time) ? new Date(time).toISOString() : '';
  return /^\d{4}-/.test(text) && !text.startsWith('0000') ? text : undefined;
}

/**
 * Values that a column can store although no request could send them, by column type. Undefined means that
 * the column cannot store the value.
 */
const STORABLE: Readonly<Record<string, (value: unknown) => unknown>> = {
  text: (value) => storableText(textOf(value)),
  jsonb: storableJson,
  int4: (value) => {
    const whole = Math.round(numberIn(value));
    return Number.isFinite(whole) && Math.abs(whole) <= MAX_INTEGER ? whole : undefined;
  },
  int8: toBigint,
  float8: (value) => (Number.isFinite(numberIn(value)) ? Number(value) : undefined),
  'numeric(10,2)': (value) => {
    const rounded = Math.round(numberIn(value) * 100) / 100;
    return Math.abs(rounded) <= MAX_DECIMAL ? rounded : undefined;
  },
  boolean: () => undefined,
  // Every date and time that a column can store is one that a request can send.
  date: () => undefined,
  'time(3)': () => undefined,
  'timestamptz(3)': instantOf,
};

/** Time with more digits than are stored, or as part of a date-time. */
const LONG_TIME = /^(?:\d{4}-\d\d-\d\d[T ])?(\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)\d*Z?$/;

/** Spellings of Strapi's databases for values that requests spell otherwise. */
function usualSpelling({ type: { column }, def }: ScalarAttribute, value: unknown): unknown {
  if (column === 'boolean' && (value === 0 || value === 1)) return value === 1;
  if (column === 'float8' || column === 'numeric(10,2)' || column === 'int4')
    return isText(value) && value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value;
  if (def.type === 'timestamp' && isText(value) && /^\d{4}-/.test(value)) return Date.parse(value);
  if (column === 'date' && typeof value === 'number') return instantOf(value)?.slice(0, 10) ?? value;
  if (column === 'time(3)' && isText(value)) return LONG_TIME.exec(value)?.[1] ?? value;
  if (column === 'jsonb' && def.type !== 'json' && isText(value)) return parseJson(value);
  return value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

const VALUE_ROUNDED =
  'Numbers of more than two decimal places are rounded: "float" instead of "decimal" keeps them';
const VALUE_UNSENDABLE = 'The value is stored as it is, but no request could send it';
const VALUE_CHANGED = 'The value is changed so that the database can store it';

const TOO_DEEP = 'The value is left out: it has more than 500 levels of lists and objects';
const MAX_DEPTH = 500;

const isDeep = (value: unknown, left = MAX_DEPTH): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (left === 0 || Object.values(value).some((one) => isDeep(one, left - 1)));

const isSame = (stored: unknown, value: unknown): boolean => JSON.stringify(stored) === JSON.stringify(value);

/** Converts a value of the source. A null value stays null. */
export function convertValue(attribute: ScalarAttribute, given: unknown, draft: boolean): ConvertedValue {
  if (given === null || given === undefined) return { value: null, problem: null };
  const { name, type, def } = attribute;
  if (isDeep(given)) return { value: null, problem: TOO_DEEP };
  const value = usualSpelling(attribute, given);
  const issues: Issue[] = [];
  const at = storedValue({ path: [name], draft, issues });
  const cast = type.castValue(value, def, at);
  if (issues[0] === undefined && cast !== null && cast !== undefined)
    return { value: cast, problem: def.type === 'decimal' && cast !== value ? VALUE_ROUNDED : null };
  const reason = issues[0]?.message ?? `${name} must be a \`${def.type}\` type`;
  const stored = STORABLE[type.column]?.(value);
  return stored === undefined
    ? { value: null, problem: `The value cannot be stored and is left out: ${reason}` }
    : { value: stored, problem: `${isSame(stored, value) ? VALUE_UNSENDABLE : VALUE_CHANGED}: ${reason}` };
}

/** Maximum size of a text in an index; PostgreSQL allows 2704 bytes for a whole entry. */
const MAX_INDEXED_BYTES = 2500;
const TOO_LONG = `Texts of more than ${MAX_INDEXED_BYTES} bytes in an attribute with an index: left out`;

/** Leaves out a text that is too long for an index. */
export const indexable = (converted: ConvertedValue): ConvertedValue =>
  isText(converted.value) && Buffer.byteLength(converted.value) > MAX_INDEXED_BYTES
    ? { value: null, problem: TOO_LONG }
    : converted;

/** Forms of values in lines of an archive, where they differ from JSON responses. */
const ARCHIVE_FORMS: Readonly<Record<string, (value: unknown) => unknown>> = {
  'timestamptz(3)': (value) => (isText(value) ? value.replace(/Z$/, '+00:00') : value),
};

/** Returns a stored value as a line of an archive contains it. */
export const archiveValue = (column: string, value: unknown): unknown =>
  value === null ? null : (ARCHIVE_FORMS[column]?.(value) ?? value);
