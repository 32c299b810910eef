/**
 * The links of a write: all relations of a document, own and inverse, in one statement whose size ignores how
 * many targets.
 */
import type { LinkChange, LinkCopy, LinksStep, CopiedTarget } from '../plan/steps.js';
import { alias, join, param, print, quote, type Sql, sql, type Statement } from '../sql.js';
import { joinSql } from './joins/joins.js';
import { contentsOf, type LinkStep, namesOf, onLinks, holderRows, texts } from './link-sql.js';

function copyLinks({ links, from, to }: LinkCopy, step: LinksStep): LinkStep[] {
  const { table, holder, target, position } = namesOf(links);
  const rows = holderRows(to, step);
  const contents = contentsOf(links);
  const values = contents.map((column) => sql`l.${column}`);
  const [, ...places] = contents.map((column) => sql`${column} = excluded.${column}`);
  const source = sql`select ${target} from ${table} where ${holder} = ${param(from)}::int4`;
  return onLinks([
    sql`delete from ${table} l using ${rows} where l.${holder} = o.id and l.${target} not in (${source})`,
    sql`insert into ${table} (${holder}, ${join(contents, ', ')})
      select o.id, ${join(values, ', ')} from ${rows} cross join ${table} l
      where l.${holder} = ${param(from)}::int4 order by o.id, l.${position}
      on conflict (${holder}, ${target}) do update set ${join(places, ', ')}`,
  ]);
}

const replaceLinks = (change: LinkChange, request: LinksStep): LinkStep[] => {
  const { join: way } = change.attribute;
  return joinSql(way).replace(way, change, request);
};

/** A column of the written table, and which rows of other documents it is taken from. */
interface Reassignment {
  readonly column: Sql;
  readonly affected: Sql;
}

/** A one-to-one target has one holder: the former one loses it (protocol 11.22). */
function reassignTargets(
  { attribute, targets, rows: holders }: LinkChange,
  request: LinksStep,
): Reassignment[] {
  const held = request.type.storage.columnOf.get(attribute.name);
  if (!attribute.exclusive || targets.length === 0 || held === undefined) return [];
  const column = quote(held.name);
  const written = holderRows(holders, request);
  return [
    {
      column,
      affected: sql`t.${column} = any(${texts(targets)}) and t.published in (select o.published from ${written})`,
    },
  ];
}

function reassignCopied({ attribute, from, published }: CopiedTarget, request: LinksStep): Reassignment[] {
  const held = request.type.storage.columnOf.get(attribute.name);
  if (held === undefined) return [];
  const column = quote(held.name);
  const source = (what: Sql): Sql =>
    sql`(select s.${what} from ${quote(request.type.table)} s where s.id = ${param(from)}::int4)`;
  const state = published ? sql`t.published` : sql`not t.published`;
  return [
    {
      column,
      affected: sql`t.${column} = ${source(column)} and t.locale = ${source(sql`locale`)} and ${state}`,
    },
  ];
}

/** All that other documents of the type lose, in one update, because a row may lose several things. */
function reassign(reassignments: readonly Reassignment[], request: LinksStep): LinkStep[] {
  const [first] = reassignments;
  if (first === undefined) return [];
  const sets = reassignments.map(({ column, affected }) =>
    reassignments.length === 1
      ? sql`${column} = null`
      : sql`${column} = case when ${affected} then null else t.${column} end`,
  );
  const affected =
    reassignments.length === 1
      ? first.affected
      : sql`(${join(
          reassignments.map((one) => sql`(${one.affected})`),
          ' or ',
        )})`;
  const update = sql`update ${quote(request.type.table)} t set ${join(sets, ', ')} where ${affected} and t.document_id <> ${param(request.documentId)}::text`;
  return [{ sql: update, updates: request.type.table }];
}

/**
 * The steps that bring all links of a write about, as one batch per statement: the first may go with the
 * rows. More than one is needed only where two relations of one body update the same table.
 */
export function linkBatches(request: LinksStep): Sql[][] {
  const copies = request.copies.flatMap((copy) => copyLinks(copy, request));
  const reassignments = [
    ...request.changes.flatMap((change) => reassignTargets(change, request)),
    ...request.reassigned.flatMap((copied) => reassignCopied(copied, request)),
  ];
  const batches: LinkStep[][] = [];
  // What depends on the rows that are being inserted has to be in the first batch.
  for (const step of [
    ...reassign(reassignments, request),
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
