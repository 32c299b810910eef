/** Locations of an attribute's values: a column, or instances of a component at any depth. */
import { listOf } from '../../content/compile/json-list.js';
import type {
  Attribute,
  Component,
  ContentType,
  EmbeddedAttribute,
  Model,
  Schema,
} from '../../content/model/model.js';
import { isScalar } from '../../content/model/scalar-of.js';
import { param, quote, type Sql, sql, union } from '../../kernel/sql.js';
import { embeddedIn } from '../../content/plan/stored-problems.js';
import { rowLabel } from './change.js';
import type { ModelPair } from './pairs.js';
import { columnAsJson } from './readings.js';

/**
 * Tests for instances of a component in an attribute, at any depth. Components may contain each other.
 */
export function holds(
  { components }: EmbeddedAttribute,
  wanted: Component,
  seen = new Set<Component>(),
): boolean {
  return components.some((component) => {
    if (component === wanted) return true;
    if (seen.has(component)) return false;
    seen.add(component);
    return embeddedIn(component).some((inner) => holds(inner, wanted, seen));
  });
}

const inColumn = (type: ContentType, attribute: Attribute): Sql[] => {
  if (!('column' in attribute)) return [];
  const column = sql`t.${quote(attribute.column)}`;
  const json = isScalar(attribute) ? columnAsJson(attribute, column) : column;
  return [
    sql`select ${rowLabel(sql`t`)} as "row", ${json} as j from ${quote(type.table)} t where ${column} is not null`,
  ];
};

/** Query of the instances in a value, with their component: `uid` and `item`. */
const itemsIn = (value: Sql, { named, components: [first] }: EmbeddedAttribute): Sql => {
  const uid = named || first === undefined ? sql`e.item ->> '__component'` : sql`${param(first.uid)}::text`;
  return sql`(select ${uid} as uid, e.item from jsonb_array_elements(${listOf(value)}) e(item))`;
};

/** Query of the instances of a component: the label `row`, and `item`. Null if no attribute contains it. */
function instancesOf({ types, components }: Schema, wanted: Component): Sql | null {
  const holding = (model: Model): EmbeddedAttribute[] =>
    embeddedIn(model).filter((attribute) => holds(attribute, wanted));
  const roots = [...types.values()].flatMap((type) =>
    holding(type).map((attribute) => {
      const items = itemsIn(sql`t.${quote(attribute.column)}`, attribute);
      return sql`select ${rowLabel(sql`t`)} as "row", i.uid, i.item
        from ${quote(type.table)} t cross join lateral ${items} i`;
    }),
  );
  const inner = [...components.values()].flatMap((component) =>
    holding(component).map((attribute) => {
      const items = itemsIn(sql`h.item -> ${param(attribute.name)}::text`, attribute);
      return sql`select i.uid, i.item from ${items} i where h.uid = ${param(component.uid)}::text`;
    }),
  );
  if (roots.length === 0) return null;
  const deeper =
    inner.length === 0
      ? sql``
      : sql` union all select h."row", d.uid, d.item from held h cross join lateral (${union(inner)}) d`;
  return sql`(with recursive held as (select * from (${union(roots)}) r${deeper})
    select h."row", h.item from held h where h.uid = ${param(wanted.uid)}::text)`;
}

function inInstances(schema: Schema, component: Component, { name }: Attribute): Sql[] {
  const instances = instancesOf(schema, component);
  return instances === null
    ? []
    : [sql`select c."row", c.item -> ${param(name)}::text as j from ${instances} c`];
}

/**
 * Queries of an attribute's stored values in the earlier model, one per location. `row` is the label, `j` the
 * value as JSON. Null and empty lists are excluded.
 */
export function valuesOf(
  schema: Schema,
  { before }: ModelPair<ContentType | Component>,
  attribute: Attribute,
): Sql[] {
  if (before === null) return [];
  const queries =
    before.model === 'type' ? inColumn(before, attribute) : inInstances(schema, before, attribute);
  return queries.map((query) => sql`select * from (${query}) s where s.j not in ('null', '[]')`);
}
