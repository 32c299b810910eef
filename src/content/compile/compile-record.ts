/** Statements on rows by any attribute, hidden ones included: never for content requests. */
import type { Decision } from '../access/decide.js';
import type { Column, ContentType } from '../model/model.js';
import { alias, join, param, print, quote, type Sql, sql, type Statement } from '../../kernel/sql.js';
import { nextCount, nextTime, revisionOf } from './changes.js';
import { columnValue } from './column-value.js';
import { compileWithoutValues, isMet, ruleContext } from './compile-version-rights.js';
import { rowScope } from './scope.js';

/** Values by attribute that a row must all have, null included. A relation is compared by document id. */
export type Match = Readonly<Record<string, unknown>>;

/** Returns the column of an attribute. Throws if it has none, which is a bug in this library. */
function columnOf(type: ContentType, key: string): Column {
  const column = type.storage.columnOf.get(key);
  if (column === undefined) throw new Error(`${type.singularApiId}.${key} has no column`);
  return column;
}

function conditions(type: ContentType, match: Match): Sql {
  const parts = Object.entries(match).map(([key, value]) => {
    const column = columnOf(type, key);
    return value === null
      ? sql`t.${quote(column.name)} is null`
      : sql`t.${quote(column.name)} = ${columnValue(column, value)}`;
  });
  return sql`(${join(parts, ' and ')})`;
}

const inAnswer = ({ type, toJson }: Column, value: Sql): Sql =>
  type === 'jsonb' ? sql`(${value})::text` : toJson(value);

const selectedColumns = (type: ContentType, select: readonly string[]): Sql =>
  join(
    select
      .map((key) => columnOf(type, key))
      .map(
        (column) => sql`${inAnswer(column, sql`t.${quote(column.name)}`)} as ${quote(column.attribute.name)}`,
      ),
    ', ',
  );

/** Selects the rows that match any of several conditions, ordered by the first matching one. */
export function compileFindRecords(
  type: ContentType,
  anyOf: readonly Match[],
  select: readonly string[],
): Statement {
  const matches = anyOf.map((match) => conditions(type, match));
  const order = matches.map((match) => sql`${match} is true desc`);
  // Drafts of a type that no longer has drafts are ignored (D29).
  const current = type.draftAndPublish ? sql`` : sql` and t.published`;
  return print(
    sql`select ${selectedColumns(type, select)} from ${quote(type.table)} t where (${join(matches, ' or ')})${current}
      order by ${join([...order, sql`t.id`], ', ')}`,
  );
}

/** Selects the matching row, or a made-up one, so that neither result nor time reveals which. */
export function compileFindRecordOr(type: ContentType, match: Match, otherwise: Match): Statement {
  const entries = Object.entries(otherwise).map(([key, value]) => ({ column: columnOf(type, key), value }));
  const names = join(
    entries.map(({ column }) => quote(column.attribute.name)),
    ', ',
  );
  const defaults = entries.map(({ column, value }) => inAnswer(column, columnValue(column, value)));
  const order = alias('k', 0);
  const stored = sql`select ${selectedColumns(type, Object.keys(otherwise))}, 1 as ${order} from ${quote(type.table)} t
    where ${conditions(type, match)}`;
  return print(
    sql`select ${names} from (${stored} union all select ${join(defaults, ', ')}, 2) x order by ${order} limit 1`,
  );
}

export const compileAllRecords = (type: ContentType, select: readonly string[]): Statement =>
  print(sql`select ${selectedColumns(type, select)} from ${quote(type.table)} t order by t.id`);

const assignments = (type: ContentType, values: ReadonlyMap<Column, Sql>): Sql[] => [
  ...[...values].map(([{ name }, value]) => sql`${quote(name)} = ${value}`),
  sql`revision = ${revisionOf({ type, row: sql`t`, value: (column) => values.get(column) })}`,
];

/** List positions of rows that move to another list (D24). */
const placesIn = (type: ContentType, held: readonly Column[]): [Column, Sql][] =>
  type.storage.columns
    .filter(({ placeOf, remembers }) => remembers === null && held.some(({ name }) => name === placeOf))
    .map((column) => [column, nextCount(type)]);

/**
 * Updates the rows that match; returns their document ids. A change of an attribute that requests may write
 * also changes `updated_at`.
 */
