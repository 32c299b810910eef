/** Guards and steps for the links of changed relations. */
import { nextCount } from '../../content/compile/changes.js';
import { type LinkColumn, type LinkTable, SHARED_LOCALE } from '../../content/model/join-model.js';
import type { ContentType } from '../../content/model/model.js';
import { name } from '../../content/model/naming.js';
import { besideTable } from '../../content/model/table-shapes.js';
import { constant, type Identifier, join, plain, quote, type Sql, sql } from '../../kernel/sql.js';
import { type Guard, inBatches, NOT_COMPARED, type Steps } from './change.js';
import {
  formerOf,
  isPerLocale,
  keepsTargets,
  leavesDrafts,
  linksInLocales,
  linksInStates,
  linksThatFit,
  type Move,
  type MovedRelation,
  possibleLinks,
  storedLinks,
  strayLinks,
  swappedLinks,
  linksWithoutDrafts,
} from './moved-links.js';
import { type Evolution, isBoth } from './pairs.js';
import { ordersOthers, type Relation } from './relation-pairs.js';
import { namedSide, pathOf, type RelationScope, removedTypeRemedy } from './scopes.js';

const relationOf = ({ attribute: { def } }: Relation): string => ('relation' in def ? def.relation : 'media');

const movedLinksTable = ({ before }: MovedRelation): Identifier =>
  besideTable(before.type.table, name('content', 'moved', before.type.table, before.attribute.name));

/** Query of the earlier links that the later relation accepts. */
function leavingLinks(evolution: Evolution, pair: MovedRelation): Sql {
  const links = storedLinks(evolution, pair.before);
  const possible = possibleLinks(
    evolution,
    pair.swapped ? swappedLinks(evolution, links, pair) : links,
    pair,
  );
  return leavesDrafts(evolution, pair) ? linksWithoutDrafts(possible, pair) : possible;
}

/** Query of the links in the states and locales of the later relation, before limits on their number. */
const arrivingLinks = (links: Sql, move: Move): Sql => linksInLocales(linksInStates(links, move), move);

const PAIR = sql`x.owner || ' with ' || x.target as "row"`;
const GROUP = sql`x.owner || ' (' || x.locale || case when x.published then ')' else ', draft)' end as "row"`;

const isLossAllowedFor = ({ before, after }: MovedRelation): boolean =>
  [after, ...after.others].some(({ attribute }) => typeof attribute.def.convert === 'string') &&
  before !== after;

/** Empty set of versions, for a new type. */
const NO_VERSIONS = sql`(select null::text as document_id, null::text as locale, true as published where false)`;

/** Query of documents whose links differ between locales, for a relation that becomes shared. */
function differingLocales({ evolution, pair }: Move): Sql {
  const links = storedLinks(evolution, pair.before);
  const targets = sql`array(select x.target from (${links}) x
    where x.owner = v.document_id and x.published = v.published and x.locale = v.locale order by x.position)`;
  const versions = sql`select v.document_id, v.published, ${targets} as targets
    from ${quote(pair.before.type.table)} v`;
  return sql`select d.document_id as "row" from (${versions}) d
    group by d.document_id, d.published having count(distinct d.targets) > 1`;
}

/** Changed relation, with queries of its links before and after conversion. */
interface ChangedRelation {
  readonly move: Move;
  readonly possible: Sql;
  readonly arriving: Sql;
}

/** Query of published documents whose drafts have other links, or another order, before the owner changes. */
function differingDrafts({ move: { pair }, possible }: ChangedRelation): Sql {
  const listOf = (links: Sql): Sql => sql`array_agg(x.owner order by x.place) filter (where ${links})`;
  const hasVersion = (state: Sql): Sql =>
    sql`exists (select 1 from ${quote(pair.before.type.table)} v where v.document_id = d.target
      and ${state} and d.locale in (v.locale, ${constant(SHARED_LOCALE)}))`;
  return sql`select d.target as "row" from (
      select x.target, x.locale, ${listOf(sql`not x.published`)} as draft, ${listOf(sql`x.published`)} as live
      from (${possible}) x group by x.target, x.locale) d
    where d.draft is distinct from d.live and ${hasVersion(sql`not v.published`)} and ${hasVersion(sql`v.published`)}`;
}

