import { type LinkJoin, type LinkTable, SHARED } from '../../schema/join-model.js';
import type { RelationAttribute } from '../../schema/model.js';
import { alias, constant, quote, type Sql, sql, union } from '../../sql.js';
import type { LinkChange, LinksStep, LinkTransfer } from '../../plan/steps.js';
import { nextCount, storedTargets } from '../changes.js';
import {
  allOf,
  changedLinks,
  inLocale,
  inState,
  inStates,
  isOfOwner,
  type LinkStep,
  localeOf,
  namesOf,
  type Part,
  stateOf,
  texts,
  writtenId,
} from '../link-sql.js';
import { column, rowOf, stateCondition } from '../scope.js';
import { type JoinSql, type Linked, NOTHING_STORED, type ReadStep } from './join-sql.js';
import { lookUp } from './look-up.js';

function targets({ links }: LinkJoin, { from, target, context, version }: ReadStep): Linked {
  const { table, owner, target: named, position } = namesOf(links);
  const link = alias('l', context.next());
  const row = rowOf(from);
  const on = sql`${column(target, 'document_id')} = ${link}.${named}`;
  return {
    from: sql`${table} ${link} ${lookUp(target, on, version)}`,
    conditions: [
      sql`${link}.${owner} = ${column(row, 'document_id')}`,
      stateCondition(row.type, link, context),
      sql`${link}.locale = ${links.perLocale ? column(row, 'locale') : constant(SHARED)}`,
    ],
    position: sql`${link}.${position}`,
  };
}

/** The links that the written document is to have: their `published`, `locale`, `target` and `position`. */
interface Wanted {
  readonly links: LinkTable;
  readonly attribute: RelationAttribute;
  readonly from: Sql;
  /** The states and the locale that they are all the links of; of all locales where it is null. */
  readonly states: readonly boolean[];
  readonly locale: string | null;
}

/** Brings about that a document has the wanted links and no others; a target goes from its other owner. */
function bring({ links, attribute, from, states, locale }: Wanted, step: LinksStep): LinkStep[] {
  const { type } = step;
  const names = namesOf(links);
  const { table, owner, target, position } = names;
  const me = writtenId(step);
  const place = links.inversePosition === null ? null : quote(links.inversePosition.name);
  const same = sql`w.published = l.published and w.locale = l.locale and w.target = l.${target}`;
  const scope = [sql`l.${owner} = ${me}`, ...inStates(sql`l`, states), ...inLocale(sql`l`, links, locale)];
  const parts: Part[] = [
    () => from,
    (part) =>
      sql`delete from ${table} l where ${allOf(scope)} and not exists (select 1 from ${part(0)} w where ${same}) ${changedLinks(names)}`,
    (part) =>
      sql`insert into ${table} as l (${owner}, published, locale, ${target}, ${position}${place === null ? sql`` : sql`, ${place}`})
        select ${me}, w.published, w.locale, w.target, w.position${place === null ? sql`` : sql`, ${nextCount(type)}`} from ${part(0)} w order by w.published, w.locale, w.position
        on conflict (${owner}, published, locale, ${target}) do update set ${position} = excluded.${position} where l.${position} <> excluded.${position} ${changedLinks(names)}`,
  ];
  if (links.exclusive)
    parts.push(
      (part) =>
        sql`delete from ${table} l using ${part(0)} w where ${same} and l.${owner} <> ${me} ${changedLinks(names)}`,
    );
  // Versions in other locales show what they share, other owners lose what is taken.
  const own = step.hasOthers && !links.perLocale && step.locale !== null;
  const changed = [...(own ? [1, 2] : []), ...(links.exclusive ? [3] : [])];
  const mine = allOf([
    sql`t.document_id = ${me}`,
    ...inStates(sql`t`, states),
    ...inLocale(sql`t`, links, locale),
  ]);
  const after = (part: (n: number) => Sql): Sql => {
    const wanted = sql`array(select w.target from ${part(0)} w where w.published = t.published and w.locale in (${constant(SHARED)}, t.locale) order by w.position)`;
    const taken = links.exclusive ? sql` when ${isOfOwner(part(3))} then array[]::text[]` : sql``;
    return sql`case when ${mine} then ${wanted}${taken} else ${storedTargets(attribute, type)} end`;
  };
  return [
    {
      parts,
      rows: changed.length === 0 ? null : { type, links: { attribute, parts: changed, after }, own },
    },
  ];
}

function replace({ links }: LinkJoin, change: LinkChange, step: LinksStep): LinkStep[] {
  const { targets: wanted, states, locale } = change;
  const each = union(states.map((published) => sql`select ${stateOf(published)} as published`));
  const from = sql`select s.published, ${localeOf(links, locale)} as locale, k.id as target, k.n::int4 as position from (${each}) s
    cross join unnest(${texts(wanted)}) with ordinality k(id, n)`;
  return bring({ links, attribute: change.attribute, from, states, locale }, step);
}

function transfer(
  { links }: LinkJoin,
  { attribute, published, locale }: LinkTransfer,
  step: LinksStep,
): LinkStep[] {
  const { table, owner, target, position } = namesOf(links);
  const source = [
    sql`f.${owner} = ${writtenId(step)}`,
    inState(sql`f`, !published),
    ...inLocale(sql`f`, links, locale),
  ];
  const from = sql`select ${stateOf(published)} as published, f.locale, f.${target} as target, f.${position} as position from ${table} f where ${allOf(source)}`;
  return bring({ links, attribute, from, states: [published], locale }, step);
}

/** Rows of a link table, which name the owner and its target, in a state and a locale. */
export const linkJoin: JoinSql<LinkJoin> = {
  ...NOTHING_STORED,
  versioned: true,
  isLookedUp: () => true,
  targets,
  storedList: ({ links }, { row, locale }) => {
    const { table, owner, target, position } = namesOf(links);
    // Those of a locale may be there before its version is (D25).
    const own = [
      sql`l.${owner} = ${column(row, 'document_id')} and l.published = ${column(row, 'published')}`,
      sql`l.locale = ${localeOf(links, locale)}`,
    ];
    return sql`(select coalesce(json_agg(l.${target} order by l.${position}), '[]') from ${table} l where ${allOf(own)})`;
  },
  replace,
  transfer,
};
