/**
 * The rows of a write: one statement creates or updates a version, publishes it, and shares what locales
 * share.
 */
import type { DiscardStep, PublishStep, RowsStep } from '../plan/steps.js';
import { documentIdsOf } from '../plan/target-key.js';
import type { Column, ContentType, LinkedAttribute } from '../schema/model.js';
import { nextCount, noted, revisionOf, TIME } from './changes.js';
import { columnValue } from './column-value.js';
import { partsOf } from './compile-links.js';
import { isVersionOf } from './compile-load.js';
import { inState, type LinkStep, stateOf, texts } from './link-sql.js';
import { hasVersion } from './scope.js';
import { join, param, print, quote, type Sql, sql, type Statement } from '../sql.js';

/** Values of the system columns of one inserted version. */
const versionValues = (request: RowsStep, published: boolean): Sql =>
  sql`${param(request.documentId)}::text, ${param(request.locale)}::text, ${stateOf(published)}, ${TIME}, ${TIME}, ${published ? TIME : sql`null`}`;

/** The columns that every version has, but for its id. */
export const VERSION_COLUMNS = sql`document_id, locale, published, created_at, updated_at, published_at, revision`;

function list(columns: readonly Sql[]): Sql {
  return columns.length === 0 ? sql`` : sql`, ${join(columns, ', ')}`;
}

/** Tables of a statement by their names; those without a body are left out. */
type Parts = readonly { readonly name: Sql; readonly body: Sql | null }[];

/**
 * The place of the written document's rows in lists that are new to them: counted once, however many rows.
 */
const PLACE = sql`(select n.place from n)`;

/** A statement of such tables, of which `d` is what it is about, and of further steps. */
function statement(step: WrittenStep, parts: Parts, links: readonly LinkStep[]): Statement {
  const { type } = step;
  const isPlaced = type.storage.columns.some(({ placeOf }) => placeOf !== null);
  const place = { name: sql`n`, body: isPlaced ? sql`select ${nextCount(type)} as place` : null };
  const tables = [place, ...parts].flatMap(({ name, body }) =>
    body === null ? [] : [sql`${name} as (${body})`],
  );
  return print(sql`with ${join([...tables, ...partsOf(links)], ', ')} select 1 from d`);
}

type WrittenStep = RowsStep | PublishStep | DiscardStep;

/** What a body gives for the columns of a version, and for the links that have tables. */
interface Given {
  readonly values: ReadonlyMap<Column, Sql>;
  readonly lists: ReadonlyMap<LinkedAttribute, Sql>;
}

function givenOf({ type, values, links }: RowsStep): Given {
  const given = type.storage.columns.filter(
    ({ attribute, placeOf }) => placeOf === null && values.has(attribute),
  );
  const owned = links.changes.filter(({ attribute: { join: way } }) => way.side !== 'inverse');
  return {
    values: new Map(given.map((column) => [column, columnValue(column, values.get(column.attribute))])),
    lists: new Map(
      owned.map(({ attribute, targets }) => [attribute, texts(documentIdsOf(attribute, targets))]),
    ),
  };
}

/** A column that holds nothing. */
const empty = ({ cast }: Column): Sql => sql`null${cast}`;

/**
 * A new document: its draft and, when published at once, its published version, with their links, in one
 * statement.
 */
export function compileCreate(request: RowsStep, links: readonly LinkStep[]): Statement {
  const { type } = request;
  const { values, lists } = givenOf(request);
  const columns = type.storage.columns.filter(({ attribute }) => request.values.has(attribute));
  const given = columns.map((column) => values.get(column) ?? placeOfNew(column, request));
  const none = type.storage.links.map(({ attribute }): [LinkedAttribute, Sql] => [
    attribute,
    sql`array[]::text[]`,
  ]);
  const revision = revisionOf({
    type,
    row: sql`d`,
    value: (column) => values.get(column) ?? empty(column),
    lists: new Map([...none, ...lists]),
  });
  const shown = request.publish || !type.draftAndPublish ? [true] : [];
  const states = [...(type.draftAndPublish ? [false] : []), ...shown];
  const rows = states.map(
    (published) => sql`(${versionValues(request, published)}, (select r.revision from r)${list(given)})`,
  );
  const names = list(columns.map(({ name }) => quote(name)));
  const inserted = sql`insert into ${quote(type.table)} (${VERSION_COLUMNS}${names}) values ${join(rows, ', ')} returning id`;
  // A digest of the whole body is made once, for both states.
  const parts = [
    { name: sql`r`, body: sql`select ${revision} as revision` },
    { name: sql`d`, body: inserted },
  ];
  return statement(request, parts, links);
}

/** What a row has in a list that is new to it: the last place there, and none to remember. */
const newPlace = ({ remembers }: Column): Sql => (remembers === null ? PLACE : sql`null::int8`);

