/** Checks the rows of an archive: every value must be one that an export writes. */
import type { MemberColumn } from '../../content/documents/archive-parts.js';
import { MAX_DECIMAL, MAX_INTEGER, MIN_INTEGER, unstorable } from '../../content/model/cast-value.js';
import type { StoredValues } from '../../content/plan/stored-instances.js';
import { isFlag, isText } from '../../kernel/json.js';
import { isRows } from './parse-document.js';

interface RowColumn extends MemberColumn {
  readonly default?: number;
}

/** Columns of a list of rows. The columns in `key` are unique together; it may be empty. */
export interface RowShape {
  readonly columns: readonly RowColumn[];
  readonly key: readonly string[];
}

type Test = (value: unknown) => boolean;

const isInt4: Test = (value) =>
  Number.isInteger(value) && Number(value) >= MIN_INTEGER && Number(value) <= MAX_INTEGER;

/** The parser returns long integers as texts. */
const isInt8: Test = (value) =>
  Number.isSafeInteger(value) ||
  (isText(value) && /^-?\d{1,19}$/.test(value) && BigInt.asIntN(64, BigInt(value)) === BigInt(value));

const like =
  (pattern: RegExp): Test =>
  (value) =>
    isText(value) && pattern.test(value);

const DATE = /^(\d{4,7})-(\d\d)-(\d\d)(?:T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,3})?\+00:00)?( BC)?$/;

/** Returns a year from 2000 on with the same days. The calendar repeats after 400 years. */
const calendarYear = (year: number): number => (((year % 400) + 400) % 400) + 2000;

/** Accepts the texts of days that the calendar has, until a year that the type can store, and infinity. */
const isDay =
  (lastYear: number, hasTime: boolean): Test =>
  (value) => {
    if (!isText(value)) return false;
    if (/^-?infinity$/.test(value)) return true;
    const [, year = '', month, day, isBefore] = DATE.exec(value) ?? [];
    if (value.includes('T') !== hasTime || Number(year) === 0) return false;
    // 1 BC is the year before the year 1, and a leap year.
    const counted = isBefore === undefined ? Number(year) : 1 - Number(year);
    const date = new Date(Date.UTC(calendarYear(counted), Number(month) - 1, Number(day)));
    return counted >= -4712 && counted <= lastYear && date.getUTCMonth() + 1 === Number(month);
  };

/** Tests of the JSON values that an export writes, by column type. */
const WRITTEN: Readonly<Record<string, Test>> = {
  text: (value) => isText(value) && !unstorable(value),
  boolean: isFlag,
  jsonb: () => true,
  int4: isInt4,
  integer: isInt4,
  int8: isInt8,
  bigint: isInt8,
  float8: (value) => Number.isFinite(value) || like(/^(NaN|-?Infinity)$/)(value),
  'numeric(10,2)': (value) => value === 'NaN' || Math.abs(value as number) <= MAX_DECIMAL,
  date: isDay(5_874_897, false),
  'time(3)': like(/^(([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,3})?|24:00:00)$/),
  'timestamptz(3)': isDay(294_276, true),
};

function isWritten({ name, type, nullable = false, default: usual, accepts }: RowColumn, row: StoredValues) {
  const value = row[name] ?? null;
  if (value === null) return nullable || usual !== undefined;
  return WRITTEN[type]?.(value) === true && accepts?.(value) !== false;
}

/** Escapes of NUL and of surrogates. */
const ESCAPED = /\\u(?:0000|d[89a-f])/i;

export const hasEscapes = (line: string): boolean => ESCAPED.test(line);

/** Returns the reason why no export writes such rows; null for valid rows. */
export function damageIn(rows: unknown, { columns, key }: RowShape, escaped: boolean): string | null {
  if (!isRows(rows)) return 'has no list of rows';
  const wrong = columns.find((column) => rows.some((row) => !isWritten(column, row)));
  if (wrong !== undefined) return `has no ${wrong.type} in ${wrong.name}`;
  const unstored = columns.find(
    ({ name, type }) => escaped && type === 'jsonb' && rows.some((row) => unstorable(row[name])),
  );
  if (unstored !== undefined) return `has NUL characters or broken surrogates in ${unstored.name}`;
  if (key.length === 0) return null;
  const keys = new Set(rows.map((row) => JSON.stringify(key.map((name) => row[name]))));
  return keys.size === rows.length ? null : `has two rows with one ${key.join(' and ')}`;
}