export function compileSetRecords(type: ContentType, match: Match, set: Match): Statement {
  const given = Object.entries(set).map(([key, value]): [Column, Sql] => {
    const column = columnOf(type, key);
    return [column, columnValue(column, value)];
  });
  const columns = given.map(([column]) => column);
  const sets = assignments(type, new Map([...given, ...placesIn(type, columns)]));
  const time = columns.some(({ attribute }) => attribute.writable)
    ? [sql`updated_at = ${nextTime(sql`t`)}`]
    : [];
  return print(
    sql`update ${quote(type.table)} t set ${join([...sets, ...time], ', ')}
    where ${conditions(type, match)} returning t.document_id as ${alias('k', 0)}`,
  );
}

/** Rows that a caller may read. */
export interface Countable {
  readonly decision: Decision;
  readonly defaultLocale: string;
}

/** Counts the rows by the value of an attribute: `value` and `total`. */
export function compileCountRecords(type: ContentType, key: string, among: Countable | null): Statement {
  const column = sql`t.${quote(columnOf(type, key).name)}`;
  const rule =
    among === null
      ? sql`true`
      : isMet(
          { published: among.decision, drafts: among.decision },
          { row: rowScope(type, sql`t`), context: ruleContext(among.defaultLocale) },
        );
  return compileWithoutValues(
    sql`select ${column} as value, count(*)::int4 as total from ${quote(type.table)} t
      where ${rule} group by ${column}`,
  );
}

/** Change of one item in a JSON list of objects with an `id`. */
export interface ItemChange {
  readonly attribute: string;
  readonly id: string;
  /** New item, appended to the list; null to remove the item. */
  readonly item: object | null;
  /** Values that the item must have for the change to apply; null for no condition. */
  readonly from: object | null;
  /** Maximum number of items. The oldest ones are dropped. */
  readonly most: number;
}

/**
 * Changes one item of a list in the rows that match; returns the document ids of changed rows. As a single
 * statement it waits for concurrent changes and applies to their result.
 */
export function compileChangeItem(type: ContentType, match: Match, change: ItemChange): Statement {
  const column = columnOf(type, change.attribute);
  const list = sql`t.${quote(column.name)}`;
  const json = (value: readonly object[]): Sql => columnValue(column, value);
  const added = change.item === null ? [] : [change.item];
  const others = sql`select e.item, e.n
    from jsonb_array_elements(case jsonb_typeof(${list}) when 'array' then ${list} else '[]' end)
      with ordinality e(item, n)
    where e.item->>'id' is distinct from ${param(change.id)}::text order by e.n desc
      limit ${param(change.most - added.length)}::int8`;
  const unless =
    change.from === null ? sql`` : sql` and ${list} @> ${json([{ ...change.from, id: change.id }])}`;
  const changed = sql`(select coalesce(jsonb_agg(k.item order by k.n), '[]')
    from (${others}) k) || ${json(added)}`;
  return print(
    sql`update ${quote(type.table)} t set ${join(assignments(type, new Map([[column, changed]])), ', ')}
    where ${conditions(type, match)}${unless} returning t.document_id as ${alias('k', 0)}`,
  );
}

/** Deletes the rows that match; returns their document ids. Only for types that no relation targets. */
export const compileRemoveRecords = (type: ContentType, match: Match): Statement =>
  print(
    sql`delete from ${quote(type.table)} t where ${conditions(type, match)}
      returning t.document_id as ${alias('k', 0)}`,
  );

/**
 * Selects a version by its row id, or one of a document: in the default locale, or else in another one. The
 * published one comes before the draft. Types without locales have the default one only (D29).
 */
export function compileFindVersion(
  type: ContentType,
  key: { readonly id: number } | { readonly documentId: string },
  defaultLocale: string,
): Statement {
  const isDefault = sql`r.locale = ${param(defaultLocale)}::text`;
  const inType = type.localized ? sql`true` : isDefault;
  const is =
    'id' in key
      ? sql`r.id = ${param(key.id)}::int4`
      : sql`r.document_id = ${param(key.documentId)}::text and ${inType}`;
  return print(
    sql`select r.document_id as "documentId", r.locale, r.published from ${quote(type.table)} r
      where ${is} order by ${isDefault} desc, r.published desc, r.id limit 1`,
  );
}
