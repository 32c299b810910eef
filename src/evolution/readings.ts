/**
 * How a stored value reads as another type: one row for each scalar type. Values are JSON, as answers show
 * them; what cannot be read is null. A value is kept by a change of types if it reads as the new type, and
 * that reads as the old one again.
 */
import { MAX_INTEGER, MIN_INTEGER } from '../schema/cast-value.js';
import type { ScalarDefinition, ScalarTypeName } from '../schema/definitions.js';
import type { ScalarAttribute } from '../schema/model.js';
import { join, param, type Sql, sql } from '../sql.js';

type Reading = (json: Sql, def: ScalarDefinition) => Sql;

const textOf = (json: Sql): Sql => sql`(${json} #>> '{}')`;

/** A text as JSON, where a condition holds. */
const when = (condition: Sql, value: Sql): Sql => sql`case when ${condition} then ${value} end`;

/** The nodes of one paragraph. */
const paragraphOf = (text: Sql): Sql =>
  sql`jsonb_build_array(jsonb_build_object('type', 'paragraph', 'children',
    jsonb_build_array(jsonb_build_object('type', 'text', 'text', ${text}))))`;

/** Any value as text: that of one paragraph is what it says. */
const wordsOf = (json: Sql): Sql => {
  const inside = sql`(${json} #>> '{0,children,0,text}')`;
  return sql`case when jsonb_typeof(${json}) = 'null' then null
    when jsonb_typeof(${json}) not in ('array', 'object') then ${textOf(json)}
    when ${json} = ${paragraphOf(inside)} then ${inside} else ${json}::text end`;
};

/** Characters that a string has where its definition does not say. */
const SHORT = 255;

const words =
  (cap: number | null): Reading =>
  (json, { maxLength = cap }) =>
    maxLength === null
      ? sql`to_jsonb(${wordsOf(json)})`
      : sql`to_jsonb(left(${wordsOf(json)}, ${param(maxLength)}))`;

/** Decimal digits as a number, and true and false as one and nothing. */
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

const whole = (value: Sql): Sql => sql`to_jsonb(round(${value}))`;
const digits = (value: Sql): Sql => sql`to_jsonb(round(${value})::text)`;
const LONG = ['-9223372036854775808', '9223372036854775807'] as const;

/** A text that begins with a day that there is. */
const isDay = (text: Sql): Sql =>
  sql`case when ${text} ~ '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(T|$)' and left(${text}, 4) <> '0000'
    then substr(${text}, 9, 2)::int
      <= extract(day from (left(${text}, 7) || '-01')::date + interval '1 month' - interval '1 day')
    else false end`;

const isInstant = (text: Sql): Sql =>
  sql`(${text} ~ '^.{10}T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,3})?)?Z$' and ${isDay(text)})`;

/** Milliseconds since 1970, as many as a date has within a few hundred years. */
const isCount = (text: Sql): Sql => sql`${text} ~ '^[0-9]{11,14}$'`;

const shownInstant = (instant: Sql): Sql =>
  sql`to_jsonb(to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`;

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

/** The table. Passwords are read as nothing else, see `pairs.ts`. */
const READINGS: Readonly<Record<ScalarTypeName, Reading>> = {
  string: words(SHORT),
  text: words(null),
  richtext: words(null),
  email: words(SHORT),
  password: (json) => json,
  uid: (json, def) => when(sql`${wordsOf(json)} ~ '^[A-Za-z0-9_.~-]*$'`, words(SHORT)(json, def)),
  enumeration: (json, { enum: values = [] }) =>
    when(sql`${wordsOf(json)} in (${join(values.map(textParam), ', ')})`, sql`to_jsonb(${wordsOf(json)})`),
  integer: within(String(MIN_INTEGER), String(MAX_INTEGER), whole),
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

/** New values by stored ones, as a definition says them. */
function replaced(json: Sql, { def }: ScalarAttribute): Sql {
  if (def.convert === undefined || typeof def.convert === 'string') return json;
  const cases = Object.entries(def.convert).map(
    ([from, to]) =>
      sql`when ${param(from)} then ${to === null ? sql`null` : sql`to_jsonb(${textParam(to)})`}`,
  );
  return cases.length === 0 ? json : sql`(case ${textOf(json)} ${join(cases, ' ')} else ${json} end)`;
}

/** Two scalars of which one follows the other. */
interface Scalars {
  readonly before: ScalarAttribute;
  readonly after: ScalarAttribute;
}

/** A stored value, as JSON that is neither null nor missing, as the later type has it; null for none. */
export const readAs = (json: Sql, { after }: Scalars): Sql =>
  READINGS[after.def.type](replaced(json, after), after.def);

/** Longer than anything that is stored. */
const ANY_LENGTH = 2 ** 30;

/** Whether such a value would not come through: it reads as nothing, or as something else when read back. */
export function isLostIn(json: Sql, { before, after }: Scalars): Sql {
  const given = replaced(json, after);
  const read = READINGS[after.def.type](given, after.def);
  const back = READINGS[before.def.type](read, { ...before.def, maxLength: ANY_LENGTH });
  const isSame = sql`${before.def.type === 'enumeration' ? read : back} = ${given}`;
  return sql`(${given} is not null and coalesce(not (${isSame}), true))`;
}

/** Whether such a value reads as nothing at all. */
export function isUnreadable(json: Sql, { after }: Scalars): Sql {
  const given = replaced(json, after);
  return sql`(${given} is not null and (${READINGS[after.def.type](given, after.def)}) is null)`;
}

/** Types whose values all are values of others. */
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

/** Whether all stored values are values of the later type as they are. */
export function readsAlike({ before, after }: Scalars): boolean {
  const [old, next] = [before.def, after.def];
  if (next.type === 'enumeration')
    return (
      old.type === 'enumeration' && (old.enum ?? []).every((value) => next.enum?.includes(value) === true)
    );
  return old.type === next.type || WIDER[old.type]?.includes(next.type) === true;
}

/** A column as JSON, as answers show it. */
export const columnAsJson = ({ type, def }: ScalarAttribute, column: Sql): Sql => {
  if (type.column === 'jsonb') return column;
  return def.type === 'decimal'
    ? sql`to_jsonb(trim_scale(${column}))`
    : sql`to_jsonb(${type.toJson(column)})`;
};

/** JSON as a column's value. */
export const jsonAsColumn = ({ type }: ScalarAttribute, json: Sql): Sql =>
  type.column === 'jsonb' ? json : sql`(${json} #>> '{}')${type.cast}`;
