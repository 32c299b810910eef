/** Writes rows: creates or updates a version, publishes it, and updates shared values. */
import type { Column, LinkedAttribute } from '../model/model.js';
import { nextTime, changeColumns, revisionOf, TIME } from './changes.js';
import { insertPublished, updatePublished } from './compile-transitions.js';
import { inState, type LinkStep, stateOf, texts } from './link-sql.js';
import { forms, inMany, join, type Param, quote, type Sql, sql, union } from '../../kernel/sql.js';
import { list, newPlace, PLACE, placeIn, shared, statement, VERSION_COLUMNS } from './version-sql.js';
import type { RowsShape } from './write-shape.js';

function versionValues({ documentId, locale, createdAt }: RowsShape, published: Sql, time: Sql): Sql {
  const created = createdAt === null ? TIME : sql`${createdAt}::timestamptz`;
  return sql`${documentId}::text, ${locale}::text, ${published}, ${created}, ${TIME}, ${time}`;
}

const timeOf = (published: boolean): Sql => (published ? TIME : sql`null`);

/** Common table expression with the digest of each write, computed once for all its rows. */
const DIGEST = sql`r`;

/** Rows `g` of several writes, each of which updates a row. */
const FROM_MANY = inMany(sql` from g`);

interface PrintedValues {
  readonly values: ReadonlyMap<Column, Sql>;
  readonly lists: ReadonlyMap<LinkedAttribute, Sql>;
}

function givenOf({ type, given, value, links }: RowsShape): PrintedValues {
  const columns = type.storage.columns.filter(
    ({ attribute, placeOf }) => placeOf === null && given.has(attribute),
  );
  const owned = links.changes.filter(({ attribute: { join: way } }) => way.side !== 'inverse');
  return {
    values: new Map(columns.map((column) => [column, sql`${value(column)}${column.cast}`])),
    lists: new Map(owned.map(({ attribute, documentIds }) => [attribute, texts(documentIds)])),
  };
}

const empty = ({ cast }: Column): Sql => sql`null${cast}`;

/** Creates a document in one statement: draft, published version if requested, and links. */
function compileCreate(request: RowsShape, links: readonly LinkStep[]): Sql {
  const { type } = request;
  const { values, lists } = givenOf(request);
  const columns = type.storage.columns.filter(({ attribute }) => request.given.has(attribute));
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
    (published) => sql`(${versionValues(request, stateOf(published), timeOf(published))},
      (select r.revision from r)${list(given)})`,
  );
  const each = union(states.map((published) => sql`select ${stateOf(published)} as published`));
  const time = sql`case when s.published then ${TIME} end`;
  const many = sql`select ${versionValues(request, sql`s.published`, time)}, r.revision${list(given)}
    from g join r on r.item = g.item cross join (${each}) s order by g.item, s.published`;
  const names = list(columns.map(({ name }) => quote(name)));
  const inserted = sql`insert into ${quote(type.table)} (${VERSION_COLUMNS}${names})
    ${forms(sql`values ${join(rows, ', ')}`, many)} returning ${request.answer === null ? sql`id` : sql`*`}`;
  const parts = [
    {
      name: DIGEST,
      once: true,
      body: sql`select ${inMany(sql`g.item, `)}${revision} as revision${FROM_MANY}`,
    },
    { name: sql`d`, body: inserted },
  ];
  return statement({ type, ...endOf(request, AMONG_STATES) }, parts, links);
}

type RowsOfState = (published: boolean) => Sql;

const AMONG_STATES: RowsOfState = (published) => sql`(select * from d where ${inState(sql`d`, published)})`;

const endOf = ({ answer, documentId }: RowsShape, writeRow: RowsOfState): { readonly last?: Sql } =>
  answer === null ? {} : { last: answer.from(writeRow(answer.published), documentId) };

/** List position of a new row; null without a target. */
const placeOfNew = (column: Column, { emptied }: RowsShape): Sql =>
  emptied.has(column.attribute) ? sql`null::int8` : newPlace(column);

/** Updates the written version, or inserts it with the shared values of another locale. */
const written = (request: RowsShape): Sql =>
  request.row === null ? insertTaking(request) : updateRow(request, request.row);

function writtenTo(request: RowsShape): WrittenValues {
  const { columns, columnOf } = request.type.storage;
  const { values, lists } = givenOf(request);
  const given = columns.filter(({ attribute }) => request.given.has(attribute));
  const value = (column: Column): Sql => {
    const held = columnOf.get(column.attribute.name) ?? column;
    return values.get(column) ?? placeIn(column, values.get(held) ?? empty(held));
  };
  return { given, value, lists };
}

interface WrittenValues extends Pick<PrintedValues, 'lists'> {
  readonly given: readonly Column[];
  readonly value: (column: Column) => Sql;
}

