/** Generation of a type: a number that changes when its stored content gets another form. */
import { componentsOf } from './unique-inside.js';
import { createHash } from 'node:crypto';
import type { Attribute, Component, Storage } from './model.js';
import { isScalar } from './scalar-of.js';

/** Largest generation. 0 means an unknown revision. */
const MAX_GENERATION = 65535;

/** Returns the components that attributes may contain, at any depth. */
function componentsIn(attributes: Iterable<Attribute>): Set<Component> {
  const found = new Set<Component>();
  const visit = (list: Iterable<Attribute>): void => {
    for (const component of [...list].flatMap(componentsOf)) {
      if (found.has(component)) continue;
      found.add(component);
      visit(component.attributes.values());
    }
  };
  visit(attributes);
  return found;
}

/** Migrations convert values to those of `enum`, and fill in defaults of required attributes. */
const formOf = (attribute: Attribute): unknown => [
  attribute.name,
  attribute.def.type,
  'many' in attribute && attribute.many,
  componentsOf(attribute).map(({ uid }) => uid),
  ...(isScalar(attribute) ? [attribute.def.enum, attribute.required && attribute.def.default] : []),
];

/** Returns the generation of the content that revisions cover. */
export function generationOf({ columns, links }: Storage['content']): number {
  const components = [...componentsIn(columns.map(({ attribute }) => attribute))];
  const form = [
    columns.map(({ name, type, attribute }) => [name, type, formOf(attribute)]),
    links.map(({ attribute }) => attribute.name),
    components
      .map(({ uid, attributes }) => [uid, [...attributes.values()].map(formOf)] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  ];
  const digest = createHash('sha256').update(JSON.stringify(form)).digest();
  return 1 + (digest.readUInt32BE(0) % MAX_GENERATION);
}
