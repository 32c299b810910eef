/**
 * The links of a write: all relations of a document, own and inverse, in one statement whose size ignores how
 * many targets.
 */
import type { LinkChange, LinkCopy, LinksStep, Takeover } from '../plan/steps.js';
import { alias, join, param, print, quote, type Sql, sql, type Statement } from '../sql.js';
import { joinSql } from './joins/joins.js';
import { contentsOf, type LinkStep, namesOf, onLinks, ownerRows, texts } from './link-sql.js';

function copyLinks({ links, from, to }: LinkCopy, step: LinksStep): LinkStep[] {
  const { table, owner, target, position } = namesOf(links);
  const rows = ownerRows(to, step);
  const contents = contentsOf(links);
  const values = contents.map((column) => sql`l.${column}`);
  const [, ...places] = contents.map((column) => sql`${column} = excluded.${column}`);
  const source = sql`select ${target} from ${table} where ${owner} = ${param(from)}::int4`;
  return onLinks([
    sql`delete from ${table} l using ${rows} where l.${owner} = o.id and l.${target} not in (${source})`,
    sql`insert into ${table} (${owner}, ${join(contents, ', ')})
      select o.id, ${join(values, ', ')} from ${rows} cross join ${table} l
      where l.${owner} = ${param(from)}::int4 order by o.id, l.${position}
      on conflict (${owner}, ${target}) do update set ${join(places, ', ')}`,
  ]);
}

const replaceLinks = (change: LinkChange, request: LinksStep): LinkStep[] => {
  const { join: way } = change.attribute;
  return joinSql(way).replace(way, change, request);
};

/** A column of the owner's own table, and which rows of other documents lose what it holds. */
interface Release {
  readonly column: Sql;
  readonly lost: Sql;
}

/** A one-to-one target belongs to one owner: the former one loses it (protocol 11.22). */
function steal({ attribute, targets, owners }: LinkChange, request: LinksStep): Release[] {
  const held = request.type.storage.columnOf.get(attribute.name);
  if (!attribute.exclusive || targets.length === 0 || held === undefined) return [];
  const column = quote(held.name);
  const written = ownerRows(owners, request);
  return [
    {
      column,
      lost: sql`t.${column} = any(${texts(targets)}) and t.published in (select o.published from ${written})`,
    },
  ];
}

function takeOver({ attribute, from, published }: Takeover, request: LinksStep): Release[] {
  const held = request.type.storage.columnOf.get(attribute.name);
  if (held === undefined) return [];
  const column = quote(held.name);
  const source = (what: Sql): Sql =>
    sql`(select s.${what} from ${quote(request.type.table)} s where s.id = ${param(from)}::int4)`;
  const state = published ? sql`t.published` : sql`not t.published`;
  return [
    { column, lost: sql`t.${column} = ${source(column)} and t.locale = ${source(sql`locale`)} and ${state}` },
  ];
}

/** All that other documents of the type lose, in one update, because a row may lose several things. */
function release(releases: readonly Release[], request: LinksStep): LinkStep[] {
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

/**
 * The steps that bring all links of a write about, as one batch per statement: the first may go with the
 * rows. More than one is needed only where two relations of one body update the same table.
 */
export function linkBatches(request: LinksStep): Sql[][] {
  const copies = request.copies.flatMap((copy) => copyLinks(copy, request));
  const releases = [
    ...request.changes.flatMap((change) => steal(change, request)),
    ...request.takeovers.flatMap((takeover) => takeOver(takeover, request)),
  ];
  const batches: LinkStep[][] = [];
  // What depends on the rows that are being inserted has to be in the first batch.
  for (const step of [
    ...release(releases, request),
    ...request.changes.flatMap((change) => replaceLinks(change, request)),
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