/** The same for a row that is new itself: in no list without a target. */
const placeOfNew = (column: Column, { values }: RowsStep): Sql =>
  values.get(column.attribute) === null ? sql`null::int8` : newPlace(column);

/** A row's place in a list only changes with the list (D24). */
const placeIn = (column: Column, target: Sql): Sql =>
  sql`case when ${target} is null then null when t.${quote(column.placeOf ?? column.name)} is distinct from ${target} then ${newPlace(column)} else t.${quote(column.name)} end`;

/** The value of a column that a row takes over from another, `from`. */
const takenValue = (column: Column, from: Sql): Sql =>
  column.placeOf === null
    ? sql`${from}.${quote(column.name)}`
    : placeIn(column, sql`${from}.${quote(column.placeOf)}`);

/** The version written to: updated, or inserted with what it takes over from another locale. */
function written(request: RowsStep): Sql {
  const { type } = request;
  const { columns, columnOf } = type.storage;
  const { values, lists } = givenOf(request);
  const given = columns.filter(({ attribute }) => request.values.has(attribute));
  const value = (column: Column): Sql => {
    const held = columnOf.get(column.attribute.name) ?? column;
    return values.get(column) ?? placeIn(column, values.get(held) ?? empty(held));
  };
  return request.row === null
    ? insertTaking(request, { given, value, lists })
    : updateRow(request, { given, value, lists });
}

/** What is written: the columns that a body gives, their values, and its lists. */
interface WrittenValues extends Pick<Given, 'lists'> {
  readonly given: readonly Column[];
  readonly value: (column: Column) => Sql;
}

function updateRow(request: RowsStep, { given, value, lists }: WrittenValues): Sql {
  const { type, row } = request;
  const sets = given.map((column) => sql`${quote(column.name)} = ${value(column)}`);
  const published = type.draftAndPublish ? sql`` : sql`, published_at = ${TIME}`;
  const content = {
    type,
    lists,
    value: (column: Column) => (given.includes(column) ? value(column) : undefined),
  };
  return sql`update ${quote(type.table)} t set ${noted(content)}${published}${list(sets)} where t.id = ${param(row)}::int4 returning t.*`;
}

/**
 * A version in a new locale, which takes over what locales share; links of the locale may wait for it (D25).
 */
function insertTaking(request: RowsStep, { given, value, lists }: WrittenValues): Sql {
  const { type } = request;
  const { columns } = type.storage;
  const values = new Map(
    columns
      .filter((column) => given.includes(column) || !column.attribute.localized)
      .map((column) => [column, given.includes(column) ? value(column) : sql`t.${quote(column.name)}`]),
  );
  const revision = revisionOf({
    type,
    row: sql`r`,
    lists,
    value: (column) => values.get(column) ?? empty(column),
  });
  const published = !type.draftAndPublish;
  return sql`insert into ${quote(type.table)} (${VERSION_COLUMNS}${list([...values.keys()].map(({ name }) => quote(name)))})
    select ${versionValues(request, published)}, ${revision}${list([...values.values()])} from ${quote(type.table)} t
    cross join lateral (select t.document_id, t.published, ${param(request.locale)}::text as locale) r
    where t.id = ${param(request.base)}::int4 returning *`;
}

const copy = (columns: readonly Column[], from: Sql): Sql[] =>
  columns.map(({ name }) => sql`${quote(name)} = ${from}.${quote(name)}`);

/**
 * What all locales of a state share is written to the others in one go (D20), as far as it is new to them;
 * null where there is nothing to share. `from` is a row that has it.
 */
function shared(type: ContentType, columns: readonly Column[], { from, published }: Sharing): Sql | null {
  const common = columns.filter(({ attribute }) => !attribute.localized);
  if (!type.localized || common.length === 0) return null;
  const differ = common.map(({ name }) => sql`t.${quote(name)} is distinct from ${from}.${quote(name)}`);
  const value = (column: Column): Sql | undefined =>
    common.includes(column) ? sql`${from}.${quote(column.name)}` : undefined;
  return sql`update ${quote(type.table)} t set ${join([noted({ type, value }), ...copy(common, from)], ', ')} from ${from}
    where t.document_id = ${from}.document_id and t.locale <> ${from}.locale and ${inState(sql`t`, published)} and (${join(differ, ' or ')})`;
}

/** A table of one row that the others of its document share, and in which state. */
interface Sharing {
  readonly from: Sql;
  readonly published: boolean;
}

