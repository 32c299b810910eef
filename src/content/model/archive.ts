/** Contents of archives: every document of every type, without secrets. */
import { type Identifier, identifier } from '../../kernel/sql.js';
import type { Attribute, Column, Component, ContentType, EmbeddedAttribute, StoredLinks } from './model.js';
import { inSchema, splitTable } from './naming.js';

export const IMPORT_TABLE = identifier('content_import');

export const importTableOf = ({ table }: Pick<ContentType, 'table'>): Identifier =>
  inSchema(splitTable(table).schema, IMPORT_TABLE);

export interface ArchivedType {
  readonly type: ContentType;
  readonly columns: readonly Column[];
  readonly links: readonly StoredLinks[];
}

/** Whether archives leave an attribute out: passwords, and attributes with `archived: false`. */
export const isSecret = ({ def }: Attribute): boolean => def.type === 'password' || def.archived === false;

export function holdsSecrets({ components }: EmbeddedAttribute, seen = new Set<Component>()): boolean {
  return components.some((component) => {
    if (seen.has(component)) return false;
    seen.add(component);
    return [...component.attributes.values()].some(
      (attribute) => isSecret(attribute) || ('components' in attribute && holdsSecrets(attribute, seen)),
    );
  });
}

export function archivedTypes(types: ReadonlyMap<string, ContentType>): readonly ArchivedType[] {
  const isExported = ({ attribute }: { readonly attribute: Attribute }): boolean => !isSecret(attribute);
  return [...types.values()]
    .filter(({ archived }) => archived)
    .map((type) => {
      const { columns, links } = type.storage;
      return { type, columns: columns.filter(isExported), links: links.filter(isExported) };
    });
}
