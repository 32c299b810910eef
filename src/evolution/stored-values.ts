/** Where the values of an attribute are stored: in a column, or in the instances of a component, wherever. */
import type { Attribute, Component, ContentType, EmbeddedAttribute, Schema } from '../schema/model.js';
import { type Identifier, param, quote, type Sql, sql } from '../sql.js';
import { rowLabel } from './change.js';
import type { ModelPair } from './pairs.js';
import { columnAsJson } from './readings.js';

/** Components may hold each other: what is deeper than this is seen when it is rewritten. */
const DEEPEST = 6;

/** Where instances of a component stand: a column, and the way in it. */
interface Place {
  readonly type: ContentType;
  readonly column: Identifier;
  readonly path: string;
}

const embeddedIn = (attributes: ReadonlyMap<string, Attribute>): EmbeddedAttribute[] =>
  [...attributes.values()].filter((attribute) => 'components' in attribute);

function within(attribute: EmbeddedAttribute, wanted: Component, path: string): string[] {
  if (path.split('[*]').length > DEEPEST) return [];
  return attribute.components.flatMap((component) => {
    const one = `${path}[*]${attribute.named ? ` ? (@.__component == "${component.uid}")` : ''}`;
    const deeper = embeddedIn(component.attributes).flatMap((inner) =>
      within(inner, wanted, `${one}."${inner.name}"`),
    );
    return component === wanted ? [one, ...deeper] : deeper;
  });
}

/** All places of a component. */
const placesOf = ({ types }: Schema, component: Component): Place[] =>
  [...types.values()].flatMap((type) =>
    embeddedIn(type.attributes).flatMap((attribute) =>
      within(attribute, component, '$').map((path) => ({ type, column: attribute.column, path })),
    ),
  );

const inColumn = (type: ContentType, attribute: Attribute): Sql[] => {
  if (!('column' in attribute)) return [];
  const column = sql`t.${quote(attribute.column)}`;
  const json = 'searchable' in attribute ? columnAsJson(attribute, column) : column;
  return [
    sql`select ${rowLabel(sql`t`)} as "row", ${json} as j from ${quote(type.table)} t where ${column} is not null`,
  ];
};

/**
 * The stored values of an attribute of an earlier model, one query for each place: `row` tells where, `j` is
 * the value as JSON. Null and empty lists are no values.
 */
export function valuesOf(
  schema: Schema,
  { before }: ModelPair<ContentType | Component>,
  attribute: Attribute,
): Sql[] {
  if (before === null) return [];
  const queries =
    before.model === 'type'
      ? inColumn(before, attribute)
      : placesOf(schema, before).map(
          ({ type, column, path }) =>
            sql`select ${rowLabel(sql`t`)} as "row", v as j from ${quote(type.table)} t, jsonb_path_query(t.${quote(column)}, ${param(`${path}."${attribute.name}"`)}) v`,
        );
  return queries.map((query) => sql`select * from (${query}) s where s.j not in ('null', '[]')`);
}
