/**
 * Table of attribute types: each scalar type in PostgreSQL, in JSON, in a filter and in a body.
 *
 * A new type needs a row here, one in `options.ts` and its value type in `definitions.ts`.
 */
import { present } from '../../kernel/present.js';
import { validationError } from '../../kernel/errors.js';
import { type Sql, sql } from '../../kernel/sql.js';
import * as casts from './cast-value.js';
import type { ScalarTypeName } from './definitions.js';
import { toBoolean, toDate, toDatetime, toTime, toTimestamp } from './formats.js';

/**
 * Value inside a component's JSON. An older model may have stored another type there: a value that does not
 * fit reads as null and never fails (D29).
 */
export interface MemberType {
  /** Returns the value in a form comparable to operands. */
  readonly value: (json: Sql, name: Sql) => Sql;
  /** Returns the value as text, printed as a column of the type prints it. */
  readonly text: (json: Sql, name: Sql) => Sql;
  readonly cast: Sql;
  readonly castList: Sql;
}

export interface ScalarType {
  /** Column type; filter parameters are cast to it, too. */
  readonly column: string;
  readonly cast: Sql;
  readonly castList: Sql;
  /** Part of `_q`: as text, or as a number if the search text is a number (protocol 6.1, 6.2). */
  readonly search: 'text' | 'number' | null;
  /** Case-sensitive text operators (`$contains`, `$startsWith`, …) apply. */
  readonly textual: boolean;
  /** Returned by default, selectable, filterable, sortable. False only for passwords (D3). */
  readonly readable: boolean;
  /** Converts a filter value to a parameter. Throws a ValidationError on a value that can never be stored. */
  readonly operand: (raw: unknown) => unknown;
  readonly toJson: (column: Sql) => Sql;
  readonly member: MemberType;
  /** Checks a body value; the result is both the column parameter and the stored JSON. */
  readonly castValue: casts.Cast;
  /** Type of the value in JSON, as error messages name it. */
  readonly label: string;
}

const bad = (raw: unknown, expected: string): never => {
  const shown = typeof raw === 'string' ? `"${raw.slice(0, 80)}"` : typeof raw;
  throw validationError(`Invalid value ${shown}: expected ${expected}`);
};

const textOperand = (raw: unknown): unknown => {
  if (typeof raw !== 'string' && typeof raw !== 'number' && typeof raw !== 'boolean')
    return bad(raw, 'a string');
  return casts.unstorable(raw) ? bad('', 'a string without NUL characters') : String(raw);
};

function numberOperand(lowest: number, highest: number, integer: boolean): (raw: unknown) => unknown {
  return (raw) => {
    const text = typeof raw === 'string' && raw.trim() !== '' ? Number(raw) : Number.NaN;
    const value = typeof raw === 'number' ? raw : text;
    if (!Number.isFinite(value)) return bad(raw, 'a number');
    if (integer && !Number.isInteger(value)) return bad(raw, 'an integer');
    if (value < lowest || value > highest) return bad(raw, `a number between ${lowest} and ${highest}`);
    return value;
  };
}

/** Rejects numbers above the range of a double: PostgreSQL cannot store much larger ones. */
function finite(_key: string, item: unknown): unknown {
  if (typeof item === 'number' && !Number.isFinite(item)) throw new RangeError('too large');
  return item;
}

/** Numbers with more digits after the point than PostgreSQL accepts, which a double cannot tell from 0. */
const TINY = /e-\d{4}|\.\d{16000}/i;

const jsonOperand = (raw: unknown): unknown => {
  if (typeof raw !== 'string') return JSON.stringify(raw) ?? bad(raw, 'JSON');
  try {
    const value: unknown = JSON.parse(raw, finite);
    if (casts.unstorable(value)) return bad('', 'JSON without NUL characters');
    return TINY.test(raw) ? JSON.stringify(value) : raw;
  } catch {
    return bad(raw, 'JSON');
  }
};

const same = (value: Sql): Sql => value;
const asText = (value: Sql): Sql => sql`${value}::text`;

const CASTS: Readonly<Record<string, readonly [Sql, Sql]>> = {
  text: [sql`::text`, sql`::text[]`],
  int4: [sql`::int4`, sql`::int4[]`],
  int8: [sql`::int8`, sql`::int8[]`],
  float8: [sql`::float8`, sql`::float8[]`],
  'numeric(10,2)': [sql`::numeric`, sql`::numeric[]`],
  boolean: [sql`::boolean`, sql`::boolean[]`],
  date: [sql`::date`, sql`::date[]`],
  'time(3)': [sql`::time`, sql`::time[]`],
  'timestamptz(3)': [sql`::timestamptz`, sql`::timestamptz[]`],
  jsonb: [sql`::jsonb`, sql`::jsonb[]`],
};

/** Value of the JSON type that the condition tests, otherwise null. */
const valueIf = (condition: Sql, value: Sql): Sql => sql`(case when ${condition} then ${value} end)`;

const memberText: MemberType['text'] = (json, name) => sql`(${json}->>${name})`;