/** Possible loss of a changed relation: condition, query and message. */
type LossRow = readonly [
  isPossible: (reshaped: ChangedRelation) => boolean,
  query: (reshaped: ChangedRelation) => Sql,
  description: string,
];

const LOSSES: readonly LossRow[] = [
  [
    ({ move: { evolution, pair } }) =>
      !pair.swapped &&
      !keepsTargets(evolution, { before: pair.before.attribute, after: pair.after.attribute }),
    ({ move: { evolution, pair } }) =>
      sql`select ${PAIR} from (${strayLinks(evolution, storedLinks(evolution, pair.before), pair)}) x`,
    'changes its target; these links have no document of the new type',
  ],
  [
    ({ move: { evolution, pair } }) => leavesDrafts(evolution, pair),
    differingDrafts,
    'changes its owner to a type without drafts; the drafts of these documents have other links',
  ],
  [
    ({ move: { pair } }) => isPerLocale(pair.before) && !isPerLocale(pair.after),
    ({ move }) => differingLocales(move),
    'becomes shared by all locales; these documents have different links per locale',
  ],
  [
    ({ move: { pair } }) => !pair.after.attribute.many,
    ({ arriving }) => sql`select ${GROUP} from (${arriving}) x
      group by x.owner, x.published, x.locale having count(*) > 1`,
    'becomes a relation to one document; these have several',
  ],
  [
    ({ move: { pair } }) => pair.after.attribute.exclusive,
    ({ arriving }) => sql`select x.target as "row" from (${arriving}) x
      group by x.target, x.type, x.published, x.locale having count(*) > 1`,
    'allows one owner per document; these have several',
  ],
];

export function movingGuards({ evolution, pair }: RelationScope): readonly Guard[] {
  if (!isBoth(pair)) return [];
  const former = formerOf(evolution, pair.after.type);
  const move = { evolution, pair, versions: former === null ? NO_VERSIONS : quote(former.table) };
  const possible = leavingLinks(evolution, pair);
  const reshaped = { move, possible, arriving: arrivingLinks(possible, move) };
  const losses = LOSSES.filter(([isPossible]) => isPossible(reshaped)).map(([, query, description]) => ({
    query: query(reshaped),
    description,
    remedy: `set convert: 'fit' on ${pathOf(pair.after)} to keep the valid links`,
    allowed: isLossAllowedFor(pair),
  }));
  // An order is not part of the definition, so its loss needs no setting, but the migration cannot be
  // reverted.
  const unordered = {
    query: sql`select ${PAIR} from (${possible}) x`,
    description: LOSES_ORDER,
    remedy: '',
    allowed: true,
  };
  return losesOrder(pair) ? [...losses, unordered] : losses;
}

const LOSES_ORDER = 'loses the order on its inverse side';

/** Whether the later relation cannot store the order of links on one side. */
const losesOrder = ({ before, after, swapped }: Omit<MovedRelation, 'split'>): boolean =>
  (swapped ? before.attribute.many : ordersOthers(before) && !before.attribute.exclusive) &&
  !ordersOthers(after) &&
  !after.attribute.exclusive;

/** Reports links that stay with another relation when an attribute that showed them gets its own. */
export function splitGuards(scope: RelationScope): readonly Guard[] {
  const { evolution, pair } = scope;
  if (pair.split === null) return [];
  const { side, from } = pair.split;
  const path = pathOf(side);
  const description = side === namedSide(scope) ? 'gets its own links' : `is now shown by ${path}`;
  return [
    {
      query: sql`select ${PAIR} from (${storedLinks(evolution, from)}) x`,
      description: `${description}; its previous links stay with ${pathOf(from)}`,
      remedy: `set convert: 'empty' on ${path} to start without links`,
      allowed: typeof side.attribute.def.convert === 'string',
    },
  ];
}

