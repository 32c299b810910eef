import { type LinkJoin, type LinkTable, SHARED_LOCALE } from '../../model/join-model.js';
import type { LinkedAttribute } from '../../model/model.js';
import {
  alias,
  constant,
  forms,
  inMany,
  join,
  param,
  plain,
  quote,
  type Sql,
  sql,
  union,
} from '../../../kernel/sql.js';
import type { LinksStep } from '../../plan/steps.js';
import { BETWEEN, documentIdsOf, partsOf } from '../../plan/target-key.js';
import { nextCount, storedTargets } from '../changes.js';
import {
  allOf,
  changedLinks,
  inLocale,
  inState,
  inStates,
  isOfOwner,
  isTaken,
  type LinkLocales,
  type LinkStep,
  localeOf,
  namesOf,
  type Part,
  stateOf,
  targetColumns,
  texts,
  writtenId,
} from '../link-sql.js';
import { column, type Context, rowOf, type RowScope, stateCondition } from '../scope.js';
import type { ChangeShape, LinksShape, TransferShape } from '../write-shape.js';
import {
  inWritten,
  isChange,
  type JoinSql,
  type LinkedRows,
  type NewLinks,
  NOTHING_STORED,
  type ReadStep,
} from './join-sql.js';
import { lookUp } from './look-up.js';

/** Selects the links of a row, in the version that the request reads. */
export function linksOf({ links }: LinkJoin, row: RowScope, context: Context): Links {
  const { table, owner, position } = namesOf(links);
  const link = alias('l', context.next());
  return {
    link,
    from: sql`${table} ${link}`,
    conditions: [
      sql`${link}.${owner} = ${column(row, 'document_id')}`,
      stateCondition(row.type, link, context),
      sql`${link}.locale = ${links.perLocale ? column(row, 'locale') : constant(SHARED_LOCALE)}`,
    ],
    position: sql`${link}.${position}`,
  };
}

interface Links extends LinkedRows {
  readonly link: Sql;
  readonly position: Sql;
}

function targets(way: LinkJoin, { from, target, context, version }: ReadStep): LinkedRows {
  const { link, ...links } = linksOf(way, rowOf(from), context);
  const on = sql`${column(target, 'document_id')} = ${link}.${namesOf(way.links).target}`;
  return { ...links, from: sql`${links.from} ${lookUp(target, on, version)}` };
}

interface TargetRows {
  readonly links: LinkTable;
  readonly attribute: LinkedAttribute;
  readonly from: Sql;
  readonly states: readonly boolean[];
  readonly locales: LinkLocales;
}

/** Whether versions in other locales share the links that a step writes. */
const isShared = ({ links }: Pick<TargetRows, 'links'>, { hasOthers }: LinksShape): boolean =>
  hasOthers && !links.perLocale;

/** Parts that change links: wanted links, deletions, insertions, and deletions from other owners. */
function changesOf(wanting: TargetRows, step: LinksShape): Part[] {
  const { links, from, states, locales } = wanting;
  const names = namesOf(links);
  // The result is needed only if versions in other locales change, too.
  const changed = isShared(wanting, step) ? sql` ${changedLinks(names)}` : sql``;
  const { table, owner, position } = names;
  const me = writtenId(step);
  const place =
    links.inversePosition === null
      ? { column: sql``, value: sql`` }
      : { column: sql`, ${quote(links.inversePosition.name)}`, value: sql`, ${nextCount(step.type)}` };
  const named = targetColumns(links);
  const listOf = (one: (column: (typeof named)[number]) => Sql): Sql => join(named.map(one), ', ');
  const target = listOf(({ name }) => name);
  const wanted = listOf(({ as }) => sql`w.${as}`);
  const linked = sql`l.published, l.locale, ${listOf(({ name }) => sql`l.${name}`)}`;
  const owned = (row: Sql): Sql => inMany(sql`${row}, `);
  const scope = [sql`l.${owner} = ${me}`, ...inStates(sql`l`, states), ...inLocale(sql`l`, links, locales)];
  // A new document has no links to move; `on conflict do update` would count as an update.
  const moved = sql`
      on conflict (${owner}, published, locale, ${target}) do update set ${position} = excluded.${position}
      where l.${position} <> excluded.${position}`;
  const lost: Part = (part) =>
    sql`delete from ${table} l${inMany(sql` using g`)} where ${allOf(scope)}
      and (${owned(sql`l.${owner}`)}${linked})
        not in (select ${owned(sql`w.owner`)}w.published, w.locale, ${wanted} from ${part(0)} w)${changed}`;
  const come: Part = (part) =>
    sql`insert into ${table} as l (${owner}, published, locale, ${target}, ${position}${place.column})
      select ${forms(me, sql`w.owner`)}, w.published, w.locale, ${wanted}, w.position${place.value}
      from ${part(0)} w
      order by ${owned(sql`w.item`)}w.published, w.locale, w.position${step.isNew ? sql`` : moved}${changed}`;
  const taken = isTaken(links, sql`w.type`);
  const isIt = named.map(({ name, as }) => sql`w.${as} = l.${name}`);
  const same = allOf([sql`w.published = l.published and w.locale = l.locale`, ...isIt]);
  const takes: Part = (part) =>
    sql`delete from ${table} l using ${part(0)} w
      where ${same} and l.${owner} <> ${me} and ${taken ?? sql`false`} ${changedLinks(names)}`;
  return [() => from, ...(step.isNew ? [] : [lost]), come, ...(taken === null ? [] : [takes])];
}

