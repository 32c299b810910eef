/**
 * Conversion of stored values to another scalar type, one row per type.
 *
 * Values are JSON as in responses; a value that cannot be converted is null. A value survives a type change
 * if converting it to the new type and back returns it.
 */
import { MAX_INTEGER, MIN_INTEGER } from '../../content/model/cast-value.js';
import type { ScalarDefinition, ScalarTypeName } from '../../content/model/definitions.js';
import type { ScalarAttribute } from '../../content/model/model.js';
import { isoInstant } from '../../content/model/scalar-types.js';
import { join, param, type Sql, sql } from '../../kernel/sql.js';

type Reading = (json: Sql, def: ScalarDefinition) => Sql;

const textOf = (json: Sql): Sql => sql`(${json} #>> '{}')`;

const when = (condition: Sql, value: Sql): Sql => sql`case when ${condition} then ${value} end`;

const paragraphOf = (text: Sql): Sql =>
  sql`jsonb_build_array(jsonb_build_object('type', 'paragraph', 'children',
    jsonb_build_array(jsonb_build_object('type', 'text', 'text', ${text}))))`;

/** Any value as text; a single paragraph becomes its text. */
const wordsOf = (json: Sql): Sql => {
  const inside = sql`(${json} #>> '{0,children,0,text}')`;
  return sql`case when jsonb_typeof(${json}) = 'null' then null
    when jsonb_typeof(${json}) not in ('array', 'object') then ${textOf(json)}
    when ${json} = ${paragraphOf(inside)} then ${inside} else ${json}::text end`;
};

/** Default maximum length of strings. */
const DEFAULT_MAX_LENGTH = 255;

const words =
  (cap: number | null): Reading =>
  (json, { maxLength = cap }) =>
    maxLength === null
      ? sql`to_jsonb(${wordsOf(json)})`
      : sql`to_jsonb(left(${wordsOf(json)}, ${param(maxLength)}))`;

/** Converts decimal digits to numbers, true to 1 and false to 0. */
const numberOf = (json: Sql): Sql =>
  sql`case jsonb_typeof(${json}) when 'number' then ${textOf(json)}::numeric
    when 'boolean' then (case when ${json} = 'true' then 1 else 0 end)::numeric
    when 'string' then case when ${textOf(json)} ~ '^[+-]?[0-9]{1,40}([.][0-9]{1,40})?$'
      then ${textOf(json)}::numeric end end`;

const within =
  (lowest: string, highest: string, show: (value: Sql) => Sql): Reading =>
  (json) => {
    const value = numberOf(json);
    return when(sql`${value} between ${param(lowest)}::numeric and ${param(highest)}::numeric`, show(value));
  };

const roundedNumber = (value: Sql): Sql => sql`to_jsonb(round(${value}))`;
const digits = (value: Sql): Sql => sql`to_jsonb(round(${value})::text)`;
const LONG = ['-9223372036854775808', '9223372036854775807'] as const;

/** Condition: a text begins with an existing day. */
const isDay = (text: Sql): Sql =>
  sql`case when ${text} ~ '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(T|$)' and left(${text}, 4) <> '0000'
    then substr(${text}, 9, 2)::int
      <= extract(day from (left(${text}, 7) || '-01')::date + interval '1 month' - interval '1 day')
    else false end`;

const isInstant = (text: Sql): Sql =>
  sql`(${text} ~ '^.{10}T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,3})?)?Z$' and ${isDay(text)})`;

/** Condition: milliseconds since 1970 with 11 to 14 digits. */
const isCount = (text: Sql): Sql => sql`${text} ~ '^[0-9]{11,14}$'`;

const shownInstant = (instant: Sql): Sql => sql`to_jsonb(${isoInstant(instant)})`;

const datetime: Reading = (json) => {
  const text = textOf(json);
  return sql`case when ${isInstant(text)} then ${shownInstant(sql`${text}::timestamptz`)}
    when ${isDay(text)} and length(${text}) = 10 then to_jsonb(${text} || 'T00:00:00.000Z')
    when ${isCount(text)} then ${shownInstant(sql`to_timestamp(${text}::numeric / 1000)`)} end`;
};

const timestamp: Reading = (json, def) => {
  const text = textOf(json);
  const count = sql`to_jsonb((extract(epoch from ${text}::timestamptz) * 1000)::int8::text)`;
  return sql`case when ${isInstant(text)} then ${count}
    when ${isDay(text)} and length(${text}) = 10 then ${count} else ${within(...LONG, digits)(json, def)} end`;
};

const isTime = (text: Sql): Sql =>
  sql`${text} ~ '^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,3})?)?$'`;
const shownTime = (time: Sql): Sql => sql`to_jsonb(replace(to_char(${time}, 'HH24:MI:SS.MS'), '.000', ''))`;

const time: Reading = (json) => {
  const text = textOf(json);
  return sql`case when ${isTime(text)} then ${shownTime(sql`${text}::time`)}
    when ${isInstant(text)} then ${shownTime(sql`substr(${text}, 12, 12)::time`)} end`;
};

