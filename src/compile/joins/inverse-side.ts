/**
 * What the sides that do not own their relation have in common: others own the links that lead to our
 * document.
 */
import type { ContentType } from '../../schema/model.js';
import { type Param, type Sql, sql, union } from '../../sql.js';
import { nextCount } from '../changes.js';
import { compileOwnShape } from '../compile-own.js';
import { hasVersion } from '../scope.js';
import { allOf, notAmong, stateOf, texts } from '../link-sql.js';
import type { ChangeShape, TransferShape } from '../write-shape.js';

/** Links or rows that name our document: their `owner` and `place`, of the state that is being edited. */
interface Naming {
  readonly from: Sql;
  readonly owner: Sql;
  readonly place: Sql;
  /** The row or link whose state counts. */
  readonly row: Sql;
}

/**
 * The documents that name ours, in the order of their places: as drafts, and those published ones that have
 * no draft yet (D29).
 */
export function namedBy(target: ContentType, { from, owner, place, row }: Naming): Sql {
  const draftless = sql`${row}.published and not ${hasVersion(target, owner, sql`not v.published`)}`;
  const state = target.draftAndPublish ? sql`(not ${row}.published or ${draftless})` : sql`${row}.published`;
  return sql`(select coalesce(json_agg(y.owner order by y.place), '[]')
    from (select ${owner} as owner, min(${place}) as place from ${from} and ${state} group by 1) y)`;
}

/**
 * A new list with the place of each document on it: `id` and `place`. The first ones keep the places that
 * they have, as far as those are in the list's order; all from there on come behind everything else (D24).
 * `stored` has the `owner` and `place` of what is there.
 */
export function placed(type: ContentType, targets: Param, stored: Sql): Sql {
  // Both lists are put together by grouping: a join might search one of them for each entry of the other.
  const listed = sql`select k.id, k.n, null::int8 as place from unnest(${texts(targets)})
    with ordinality k(id, n)`;
  const both = sql`select u.id, min(u.n) as n, max(u.place) as place from (${listed} union all
    select s.owner, null, s.place from (${stored}) s) u group by u.id having min(u.n) is not null`;
  return sql`select r.id, case when r.renewed then ${nextCount(type)} else r.place end as place from (
      select b.id, b.n, b.place, bool_or(b.place is null or b.place <= b.greatest)
        over (order by b.n) as renewed from (
        select o.id, o.n, o.place, max(o.place) over (order by o.n rows between unbounded preceding
          and 1 preceding) as greatest
        from (${both}) o) b order by b.n) r`;
}

/** In each of some states. */
export const eachState = (states: readonly boolean[]): Sql =>
  union(states.map((published) => sql`select ${stateOf(published)} as published`));

/** Whether a write may touch a document's links. */
export type IsOpen = (owner: Sql) => Sql;

/** The documents whose links a change may touch; null where it may touch all. */
export const openToChange = ({ untouched }: ChangeShape): IsOpen | null =>
  untouched === null ? null : (owner) => notAmong(owner, untouched);

/** The documents whose links a transfer may touch: those that may be updated (D26); null where all may. */
export const openToTransfer = (type: ContentType, { owners }: TransferShape): IsOpen | null =>
  owners === 'all' ? null : (owner) => hasVersion(type, owner, compileOwnShape(owners, sql`v`));

/** The condition itself; nothing where all are open. */
export const ifOpen = (isOpen: IsOpen | null, owner: Sql): Sql[] => (isOpen === null ? [] : [isOpen(owner)]);

/** Whether an owner has a published version, in the locale of a link where locales do not share it. */
export const isLive = (type: ContentType, { owner, locale }: OwnedLink): Sql =>
  hasVersion(type, owner, sql`v.published${locale === null ? sql`` : sql` and v.locale = ${locale}`}`);

/** Whose link it is, and in which locale; null where locales share it. */
interface OwnedLink {
  readonly owner: Sql;
  readonly locale: Sql | null;
}

/**
 * Wanted owners without those that would take a document which has one owner at most from somebody whose
 * links are not open: it stays there (D22). `holder` says which rows `h` hold it where `c` wants it.
 */
export const withoutTaking = (from: Sql, isOpen: IsOpen, holder: Holder): Sql =>
  sql`select c.* from (${from}) c where not exists (select 1 from ${holder.table} h
    where ${allOf(holder.is)} and ${holder.owner} <> c.owner and not ${isOpen(holder.owner)})`;

interface Holder {
  readonly table: Sql;
  readonly owner: Sql;
  readonly is: readonly Sql[];
}