/** Makes the wanted links the only ones. Exclusive targets are removed from former owners. */
function bring(wanted: TargetRows, step: LinksShape): LinkStep[] {
  const { links, attribute, states, locales } = wanted;
  const { type } = step;
  const parts = changesOf(wanted, step);
  const taken = isTaken(links, sql`w.type`);
  const takes = parts.length - 1;
  // Changes versions in other locales that share the links, and owners of taken targets.
  const own = isShared(wanted, step);
  const changed = [...(own ? [1, 2] : []), ...(taken === null ? [] : [takes])];
  if (changed.length === 0) return [{ parts, rows: null }];
  const isWritten = allOf([
    forms(sql`t.document_id = ${writtenId(step)}`, sql`true`),
    ...inStates(sql`t`, states),
    ...inLocale(sql`t`, links, locales),
  ]);
  const after: Part = (part) => {
    const has = sql`when ${isWritten} then array(select w.target from ${part(0)} w
      where ${inMany(sql`w.owner = t.document_id and `)}${IN_VERSION} order by w.position)`;
    const stored = storedTargets(attribute, type);
    const loses =
      taken === null
        ? sql``
        : sql`when ${isOfOwner(part(takes), links)} then ${without(part(0), stored, { links, taken })}`;
    return sql`case ${has} ${loses} else ${stored} end`;
  };
  return [{ parts, rows: { type, links: { attribute, parts: changed, after }, own } }];
}

const IN_VERSION = sql`w.published = t.published and w.locale in (${constant(SHARED_LOCALE)}, t.locale)`;

/** Condition for wanted links `w` that are taken from other owners. */
interface Taking {
  readonly links: LinkTable;
  readonly taken: Sql;
}

/** Removes taken targets from a list. A to-one list becomes empty. */
function without(wanted: Sql, list: Sql, { links, taken }: Taking): Sql {
  if (links.toOne) return sql`array[]::text[]`;
  const lost = sql`select w.target from ${wanted} w where ${IN_VERSION} and ${taken}`;
  return sql`array(select x.id from unnest(${list}) with ordinality x(id, n) where x.id not in (${lost})
    order by x.n)`;
}

function listed({ targetType }: LinkTable, { documentIds, types }: ChangeShape): Sql {
  if (targetType === null) return sql`unnest(${texts(documentIds)}) with ordinality k(target, n)`;
  return sql`unnest(${texts(documentIds)}, ${texts(types)}) with ordinality k(target, type, n)`;
}

/** Columns of wanted links with their write and its document. */
const ofMany = (step: LinksShape): Sql => inMany(sql`g.item, ${writtenId(step)} as owner, `);

function replace({ links }: LinkJoin, change: ChangeShape, step: LinksShape): LinkStep[] {
  const { states, locale } = change;
  const each = union(states.map((published) => sql`select ${stateOf(published)} as published`));
  const named = targetColumns(links).map(({ as }) => sql`k.${as}`);
  const from = sql`select ${ofMany(step)}s.published, ${localeOf(links, locale)} as locale, ${join(named, ', ')},
    k.n::int4 as position from ${inMany(sql`g cross join `)}(${each}) s cross join ${listed(links, change)}`;
  return bring({ links, attribute: change.attribute, from, states, locales: change }, step);
}