/** Fixed-length texts, which sort like the dates and times that they contain. */
function memberLike(pattern: Sql): MemberType {
  const value: MemberType['value'] = (json, name) =>
    sql`(${valueIf(sql`${json}->>${name} like ${pattern}`, sql`${json}->>${name}`)} collate "C")`;
  return { value, text: memberText, cast: sql`::text`, castList: sql`::text[]` };
}

/** JSON values stay JSON: as text, a string would lose its quotes. */
const MEMBERS: Readonly<Record<string, MemberType['value']>> = {
  text: memberText,
  jsonb: (json, name) => sql`(${json}->${name})`,
  boolean: (json, name) =>
    valueIf(sql`jsonb_typeof(${json}->${name}) = 'boolean'`, sql`(${json}->${name})::boolean`),
  int8: (json, name) =>
    valueIf(
      sql`rtrim(${json}->>${name}, '0123456789') in ('', '-') and ${json}->>${name} not in ('', '-')
        and length(${json}->>${name}) < 40`,
      sql`(${json}->>${name})::numeric`,
    ),
};
const memberNumber: MemberType['value'] = (json, name) =>
  valueIf(sql`jsonb_typeof(${json}->${name}) = 'number'`, sql`(${json}->${name})::numeric`);

const TEXTS: Readonly<Record<string, MemberType['text']>> = {
  jsonb: (json, name) => sql`(${json}->${name})::text`,
  float8: (json, name) => sql`(${memberNumber(json, name)})::float8::text`,
  'numeric(10,2)': (json, name) => sql`round(${memberNumber(json, name)}, 2)::text`,
};

function row(
  column: string,
  label: string,
  rest: Partial<ScalarType> & Pick<ScalarType, 'operand' | 'castValue'>,
): ScalarType {
  const [cast, castList] = present(CASTS[column], column);
  return Object.freeze({
    column,
    cast,
    castList,
    label,
    search: null,
    textual: false,
    readable: true,
    toJson: same,
    member: { value: MEMBERS[column] ?? memberNumber, text: TEXTS[column] ?? memberText, cast, castList },
    ...rest,
  });
}

const text = (castValue: casts.Cast, rest: Partial<ScalarType> = {}): ScalarType =>
  row('text', 'string', { operand: textOperand, castValue, search: 'text', textual: true, ...rest });

const json = (castValue: casts.Cast, label: string): ScalarType =>
  row('jsonb', label, { operand: jsonOperand, castValue, textual: true });

/** ISO 8601 in UTC with milliseconds (contract). */
export const isoInstant = (column: Sql): Sql =>
  sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const { MIN_INTEGER, MAX_INTEGER } = casts;

export const SCALAR_TYPES: Readonly<Record<ScalarTypeName, ScalarType>> = Object.freeze({
  string: text(casts.castString(255)),
  text: text(casts.castString()),
  richtext: text(casts.castString()),
  email: text(casts.castEmail),
  password: text(casts.castPassword, { readable: false, search: null }),
  uid: text(casts.castUid),
  enumeration: text(casts.castEnumeration),
  integer: row('int4', 'number', {
    operand: numberOperand(MIN_INTEGER, MAX_INTEGER, true),
    castValue: casts.castInteger,
    search: 'number',
  }),
  biginteger: row('int8', 'string', {
    operand: (raw) => casts.toBigint(raw) ?? bad(raw, 'an integer of at most 64 bits'),
    castValue: casts.castBiginteger,
    search: 'number',
    toJson: asText,
  }),
  float: row('float8', 'number', {
    operand: numberOperand(-Number.MAX_VALUE, Number.MAX_VALUE, false),
    castValue: casts.castFloat,
    search: 'number',
  }),
  decimal: row('numeric(10,2)', 'number', {
    operand: numberOperand(-1e15, 1e15, false),
    castValue: casts.castDecimal,
    search: 'number',
  }),
  boolean: row('boolean', 'boolean', {
    // An empty value is false, as in `filters[open]=`.
    operand: (raw) => (raw === '' ? false : (toBoolean(raw) ?? bad(raw, 'true or false'))),
    castValue: casts.castBoolean,
  }),
  date: row('date', 'string', {
    operand: toDate,
    castValue: casts.castFormat(toDate),
    // `to_char` does not depend on the setting DateStyle.
    toJson: (column) => sql`to_char(${column}, 'YYYY-MM-DD')`,
    member: memberLike(sql`'____-__-__'`),
  }),
  time: row('time(3)', 'string', {
    operand: toTime,
    castValue: casts.castFormat(toTime),
    member: memberLike(sql`'__:__:__%'`),
    toJson: (column) => sql`replace(to_char(${column}, 'HH24:MI:SS.MS'), '.000', '')`,
  }),
  datetime: row('timestamptz(3)', 'string', {
    operand: toDatetime,
    castValue: casts.castFormat(toDatetime),
    toJson: isoInstant,
    member: memberLike(sql`'____-__-__T__:__:__.___Z'`),
  }),
  timestamp: row('int8', 'string', {
    operand: toTimestamp,
    castValue: casts.castFormat(toTimestamp),
    toJson: asText,
  }),
  json: json(casts.castJson, 'object'),
  array: json(casts.castArray, 'array'),
  blocks: json(casts.castBlocks, 'array'),
});

export const isScalarType = (name: string): name is ScalarTypeName => Object.hasOwn(SCALAR_TYPES, name);
