/**
 * Queries that convert links from one storage form to another; each step wraps the previous query.
 *
 * Columns: `owner`, `published`, `locale`, `target`, `type`, `position` among the owner's links and `place`
 * among the target's.
 */
import { type LinkTable, SHARED_LOCALE } from '../../content/model/join-model.js';
import type { ContentType, LinkedAttribute } from '../../content/model/model.js';
import { constant, join, plain, quote, type Sql, sql } from '../../kernel/sql.js';
import { type Both, type Evolution, isBoth } from './pairs.js';
import type { Relation, RelationPair } from './relation-pairs.js';

export type MovedRelation = RelationPair & Both<Relation>;

/** Returns the later name of an earlier type. */
export const laterName = ({ types }: Evolution, type: ContentType): string =>
  (types.find(({ before }) => before === type)?.after ?? type).singularApiId;

/** Whether the later relation accepts all target types of the earlier one. */
export const keepsTargets = ({ types }: Evolution, { before, after }: Both<LinkedAttribute>): boolean =>
  before.targets.every((target) =>
    types.some((pair) => pair.before === target && after.targets.some((to) => to === pair.after)),
  );

export const formerOf = ({ types }: Evolution, type: ContentType): ContentType | null =>
  types.find(({ after }) => after === type)?.before ?? null;

/** Expression of the later type name of a link's target. */
function typeOfLink(evolution: Evolution, { targetType }: LinkTable, { attribute }: Relation): Sql {
  const [only] = attribute.targets;
  if (targetType === null) return only === undefined ? sql`''` : constant(laterName(evolution, only));
  const column = sql`l.${plain(targetType.name)}`;
  const renamed = attribute.targets
    .filter((type) => laterName(evolution, type) !== type.singularApiId)
    .map((type) => sql`when ${constant(type.singularApiId)} then ${constant(laterName(evolution, type))}`);
  return renamed.length === 0 ? column : sql`case ${column} ${join(renamed, ' ')} else ${column} end`;
}

export function storedLinks(evolution: Evolution, relation: Relation): Sql {
  const { links, column, type, attribute } = relation;
  if (links !== null) {
    const { table, owner, target, position, inversePosition } = links;
    const place = inversePosition === null ? sql`null::int8` : sql`l.${plain(inversePosition.name)}`;
    return sql`select l.${plain(owner.name)} as owner, l.published, l.locale, l.${plain(target.name)} as target,
      ${typeOfLink(evolution, links, relation)} as type, l.${plain(position.name)}::int8 as position,
      ${place} as place from ${quote(table)} l`;
  }
  const linked = sql`l.${quote((column ?? missing(relation)).name)}`;
  const ordered = type.storage.columns.find(
    (one) => one.attribute === attribute && one.placeOf !== null && one.remembers === null,
  );
  const place = ordered === undefined ? sql`null::int8` : sql`l.${quote(ordered.name)}`;
  const locale = attribute.localized ? sql`l.locale` : constant(SHARED_LOCALE);
  const [only] = attribute.targets;
  const name = only === undefined ? '' : laterName(evolution, only);
  // Unless localized, all locales of a document have the same target.
  return sql`select distinct on (1, 2, 3) l.document_id as owner, l.published, ${locale} as locale, ${linked} as target,
    ${constant(name)} as type, 1::int8 as position, ${place} as place
    from ${quote(type.table)} l where ${linked} is not null
    order by 1, 2, 3, l.locale = ${constant(evolution.before.defaultLocale)} desc, l.id`;
}

const missing = ({ attribute }: Relation): never => {
  throw new Error(`${attribute.name} has no storage`);
};

export const swappedLinks = (evolution: Evolution, links: Sql, { before, after }: MovedRelation): Sql =>
  sql`select x.target as owner, x.published, x.locale, x.owner as target,
    ${constant(laterName(evolution, before.type))} as type, x.place as position, x.position as place
    from (${links}) x where x.type = ${constant(after.type.singularApiId)}`;

/** Whether a relation to one type now has another target type, so that its ids must be looked up there. */
const hasOtherTarget = (evolution: Evolution, { before, after }: MovedRelation): boolean => {
  const [old, next] = [before.attribute, after.attribute];
  if (old.named || next.named || old.targets[0] === undefined || next.targets[0] === undefined) return false;
  return laterName(evolution, old.targets[0]) !== next.targets[0].singularApiId;
};

/** Condition on a link `x`: the later relation accepts its target. */
function isAccepted(evolution: Evolution, pair: MovedRelation): Sql {
  const { targets } = pair.after.attribute;
  const [only] = targets;
  if (pair.swapped || only === undefined) return sql`true`;
  if (!hasOtherTarget(evolution, pair)) {
    const types = join(
      targets.map(({ singularApiId }) => constant(singularApiId)),
      ', ',
    );
    return sql`x.type in (${types})`;
  }
  const former = formerOf(evolution, only);
  return former === null
    ? sql`false`
    : sql`exists (select 1 from ${quote(former.table)} d where d.document_id = x.target)`;
}

