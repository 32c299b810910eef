/**
 * The rows of a write: one statement creates or updates a version, publishes it, and shares what locales
 * share.
 */
import type {
  Attribute,
  ComponentAttribute,
  ContentType,
  RelationAttribute,
  ScalarAttribute,
  ZoneAttribute,
} from '../schema/model.js';
import { stored } from './stored-value.js';
import { documentOf } from './compile-load.js';
import {
  alias,
  type Identifier,
  join,
  param,
  print,
  quote,
  type Sql,
  sql,
  type Statement,
  union,
} from '../sql.js';

/** New values by attribute; a relation held in a column carries the target's document id or null. */
export type ColumnValues = ReadonlyMap<
  ScalarAttribute | ComponentAttribute | ZoneAttribute | RelationAttribute,
  unknown
>;

export interface RowsRequest {
  readonly type: ContentType;
  readonly documentId: string;
  readonly locale: string;
  readonly values: ColumnValues;
  /** The version to update; null to insert one. */
  readonly row: number | null;
  /** A version in another locale from which a new one takes over what locales share (D19). */
  readonly base: number | null;
  /**
   * Whether the published version is written too. In types without drafts the one row is the published one.
   */
  readonly publish: boolean;
}

/** One column of an attribute. */
export interface Column {
  readonly name: Identifier;
  readonly attribute: Attribute;
  readonly isPosition: boolean;
}

/** The columns that hold a type's attributes. */
export function columnsOf(type: ContentType): Column[] {
  return [...type.attributes.values()].flatMap((attribute): Column[] => {
    if (attribute.kind === 'scalar')
      return attribute.system ? [] : [{ name: attribute.column, attribute, isPosition: false }];
    if (attribute.kind !== 'relation') return [{ name: attribute.column, attribute, isPosition: false }];
    if (attribute.join.kind !== 'column') return [];
    const { column, position } = attribute.join;
    const own = { name: column, attribute, isPosition: false };
    return position === null ? [own] : [own, { name: position, attribute, isPosition: true }];
  });
}

const valueOf = ({ attribute, isPosition }: Column, value: unknown): Sql =>
  isPosition ? sql`default` : stored(attribute, value);

const TIME = sql`now()`;

/** Values of the system columns of one inserted version. */
const version = (request: RowsRequest, published: boolean): Sql =>
  sql`${param(request.documentId)}::text, ${param(request.locale)}::text, ${published ? sql`true` : sql`false`}, ${TIME}, ${TIME}, ${published ? TIME : sql`null`}`;

/** The columns that every version has, but for its id. */
export const SYSTEM = sql`document_id, locale, published, created_at, updated_at, published_at`;

const isGiven = (request: RowsRequest, { attribute }: Column): boolean => request.values.has(attribute);

function list(columns: readonly Sql[]): Sql {
  return columns.length === 0 ? sql`` : sql`, ${join(columns, ', ')}`;
}

/** A target was looked up before a new document's locks were held: one that has gone since is left out. */
function stillThere({ attribute, isPosition }: Column, value: Sql): Sql {
  if (attribute.kind !== 'relation' || isPosition) return value;
  return sql`(select x.document_id from ${quote(attribute.target.table)} x where x.document_id = ${value} limit 1)`;
}

/**
 * A new document: its draft and, when published at once, its published version, with their links, in one
 * statement.
 */
export function compileCreate(request: RowsRequest, links: readonly Sql[]): Statement {
  const columns = columnsOf(request.type).filter((column) => isGiven(request, column));
  const values = columns.map((column) =>
    stillThere(column, valueOf(column, request.values.get(column.attribute as never))),
  );
  const states = !request.type.draftAndPublish ? [true] : request.publish ? [false, true] : [false];
  const rows = states.map((published) => sql`(${version(request, published)}${list(values)})`);
  const names = list(columns.map(({ name }) => quote(name)));
  const inserted = sql`insert into ${quote(request.type.table)} (${SYSTEM}${names}) values ${join(rows, ', ')} returning id, locale, published`;
  return print(sql`with d as (${inserted})${steps(links)} select id, locale, published from d`);
}

/** Further data-modifying steps of the same statement. */
const steps = (links: readonly Sql[]): Sql =>
  sql`${join(
    links.map((step, i) => sql`, ${alias('k', i)} as (${step})`),
    ' ',
  )}`;

/** The version written to: updated, or inserted with what it takes over from another locale. */
function written(request: RowsRequest, columns: readonly Column[]): Sql {
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
  return sql`insert into ${table} (${SYSTEM}${list(taken.map(({ name }) => quote(name)))})
    select ${version(request, own)}${list(values)} from ${table} b where b.id = ${param(request.base)}::int4 returning *`;
}

const copy = (columns: readonly Column[], from: 'd' | 'excluded'): Sql =>
  join(
    columns.map(({ name }) => sql`${quote(name)} = ${from === 'd' ? sql`d` : sql`excluded`}.${quote(name)}`),
    ', ',
  );

/** What all locales of a state share is written to the others in one go (protocol 9.7). */
function shared(type: ContentType, columns: readonly Column[], state: Sql): Sql | null {
  const common = columns.filter(({ attribute, isPosition }) => !attribute.localized && !isPosition);
  if (!type.localized || common.length === 0) return null;
  return sql`update ${quote(type.table)} t set ${copy(common, 'd')} from d
    where t.document_id = d.document_id and t.locale <> d.locale and ${state} returning t.id, t.locale, t.published`;
}

/**
 * An existing document. Answers the rows touched: the version written, its published copy, the sharing
 * locales.
 */
