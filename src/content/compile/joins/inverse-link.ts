import { type InverseLinkJoin, SHARED_LOCALE } from '../../model/join-model.js';
import { ownerTypeOf } from '../../model/joins.js';
import type { StoredLinks } from '../../model/model.js';
import { alias, constant, join, type Sql, sql } from '../../../kernel/sql.js';
import {
  allOf,
  changedLinks,
  inTransfer,
  inState,
  inStates,
  isOfOwner,
  leadsTo,
  type LinkStep,
  localeOf,
  namesOf,
  type Part,
  stateOf,
  targetColumns,
  twoWayNamesOf,
  writtenId,
} from '../link-sql.js';
import { column, rowOf, stateCondition } from '../scope.js';
import { targetsOf } from '../changes.js';
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
import { type JoinSql, type LinkedRows, type ReadStep, tableOf } from './join-sql.js';

function targets({ links, calledType }: InverseLinkJoin, { from, target, context }: ReadStep): LinkedRows {
  const { table, owner, place } = twoWayNamesOf(links);
  const link = alias('l', context.next());
  return {
    from: sql`${table} ${link} join ${tableOf(target)} on ${column(target, 'document_id')} = ${link}.${owner}`,
    conditions: [
      leadsTo(link, links, { documentId: column(rowOf(from), 'document_id'), calledType }),
      stateCondition(target.type, link, context),
      sql`${link}.locale = ${links.perLocale ? column(target, 'locale') : constant(SHARED_LOCALE)}`,
    ],
    position: sql`${link}.${place}`,
  };
}

interface TargetRows {
  readonly way: InverseLinkJoin;
  readonly attribute: ChangeShape['attribute'];
  readonly from: Sql;
  /** Conditions for the links `l` that are deleted unless they are wanted. */
  readonly scope: readonly Sql[];
  readonly isOpen: IsOpen | null;
  /** Condition for links of unpublished owners, which stay unless another document takes them. */
  readonly waits: Sql;
}

/** Wanted links, except those that would take an exclusive target from a protected owner. */
function takenBy({ way: { links, calledType }, attribute, from, isOpen }: TargetRows, step: LinksShape): Sql {
  if (attribute.many || isOpen === null) return from;
  const { table, owner } = namesOf(links);
  const toMe = leadsTo(sql`h`, links, { documentId: writtenId(step), calledType });
  const same = sql`h.published = c.published and h.locale = c.locale`;
  return withoutTaking(from, isOpen, { table, owner: sql`h.${owner}`, is: [toMe, same] });
}

/** Condition for the links to the document that are deleted unless `all`, the wanted ones, includes them. */
function lost({ way, attribute, scope, isOpen, waits }: TargetRows, toMe: Sql, all: Sql): Sql {
  const taken = sql`exists (select 1 from ${all} w where w.published = l.published and w.locale = l.locale)`;
  const ends = attribute.many ? sql`not ${waits}` : sql`(not ${waits} or ${taken})`;
  return allOf([toMe, ...scope, ...ifOpen(isOpen, sql`l.${namesOf(way.links).owner}`), ends]);
}

/** Makes exactly the wanted links reference the document; the owners' lists keep their order. */
function bring(wanted: TargetRows, step: LinksShape): LinkStep[] {
  const { way, attribute } = wanted;
  const { links, calledType } = way;
  const names = twoWayNamesOf(links);
  const { table, owner, position, place } = names;
  const me = writtenId(step);
  const toMe = leadsTo(sql`l`, links, { documentId: me, calledType });
  const named = targetColumns(links).map(({ name }) => name);
  const values = [me, ...(calledType === null ? [] : [constant(calledType)])];
  const of = sql`w.owner = l.${owner} and w.published = l.published and w.locale = l.locale`;
  const lastPlace = sql`select max(m.${position}) from ${table} m
    where m.${owner} = w.owner and m.published = w.published and m.locale = w.locale`;
  const parts: Part[] = [
    () => takenBy(wanted, step),
    (part) =>
      sql`delete from ${table} l where ${lost(wanted, toMe, part(0))} and (l.${owner}, l.published, l.locale)
        not in (select w.owner, w.published, w.locale from ${part(0)} w) ${changedLinks(names)}`,
    (part) =>
      sql`insert into ${table} as l (${owner}, published, locale, ${join(named, ', ')}, ${position}, ${place})
        select w.owner, w.published, w.locale, ${join(values, ', ')}, coalesce((${lastPlace}), 0) + 1, w.place
          from ${part(0)} w
        on conflict (${owner}, published, locale, ${join(named, ', ')}) do nothing ${changedLinks(names)}`,
    (part) =>
      sql`update ${table} l set ${place} = w.place from ${part(0)} w where ${of} and ${toMe}
        and l.${place} <> w.place`,
  ];
  // The owner of a to-one link loses its former target.
  if (links.toOne)
    parts.push(
      (part) =>
        sql`delete from ${table} l using ${part(0)} w where ${of} and not (${toMe}) ${changedLinks(names)}`,
    );
  const type = ownerTypeOf(attribute);
  const stored = type.storage.links.find(({ table: each }) => each.table === links.table) as StoredLinks;
  return [
    {
      parts,
      rows: {
        type,
        links: {
          attribute: stored.attribute,
          parts: links.toOne ? [1, 2, 4] : [1, 2],
          after: (part) => listAfter(stored, { wanted: part(0), lost: part(1), me }),
        },
        own: type === step.type,
      },
    },
  ];
}

