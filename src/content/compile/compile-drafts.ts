/** Creates drafts of documents from a model without drafts, as copies of what is published (D29). */
import { type LinkTable, SHARED_LOCALE } from '../model/join-model.js';
import type { Column, ContentType } from '../model/model.js';
import {
  alias,
  constant,
  join,
  param,
  plain,
  print,
  quote,
  type Sql,
  sql,
  type Statement,
} from '../../kernel/sql.js';
import { UNKNOWN_REVISION } from '../plan/versions.js';
import { VERSION_COLUMNS } from './version-sql.js';
import { isTaken, namesOf, targetColumns } from './link-sql.js';

/** System columns of a draft. A draft that does not get all links has an unknown revision. */
function systemValues(type: ContentType): Sql {
  const { columns, links } = type.storage;
  const lacks = [
    ...columns.filter(({ exclusive }) => exclusive).map((column) => isTargetOfOtherDraft(type, column)),
    ...links.flatMap(({ table }) => linkOfOtherDraft(table)),
  ];
  const revision =
    lacks.length === 0
      ? sql`p.revision`
      : sql`case when ${join(lacks, ' or ')} then ${constant(Number(UNKNOWN_REVISION))} else p.revision end`;
  return sql`p.document_id, p.locale, false, p.created_at, p.updated_at, null, ${revision}`;
}

/** Condition that another draft has the one-to-one target of the published version `p`. */
const isTargetOfOtherDraft = (type: ContentType, { name }: Column): Sql =>
  sql`exists (select 1 from ${quote(type.table)} o
    where o.${quote(name)} = p.${quote(name)} and o.locale = p.locale and not o.published)`;

function linkOfOtherDraft(links: LinkTable): Sql[] {
  const { table, owner, target } = namesOf(links);
  const [, type] = targetColumns(links);
  const taken = isTaken(links, sql`l.${type?.name ?? sql`null`}`);
  if (taken === null) return [];
  return [
    sql`exists (select 1 from ${table} l join ${table} o on o.${target} = l.${target} and o.locale = l.locale
      where l.${owner} = p.document_id and l.published and not o.published and ${taken})`,
  ];
}

/** Value that the draft copies. A one-to-one target of another draft is not copied. */
function draftValue(type: ContentType, column: Column): Sql {
  const value = sql`p.${quote(column.name)}`;
  return column.exclusive
    ? sql`case when ${isTargetOfOtherDraft(type, column)} then null else ${value} end`
    : value;
}

/**
 * Copies the published links to the drafts in `d`. Links shared by locales are copied only for documents
 * without any draft. Exclusive targets of another draft are not copied.
 */
function copiedLinks(type: ContentType, links: LinkTable): Sql {
  const { table, owner, target, position } = namesOf(links);
  const named = targetColumns(links).map(({ name }) => name);
  const places = [position, ...(links.inversePosition === null ? [] : [plain(links.inversePosition.name)])];
  const locale = links.perLocale ? sql`d.locale` : constant(SHARED_LOCALE);
  const draft = sql`select 1 from ${quote(type.table)} v where v.document_id = d.document_id
    and not v.published`;
  const held = sql`select 1 from ${table} o where o.${target} = l.${target} and not o.published
    and o.locale = l.locale`;
  const taken = isTaken(links, sql`l.${named[1] ?? sql`null`}`);
  const unless = [
    ...(links.perLocale ? [] : [sql` and not exists (${draft})`]),
    ...(taken === null ? [] : [sql` and not (${taken} and exists (${held}))`]),
  ];
  const copies = [...named, ...places];
  const values = copies.map((column) => sql`l.${column}`);
  return sql`insert into ${table} (${owner}, published, locale, ${join(copies, ', ')})
      select distinct l.${owner}, false, l.locale, ${join(values, ', ')} from d
      join ${table} l on l.${owner} = d.document_id and l.published and l.locale = ${locale}
      where true${join(unless, ' ')} on conflict (${owner}, published, locale, ${join(named, ', ')}) do nothing`;
}

/** Creates the missing drafts of documents, with links. `documentIds` is null for a single type. */
export function compileStartDrafts(type: ContentType, documentIds: readonly string[] | null): Statement {
  const wanted = documentIds === null ? sql`true` : sql`p.document_id = any(${param(documentIds)}::text[])`;
  return print(startDrafts(type, wanted));
}

/** Creates the missing drafts of published versions `p`, with links. */
export function startDrafts(type: ContentType, wanted: Sql): Sql {
  const table = quote(type.table);
  const { columns, links } = type.storage;
  const names = [VERSION_COLUMNS, ...columns.map(({ name }) => quote(name))];
  const values = [systemValues(type), ...columns.map((column) => draftValue(type, column))];
  const draft = sql`select 1 from ${table} v where v.document_id = p.document_id and v.locale = p.locale
    and not v.published`;
  const drafts = sql`insert into ${table} (${join(names, ', ')})
      select ${join(values, ', ')} from ${table} p
      where ${wanted} and p.published and not exists (${draft}) order by p.id
      on conflict (document_id, locale, published) do nothing returning id, document_id, locale`;
  const steps = links.map((link) => copiedLinks(type, link.table));
  const parts = [sql`d as (${drafts})`, ...steps.map((step, i) => sql`${alias('k', i)} as (${step})`)];
  return sql`with ${join(parts, ', ')} select count(*)::int4 as count from d`;
}
