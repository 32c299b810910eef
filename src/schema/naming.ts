/** Names of tables, columns and indexes: deterministic, at most 63 bytes, and never two for one. */
import { createHash } from 'node:crypto';
import { type Identifier, identifier, MAX_IDENTIFIER_BYTES } from '../sql.js';
import type { ContentType } from './model.js';
import { SYSTEM_COLUMNS } from './system-columns.js';

const snake = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();

/**
 * Joins words into one name; a name that would be too long keeps its start and ends in a hash of the whole.
 */
export function name(...words: readonly string[]): Identifier {
  const full = words.map(snake).join('_');
  if (Buffer.byteLength(full) <= MAX_IDENTIFIER_BYTES) return identifier(full);
  const hash = createHash('sha256').update(full).digest('hex').slice(0, 10);
  return identifier(`${full.slice(0, MAX_IDENTIFIER_BYTES - hash.length - 1)}_${hash}`);
}

/** Columns of the document, and those that PostgreSQL keeps in every table. */
const TAKEN: readonly string[] = [
  ...SYSTEM_COLUMNS.map((column) => column.name),
  ...['tableoid', 'ctid', 'xmin', 'cmin', 'xmax', 'cmax'],
];

/** The column of an attribute; one that is taken gets a trailing underscore. */
export function columnName(attribute: string, suffix?: string): Identifier {
  const plain = suffix === undefined ? name(attribute) : name(attribute, suffix);
  return TAKEN.includes(plain) ? identifier(`${plain}_`) : plain;
}

/** A table's name with the PostgreSQL schema that holds it; null for the one that the connection is in. */
export const inSchema = (schema: string | null, table: Identifier): Identifier =>
  schema === null ? table : identifier(`${schema}.${table}`);

/**
 * The schema of a table, and its name in there. Indexes are in the schema of their table, so their names go
 * without.
 */
export function parted(table: string): { readonly schema: string | null; readonly bare: string } {
  const dot = table.indexOf('.');
  return { schema: dot < 0 ? null : table.slice(0, dot), bare: table.slice(dot + 1) };
}

/** The PostgreSQL schema that a table's name has; null for none. */
export function namedSchema(table: string): Identifier | null {
  const { schema } = parted(table);
  return schema === null ? null : identifier(schema);
}

/** A name made of a table's. */
const of = (table: string, ...words: readonly string[]): Identifier => name(parted(table).bare, ...words);

export const linkTableName = (table: string, attribute: string): Identifier =>
  inSchema(parted(table).schema, of(table, attribute, 'links'));

/** A type, as far as its name in the database goes. */
interface Table {
  readonly table: string;
}

/** An attribute, as far as its name goes. */
interface Named {
  readonly name: string;
}

/** The index that holds a unique attribute; errors are mapped back to the attribute by this name. */
export const uniqueIndexName = ({ table }: Table, attribute: Named): Identifier =>
  of(table, attribute.name, 'unique');

/** The index that serves filters and sorts on an attribute. */
export const attributeIndexName = ({ table }: Table, attribute: Named): Identifier =>
  of(table, attribute.name, 'index');

/** The index that allows a one-to-one target one owner per locale and state. */
export const holderIndexName = ({ table }: Table, attribute: Named): Identifier =>
  of(table, attribute.name, 'holder');

/** The index that allows one version per document, locale and state. */
export const versionIndexName = ({ table }: Table): Identifier => of(table, 'one', 'per', 'version');

/** The index that allows one document of a single type per locale and state. */
export const singleIndexName = ({ table }: Table): Identifier => of(table, 'one', 'document');

export const countIndexName = ({ table }: Table): Identifier => of(table, 'for', 'totals');

export const listIndexName = ({ table }: Table): Identifier => of(table, 'for', 'pages');

/** The index of a link table for its targets. */
export const targetIndexName = (table: string): Identifier => of(table, 'by', 'target');

/**
 * Whether an index has a name that this file makes: of its table alone, or of one of the attributes that its
 * columns are of. Any other index is made by hand.
 */
export function isContentIndex(type: Table, index: string, attributes: readonly string[]): boolean {
  const ofType = [versionIndexName, singleIndexName, countIndexName, listIndexName];
  const ofAttribute = [uniqueIndexName, attributeIndexName, holderIndexName];
  return (
    index === targetIndexName(type.table) ||
    ofType.some((nameOf) => nameOf(type) === index) ||
    attributes.some((name) => ofAttribute.some((nameOf) => nameOf(type, { name }) === index))
  );
}

/**
 * Component instances live inside their document's row, so their ids come from a sequence of their own.
 * MikroORM creates sequences with tables only: this one stays empty, and lends its sequence.
 */
export const INSTANCE_IDS = identifier('content_component_ids');

/** That sequence: PostgreSQL names it after the table and its serial column. */
export const INSTANCE_SEQUENCE = identifier('content_component_ids_id_seq');

/**
 * Where places and revisions are counted: what happens later has a greater number, in whichever list or
 * document. A table for the sake of its sequence, too.
 */
export const COUNTS = identifier('content_counts');
export const COUNTER = identifier('content_counts_id_seq');

/** What the protocol calls a type where it has to be told from components (D33). */
export const typeUid = ({
  singularApiId,
  internal,
}: Pick<ContentType, 'singularApiId' | 'internal'>): string =>
  internal ? 'plugin::upload.file' : `api::${singularApiId}.${singularApiId}`;

/** Keys that the answer has beside attributes. */
export const ATTRIBUTES = identifier('attributes');
export const COMPONENT = identifier('__component');
export const TYPE = identifier('__type');

/** The first segment of the routes that show the model, and the name that they are granted by. */
export const MODEL_GRANT = 'content-type-builder';