interface Changing {
  readonly wanted: Sql;
  readonly lost: Sql;
  readonly me: Sql;
}

function listAfter(stored: StoredLinks, { wanted, lost, me }: Changing): Sql {
  const before = targetsOf(stored, sql`t`);
  const added = stored.table.toOne
    ? sql`array[${me}]`
    : sql`case when ${me} = any(${before}) then ${before} else ${before} || ${me} end`;
  return sql`case when ${isOfOwner(wanted, stored.table)} then ${added}
    when ${isOfOwner(lost, stored.table)} then array_remove(${before}, ${me}) else ${before} end`;
}

function replace(way: InverseLinkJoin, change: ChangeShape, step: LinksShape): LinkStep[] {
  const { links, calledType } = way;
  const { attribute, targets: wanted, states } = change;
  const { table, owner, place } = twoWayNamesOf(links);
  const owners = ownerTypeOf(attribute);
  const locale = localeOf(links, change.locale);
  const toMe = leadsTo(sql`l`, links, { documentId: writtenId(step), calledType });
  const mine = [toMe, sql`l.locale = ${locale}`, inState(sql`l`, !owners.draftAndPublish)];
  const stored = sql`select l.${owner} as owner, l.${place} as place from ${table} l where ${allOf(mine)}`;
  // Published links of unpublished owners are kept for the next publication.
  const isHidden = (state: Sql, id: Sql): Sql => {
    if (!owners.draftAndPublish) return sql`false`;
    return sql`(${state}.published and not ${isLive(owners, { owner: id, locale: links.perLocale ? locale : null })})`;
  };
  const isOpen = openToChange(change);
  const conditions = [sql`not ${isHidden(sql`s`, sql`p.id`)}`, ...ifOpen(isOpen, sql`p.id`)];
  const from = sql`select p.id as owner, s.published, ${locale} as locale, p.place
    from (${placed(owners, wanted, stored)}) p cross join (${eachState(states)}) s
      where ${allOf(conditions)}`;
  const scope = [sql`l.locale = ${locale}`, ...inStates(sql`l`, states)];
  return bring({ way, attribute, from, scope, isOpen, waits: isHidden(sql`l`, sql`l.${owner}`) }, step);
}

function transfer(way: InverseLinkJoin, change: TransferShape, step: LinksShape): LinkStep[] {
  const { links, calledType } = way;
  const { attribute, published } = change;
  const { table, owner, place } = twoWayNamesOf(links);
  const owners = ownerTypeOf(attribute);
  const live = (link: Sql): Sql =>
    isLive(owners, { owner: sql`${link}.${owner}`, locale: links.perLocale ? sql`${link}.locale` : null });
  const isOpen = openToTransfer(owners, change);
  const source = allOf([
    leadsTo(sql`f`, links, { documentId: writtenId(step), calledType }),
    inState(sql`f`, !published),
    ...inTransfer(sql`f`, links, change),
    live(sql`f`),
    ...ifOpen(isOpen, sql`f.${owner}`),
  ]);
  const from = sql`select f.${owner} as owner, ${stateOf(published)} as published, f.locale, f.${place} as place
    from ${table} f where ${source}`;
  const scope = [inState(sql`l`, published), ...inTransfer(sql`l`, links, change)];
  return bring({ way, attribute, from, scope, isOpen, waits: sql`not ${live(sql`l`)}` }, step);
}

/** Relation in the link table of the targets' type: inverse side of a relation with a table. */
export const inverseLinkJoin: JoinSql<InverseLinkJoin> = {
  versioned: true,
  isLookedUp: () => false,
  isJoined: () => false,
  targets,
  storedList: ({ links, calledType }, { row, attribute, locale }) => {
    const { table, owner, place } = twoWayNamesOf(links);
    const mine = [
      leadsTo(sql`l`, links, { documentId: column(row, 'document_id'), calledType }),
      sql`l.locale = ${localeOf(links, locale)}`,
    ];
    return namedBy(ownerTypeOf(attribute), {
      from: sql`${table} l where ${allOf(mine)}`,
      owner: sql`l.${owner}`,
      place: sql`l.${place}`,
      row: sql`l`,
    });
  },
  linksTo: ({ links, calledType }, me) => {
    const { table, owner } = namesOf(links);
    return sql`exists (select 1 from ${table} l where l.${owner} = x.document_id
      and ${leadsTo(sql`l`, links, { documentId: me, calledType })})`;
  },
  replace,
  transfer,
  losers: () => null,
};
