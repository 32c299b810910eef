/** What the statements about links are made of. */
import type { LinksStep, HolderRows } from '../plan/steps.js';
import type { LinkTable, TwoWayLinkTable } from '../schema/model.js';
import { type Identifier, join, param, plain, quote, type Sql, sql } from '../sql.js';

/**
 * One step of a statement. Steps that update one table may meet at a row, which a statement changes only
 * once.
 */
export interface LinkStep {
  readonly sql: Sql;
  /** The table that the step updates; null for steps on link tables, which never meet. */
  readonly updates: Identifier | null;
}

export const onLinks = (steps: readonly Sql[]): LinkStep[] =>
  steps.map((step) => ({ sql: step, updates: null }));

export const texts = (values: readonly string[]): Sql => sql`${param(values)}::text[]`;

/** Whether an id is in none of a list, which is hashed once and not searched for each row. */
export const notAmong = (id: Sql, list: readonly string[]): Sql =>
  sql`${id} not in (select k.id from unnest(${texts(list)}) k(id))`;

/** The rows whose links are meant, as a table with an `id`; those that the statement inserts are in `d`. */
export function holderRows(holders: HolderRows | 'inserted', { type, documentId }: LinksStep): Sql {
  if (holders === 'inserted') return sql`d o`;
  const { published, locale } = holders;
  const conditions = [
    sql`v.document_id = ${param(documentId)}::text`,
    ...(published === null ? [] : [published ? sql`v.published` : sql`not v.published`]),
    ...(locale === null ? [] : [sql`v.locale = ${param(locale)}::text`]),
  ];
  return sql`(select v.id, v.published from ${quote(type.table)} v where ${join(conditions, ' and ')}) o`;
}

/** The names of a link table in SQL. */
export interface LinkNames {
  readonly table: Sql;
  readonly holder: Sql;
  readonly target: Sql;
  readonly position: Sql;
}

export const namesOf = ({ table, holder, target, position }: LinkTable): LinkNames => ({
  table: quote(table),
  holder: plain(holder.name),
  target: plain(target.name),
  position: plain(position.name),
});

/** The same, and the place on the other side. */
export const twoWayNamesOf = (links: TwoWayLinkTable): LinkNames & { readonly inversePosition: Sql } => ({
  ...namesOf(links),
  inversePosition: plain(links.inversePosition.name),
});

/** What a link has beside its holder, in one order. */
export const contentsOf = ({ target, position, inversePosition }: LinkTable): Sql[] =>
  [target, position, inversePosition].flatMap((column) => (column === null ? [] : [plain(column.name)]));