/** An existing document: the version written, its published copy, the locales that share their values. */
export function compileUpdate(request: RowsStep, links: readonly LinkStep[]): Statement {
  const { type, publish, hasOthers, live } = request;
  const { columns } = type.storage;
  const given = columns.filter(({ attribute }) => request.values.has(attribute));
  const ownState = { from: sql`d`, published: !type.draftAndPublish };
  const publishes = type.draftAndPublish && publish;
  const published = live === null ? insertPublished(type, sql``) : updatePublished(type);
  const sharing = { from: sql`p`, published: true };
  const parts = [
    { name: sql`d`, body: written(request) },
    { name: sql`s`, body: hasOthers ? shared(type, given, ownState) : null },
    { name: sql`p`, body: publishes ? published : null },
    { name: sql`q`, body: publishes && hasOthers ? shared(type, columns, sharing) : null },
  ];
  return statement(request, parts, links);
}

/**
 * The place of a row that becomes published in a list: the one that other locales of its document have there,
 * the one that it had itself, or behind all others.
 */
function publishedPlace({ name, placeOf, remembers }: Column, type: ContentType): Sql {
  if (placeOf === null) return sql`d.${quote(name)}`;
  if (remembers !== null) return sql`null::int8`;
  const held = quote(placeOf);
  const others = sql`select o.${quote(name)} from ${quote(type.table)} o where o.document_id = d.document_id and o.published and o.${held} = d.${held} limit 1`;
  const former = type.storage.columns.find((column) => column.remembers === name);
  const own = former === undefined ? [] : [sql`d.${quote(former.name)}`];
  return sql`case when d.${held} is not null then coalesce(${join([sql`(${others})`, ...own, PLACE], ', ')}) end`;
}

/** Drafts in `d` get a published version; `where` says which of them. */
function insertPublished(type: ContentType, where: Sql): Sql {
  const { columns } = type.storage;
  const values = columns.map((column) => publishedPlace(column, type));
  return sql`insert into ${quote(type.table)} (${VERSION_COLUMNS}${list(columns.map(({ name }) => quote(name)))})
    select d.document_id, d.locale, true, d.created_at, d.updated_at, ${TIME}, d.revision${list(values)} from d${where} order by d.id returning *`;
}

/** Published versions take the values of the drafts in `d` and keep their own id and creation time (D18). */
function updatePublished(type: ContentType): Sql {
  const sets = type.storage.columns.map(
    (column) => sql`${quote(column.name)} = ${takenValue(column, sql`d`)}`,
  );
  return sql`update ${quote(type.table)} t set updated_at = d.updated_at, revision = d.revision, published_at = ${TIME}${list(sets)}
    from d where t.document_id = d.document_id and t.locale = d.locale and t.published returning t.*`;
}

/** The drafts of one locale or of all are published as they are, and count as written. */
export function compilePublish(step: PublishStep, links: readonly LinkStep[]): Statement {
  const { type, locale } = step;
  const drafts = sql`update ${quote(type.table)} t set updated_at = ${TIME} where ${isVersionOf(sql`t`, step)} and not t.published returning t.*`;
  const sharing = { from: sql`p`, published: true };
  const others =
    locale === null || !step.links.hasOthers ? null : shared(type, type.storage.columns, sharing);
  const missing = sql` where not ${hasVersion(type, sql`d.document_id`, sql`v.locale = d.locale and v.published`)}`;
  const parts = [
    { name: sql`d`, body: drafts },
    { name: sql`i`, body: insertPublished(type, missing) },
    { name: sql`u`, body: updatePublished(type) },
    { name: sql`p`, body: sql`select * from i union all select * from u` },
    { name: sql`q`, body: others },
  ];
  return statement(step, parts, links);
}

/** The draft takes back what is published, and shares with the drafts of other locales what locales share. */
export function compileDiscard(step: DiscardStep, links: readonly LinkStep[]): Statement {
  const { type, locale } = step;
  const { columns } = type.storage;
  const table = quote(type.table);
  const sets = columns.map((column) => sql`${quote(column.name)} = ${takenValue(column, sql`p`)}`);
  const restored = sql`update ${table} t set updated_at = ${TIME}, revision = p.revision${list(sets)} from ${table} p
    where ${isVersionOf(sql`t`, step)} and not t.published and p.document_id = t.document_id and p.locale = t.locale and p.published returning t.*`;
  const one = sql`select * from d limit 1`;
  const siblings = shared(type, columns, { from: sql`o`, published: false });
  const isShared = siblings !== null && step.links.hasOthers;
  const parts = [
    { name: sql`d`, body: restored },
    { name: sql`o`, body: isShared ? one : null },
    { name: sql`s`, body: isShared ? sharedBeside(siblings, locale) : null },
  ];
  return statement(step, parts, links);
}

/** Versions that the statement restores by themselves are none of the others. */
const sharedBeside = (siblings: Sql, locale: string | null): Sql =>
  locale === null ? sql`${siblings} and not exists (select 1 from d where d.id = t.id)` : siblings;