function transfer({ links }: LinkJoin, change: TransferShape, step: LinksShape): LinkStep[] {
  const { attribute, published } = change;
  const { table, owner, position } = namesOf(links);
  const source = [
    sql`f.${owner} = ${writtenId(step)}`,
    inState(sql`f`, !published),
    ...inLocale(sql`f`, links, change),
  ];
  const named = targetColumns(links).map(({ name, as }) => sql`f.${name} as ${as}`);
  const from = sql`select ${ofMany(step)}${stateOf(published)} as published, f.locale, ${join(named, ', ')},
    f.${position} as position from ${inMany(sql`g cross join `)}${table} f where ${allOf(source)}`;
  return bring({ links, attribute, from, states: [published], locales: change }, step);
}

const keyIn = ({ target, targetType }: LinkTable): Sql =>
  targetType === null
    ? sql`l.${plain(target.name)}`
    : sql`l.${plain(targetType.name)} || ${constant(BETWEEN)} || l.${plain(target.name)}`;

function wantedLinks({ links }: LinkJoin, wanted: NewLinks, documentId: string): Sql {
  if (isChange(wanted)) {
    const ids = param(documentIdsOf(wanted.attribute, wanted.targets));
    if (links.targetType === null) return sql`select k.id from unnest(${ids}::text[]) k(id)`;
    const { types } = partsOf(wanted.targets);
    return sql`select k.id, k.type from unnest(${ids}::text[], ${param(types)}::text[]) k(id, type)`;
  }
  const { table, owner } = namesOf(links);
  const names = targetColumns(links).map(({ name }) => sql`f.${name}`);
  const is = [
    sql`f.${owner} = ${param(documentId)}::text`,
    inState(sql`f`, !wanted.published),
    sql`f.locale = l.locale`,
  ];
  return sql`select ${join(names, ', ')} from ${table} f where ${allOf(is)}`;
}

function inLocalesOf(wanted: NewLinks, links: LinkTable): Sql[] {
  const { locale } = wanted;
  const locales = {
    locale: locale === null ? null : param(locale),
    isOfSeveral: typeof locale === 'object',
  };
  const except = isChange(wanted) ? null : wanted.except;
  const is = inLocale(sql`l`, links, locales);
  return except === null ? is : [...is, sql`l.locale <> ${param(except)}::text`];
}

function losers(way: LinkJoin, wanted: NewLinks, { type, documentId }: LinksStep): Sql | null {
  const { links } = way;
  const { targetType } = links;
  const taken = isTaken(links, targetType === null ? sql`null` : sql`l.${plain(targetType.name)}`);
  if (taken === null) return null;
  const { table, owner } = namesOf(links);
  const names = targetColumns(links).map(({ name }) => sql`l.${name}`);
  const is = [
    sql`l.${owner} <> ${param(documentId)}::text`,
    taken,
    sql`(${join(names, ', ')}) in (${wantedLinks(way, wanted, documentId)})`,
    ...inWritten(sql`l`, wanted),
    ...inLocalesOf(wanted, links),
  ];
  const on = [sql`t.document_id = l.${owner} and t.published = l.published`];
  if (links.perLocale) on.push(sql`t.locale = l.locale`);
  return sql`${table} l join ${quote(type.table)} t on ${allOf(on)} where ${allOf(is)}`;
}

/** Relation with a link table: rows with owner, target, state and locale. */
export const linkJoin: JoinSql<LinkJoin> = {
  ...NOTHING_STORED,
  losers,
  versioned: true,
  isLookedUp: () => true,
  isJoined: () => false,
  targets,
  storedList: ({ links }, { row, locale }) => {
    const { table, owner, position } = namesOf(links);
    // Links of a locale may exist before its version does (D25).
    const own = [
      sql`l.${owner} = ${column(row, 'document_id')} and l.published = ${column(row, 'published')}`,
      sql`l.locale = ${localeOf(links, locale)}`,
    ];
    return sql`(select coalesce(json_agg(${keyIn(links)} order by l.${position}), '[]') from ${table} l
      where ${allOf(own)})`;
  },
  replace,
  transfer,
};
