/**
 * Content of a version as it is stored: scalars as in responses, components, and the links that the document
 * owns.
 */
import { CREATOR, isAuthor } from '../../content/model/authors.js';
import { byKind } from '../../content/model/by-kind.js';
import type { Attribute, Component, EmbeddedAttribute, LinkedAttribute } from '../../content/model/model.js';
import { CREATED_AT } from '../../content/model/history-table.js';
import { COMPONENT } from '../../content/model/naming.js';
import { joinSql } from '../../content/compile/joins/joins.js';
import { listOf } from '../../content/compile/json-list.js';
import { answered, column, nestedJson, type RowScope } from '../../content/compile/scope.js';
import { isoInstant } from '../../content/model/scalar-types.js';
import { alias, constant, join, quote, type Sql, sql } from '../../kernel/sql.js';

/** Depth of components beyond which a version stores nothing, if one of them has private attributes. */
const DEEPEST = 20;

/** Whether the content of a version has an attribute: of relations with two sides only the owning one. */
export const isStored = (attribute: Attribute): boolean =>
  !attribute.hidden &&
  !attribute.open &&
  !isAuthor(attribute) &&
  (!attribute.linked || attribute.join.side !== 'inverse');

/** Whether an attribute is the creator, which versions store for conditions of grants, and never show. */
export const isCreator = (attribute: Attribute): boolean => isAuthor(attribute) && attribute.name === CREATOR;

const none = (): readonly EmbeddedAttribute[] => [];
const itself = (attribute: EmbeddedAttribute): readonly EmbeddedAttribute[] => [attribute];

/** Returns the attribute itself if it contains instances. */
const embeddedIn = byKind<Attribute, [], readonly EmbeddedAttribute[]>({
  scalar: none,
  relation: none,
  morph: none,
  component: itself,
  zone: itself,
});

/** Whether instances have private attributes or passwords, at any depth. */
function hides({ attributes }: Component, seen: ReadonlySet<Component> = new Set()): boolean {
  return [...attributes.values()].some(
    (attribute) =>
      attribute.hidden ||
      embeddedIn(attribute)
        .flatMap(({ components }) => components)
        .some((one) => !seen.has(one) && hides(one, new Set([...seen, one]))),
  );
}

/** Prints an instance without its hidden attributes. */
function bareInstance(component: Component, value: Sql, depth: number): Sql {
  const all = [...component.attributes.values()];
  const hidden = all.filter((attribute) => attribute.hidden);
  const nested = all.filter((attribute) => !attribute.hidden).flatMap((attribute) => embeddedIn(attribute));
  const shown = hidden.reduce((rest, { name }) => sql`${rest} - ${quote(name, 'string')}::text`, value);
  const inside = nested
    .filter(({ components }) => components.some((one) => hides(one)))
    .map(({ name, ...attribute }) => {
      const text = quote(name, 'string');
      return sql`${text}, ${bare({ ...attribute, name }, sql`${value}->${text}`, depth + 1)}`;
    });
  const added = inside.length === 0 ? sql`` : sql` || jsonb_build_object(${join(inside, ', ')})`;
  return sql`(${shown})${added}`;
}

/** Prints instances without their hidden attributes: the stored value itself, if they have none. */
function bare(attribute: EmbeddedAttribute, value: Sql, depth: number): Sql {
  const { components, named } = attribute;
  if (!components.some((one) => hides(one))) return value;
  if (depth > DEEPEST) return sql`'[]'::jsonb`;
  const item = alias('c', 900 + depth);
  const v = sql`${item}.v`;
  const cases = components.map((one) => {
    const instance = bareInstance(one, v, depth);
    const isOne = named ? sql`${v}->>${quote(COMPONENT, 'string')} = ${constant(one.uid)}` : sql`true`;
    return sql`when ${isOne} then ${instance}`;
  });
  return sql`(select coalesce(jsonb_agg(case ${join(cases, ' ')} end order by ${item}.n), '[]')
    from jsonb_array_elements(${listOf(value)}) with ordinality ${item}(v, n))`;
}

const instancesOf = (attribute: EmbeddedAttribute, row: RowScope): Sql =>
  bare(attribute, nestedJson(row, attribute), 0);

/** Prints the links of a row, regardless of the versions that their targets have. */
const linksOf = (attribute: LinkedAttribute, row: RowScope): Sql =>
  joinSql(attribute.join).storedList(attribute.join, {
    row,
    attribute,
    locale: column(row, 'locale'),
    defaultLocale: '',
  });

const valueOf = byKind<Attribute, [RowScope], Sql>({
  scalar: (attribute, row) => answered(row, attribute),
  component: instancesOf,
  zone: instancesOf,
  relation: linksOf,
  morph: linksOf,
});

/** Prints the content of a row, as JSON. The trash needs the creation time, and nothing else shows it. */
export function compileContent(row: RowScope): Sql {
  const values = [...row.type.attributes.values()]
    .filter((attribute) => isStored(attribute) || isCreator(attribute))
    .map((attribute) => sql`${valueOf(attribute, row)} as ${quote(attribute.name)}`);
  const created = sql`${isoInstant(column(row, 'created_at'))} as ${quote(CREATED_AT)}`;
  return sql`(select to_jsonb(d.*) from (select ${join([...values, created], ', ')}) d)`;
}
