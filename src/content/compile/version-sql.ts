import type { Column, ContentType } from '../model/model.js';
import { nextCount, notedIf } from './changes.js';
import { partsOf } from './compile-links.js';
import { inState, type LinkStep } from './link-sql.js';
import { forms, inMany, join, param, type Param, quote, type Sql, sql } from '../../kernel/sql.js';

/** Condition for the rows of a document; always true for a single type, which has one document. */
export const documentOf = (row: Sql, documentId: Param | null): Sql =>
  documentId === null ? sql`true` : sql`${row}.document_id = ${documentId}::text`;

interface VersionsOf<T> {
  readonly documentId: T | null;
  readonly locale: T | null;
}

export const isVersionOf = (row: Sql, { documentId, locale }: VersionsOf<Param>): Sql =>
  locale === null
    ? documentOf(row, documentId)
    : sql`${documentOf(row, documentId)} and ${row}.locale = ${locale}::text`;

export const isKnownVersion = (row: Sql, { documentId, locale }: VersionsOf<string>): Sql =>
  isVersionOf(row, {
    documentId: documentId === null ? null : param(documentId),
    locale: locale === null ? null : param(locale),
  });

/** Columns that every version has, except the row id. */
export const VERSION_COLUMNS = sql`document_id, locale, published, created_at, updated_at, published_at, revision`;

export function list(columns: readonly Sql[]): Sql {
  return columns.length === 0 ? sql`` : sql`, ${join(columns, ', ')}`;
}

/** Common table expressions by name; entries without a body are omitted. */
type Parts = readonly {
  readonly name: Sql;
  readonly body: Sql | null;
  /** Whether several rows of a write read the result, so that it must not be inlined. */
  readonly once?: boolean;
}[];

/** New list position of the written document, computed once for all its rows. */
export const PLACE = forms(sql`(select n.place from n)`, sql`g.place`);

const isPlaced = ({ storage }: ContentType): boolean =>
  storage.columns.some(({ placeOf }) => placeOf !== null);

/** Column of the rows `g` of several writes with the new list position of each. */
export const placeColumn = (type: ContentType): Sql =>
  isPlaced(type) ? sql`, ${nextCount(type)} as place` : sql``;

/** Prints a statement: `parts`, link steps, and `last`. The part `d` has the written rows. */
export function statement({ type, last }: WrittenShape, parts: Parts, links: readonly LinkStep[]): Sql {
  const place = isPlaced(type) ? forms(sql`n as (select ${nextCount(type)} as place), `, sql``) : sql``;
  const tables = parts.flatMap(({ name, body, once = false }) =>
    body === null ? [] : [sql`${name} as ${once ? inMany(sql`materialized `) : sql``}(${body})`],
  );
  return sql`with ${place}${join([...tables, ...partsOf(links)], ', ')} ${last ?? sql`select 1 from d`}`;
}

interface WrittenShape {
  readonly type: ContentType;
  readonly last?: Sql;
}

/** Position of a row in a new list: the last one. A remembered position is cleared. */
export const newPlace = ({ remembers }: Column, place = PLACE): Sql =>
  remembers === null ? place : sql`null::int8`;

/** Position of a row, which changes only when the row moves to another list (D24). */
export const placeIn = (column: Column, target: Sql, place = PLACE): Sql =>
  sql`case when ${target} is null then null when t.${quote(column.placeOf ?? column.name)} is distinct
    from ${target} then ${newPlace(column, place)} else t.${quote(column.name)} end`;

export const takenValue = (column: Column, from: Sql, place = PLACE): Sql =>
  column.placeOf === null
    ? sql`${from}.${quote(column.name)}`
    : placeIn(column, sql`${from}.${quote(column.placeOf)}`, place);

const copy = (columns: readonly Column[], from: Sql): Sql[] =>
  columns.map(({ name }) => sql`${quote(name)} = ${from}.${quote(name)}`);

/**
 * Update that copies shared values to the other locales of a state (D20), for rows that differ. Null if the
 * type shares none. `from` is a row with the values.
 */
export function shared(
  type: ContentType,
  columns: readonly Column[],
  { from, published }: Sharing,
): Sql | null {
  const common = columns.filter(({ attribute }) => !attribute.localized);
  if (!type.localized || common.length === 0) return null;
  const differs = ({ name }: Column): Sql => sql`t.${quote(name)} is distinct from ${from}.${quote(name)}`;
  const value = (column: Column): Sql | undefined =>
    common.includes(column) ? sql`${from}.${quote(column.name)}` : undefined;
  // List positions are not part of a version's content.
  const content = common.filter(({ placeOf }) => placeOf === null);
  const changed = sql`(${join([sql`false`, ...content.map(differs)], ' or ')})`;
  return sql`update ${quote(type.table)} t
    set ${join([notedIf(changed, { type, value }), ...copy(common, from)], ', ')} from ${from}
    where t.document_id = ${from}.document_id and t.locale <> ${from}.locale and ${inState(sql`t`, published)}
      and (${join(common.map(differs), ' or ')})`;
}

interface Sharing {
  readonly from: Sql;
  readonly published: boolean;
}