/** Query of the links that the later relation accepts. */
export function possibleLinks(evolution: Evolution, links: Sql, pair: MovedRelation): Sql {
  const [only] = pair.after.attribute.targets;
  const isRenamed = only !== undefined && !pair.swapped && hasOtherTarget(evolution, pair);
  const type = isRenamed ? constant(only.singularApiId) : sql`x.type`;
  return sql`select x.owner, x.published, x.locale, x.target, ${type} as type, x.position, x.place
    from (${links}) x where ${isAccepted(evolution, pair)}`;
}

/** Query of the links that the later relation does not accept. */
export const strayLinks = (evolution: Evolution, links: Sql, pair: MovedRelation): Sql =>
  sql`select x.* from (${links}) x where not ${isAccepted(evolution, pair)}`;

/** Whether a type has drafts both before and after the migration. */
const hasDrafts = (evolution: Evolution, type: ContentType): boolean => {
  const pair = evolution.types.find(({ before, after }) => before === type || after === type);
  return pair !== undefined && isBoth(pair) && pair.before.draftAndPublish && pair.after.draftAndPublish;
};

/** Moved relation, and the table with the versions of its later owners, before or after the change. */
export interface Move {
  readonly evolution: Evolution;
  readonly pair: MovedRelation;
  readonly versions: Sql;
}

/** Whether the links move from an owner with drafts to one without. */
export const leavesDrafts = (evolution: Evolution, { before, after, swapped }: MovedRelation): boolean =>
  swapped && hasDrafts(evolution, before.type) && !hasDrafts(evolution, after.type);

/**
 * Query of links whose owning side changes to a type without drafts. Links of unpublished documents become
 * published ones, which show once the document is published, as before.
 */
export function linksWithoutDrafts(links: Sql, { before }: MovedRelation): Sql {
  const isPublished = sql`exists (select 1 from ${quote(before.type.table)} v where v.document_id = x.target
    and v.published and x.locale in (v.locale, ${constant(SHARED_LOCALE)}))`;
  return sql`select w.owner, w.published or not w.live as published, w.locale, w.target, w.type, w.position, w.place
    from (select x.*, ${isPublished} as live from (${links}) x) w where w.live or not w.published`;
}

/** Converts the states of links after a change of the owning side. */
export function linksInStates(links: Sql, { evolution, pair, versions }: Move): Sql {
  if (!pair.swapped) return links;
  const [old, next] = [hasDrafts(evolution, pair.before.type), hasDrafts(evolution, pair.after.type)];
  if (old === next) return links;
  if (old) return sql`select x.* from (${links}) x where x.published`;
  return sql`select x.owner, s.published, x.locale, x.target, x.type, x.position, x.place from (${links}) x
    join (select distinct v.document_id, v.published from ${versions} v) s on s.document_id = x.owner`;
}

export const isPerLocale = ({ links, attribute }: Relation): boolean =>
  links?.perLocale ?? attribute.localized;

/**
 * Converts links shared by all locales to links per locale, or back. Back, a document keeps the links of the
 * default locale, or else those of the first locale.
 */
export function linksInLocales(links: Sql, { evolution, pair, versions }: Move): Sql {
  const [old, next] = [isPerLocale(pair.before), isPerLocale(pair.after)];
  if (old === next) return links;
  const defaultLocale = constant(evolution.before.defaultLocale);
  if (next)
    return sql`select x.owner, x.published, coalesce(v.locale, ${defaultLocale}) as locale,
      x.target, x.type, x.position, x.place
      from (${links}) x left join ${versions} v on v.document_id = x.owner and v.published = x.published`;
  return sql`select y.owner, y.published, ${constant(SHARED_LOCALE)} as locale, y.target, y.type, y.position, y.place
    from (select x.*, dense_rank() over (
        partition by x.owner, x.published order by x.locale = ${defaultLocale} desc, x.locale) as choice
      from (${links}) x) y where y.choice = 1`;
}

/** Keeps one link per owner, or per target, if the later relation allows only one. */
export function linksThatFit(links: Sql, { after }: MovedRelation): Sql {
  const toOne = !after.attribute.many;
  const { exclusive } = after.attribute;
  const first = toOne
    ? sql`select y.* from (
        select x.*, row_number() over (
          partition by x.owner, x.published, x.locale order by x.position, x.place, x.target) as nth
        from (${links}) x) y where y.nth = 1`
    : links;
  if (!exclusive) return first;
  return sql`select z.* from (
      select w.*, row_number() over (
        partition by w.target, w.type, w.published, w.locale order by w.place, w.owner) as holder
      from (${first}) w) z where z.holder = 1`;
}
