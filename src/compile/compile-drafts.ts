/** The drafts of documents that an older model left without: copies of what is published (D29). */
import type { Column, ContentType, LinkTable } from '../schema/model.js';
import { alias, join, param, print, quote, type Sql, sql, type Statement } from '../sql.js';
import { VERSION_COLUMNS } from './compile-write.js';
import { contentsOf, namesOf } from './link-sql.js';

/** The values of the system columns. */
const COPIED = sql`p.document_id, p.locale, false, p.created_at, p.updated_at, null`;

/** What the draft takes over. A one-to-one target that another draft holds by now stays with that one. */
function copied(type: ContentType, { name, exclusive }: Column): Sql {
  const value = sql`p.${quote(name)}`;
  if (!exclusive) return value;
  const held = sql`select 1 from ${quote(type.table)} o where o.${quote(name)} = ${value} and o.locale = p.locale and not o.published`;
  return sql`case when exists (${held}) then null else ${value} end`;
}

/** The links of the published versions, for the drafts in `d`. */
function copiedLinks(type: ContentType, links: LinkTable): Sql {
  const { table, holder, position } = namesOf(links);
  const columns = contentsOf(links);
  const values = columns.map((column) => sql`l.${column}`);
  return sql`insert into ${table} (${holder}, ${join(columns, ', ')}) select d.id, ${join(values, ', ')} from d
      join ${quote(type.table)} p on p.document_id = d.document_id and p.locale = d.locale and p.published
      join ${table} l on l.${holder} = p.id order by d.id, l.${position}`;
}

/**
 * Makes the drafts that documents lack, in every locale where they are published, with their links; nothing
 * where there are drafts. Null is the document of a single type, whichever it is.
 */
export function compileStartDrafts(type: ContentType, documentIds: readonly string[] | null): Statement {
  const table = quote(type.table);
  const { columns, links } = type.storage;
  const names = [VERSION_COLUMNS, ...columns.map(({ name }) => quote(name))];
  const values = [COPIED, ...columns.map((column) => copied(type, column))];
  const draft = sql`select 1 from ${table} v where v.document_id = p.document_id and v.locale = p.locale and not v.published`;
  const wanted = documentIds === null ? sql`true` : sql`p.document_id = any(${param(documentIds)}::text[])`;
  const drafts = sql`insert into ${table} (${join(names, ', ')})
      select ${join(values, ', ')} from ${table} p
      where ${wanted} and p.published and not exists (${draft}) order by p.id
      on conflict (document_id, locale, published) do nothing returning id, document_id, locale`;
  const steps = links.map((link) => copiedLinks(type, link.table));
  const parts = [sql`d as (${drafts})`, ...steps.map((step, i) => sql`${alias('k', i)} as (${step})`)];
  return print(sql`with ${join(parts, ', ')} select count(*)::int4 as count from d`);
}