export function lostLinksGuards({ evolution, pair: { before } }: RelationScope): readonly Guard[] {
  if (before === null) return [];
  const { type, attribute } = before;
  const owner = evolution.types.find((pair) => pair.before === type)?.after ?? null;
  return [
    {
      query: sql`select ${PAIR} from (${storedLinks(evolution, before)}) x`,
      description: 'is removed; these links would be deleted',
      remedy:
        owner === null
          ? removedTypeRemedy(type)
          : `set removed: ['${attribute.name}'] on ${type.singularApiId}`,
      allowed:
        owner === null
          ? evolution.removed.includes(type.singularApiId)
          : owner.removed.includes(attribute.name),
    },
  ];
}

/** Assigns positions to links without one, in order. */
const positionValue = (type: ContentType, isKept: boolean): Sql =>
  isKept ? sql`coalesce(x.place, ${nextCount(type)})` : nextCount(type);

/** Columns of a link table, each with its value from a link `x`. */
function linkValues(links: LinkTable, place: Sql): readonly (readonly [Sql, Sql])[] {
  const { owner, target, position, targetType, inversePosition } = links;
  const nth = sql`row_number() over (
    partition by x.owner, x.published, x.locale order by x.position, x.place, x.target)`;
  const values: readonly (readonly [LinkColumn | null, Sql])[] = [
    [owner, sql`x.owner`],
    [links.published, sql`x.published`],
    [links.locale, sql`x.locale`],
    [target, sql`x.target`],
    [position, nth],
    [targetType, sql`x.type`],
    [inversePosition, place],
  ];
  return values.flatMap(([column, value]) => (column === null ? [] : [[plain(column.name), value] as const]));
}

function storeLinks({ type, attribute, links, column }: Relation, arriving: Sql, keepsPlace: boolean): Sql {
  const place = positionValue(type, keepsPlace);
  const order = sql`order by x.place, x.owner, x.position`;
  if (links !== null) {
    const values = linkValues(links, place);
    const into = join(
      values.map(([one]) => one),
      ', ',
    );
    const from = join(
      values.map(([, value]) => value),
      ', ',
    );
    return sql`insert into ${quote(links.table)} (${into})
      select ${from}
      from (${arriving}) x ${order} on conflict do nothing`;
  }
  const linked = quote((column ?? { name: attribute.name }).name);
  const ordered = type.storage.columns.find(
    (one) => one.attribute === attribute && one.placeOf !== null && one.remembers === null,
  );
  const set = ordered === undefined ? sql`` : sql`, ${quote(ordered.name)} = m.seat`;
  const nth = ordered === undefined ? sql`null::int8` : place;
  return sql`update ${quote(type.table)} t set ${linked} = m.target${set}
    from (select x.*, ${nth} as seat from (${arriving}) x ${order}) m
    where m.owner = t.document_id and m.published = t.published and m.locale in (t.locale, ${constant('')})`;
}

/** Links are limited per target and merged across locales, so equal versions may get other links. */
const notCompared = ({ table, draftAndPublish }: ContentType): Sql[] =>
  draftAndPublish ? [inBatches(quote(table), NOT_COMPARED, sql`t.revision <> 0`)] : [];

export function movingSteps({ evolution, pair }: RelationScope): Steps {
  if (!isBoth(pair)) return {};
  const waiting = quote(movedLinksTable(pair));
  const move = { evolution, pair, versions: quote(pair.after.type.table) };
  const arriving = linksThatFit(arrivingLinks(sql`select * from ${waiting}`, move), pair);
  return {
    aside: [sql`create table ${waiting} as ${leavingLinks(evolution, pair)}`],
    fill: [storeLinks(pair.after, arriving, !pair.swapped), ...notCompared(pair.after.type)],
    clean: [sql`drop table ${waiting}`],
  };
}

export function describeMove({ pair: { before, after, swapped } }: RelationScope): string {
  if (before === null || after === null) return '';
  const order = losesOrder({ before, after, swapped }) ? `, and ${LOSES_ORDER}` : '';
  if (swapped) return `is owned by ${pathOf(after)} instead of ${pathOf(before)}${order}`;
  const [old, next] = [relationOf(before), relationOf(after)];
  return (old === next ? 'has its links stored differently' : `changes from ${old} to ${next}`) + order;
}