export function compileUpdate(request: RowsRequest, links: readonly Sql[]): Statement {
  const { type } = request;
  const columns = columnsOf(type);
  const given = columns.filter((column) => isGiven(request, column));
  const parts: { readonly name: Sql; readonly body: Sql }[] = [
    { name: sql`d`, body: written(request, columns) },
  ];
  const siblings = shared(type, given, type.draftAndPublish ? sql`not t.published` : sql`t.published`);
  if (siblings !== null) parts.push({ name: sql`s`, body: siblings });
  if (type.draftAndPublish && request.publish) {
    parts.push({ name: sql`p`, body: publishFrom(type, columns) });
    const publishedSiblings = shared(type, columns, sql`t.published`);
    if (publishedSiblings !== null) parts.push({ name: sql`q`, body: publishedSiblings });
  }
  const rows = parts.map(({ name }) => sql`select id, locale, published from ${name}`);
  return print(
    sql`with ${join(
      parts.map(({ name, body }) => sql`${name} as (${body})`),
      ', ',
    )}${steps(links)} ${union(rows)}`,
  );
}

/** The published version takes the draft's values and keeps its own id and creation time (D18). */
function publishFrom(type: ContentType, columns: readonly Column[]): Sql {
  const names = columns.map(({ name }) => quote(name));
  const values = columns.map(({ name }) => sql`d.${quote(name)}`);
  const updates = columns.length === 0 ? sql`` : sql`, ${copy(columns, 'excluded')}`;
  return sql`insert into ${quote(type.table)} (${SYSTEM}${list(names)})
    select d.document_id, d.locale, true, d.created_at, d.updated_at, ${TIME}${list(values)} from d
    on conflict (document_id, locale, published) do update set updated_at = excluded.updated_at, published_at = excluded.published_at${updates}
    returning id, locale, published`;
}

/** The draft takes back what is published, and shares with the drafts of other locales what locales share. */
export function compileDiscard(type: ContentType, draft: number, published: number): Statement {
  const columns = columnsOf(type);
  const sets = columns.map(({ name }) => sql`${quote(name)} = p.${quote(name)}`);
  const table = quote(type.table);
  const restored = sql`update ${table} t set updated_at = p.updated_at${list(sets)} from ${table} p where t.id = ${param(draft)}::int4 and p.id = ${param(published)}::int4 returning t.*`;
  const siblings = shared(type, columns, sql`not t.published`);
  const others = siblings === null ? sql`` : sql`, s as (${siblings})`;
  return print(
    sql`with d as (${restored})${others} select id, locale, published from d${siblings === null ? sql`` : sql` union all select id, locale, published from s`}`,
  );
}

/** Takes the published version of a document away; its draft stays. */
export function compileUnpublish(
  type: ContentType,
  documentId: string | null,
  locale: string | null,
): Statement {
  const which = locale === null ? sql`` : sql` and t.locale = ${param(locale)}::text`;
  return print(
    sql`delete from ${quote(type.table)} t where ${documentOf(sql`t`, documentId)} and t.published${which}`,
  );
}

/** References to a type that go when its last version goes. */
export interface Referrer {
  readonly type: ContentType;
  readonly attribute: RelationAttribute;
}

/**
 * Clears the columns of a table that name a deleted document, all in one update, because it may be named
 * several times.
 */
function forget(
  owner: ContentType,
  referrers: readonly Referrer[],
  { last, self }: { readonly last: Sql; readonly self: boolean },
): Sql[] {
  const columns = referrers.flatMap(({ type, attribute: { join: way } }) =>
    type === owner && way.kind === 'column' ? [quote(way.column)] : [],
  );
  if (columns.length === 0) return [];
  const sets = columns.map(
    (column) => sql`${column} = case when ${column} in ${last} then null else ${column} end`,
  );
  const named = join(
    columns.map((column) => sql`${column} in ${last}`),
    ' or ',
  );
  const others = self ? sql` and document_id not in (select g.document_id from g)` : sql``;
  return [sql`update ${quote(owner.table)} set ${join(sets, ', ')} where (${named})${others}`];
}

/** Deletes versions of a document, of one locale or of all; with the last one go the links that named it. */
export function compileDelete(
  type: ContentType,
  documentId: string | null,
  locale: string | null,
  referrers: readonly Referrer[],
): Statement {
  const table = quote(type.table);
  const document = param(documentId);
  const conditions: Sql[] = [];
  if (documentId !== null) conditions.push(sql`t.document_id = ${document}::text`);
  if (locale !== null) conditions.push(sql`t.locale = ${param(locale)}::text`);
  const which = conditions.length === 0 ? sql`` : sql` where ${join(conditions, ' and ')}`;
  const gone = sql`g as (delete from ${table} t${which} returning t.document_id, t.locale)`;
  const last = sql`(select g.document_id from g where not exists (select 1 from ${table} t where t.document_id = g.document_id and not exists (select 1 from g h where h.document_id = t.document_id and h.locale = t.locale)))`;
  const links = referrers.flatMap(({ attribute: { join: way } }) =>
    way.kind === 'link' ? [sql`delete from ${quote(way.table)} where target_document_id in ${last}`] : [],
  );
  const columns = [...new Set(referrers.map((referrer) => referrer.type))].flatMap((owner) =>
    forget(owner, referrers, { last, self: owner === type }),
  );
  const cleaned = [...links, ...columns].map((step, i) => sql`${alias('c', i)} as (${step})`);
  return print(sql`with ${join([gone, ...cleaned], ', ')} select count(*)::int4 as count from g`);
}
