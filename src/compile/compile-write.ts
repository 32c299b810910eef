/**
 * The rows of a write: one statement creates or updates a version, publishes it, and shares what locales
 * share.
 */
import type { DeleteStep, DiscardStep, RowsStep, UnpublishStep } from '../plan/steps.js';
import type { Column, ContentType } from '../schema/model.js';
import { columnValue } from './column-value.js';
import { documentOf } from './compile-load.js';
import { namesOf } from './link-sql.js';
import { alias, join, param, print, quote, type Sql, sql, type Statement } from '../sql.js';

const valueOf = (column: Column, value: unknown): Sql =>
  column.isPosition ? sql`default` : columnValue(column, value);

/** Columns keep milliseconds and round to them: a time that was rounded up would not have come yet. */
const TIME = sql`date_trunc('milliseconds', now())`;

/** Values of the system columns of one inserted version. */
const versionValues = (request: RowsStep, published: boolean): Sql =>
  sql`${param(request.documentId)}::text, ${param(request.locale)}::text, ${published ? sql`true` : sql`false`}, ${TIME}, ${TIME}, ${published ? TIME : sql`null`}`;

/** The columns that every version has, but for its id. */
export const VERSION_COLUMNS = sql`document_id, locale, published, created_at, updated_at, published_at`;

const isGiven = (request: RowsStep, { attribute }: Column): boolean => request.values.has(attribute);

function list(columns: readonly Sql[]): Sql {
  return columns.length === 0 ? sql`` : sql`, ${join(columns, ', ')}`;
}

/**
 * A new document: its draft and, when published at once, its published version, with their links, in one
 * statement.
 */
export function compileCreate(request: RowsStep, links: readonly Sql[]): Statement {
  const columns = request.type.storage.columns.filter((column) => isGiven(request, column));
  const values = columns.map((column) => valueOf(column, request.values.get(column.attribute)));
  const shown = request.publish || !request.type.draftAndPublish ? [true] : [];
  const states = [...(request.type.draftAndPublish ? [false] : []), ...shown];
  const rows = states.map((published) => sql`(${versionValues(request, published)}${list(values)})`);
  const names = list(columns.map(({ name }) => quote(name)));
  const inserted = sql`insert into ${quote(request.type.table)} (${VERSION_COLUMNS}${names}) values ${join(rows, ', ')} returning id, locale, published`;
  return print(sql`with d as (${inserted})${steps(links)} select 1 from d`);
}

/** Further data-modifying steps of the same statement. */
const steps = (links: readonly Sql[]): Sql =>
  sql`${join(
    links.map((step, i) => sql`, ${alias('k', i)} as (${step})`),
    ' ',
  )}`;

/** The version written to: updated, or inserted with what it takes over from another locale. */
function written(request: RowsStep, columns: readonly Column[]): Sql {
  const table = quote(request.type.table);
  const own = !request.type.draftAndPublish;
  const given = columns.filter((column) => isGiven(request, column));
  const value = (column: Column): Sql => valueOf(column, request.values.get(column.attribute));
  if (request.row !== null) {
    const sets = given.map((column) => sql`${quote(column.name)} = ${value(column)}`);
    const published = own ? sql`, published_at = ${TIME}` : sql``;
    return sql`update ${table} t set updated_at = ${TIME}${published}${list(sets)} where t.id = ${param(request.row)}::int4 returning t.*`;
  }
  const taken = columns.filter(
    (column) => !column.isPosition && (isGiven(request, column) || !column.attribute.localized),
  );
  const values = taken.map((column) =>
    isGiven(request, column) ? value(column) : sql`b.${quote(column.name)}`,
  );
  return sql`insert into ${table} (${VERSION_COLUMNS}${list(taken.map(({ name }) => quote(name)))})
    select ${versionValues(request, own)}${list(values)} from ${table} b where b.id = ${param(request.base)}::int4 returning *`;
}

const copy = (columns: readonly Column[]): Sql =>
  join(
    columns.map(({ name }) => sql`${quote(name)} = d.${quote(name)}`),
    ', ',
  );

/** What all locales of a state share is written to the others in one go (protocol 9.7). */
function shared(type: ContentType, columns: readonly Column[], state: Sql): Sql | null {
  const common = columns.filter(({ attribute, isPosition }) => !attribute.localized && !isPosition);
  if (!type.localized || common.length === 0) return null;
  return sql`update ${quote(type.table)} t set ${copy(common)} from d
    where t.document_id = d.document_id and t.locale <> d.locale and ${state}`;
}

