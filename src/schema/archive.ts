/** What of a model goes into archives: every document of every type, without what nobody may carry away. */
import { type Identifier, identifier } from '../sql.js';
import type { Attribute, Column, Component, ContentType, EmbeddedAttribute, StoredLinks } from './model.js';
import { inSchema, parted } from './naming.js';

/** The table that says how far imports have come; there while one is under way. */
export const IMPORT_TABLE = identifier('content_import');

/** That table, where the tables of the model are. */
export const importTableOf = ({ table }: Pick<ContentType, 'table'>): Identifier =>
  inSchema(parted(table).schema, IMPORT_TABLE);

/** What an archive holds of a type. */
export interface ArchivedType {
  readonly type: ContentType;
  /** The columns of its versions beside those that every type has. */
  readonly columns: readonly Column[];
  readonly links: readonly StoredLinks[];
}

/** Attributes that stay where they are, by the table of a type; all of them where it says so. */
export type Withheld = Readonly<Record<string, readonly string[] | 'all'>>;

/** Whether what is stored for an attribute can be used to sign in. */
export const isSecret = ({ def }: Attribute): boolean => def.type === 'password';

/** Whether somewhere inside instances of an attribute there are secrets. */
export function holdsSecrets({ components }: EmbeddedAttribute, seen = new Set<Component>()): boolean {
  return components.some((component) => {
    if (seen.has(component)) return false;
    seen.add(component);
    return [...component.attributes.values()].some(
      (attribute) => isSecret(attribute) || ('components' in attribute && holdsSecrets(attribute, seen)),
    );
  });
}

/** The types of a model that archives hold, the file type first, and what they hold of each. */
export function archivedTypes(
  types: ReadonlyMap<string, ContentType>,
  withheld: Withheld,
): readonly ArchivedType[] {
  return [...types.values()].flatMap((type): ArchivedType[] => {
    const secrets = withheld[parted(type.table).bare] ?? [];
    if (secrets === 'all') return [];
    const isArchived = ({ attribute }: { readonly attribute: Attribute }): boolean =>
      !isSecret(attribute) && !secrets.includes(attribute.name);
    const { columns, links } = type.storage;
    return [{ type, columns: columns.filter(isArchived), links: links.filter(isArchived) }];
  });
}