const boolean: Reading = (json) =>
  sql`case when jsonb_typeof(${json}) = 'boolean' then ${json}
    when ${textOf(json)} in ('true', '1') then 'true'::jsonb
    when ${textOf(json)} in ('false', '0') then 'false'::jsonb end`;

/** Conversions by target type. Passwords are never converted, see `pairs.ts`. */
const READINGS: Readonly<Record<ScalarTypeName, Reading>> = {
  string: words(DEFAULT_MAX_LENGTH),
  text: words(null),
  richtext: words(null),
  email: words(DEFAULT_MAX_LENGTH),
  password: (json) => json,
  uid: (json, def) =>
    when(sql`${wordsOf(json)} ~ '^[A-Za-z0-9_.~-]*$'`, words(DEFAULT_MAX_LENGTH)(json, def)),
  enumeration: (json, { enum: values = [] }) =>
    when(sql`${wordsOf(json)} in (${join(values.map(textParam), ', ')})`, sql`to_jsonb(${wordsOf(json)})`),
  integer: within(String(MIN_INTEGER), String(MAX_INTEGER), roundedNumber),
  biginteger: within(...LONG, digits),
  float: (json) => sql`to_jsonb((${numberOf(json)})::float8)`,
  decimal: within('-99999999.99', '99999999.99', (value) => sql`to_jsonb(trim_scale(round(${value}, 2)))`),
  boolean,
  date: (json) => when(isDay(textOf(json)), sql`to_jsonb(left(${textOf(json)}, 10))`),
  time,
  datetime,
  timestamp,
  json: (json) => json,
  array: (json) =>
    sql`case when jsonb_typeof(${json}) = 'array' then ${json} else jsonb_build_array(${json}) end`,
  blocks: (json) =>
    sql`case when jsonb_typeof(${json}) = 'array' and not jsonb_path_exists(${json}, '$[*] ? (!(exists (@.type)))')
      then ${json} else ${paragraphOf(wordsOf(json))} end`,
};

const textParam = (value: string): Sql => sql`${param(value)}::text`;

/** Replaces values by the object in the option `convert`. */
function replacedValue(json: Sql, { def }: ScalarAttribute): Sql {
  if (def.convert === undefined || typeof def.convert === 'string') return json;
  const cases = Object.entries(def.convert).map(
    ([from, to]) =>
      sql`when ${param(from)} then ${to === null ? sql`null` : sql`to_jsonb(${textParam(to)})`}`,
  );
  return cases.length === 0 ? json : sql`(case ${textOf(json)} ${join(cases, ' ')} else ${json} end)`;
}

export interface Scalars {
  readonly before: ScalarAttribute;
  readonly after: ScalarAttribute;
}

/** Converts a stored JSON value, neither null nor missing, to the later type; null if impossible. */
export const convertTo = (json: Sql, { after }: Scalars): Sql =>
  READINGS[after.def.type](replacedValue(json, after), after.def);

/** Longer than any stored text. */
const ANY_LENGTH = 2 ** 30;

/** Condition: a value would be lost, because it cannot be converted, or cannot be converted back. */
export function isLostByConversion(json: Sql, { before, after }: Scalars): Sql {
  const given = replacedValue(json, after);
  const read = READINGS[after.def.type](given, after.def);
  const back = READINGS[before.def.type](read, { ...before.def, maxLength: ANY_LENGTH });
  const isSame = sql`${before.def.type === 'enumeration' ? read : back} = ${given}`;
  return sql`(${given} is not null and coalesce(not (${isSame}), true))`;
}

export function isNotConvertible(json: Sql, { after }: Scalars): Sql {
  const given = replacedValue(json, after);
  return sql`(${given} is not null and (${READINGS[after.def.type](given, after.def)}) is null)`;
}

/** Types whose values are all valid for the listed types. */
const WIDER: Readonly<Partial<Record<ScalarTypeName, readonly ScalarTypeName[]>>> = {
  string: ['text', 'richtext'],
  text: ['richtext'],
  richtext: ['text'],
  email: ['string', 'text', 'richtext'],
  uid: ['string', 'text', 'richtext'],
  enumeration: ['text', 'richtext'],
  array: ['json'],
  blocks: ['json', 'array'],
};

/** Whether all stored values are valid for the later type unchanged. */
export function needsNoConversion({ before, after }: Scalars): boolean {
  const [old, next] = [before.def, after.def];
  if (next.type === 'enumeration')
    return (
      old.type === 'enumeration' && (old.enum ?? []).every((value) => next.enum?.includes(value) === true)
    );
  return old.type === next.type || WIDER[old.type]?.includes(next.type) === true;
}

/** Converts a column to JSON as in responses. */
export const columnAsJson = ({ type, def }: ScalarAttribute, column: Sql): Sql => {
  if (type.column === 'jsonb') return column;
  return def.type === 'decimal'
    ? sql`to_jsonb(trim_scale(${column}))`
    : sql`to_jsonb(${type.toJson(column)})`;
};

export const jsonAsColumn = ({ type }: ScalarAttribute, json: Sql): Sql =>
  type.column === 'jsonb' ? json : sql`(${json} #>> '{}')${type.cast}`;
