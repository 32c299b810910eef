/** Links inside components: document ids in JSON, rewritten if the relation changes. */
import { listOf } from '../../content/compile/json-list.js';
import { BETWEEN } from '../../content/plan/target-key.js';
import type { Attribute, LinkedAttribute } from '../../content/model/model.js';
import { constant, join, type Sql, sql } from '../../kernel/sql.js';
import { keepsTargets, laterName } from './moved-links.js';
import type { Both, Evolution, Pair } from './pairs.js';

/** Relation inside a component, before and after. */
export interface EmbeddedLinks extends Both<LinkedAttribute> {
  readonly evolution: Evolution;
}

export const embeddedLinksOf = (
  evolution: Evolution,
  { before, after }: Pair<Attribute>,
): EmbeddedLinks | null =>
  before?.linked === true && after?.linked === true ? { evolution, before, after } : null;

/** Whether the later relation accepts all targets of the earlier one. */
export const acceptsAllTargets = ({ evolution, ...attributes }: EmbeddedLinks): boolean =>
  keepsTargets(evolution, attributes);

const BETWEEN_BOTH = constant(BETWEEN);

/** Returns the later type name and the document id of a link `k.key`. */
function partsOf({ evolution, before }: EmbeddedLinks): { readonly type: Sql; readonly id: Sql } {
  const [only] = before.targets;
  if (!before.named)
    return { type: constant(only === undefined ? '' : laterName(evolution, only)), id: sql`k.key` };
  const names = before.targets.map(
    (type) => sql`when ${constant(type.singularApiId)} then ${constant(laterName(evolution, type))}`,
  );
  const called = sql`split_part(k.key, ${BETWEEN_BOTH}, 1)`;
  return {
    type: names.length === 0 ? called : sql`case ${called} ${join(names, ' ')} else ${called} end`,
    id: sql`substr(k.key, strpos(k.key, ${BETWEEN_BOTH}) + 1)`,
  };
}

const namesOf = ({ after }: EmbeddedLinks): Sql =>
  join(
    after.targets.map(({ singularApiId }) => constant(singularApiId)),
    ', ',
  );

const keysIn = (json: Sql): Sql => sql`jsonb_array_elements_text(${listOf(json)}) with ordinality k(key, n)`;

/** Condition: a value has links that the later relation does not accept. */
export const hasRefusedLinks = (links: EmbeddedLinks, json: Sql): Sql =>
  sql`exists (select 1 from ${keysIn(json)}
    where k.key is not null and ${partsOf(links).type} not in (${namesOf(links)}))`;

/** Expression of the accepted links in the later format. */
export function acceptedLinks(links: EmbeddedLinks, json: Sql): Sql {
  const { type, id } = partsOf(links);
  const key = links.after.named ? sql`${type} || ${BETWEEN_BOTH} || ${id}` : id;
  const list = sql`(select coalesce(jsonb_agg(${key} order by k.n), '[]') from ${keysIn(json)}
    where k.key is not null and ${type} in (${namesOf(links)}))`;
  return links.after.many ? list : sql`coalesce(${list} -> 0, 'null')`;
}
