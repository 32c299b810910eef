/** What statements about the versions of documents are made of. */
import type { Column, ContentType } from '../schema/model.js';
import { nextCount, notedIf } from './changes.js';
import { partsOf } from './compile-links.js';
import { inState, type LinkStep } from './link-sql.js';
import { join, param, type Param, quote, type Sql, sql } from '../sql.js';

/** The rows of a document; all where it is a single type's, which has one document. */
export const documentOf = (row: Sql, documentId: Param | null): Sql =>
  documentId === null ? sql`true` : sql`${row}.document_id = ${documentId}::text`;

/** Versions of a document: of one locale, or of all where it is null. */
interface VersionsOf<T> {
  readonly documentId: T | null;
  readonly locale: T | null;
}

/** Whether a row is one of them. */
export const isVersionOf = (row: Sql, { documentId, locale }: VersionsOf<Param>): Sql =>
  locale === null
    ? documentOf(row, documentId)
    : sql`${documentOf(row, documentId)} and ${row}.locale = ${locale}::text`;

/** The same of versions that are known. */
export const isKnownVersion = (row: Sql, { documentId, locale }: VersionsOf<string>): Sql =>
  isVersionOf(row, {
    documentId: documentId === null ? null : param(documentId),
    locale: locale === null ? null : param(locale),
  });

/** The columns that every version has, but for its id. */
export const VERSION_COLUMNS = sql`document_id, locale, published, created_at, updated_at, published_at, revision`;

/** Columns or values behind others. */
export function list(columns: readonly Sql[]): Sql {
  return columns.length === 0 ? sql`` : sql`, ${join(columns, ', ')}`;
}

/** Tables of a statement by their names; those without a body are left out. */
type Parts = readonly { readonly name: Sql; readonly body: Sql | null }[];

/**
 * The place of the written document's rows in lists that are new to them: counted once, however many rows.
 */
export const PLACE = sql`(select n.place from n)`;

/**
 * A statement of such tables, of which `d` is what it is about, and of further steps; `last` is what it ends
 * with.
 */
export function statement({ type, last }: WrittenShape, parts: Parts, links: readonly LinkStep[]): Sql {
  const isPlaced = type.storage.columns.some(({ placeOf }) => placeOf !== null);
  const place = { name: sql`n`, body: isPlaced ? sql`select ${nextCount(type)} as place` : null };
  const tables = [place, ...parts].flatMap(({ name, body }) =>
    body === null ? [] : [sql`${name} as (${body})`],
  );
  return sql`with ${join([...tables, ...partsOf(links)], ', ')} ${last ?? sql`select 1 from d`}`;
}

interface WrittenShape {
  readonly type: ContentType;
  readonly last?: Sql;
}

/** What a row has in a list that is new to it: the last place there, and none to remember. */
export const newPlace = ({ remembers }: Column): Sql => (remembers === null ? PLACE : sql`null::int8`);

/** A row's place in a list only changes with the list (D24). */
export const placeIn = (column: Column, target: Sql): Sql =>
  sql`case when ${target} is null then null when t.${quote(column.placeOf ?? column.name)} is distinct
    from ${target} then ${newPlace(column)} else t.${quote(column.name)} end`;

/** The value of a column that a row takes over from another, `from`. */
export const takenValue = (column: Column, from: Sql): Sql =>
  column.placeOf === null
    ? sql`${from}.${quote(column.name)}`
    : placeIn(column, sql`${from}.${quote(column.placeOf)}`);

const copy = (columns: readonly Column[], from: Sql): Sql[] =>
  columns.map(({ name }) => sql`${quote(name)} = ${from}.${quote(name)}`);

/**
 * What all locales of a state share is written to the others in one go (D20), as far as it is new to them;
 * null where there is nothing to share. `from` is a row that has it.
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
  // Places in the lists of others are no content of a version.
  const content = common.filter(({ placeOf }) => placeOf === null);
  const changed = sql`(${join([sql`false`, ...content.map(differs)], ' or ')})`;
  return sql`update ${quote(type.table)} t
    set ${join([notedIf(changed, { type, value }), ...copy(common, from)], ', ')} from ${from}
    where t.document_id = ${from}.document_id and t.locale <> ${from}.locale and ${inState(sql`t`, published)}
      and (${join(common.map(differs), ' or ')})`;
}

/** A table of one row that the others of its document share, and in which state. */
interface Sharing {
  readonly from: Sql;
  readonly published: boolean;
}
