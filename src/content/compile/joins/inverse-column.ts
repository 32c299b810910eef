import type { InverseColumnJoin } from '../../model/join-model.js';
import type { Column } from '../../model/model.js';
import { constant, join, quote, type Sql, sql } from '../../../kernel/sql.js';
import { ownerTypeOf } from '../../model/joins.js';
import { notedIf } from '../changes.js';
import { allOf, formerPlaceOf, inState, inStates, type LinkStep, stateOf, writtenId } from '../link-sql.js';
import { column, currentRows, rowOf } from '../scope.js';
import type { ChangeShape, LinksShape, TransferShape } from '../write-shape.js';
import {
  eachState,
  ifOpen,
  isLive,
  type IsOpen,
  namedBy,
  openToChange,
  openToTransfer,
  placed,
  withoutTaking,
} from './inverse-side.js';
import { type JoinSql, tableOf } from './join-sql.js';

interface TargetRows {
  readonly way: InverseColumnJoin;
  readonly attribute: ChangeShape['attribute'];
  readonly from: Sql;
  /** Conditions for the rows `x` that lose the reference unless they are wanted. */
  readonly scope: readonly Sql[];
  readonly isOpen: IsOpen | null;
  /** Condition for rows of unpublished owners, which keep the reference unless another document takes it. */
  readonly waits: Sql | null;
}

/** Wanted rows, except those that would take an exclusive target from a protected owner. */
function takenBy({ way, attribute, from, isOpen }: TargetRows, step: LinksShape): Sql {
  if (attribute.many || isOpen === null) return from;
  const is = [sql`h.${quote(way.column)} = ${writtenId(step)}`, sql`h.published = c.published`];
  return withoutTaking(from, isOpen, {
    table: quote(ownerTypeOf(attribute).table),
    owner: sql`h.document_id`,
    is,
  });
}

/** Clears the remembered list position of a row that moves to another list. */
function forgotten({ way, attribute }: TargetRows): Sql[] {
  if (way.position === null) return [];
  const former = formerPlaceOf(ownerTypeOf(attribute), way.position);
  if (former === undefined) return [];
  const name = quote(former.name);
  return [sql`${name} = case when t.${quote(way.column)} is not distinct from s.holder then t.${name} end`];
}

/** Makes exactly the rows of the wanted documents reference the written one, in all locales. */
function bring(wanted: TargetRows, step: LinksShape): LinkStep[] {
  const { way, attribute, scope, isOpen, waits } = wanted;
  const target = ownerTypeOf(attribute);
  const table = quote(target.table);
  const ownerId = quote(way.column);
  const me = writtenId(step);
  const value = ({ name }: Column): Sql | undefined => (name === way.column ? sql`s.holder` : undefined);
  const place =
    way.position === null
      ? []
      : [
          sql`${quote(way.position)} = case when s.holder is not null
            then coalesce(s.place, t.${quote(way.position)}) end`,
        ];
  const moved = way.position === null ? sql`false` : sql`x.${quote(way.position)} is distinct from w.place`;
  const sets = [
    sql`${ownerId} = s.holder`,
    ...place,
    ...forgotten(wanted),
    notedIf(sql`t.${ownerId} is distinct from s.holder`, { type: target, value }),
  ];
  const ends = (all: Sql): Sql[] => {
    if (waits === null) return [];
    const taken = sql`exists (select 1 from ${all} w where w.published = x.published)`;
    return [attribute.many ? sql`not ${waits}` : sql`(not ${waits} or ${taken})`];
  };
  const lost = (all: Sql): Sql =>
    allOf([sql`x.${ownerId} = ${me}`, ...scope, ...ifOpen(isOpen, sql`x.document_id`), ...ends(all)]);
  const of = sql`w.owner = x.document_id and w.published = x.published`;
  return [
    {
      parts: [
        () => takenBy(wanted, step),
        (part) => sql`update ${table} t set ${join(sets, ', ')} from (
            select x.id, ${me} as holder, w.place from ${part(0)} w join ${table} x on ${of}
              where x.${ownerId} is distinct from ${me} or ${moved}
            union all select x.id, null, null from ${table} x where ${lost(part(0))}
              and (x.document_id, x.published) not in (select w.owner, w.published from ${part(0)} w)) s
          where t.id = s.id`,
      ],
      rows: { type: target, links: null, own: target === step.type },
    },
  ];
}

