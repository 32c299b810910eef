/**
 * The links of a write: all relations of a document, own and inverse, in one statement whose size ignores how
 * many targets.
 */
import type { LinkChange, LinkCopy, LinksStep, Owners, Takeover } from '../plan/steps.js';
import type { Join } from '../schema/model.js';
import { alias, type Identifier, join, param, print, quote, type Sql, sql, type Statement } from '../sql.js';

const texts = (values: readonly string[]): Sql => sql`${param(values)}::text[]`;

/** Whether an id is in none of a list, which is hashed once and not searched for each row. */
const notAmong = (id: Sql, list: readonly string[]): Sql =>
  sql`${id} not in (select k.id from unnest(${texts(list)}) k(id))`;

type LinkJoin = Extract<Join, { kind: 'link' }>;

/** The rows whose links are meant, as a table with an `id`; those that the statement inserts are in `d`. */
function ownerRows(owners: Owners | 'inserted', { type, documentId }: LinksStep): Sql {
  if (owners === 'inserted') return sql`d o`;
  const { published, locale } = owners;
  const conditions = [
    sql`v.document_id = ${param(documentId)}::text`,
    ...(published === null ? [] : [published ? sql`v.published` : sql`not v.published`]),
    ...(locale === null ? [] : [sql`v.locale = ${param(locale)}::text`]),
  ];
  return sql`(select v.id, v.published from ${quote(type.table)} v where ${join(conditions, ' and ')}) o`;
}

/**
 * One step of a statement. Steps that update one table may meet at a row, which a statement changes only
 * once.
 */
interface Step {
  readonly sql: Sql;
  /** The table that the step updates; null for steps on link tables, which never meet. */
  readonly updates: Identifier | null;
}

const onLinks = (steps: readonly Sql[]): Step[] => steps.map((step) => ({ sql: step, updates: null }));

function replaceLinks({ targets, owners }: LinkChange, way: LinkJoin, step: LinksStep): Step[] {
  const table = quote(way.table);
  const rows = ownerRows(owners, step);
  const insert = sql`insert into ${table} (owner_id, target_document_id, position)
      select o.id, l.id, l.n from ${rows} cross join unnest(${texts(targets)}) with ordinality l(id, n) order by o.id, l.n`;
  if (owners === 'inserted') return onLinks([insert]);
  return onLinks([
    sql`delete from ${table} l using ${rows} where l.owner_id = o.id and ${notAmong(sql`l.target_document_id`, targets)}`,
    sql`${insert} on conflict (owner_id, target_document_id) do update set position = excluded.position`,
  ]);
}

function copyLinks({ from, to }: LinkCopy, way: LinkJoin, step: LinksStep): Step[] {
  const table = quote(way.table);
  const rows = ownerRows(to, step);
  const source = sql`select target_document_id from ${table} where owner_id = ${param(from)}::int4`;
  const inverse = way.twoWay ? sql`, inverse_position` : sql``;
  const inverseSource = way.twoWay ? sql`, l.inverse_position` : sql``;
  const inverseUpdate = way.twoWay ? sql`, inverse_position = excluded.inverse_position` : sql``;
  return onLinks([
    sql`delete from ${table} l using ${rows} where l.owner_id = o.id and l.target_document_id not in (${source})`,
    sql`insert into ${table} (owner_id, target_document_id, position${inverse})
      select o.id, l.target_document_id, l.position${inverseSource} from ${rows} cross join ${table} l
      where l.owner_id = ${param(from)}::int4 order by o.id, l.position
      on conflict (owner_id, target_document_id) do update set position = excluded.position${inverseUpdate}`,
  ]);
}

/** Which of the targets' rows an inverse side writes: drafts only or both states, one locale or all. */
function rowsOf(
  { attribute: { target }, untouched }: LinkChange,
  way: InverseJoin,
  request: LinksStep,
  row: Sql,
): Sql {
  const state = target.draftAndPublish && request.draftsOnly ? sql` and not ${row}.published` : sql``;
  const locale = way.perLocale ? sql` and ${row}.locale = ${param(request.locale)}::text` : sql``;
  const others = untouched.length === 0 ? sql`` : sql` and ${notAmong(sql`${row}.document_id`, untouched)}`;
  return sql`${state}${locale}${others}`;
}

type InverseJoin = Extract<Join, { kind: 'inverseColumn' | 'inverseLink' }>;

/** The other side of a to-one: its rows come to hold our document id, and those left out lose it. */
function replaceInverseColumn(
  change: LinkChange,
  way: Extract<Join, { kind: 'inverseColumn' }>,
  request: LinksStep,
): Step[] {
  const { attribute, targets } = change;
  const table = quote(attribute.target.table);
  const column = quote(way.column);
  const me = sql`${param(request.documentId)}::text`;
  const position =
    way.position === null ? sql`` : sql`, ${quote(way.position)} = coalesce(s.n, t.${quote(way.position)})`;
  const rows = rowsOf(change, way, request, sql`x`);
  // Lists are joined and hashed, never searched for each row.
  const kept = sql`select x.id, ${me} as holder, l.n from unnest(${texts(targets)}) with ordinality l(id, n)
      join ${table} x on x.document_id = l.id${rows}`;
  const lost = sql`select x.id, null, null from ${table} x where x.${column} = ${me}${rows} and ${notAmong(sql`x.document_id`, targets)}`;
  const update = sql`update ${table} t set ${column} = s.holder${position} from (${kept} union all ${lost}) s where t.id = s.id`;
  return [{ sql: update, updates: attribute.target.table }];
}

