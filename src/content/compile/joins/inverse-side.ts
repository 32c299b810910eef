/** SQL shared by inverse sides, whose links belong to other documents. */
import type { ContentType } from '../../model/model.js';
import { type Param, type Sql, sql, union } from '../../../kernel/sql.js';
import { nextCount } from '../changes.js';
import { compileOwnShape } from '../compile-own.js';
import { hasVersion } from '../scope.js';
import { allOf, notAmong, stateOf, texts } from '../link-sql.js';
import type { ChangeShape, TransferShape } from '../write-shape.js';

interface Naming {
  readonly from: Sql;
  readonly owner: Sql;
  readonly place: Sql;
  readonly row: Sql;
}

/**
 * Selects the documents that reference the written one, ordered by position: drafts, and published documents
 * that have no draft yet (D29).
 */
export function namedBy(target: ContentType, { from, owner, place, row }: Naming): Sql {
  const draftless = sql`${row}.published and not ${hasVersion(target, owner, sql`not v.published`)}`;
  const state = target.draftAndPublish ? sql`(not ${row}.published or ${draftless})` : sql`${row}.published`;
  return sql`(select coalesce(json_agg(y.owner order by y.place), '[]')
    from (select ${owner} as owner, min(${place}) as place from ${from} and ${state} group by 1) y)`;
}

/**
 * Selects a new list with positions: `id` and `place`. Leading documents keep their positions while these
 * ascend; the others get new ones at the end (D24).
 *
 * `stored` has the `owner` and `place` of the current list.
 */
export function placed(type: ContentType, targets: Param, stored: Sql): Sql {
  // Grouping takes linear time; a nested-loop join could scan one list per entry of the other.
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

export const eachState = (states: readonly boolean[]): Sql =>
  union(states.map((published) => sql`select ${stateOf(published)} as published`));

/** Condition that a write may change the links of an owner. */
export type IsOpen = (owner: Sql) => Sql;

/** Condition for owners whose links a change may touch; null if it may touch all. */
export const openToChange = ({ untouched }: ChangeShape): IsOpen | null =>
  untouched === null ? null : (owner) => notAmong(owner, untouched);

/** Condition for owners whose links a transfer may touch, if they may be updated (D26); null for all. */
export const openToTransfer = (type: ContentType, { owners }: TransferShape): IsOpen | null =>
  owners === 'all' ? null : (owner) => hasVersion(type, owner, compileOwnShape(owners, sql`v`));

export const ifOpen = (isOpen: IsOpen | null, owner: Sql): Sql[] => (isOpen === null ? [] : [isOpen(owner)]);

/** Condition that an owner has a published version, in the locale of the link unless locales share it. */
export const isLive = (type: ContentType, { owner, locale }: OwnedLink): Sql =>
  hasVersion(type, owner, sql`v.published${locale === null ? sql`` : sql` and v.locale = ${locale}`}`);

interface OwnedLink {
  readonly owner: Sql;
  readonly locale: Sql | null;
}

/**
 * Removes wanted owners that would take an exclusive document from an owner whose links the caller may not
 * change (D22).
 *
 * `holder` selects that owner: rows `h` with the document that `c` wants.
 */
export const withoutTaking = (from: Sql, isOpen: IsOpen, holder: Holder): Sql =>
  sql`select c.* from (${from}) c where not exists (select 1 from ${holder.table} h
    where ${allOf(holder.is)} and ${holder.owner} <> c.owner and not ${isOpen(holder.owner)})`;

interface Holder {
  readonly table: Sql;
  readonly owner: Sql;
  readonly is: readonly Sql[];
}