function updateRow(request: RowsShape, row: Param): Sql {
  const { type } = request;
  const { given, value, lists } = writtenTo(request);
  const sets = given.map((column) => sql`${quote(column.name)} = ${value(column)}`);
  // `published_at` of a file is the time of its upload (20.6).
  const published = type.draftAndPublish || type.internal ? sql`` : sql`, published_at = ${TIME}`;
  const content = {
    type,
    lists,
    value: (column: Column) => (given.includes(column) ? value(column) : undefined),
  };
  return sql`update ${quote(type.table)} t set ${changeColumns(content)}${published}${list(sets)}
    ${FROM_MANY} where t.id = ${row}::int4 returning t.*`;
}

/** Inserts a version in a new locale with shared values. Its links may already exist (D25). */
function insertTaking(request: RowsShape): Sql {
  const { type, locale, base } = request;
  const { given, value, lists } = writtenTo(request);
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
  const names = [...values.keys()].map(({ name }) => quote(name));
  return sql`insert into ${quote(type.table)} (${VERSION_COLUMNS}${list(names)})
    select ${versionValues(request, stateOf(published), timeOf(published))}, ${revision}${list([...values.values()])}
    from ${inMany(sql`g cross join `)}${quote(type.table)} t
    cross join lateral (select t.document_id, t.published, ${locale}::text as locale) r
    where t.id = ${base ?? sql`null`}::int4${inMany(sql` order by g.item`)} returning *`;
}

/** Updates an existing document: version, published copy, and values shared by locales. */
function compileUpdate(request: RowsShape, links: readonly LinkStep[]): Sql {
  const { type, publish, hasOthers, live, unmodified } = request;
  const publishes = type.draftAndPublish && publish;
  if (publishes && unmodified && live !== null) return updateBoth(request, live, links);
  const { columns } = type.storage;
  const place = forms(PLACE, sql`(select g.place from g where ${request.documentId}::text = d.document_id)`);
  const published = live === null ? insertPublished(type, sql``, place) : updatePublished(type, place);
  const own = { from: sql`d`, published: !type.draftAndPublish };
  const other = { from: sql`p`, published: true };
  const parts = [
    { name: sql`d`, body: written(request) },
    { name: sql`s`, body: hasOthers ? shared(type, writtenTo(request).given, own) : null },
    { name: sql`p`, body: publishes ? published : null },
    { name: sql`q`, body: publishes && hasOthers ? shared(type, columns, other) : null },
  ];
  const version: RowsOfState = (shown) => (publishes && shown ? sql`p` : sql`d`);
  return statement({ type, ...endOf(request, version) }, parts, links);
}

/** Updates a draft and an identical published version in the same way. */
function updateBoth(request: RowsShape, live: Param, links: readonly LinkStep[]): Sql {
  const { type, hasOthers } = request;
  const row = sql`${request.row ?? sql`null`}::int4`;
  const table = quote(type.table);
  const { given, value, lists } = writtenTo(request);
  const values = new Map(given.map((column) => [column, value(column)]));
  const sets = [...values].map(([{ name }, one]) => sql`${quote(name)} = ${one}`);
  const revision = revisionOf({ type, row: sql`t`, lists, value: (column) => values.get(column) });
  const sharing = (published: boolean): Sql | null =>
    shared(type, given, { from: published ? sql`p` : sql`o`, published });
  const shares = hasOthers && sharing(true) !== null;
  const computed = (column: Sql): Sql => forms(sql`(select r.${column} from r)`, sql`r.${column}`);
  const isEither = forms(
    sql`where t.id in (${row}, ${live}::int4)`,
    sql`from g join r on r.item = g.item where t.id = any(array[${row}, ${live}::int4])`,
  );
  const both = sql`update ${table} t set updated_at = ${computed(sql`time`)}, revision = ${computed(sql`revision`)},
      published_at = case when t.published then ${TIME} end${list(sets)}
    ${isEither} returning ${shares || request.answer !== null ? sql`t.*` : sql`t.id`}`;
  const parts = [
    {
      name: DIGEST,
      once: true,
      // Equal versions have one time, even if a write of the transaction changed only one of them before.
      body: sql`select ${inMany(sql`g.item, `)}${revision} as revision,
          greatest(${nextTime(sql`t`)}, ${nextTime(sql`l`)}) as time
        from ${inMany(sql`g, `)}${table} t, ${table} l where t.id = ${row} and l.id = ${live}::int4`,
    },
    { name: sql`d`, body: both },
    { name: sql`o`, body: shares ? sql`select * from d where not d.published` : null },
    { name: sql`p`, body: shares ? sql`select * from d where d.published` : null },
    { name: sql`s`, body: shares ? sharing(false) : null },
    { name: sql`q`, body: shares ? sharing(true) : null },
  ];
  return statement({ type, ...endOf(request, AMONG_STATES) }, parts, links);
}

export const compileRows = (request: RowsShape, links: readonly LinkStep[]): Sql =>
  request.row === null && request.base === null
    ? compileCreate(request, links)
    : compileUpdate(request, links);
