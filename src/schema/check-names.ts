/** No two parts of a model may take one name in the database; they would be merged silently. */
import type { Attribute, ContentType } from './model.js';
import { SYSTEM_COLUMNS } from './model.js';
import {
  attributeIndexName,
  countIndexName,
  listIndexName,
  ownerIndexName,
  parted,
  singleIndexName,
  targetIndexName,
  uniqueIndexName,
  versionIndexName,
} from './naming.js';
import { isIndexedInside } from './unique-inside.js';

/** Tables that are taken before any type; the file type's is claimed by the file type. */
const OWN_TABLES = [
  ['content_component_ids', 'the library'],
  ['mikro_orm_migrations', 'the migrations of MikroORM'],
] as const;

function columnsOf(attribute: Attribute): string[] {
  if (attribute.kind === 'scalar') return attribute.system ? [] : [attribute.column];
  if (attribute.kind !== 'relation') return [attribute.column];
  const { join } = attribute;
  return join.kind === 'column' ? [join.column, ...(join.position === null ? [] : [join.position])] : [];
}

/** Tables and indexes that an attribute takes. */
function relationsOf(type: ContentType, attribute: Attribute): string[] {
  switch (attribute.kind) {
    case 'scalar': {
      const unique = attribute.def.unique === true || attribute.def.type === 'uid';
      return [
        ...(unique ? [uniqueIndexName(type, attribute)] : []),
        ...(unique || attribute.def.index === true ? [attributeIndexName(type, attribute)] : []),
      ];
    }
    case 'component':
    case 'zone':
      return isIndexedInside(attribute) ? [attributeIndexName(type, attribute)] : [];
    case 'relation': {
      const { join, exclusive } = attribute;
      if (join.kind === 'link')
        return [bare(join.table), targetIndexName(join.table), `${bare(join.table)}_pkey`];
      return join.kind === 'column'
        ? [exclusive ? ownerIndexName(type, attribute) : attributeIndexName(type, attribute)]
        : [];
    }
  }
}

/** A model's tables are all in one schema, as are their indexes. */
const bare = (table: string): string => parted(table).bare;

/** Every clash of names, each with both places. */
export function checkNames(types: readonly ContentType[]): string[] {
  const mistakes: string[] = [];
  const relations = new Map<string, string>(OWN_TABLES);
  const told = new Set<string>();
  const claim = (taken: string, owner: string): void => {
    const first = relations.get(taken);
    // Two with one table have its indexes in common, too.
    if (first !== undefined && first !== owner && !told.has(`${owner} ${first}`)) {
      mistakes.push(
        `${owner}: needs the same name "${taken}" in the database as ${first}; rename it or set tableName`,
      );
      told.add(`${owner} ${first}`);
    }
    relations.set(taken, owner);
  };
  for (const type of types) {
    const system = [
      bare(type.table),
      `${bare(type.table)}_id_seq`,
      `${bare(type.table)}_pkey`,
      versionIndexName(type),
      singleIndexName(type),
      countIndexName(type),
      listIndexName(type),
    ];
    for (const taken of system) claim(taken, type.singularApiId);
    const columns = new Map<string, string>(SYSTEM_COLUMNS.map((column) => [column, 'the document']));
    for (const attribute of type.attributes.values()) {
      for (const taken of relationsOf(type, attribute))
        claim(taken, `${type.singularApiId}.${attribute.name}`);
      for (const column of columnsOf(attribute)) {
        const first = columns.get(column);
        if (first !== undefined)
          mistakes.push(
            `${type.singularApiId}.${attribute.name}: needs the same column "${column}" as "${first}"; rename one of them`,
          );
        columns.set(column, attribute.name);
      }
    }
  }
  return mistakes;
}