/** The other side of a many-to-many: links of the targets' rows to our document, ordered on our side. */
function replaceInverseLinks(
  change: LinkChange,
  way: Extract<Join, { kind: 'inverseLink' }>,
  request: LinksStep,
): Step[] {
  const { attribute, targets } = change;
  const table = quote(way.table);
  const owner = quote(attribute.target.table);
  const me = sql`${param(request.documentId)}::text`;
  const state = rowsOf(change, way, request, sql`x`);
  return onLinks([
    sql`delete from ${table} l using ${owner} x where x.id = l.owner_id and l.target_document_id = ${me} and ${notAmong(sql`x.document_id`, targets)}${state}`,
    sql`insert into ${table} (owner_id, target_document_id, position, inverse_position)
      select x.id, ${me}, coalesce((select max(m.position) + 1 from ${table} m where m.owner_id = x.id), 1), l.n
      from unnest(${texts(targets)}) with ordinality l(id, n) join ${owner} x on x.document_id = l.id${state} order by x.id
      on conflict (owner_id, target_document_id) do update set inverse_position = excluded.inverse_position`,
  ]);
}

/** A column of the owner's own table, and which rows of other documents lose what it holds. */
interface Release {
  readonly column: Sql;
  readonly lost: Sql;
}

/** A one-to-one target belongs to one owner: the former one loses it (protocol 11.22). */
function steal({ attribute, targets, owners }: LinkChange, request: LinksStep): Release[] {
  if (!attribute.exclusive || targets.length === 0 || attribute.join.kind !== 'column') return [];
  const column = quote(attribute.join.column);
  const written = ownerRows(owners, request);
  return [
    {
      column,
      lost: sql`t.${column} = any(${texts(targets)}) and t.published in (select o.published from ${written})`,
    },
  ];
}

function takeOver({ attribute, from, published }: Takeover, request: LinksStep): Release[] {
  if (attribute.join.kind !== 'column') return [];
  const column = quote(attribute.join.column);
  const source = (what: Sql): Sql =>
    sql`(select s.${what} from ${quote(request.type.table)} s where s.id = ${param(from)}::int4)`;
  const state = published ? sql`t.published` : sql`not t.published`;
  return [
    { column, lost: sql`t.${column} = ${source(column)} and t.locale = ${source(sql`locale`)} and ${state}` },
  ];
}

/** All that other documents of the type lose, in one update, because a row may lose several things. */
function release(releases: readonly Release[], request: LinksStep): Step[] {
  const [first] = releases;
  if (first === undefined) return [];
  const sets = releases.map(({ column, lost }) =>
    releases.length === 1
      ? sql`${column} = null`
      : sql`${column} = case when ${lost} then null else t.${column} end`,
  );
  const lost =
    releases.length === 1
      ? first.lost
      : sql`(${join(
          releases.map((one) => sql`(${one.lost})`),
          ' or ',
        )})`;
  const update = sql`update ${quote(request.type.table)} t set ${join(sets, ', ')} where ${lost} and t.document_id <> ${param(request.documentId)}::text`;
  return [{ sql: update, updates: request.type.table }];
}

function changeOf(change: LinkChange, request: LinksStep): Step[] {
  const way = change.attribute.join;
  switch (way.kind) {
    case 'link':
      return replaceLinks(change, way, request);
    case 'inverseColumn':
      return replaceInverseColumn(change, way, request);
    case 'inverseLink':
      return replaceInverseLinks(change, way, request);
    default:
      return [];
  }
}

/**
 * The steps that bring all links of a write about, as one batch per statement: the first may go with the
 * rows. More than one is needed only where two relations of one body update the same table.
 */
export function linkBatches(request: LinksStep): Sql[][] {
  const copies = request.copies.flatMap((copy) =>
    copy.attribute.join.kind === 'link' ? copyLinks(copy, copy.attribute.join, request) : [],
  );
  const releases = [
    ...request.changes.flatMap((change) => steal(change, request)),
    ...request.takeovers.flatMap((takeover) => takeOver(takeover, request)),
  ];
  const batches: Step[][] = [];
  // What depends on the rows that are being inserted has to be in the first batch.
  for (const step of [
    ...release(releases, request),
    ...request.changes.flatMap((change) => changeOf(change, request)),
    ...copies,
  ]) {
    const free = batches.find(
      (batch) => step.updates === null || batch.every(({ updates }) => updates !== step.updates),
    );
    if (free === undefined) batches.push([step]);
    else free.push(step);
  }
  return batches.map((batch) => batch.map((step) => step.sql));
}

/** One statement for a batch of steps. */
export const compileLinks = (batch: readonly Sql[]): Statement =>
  print(
    sql`with ${join(
      batch.map((step, i) => sql`${alias('k', i)} as (${step})`),
      ', ',
    )} select 1`,
  );
