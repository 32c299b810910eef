/** No two parts of a model may take one name in the database; they would be merged silently. */
import type { Attribute, ContentType } from './model.js';
import { SYSTEM_COLUMNS } from './model.js';
import { attributeIndexName, countIndexName, listIndexName, ownerIndexName, singleIndexName, targetIndexName, uniqueIndexName, versionIndexName } from './naming.js';

/** Tables that the library keeps for itself; the file type's is claimed by the file type. */
const OWN_TABLES = ['content_component_ids'];

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
      return [...(unique ? [uniqueIndexName(type, attribute)] : []), ...(unique || attribute.def.index === true ? [attributeIndexName(type, attribute)] : [])];
    }
    case 'component':
      return attribute.def.index === true ? [attributeIndexName(type, attribute)] : [];
    case 'relation': {
      const { join, exclusive } = attribute;
      if (join.kind === 'link') return [join.table, targetIndexName(join.table), `${join.table}_pkey`];
      return join.kind === 'column' ? [exclusive ? ownerIndexName(type, attribute) : attributeIndexName(type, attribute)] : [];
    }
    case 'zone':
      return [];
  }
}

/** Every clash of names, each with both places. */
export function checkNames(types: readonly ContentType[]): string[] {
  const mistakes: string[] = [];
  const relations = new Map(OWN_TABLES.map((table) => [table, 'the library']));
  const claim = (taken: string, owner: string): void => {
    const first = relations.get(taken);
    if (first !== undefined && first !== owner) mistakes.push(`${owner}: needs the same name "${taken}" in the database as ${first}; rename it or set tableName`);
    relations.set(taken, owner);
  };
  for (const type of types) {
    const system = [type.table, `${type.table}_pkey`, versionIndexName(type), singleIndexName(type), countIndexName(type), listIndexName(type)];
    for (const taken of system) claim(taken, type.singularApiId);
    const columns = new Map<string, string>(SYSTEM_COLUMNS.map((column) => [column, 'the document']));
    for (const attribute of type.attributes.values()) {
      for (const taken of relationsOf(type, attribute)) claim(taken, `${type.singularApiId}.${attribute.name}`);
      for (const column of columnsOf(attribute)) {
        const first = columns.get(column);
        if (first !== undefined) mistakes.push(`${type.singularApiId}.${attribute.name}: needs the same column "${column}" as "${first}"; rename one of them`);
        columns.set(column, attribute.name);
      }
    }
  }
  return mistakes;
}
