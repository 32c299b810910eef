/** What statements about the versions of documents are made of. */
import type { DiscardStep, PublishStep, RowsStep } from '../plan/steps.js';
import type { Column, ContentType } from '../schema/model.js';
import { nextCount, notedIf } from './changes.js';
import { partsOf } from './compile-links.js';
import { inState, type LinkStep } from './link-sql.js';
import { join, print, quote, type Sql, sql, type Statement } from '../sql.js';

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

/** A statement of such tables, of which `d` is what it is about, and of further steps. */
export function statement(step: WrittenStep, parts: Parts, links: readonly LinkStep[]): Statement {
  const { type } = step;
  const isPlaced = type.storage.columns.some(({ placeOf }) => placeOf !== null);
  const place = { name: sql`n`, body: isPlaced ? sql`select ${nextCount(type)} as place` : null };
  const tables = [place, ...parts].flatMap(({ name, body }) =>
    body === null ? [] : [sql`${name} as (${body})`],
  );
  return print(sql`with ${join([...tables, ...partsOf(links)], ', ')} select 1 from d`);
}

type WrittenStep = RowsStep | PublishStep | DiscardStep;

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