/** An existing document: the version written, its published copy, the locales that share their values. */
export function compileUpdate(request: RowsStep, links: readonly Sql[]): Statement {
  const { type, publish, hasOthers } = request;
  const { columns } = type.storage;
  const given = columns.filter((column) => isGiven(request, column));
  const publishes = type.draftAndPublish && publish;
  const ownState = type.draftAndPublish ? sql`not t.published` : sql`t.published`;
  const parts = [
    { name: sql`d`, body: written(request, columns) },
    { name: sql`s`, body: hasOthers ? shared(type, given, ownState) : null },
    { name: sql`p`, body: publishes ? publishFrom(request, columns) : null },
    { name: sql`q`, body: publishes && hasOthers ? shared(type, columns, sql`t.published`) : null },
  ].flatMap(({ name, body }) => (body === null ? [] : [sql`${name} as (${body})`]));
  return print(sql`with ${join(parts, ', ')}${steps(links)} select 1 from d`);
}

/** The published version takes the draft's values and keeps its own id and creation time (D18). */
function publishFrom({ type, live }: RowsStep, columns: readonly Column[]): Sql {
  const table = quote(type.table);
  const names = columns.map(({ name }) => quote(name));
  const values = columns.map(({ name }) => sql`d.${quote(name)}`);
  if (live === null)
    return sql`insert into ${table} (${VERSION_COLUMNS}${list(names)})
      select d.document_id, d.locale, true, d.created_at, d.updated_at, ${TIME}${list(values)} from d`;
  const sets = columns.length === 0 ? sql`` : sql`, ${copy(columns)}`;
  return sql`update ${table} t set updated_at = d.updated_at, published_at = ${TIME}${sets} from d where t.id = ${param(live)}::int4`;
}

/** The draft takes back what is published, and shares with the drafts of other locales what locales share. */
export function compileDiscard({ type, documentId, locale }: DiscardStep): Statement {
  const { columns } = type.storage;
  const sets = columns.map(({ name }) => sql`${quote(name)} = p.${quote(name)}`);
  const table = quote(type.table);
  const versions = sql`t.document_id = ${param(documentId)}::text and t.locale = ${param(locale)}::text and not t.published and p.document_id = t.document_id and p.locale = t.locale and p.published`;
  const restored = sql`update ${table} t set updated_at = p.updated_at${list(sets)} from ${table} p where ${versions} returning t.*`;
  const siblings = shared(type, columns, sql`not t.published`);
  const others = siblings === null ? sql`` : sql`, s as (${siblings})`;
  return print(sql`with d as (${restored})${others} select 1 from d`);
}

/** Takes the published version of a document away; its draft stays. */
export function compileUnpublish({ type, documentId, locale }: UnpublishStep): Statement {
  const which = locale === null ? sql`` : sql` and t.locale = ${param(locale)}::text`;
  return print(
    sql`delete from ${quote(type.table)} t where ${documentOf(sql`t`, documentId)} and t.published${which}`,
  );
}

/**
 * Clears the columns of a table that name a deleted document, all in one update, because it may be named
 * several times.
 */
function forget(holder: ContentType, deleted: ContentType, last: Sql): Sql[] {
  const columns = holder.storage.columns
    .filter(({ reference }) => reference === deleted)
    .map(({ name }) => quote(name));
  if (columns.length === 0) return [];
  const sets = columns.map(
    (column) => sql`${column} = case when ${column} in ${last} then null else ${column} end`,
  );
  const named = join(
    columns.map((column) => sql`${column} in ${last}`),
    ' or ',
  );
  const others = holder === deleted ? sql` and document_id not in (select g.document_id from g)` : sql``;
  return [sql`update ${quote(holder.table)} set ${join(sets, ', ')} where (${named})${others}`];
}

/** The links of a type that name a deleted document. */
const unlink = ({ storage }: ContentType, deleted: ContentType, last: Sql): Sql[] =>
  storage.links
    .filter(({ attribute }) => attribute.target === deleted)
    .map(({ table }) => namesOf(table))
    .map(({ table, target }) => sql`delete from ${table} where ${target} in ${last}`);

/** Deletes versions of a document, of one locale or of all; with the last one go the links that named it. */
export function compileDelete({ type, documentId, locale }: DeleteStep): Statement {
  const table = quote(type.table);
  const document = param(documentId);
  const conditions: Sql[] = [];
  if (documentId !== null) conditions.push(sql`t.document_id = ${document}::text`);
  if (locale !== null) conditions.push(sql`t.locale = ${param(locale)}::text`);
  const which = conditions.length === 0 ? sql`` : sql` where ${join(conditions, ' and ')}`;
  const gone = sql`g as (delete from ${table} t${which} returning t.document_id, t.locale)`;
  const last = sql`(select g.document_id from g where not exists (select 1 from ${table} t where t.document_id = g.document_id and not exists (select 1 from g h where h.document_id = t.document_id and h.locale = t.locale)))`;
  const holders = type.storage.referrers;
  const links = holders.flatMap((holder) => unlink(holder, type, last));
  const columns = holders.flatMap((holder) => forget(holder, type, last));
  const cleaned = [...links, ...columns].map((step, i) => sql`${alias('c', i)} as (${step})`);
  return print(sql`with ${join([gone, ...cleaned], ', ')} select count(*)::int4 as count from g`);
}
