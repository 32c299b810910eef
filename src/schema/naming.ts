/** Names of tables, columns and indexes: deterministic, at most 63 bytes, and never two for one. */
import { createHash } from 'node:crypto';
import { type Identifier, identifier, MAX_IDENTIFIER_BYTES } from '../sql.js';
import { type Attribute, type ContentType, SYSTEM_COLUMNS } from './model.js';

const snake = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();

/** Joins words into one name; a name that would be too long keeps its start and ends in a hash of the whole. */
export function name(...words: readonly string[]): Identifier {
  const full = words.map(snake).join('_');
  if (Buffer.byteLength(full) <= MAX_IDENTIFIER_BYTES) return identifier(full);
  const hash = createHash('sha256').update(full).digest('hex').slice(0, 10);
  return identifier(`${full.slice(0, MAX_IDENTIFIER_BYTES - hash.length - 1)}_${hash}`);
}

/** The column of an attribute; one that would meet a system column gets a trailing underscore. */
export function columnName(attribute: string, suffix?: string): Identifier {
  const plain = suffix === undefined ? name(attribute) : name(attribute, suffix);
  return (SYSTEM_COLUMNS as readonly string[]).includes(plain) ? identifier(`${plain}_`) : plain;
}

export const linkTableName = (table: string, attribute: string): Identifier => name(table, attribute, 'links');

type Table = Pick<ContentType, 'table'>;
type Named = Pick<Attribute, 'name'>;

/** The index that holds a unique attribute; errors are mapped back to the attribute by this name. */
export const uniqueIndexName = ({ table }: Table, attribute: Named): Identifier => name(table, attribute.name, 'unique');

/** The index that serves filters and sorts on an attribute. */
export const attributeIndexName = ({ table }: Table, attribute: Named): Identifier => name(table, attribute.name, 'index');

/** The index that allows a one-to-one target one owner per locale and state. */
export const ownerIndexName = ({ table }: Table, attribute: Named): Identifier => name(table, attribute.name, 'holder');

/** The index that allows one version per document, locale and state. */
export const versionIndexName = ({ table }: Table): Identifier => name(table, 'one', 'per', 'version');

/** The index that allows one document of a single type per locale and state. */
export const singleIndexName = ({ table }: Table): Identifier => name(table, 'one', 'document');

export const countIndexName = ({ table }: Table): Identifier => name(table, 'for', 'totals');

export const listIndexName = ({ table }: Table): Identifier => name(table, 'for', 'pages');

/** The index of a link table for its targets. */
export const targetIndexName = (table: string): Identifier => name(table, 'by', 'target');

/** Keys that the answer has beside attributes. */
export const ATTRIBUTES = identifier('attributes');
export const COMPONENT = identifier('__component');