/** Position of rows in the written document's list; 0 if it has at most one. */
const placeOf = ({ position }: InverseColumnJoin, row: Sql): Sql =>
  position === null ? sql`0::int8` : sql`${row}.${quote(position)}`;

function replace(way: InverseColumnJoin, change: ChangeShape, step: LinksShape): LinkStep[] {
  const { attribute, targets, states } = change;
  const owners = ownerTypeOf(attribute);
  const mine = [sql`x.${quote(way.column)} = ${writtenId(step)}`, inState(sql`x`, !owners.draftAndPublish)];
  const stored = sql`select x.document_id as owner, ${placeOf(way, sql`x`)} as place
    from ${quote(owners.table)} x where ${allOf(mine)}`;
  const isOpen = openToChange(change);
  const from = sql`select p.id as owner, s.published, p.place from (${placed(owners, targets, stored)}) p
    cross join (${eachState(states)}) s where ${allOf([sql`true`, ...ifOpen(isOpen, sql`p.id`)])}`;
  return bring({ way, attribute, from, scope: inStates(sql`x`, states), isOpen, waits: null }, step);
}

function transfer(way: InverseColumnJoin, change: TransferShape, step: LinksShape): LinkStep[] {
  const { attribute, published } = change;
  const owners = ownerTypeOf(attribute);
  const ownerId = quote(way.column);
  const live = (row: Sql): Sql => isLive(owners, { owner: sql`${row}.document_id`, locale: null });
  const isOpen = openToTransfer(owners, change);
  const source = allOf([
    sql`f.${ownerId} = ${writtenId(step)}`,
    inState(sql`f`, !published),
    live(sql`f`),
    ...ifOpen(isOpen, sql`f.document_id`),
  ]);
  const from = sql`select f.document_id as owner, ${stateOf(published)} as published,
    max(${placeOf(way, sql`f`)}) as place from ${quote(owners.table)} f where ${source} group by 1`;
  // Published rows are live themselves.
  const waits = published ? null : sql`not ${live(sql`x`)}`;
  return bring({ way, attribute, from, scope: [inState(sql`x`, published)], isOpen, waits }, step);
}

/** Relation that is stored in the targets' rows: the inverse side of a to-one relation. */
export const inverseColumnJoin: JoinSql<InverseColumnJoin> = {
  versioned: true,
  isLookedUp: () => false,
  isJoined: () => false,
  targets: (way, { from, target }) => ({
    from: tableOf(target),
    conditions: [sql`${target.alias}.${quote(way.column)} = ${column(rowOf(from), 'document_id')}`],
    position: way.position === null ? column(target, 'id') : sql`${target.alias}.${quote(way.position)}`,
  }),
  storedList: (way, { row, attribute, defaultLocale }) => {
    const mine = [
      sql`x.${quote(way.column)} = ${column(row, 'document_id')}`,
      ...currentRows(ownerTypeOf(attribute), sql`x`, constant(defaultLocale)),
    ];
    return namedBy(ownerTypeOf(attribute), {
      from: sql`${quote(ownerTypeOf(attribute).table)} x where ${allOf(mine)}`,
      owner: sql`x.document_id`,
      place: placeOf(way, sql`x`),
      row: sql`x`,
    });
  },
  linksTo: (way, me) => sql`x.${quote(way.column)} = ${me}`,
  replace,
  transfer,
  losers: () => null,
};
