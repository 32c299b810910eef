/** Values of the source as stored values: what a request may send, else what the column can store. */
import type { Issue } from '../../kernel/errors.js';
import { isObject, isText } from '../../kernel/json.js';
import type { ScalarAttribute } from '../../content/model/model.js';
import { storedValue } from '../../content/model/value-context.js';

export interface Converted {
  readonly value: unknown;
  /** Why no request could send the value, or why it is not stored; null for an ordinary value. */
  readonly problem: string | null;
}

const NUL = '\u0000';

/** Returns a text that PostgreSQL can store. */
const storableText = (text: string): string => text.replaceAll(NUL, '').toWellFormed();

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

const MAX_INTEGER = 2_147_483_647;

const DATE = /^\d{4}-\d\d-\d\d$/;
const TIME = /^\d\d:\d\d:\d\d(\.\d{1,3})?$/;
const isInstant = (value: string): boolean => /^\d{4}-/.test(value) && Number.isFinite(Date.parse(value));

/**
 * Values that a column can store although no request could send them, by column type. Undefined means that
 * the column cannot store the value.
 */
const STORABLE: Readonly<Record<string, (value: unknown) => unknown>> = {
  text: (value) => storableText(textOf(value)),
  jsonb: storableJson,
  int4: (value) => {
    const whole = Math.round(Number(value));
    return Number.isFinite(whole) && Math.abs(whole) <= MAX_INTEGER ? whole : undefined;
  },
  int8: (value) => (/^-?\d{1,18}$/.test(String(value)) ? String(value) : undefined),
  float8: (value) => (Number.isFinite(Number(value)) && value !== '' ? Number(value) : undefined),
  'numeric(10,2)': (value) =>
    Number.isFinite(Number(value)) && value !== '' && Math.abs(Number(value)) < 1e8
      ? Math.round(Number(value) * 100) / 100
      : undefined,
  boolean: () => undefined,
  date: (value) => (isText(value) && DATE.test(value) && isInstant(value) ? value : undefined),
  'time(3)': (value) => (isText(value) && TIME.test(value) ? value : undefined),
  'timestamptz(3)': (value) =>
    isText(value) && isInstant(value) ? new Date(Date.parse(value)).toISOString() : undefined,
};

/** Spellings of Strapi's databases for values that requests spell otherwise. */
function respelled({ type: { column }, def }: ScalarAttribute, value: unknown): unknown {
  if (column === 'boolean' && (value === 0 || value === 1)) return value === 1;
  if (column === 'float8' || column === 'numeric(10,2)' || column === 'int4')
    return isText(value) && value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value;
  if (def.type === 'timestamp' && isText(value) && /^\d{4}-/.test(value)) return Date.parse(value);
  if (column === 'date' && isText(value) && /^\d{4}-\d\d-\d\dT/.test(value)) return value.slice(0, 10);
  if (column === 'jsonb' && def.type !== 'json' && isText(value)) return parsed(value);
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Converts a value of the source. A null value stays null. */
export function convertValue(attribute: ScalarAttribute, given: unknown, draft: boolean): Converted {
  if (given === null || given === undefined) return { value: null, problem: null };
  const { name, type, def } = attribute;
  const value = respelled(attribute, given);
  const issues: Issue[] = [];
  const at = storedValue({ path: [name], draft, issues });
  const cast = type.castValue(value, def, at);
  if (issues[0] === undefined && cast !== null && cast !== undefined) return { value: cast, problem: null };
  const reason = issues[0]?.message ?? `${name} must be a \`${def.type}\` type`;
  const stored = STORABLE[type.column]?.(value);
  return stored === undefined
    ? { value: null, problem: `The value cannot be stored and is left out: ${reason}` }
    : { value: stored, problem: `The value is stored as it is, but no request could send it: ${reason}` };
}

/** Forms of values in lines of an archive, where they differ from JSON responses. */
const WRITTEN: Readonly<Record<string, (value: unknown) => unknown>> = {
  'timestamptz(3)': (value) => (isText(value) ? value.replace(/Z$/, '+00:00') : value),
};

/** Returns a stored value as a line of an archive contains it. */
export const writtenValue = (column: string, value: unknown): unknown =>
  value === null ? null : (WRITTEN[column]?.(value) ?? value);
