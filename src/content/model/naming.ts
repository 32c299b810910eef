/** Names of tables, columns and indexes: deterministic, at most 63 bytes, and distinct. */
import { createHash } from 'node:crypto';
import { type Identifier, identifier, MAX_IDENTIFIER_BYTES } from '../../kernel/sql.js';
import type { IndexDefinition } from './index-definition.js';
import type { ContentType } from './model.js';
import { SYSTEM_COLUMNS } from './system-columns.js';

const snake = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();

/** Joins words to one snake-case name. A longer name is cut and ends in a hash of the whole. */
export function name(...words: readonly string[]): Identifier {
  const full = words.map(snake).join('_');
  if (Buffer.byteLength(full) <= MAX_IDENTIFIER_BYTES) return identifier(full);
  const hash = createHash('sha256').update(full).digest('hex').slice(0, 10);
  return identifier(`${full.slice(0, MAX_IDENTIFIER_BYTES - hash.length - 1)}_${hash}`);
}

/** Returns a name that {@link name} made, and that the database has stored. Throws if it cannot be one. */
export const storedName = (text: string): Identifier => identifier(text);

const RESERVED_COLUMNS: readonly string[] = [
  ...SYSTEM_COLUMNS.map((column) => column.name),
  ...['tableoid', 'ctid', 'xmin', 'cmin', 'xmax', 'cmax'],
];

/** Returns the column of an attribute; a reserved name gets a trailing underscore. */
export function columnName(attribute: string, suffix?: string): Identifier {
  const plain = suffix === undefined ? name(attribute) : name(attribute, suffix);
  return RESERVED_COLUMNS.includes(plain) ? identifier(`${plain}_`) : plain;
}

/** Qualifies a table with its PostgreSQL schema; null means the current schema of the connection. */
export const inSchema = (schema: string | null, table: Identifier): Identifier =>
  schema === null ? table : identifier(`${schema}.${table}`);

/**
 * Splits a table name into schema and bare name. Index names use the bare name, because an index is in the
 * schema of its table.
 */
export function splitTable(table: string): { readonly schema: string | null; readonly bare: string } {
  const dot = table.indexOf('.');
  return { schema: dot < 0 ? null : table.slice(0, dot), bare: table.slice(dot + 1) };
}

export function namedSchema(table: string): Identifier | null {
  const { schema } = splitTable(table);
  return schema === null ? null : identifier(schema);
}

const of = (table: string, ...words: readonly string[]): Identifier => name(splitTable(table).bare, ...words);

export const linkTableName = (table: string, attribute: string): Identifier =>
  inSchema(splitTable(table).schema, of(table, attribute, 'links'));

interface Table {
  readonly table: string;
}

interface NamedAttribute {
  readonly name: string;
}

/** Unique index of an attribute; database errors are mapped back to the attribute by this name. */
export const uniqueIndexName = ({ table }: Table, attribute: NamedAttribute): Identifier =>
  of(table, attribute.name, 'unique');

export const attributeIndexName = ({ table }: Table, attribute: NamedAttribute): Identifier =>
  of(table, attribute.name, 'index');

/** Index that limits a one-to-one target to one owner per locale and state. */
export const holderIndexName = ({ table }: Table, attribute: NamedAttribute): Identifier =>
  of(table, attribute.name, 'holder');

const DECLARED_KINDS = ['sorted', 'together', 'trigram'] as const;

const kindOf = ({ using, unique }: IndexDefinition): (typeof DECLARED_KINDS)[number] =>
  using ?? (unique === true ? 'together' : 'sorted');

/** Index that a type declares; database errors are mapped back to the attributes by this name. */
export const declaredIndexName = ({ table }: Table, index: IndexDefinition): Identifier =>
  of(table, ...index.attributes, kindOf(index));

/** Index that limits documents to one version per locale and state. */
export const versionIndexName = ({ table }: Table): Identifier => of(table, 'one', 'per', 'version');

/** Index that limits a single type to one document per locale and state. */
export const singleIndexName = ({ table }: Table): Identifier => of(table, 'one', 'document');

export const countIndexName = ({ table }: Table): Identifier => of(table, 'for', 'totals');

export const listIndexName = ({ table }: Table): Identifier => of(table, 'for', 'pages');

export const targetIndexName = (table: string): Identifier => of(table, 'by', 'target');

/** Names of the columns of an index. */
interface IndexedNames {
  readonly attributes: readonly string[];
  /** Names of the attributes and of the columns of every document that an index can contain. */
  readonly declared: readonly string[];
}

/**
 * Whether this library named the index, for its table or for the attributes of its columns, in order. All
 * other indexes were created manually.
 */
export function isContentIndex(type: Table, index: string, { attributes, declared }: IndexedNames): boolean {
  const ofType = [versionIndexName, singleIndexName, countIndexName, listIndexName];
  const ofAttribute = [uniqueIndexName, attributeIndexName, holderIndexName];
  return (
    index === targetIndexName(type.table) ||
    ofType.some((nameOf) => nameOf(type) === index) ||
    attributes.some((name) => ofAttribute.some((nameOf) => nameOf(type, { name }) === index)) ||
    DECLARED_KINDS.some((kind) => of(type.table, ...declared, kind) === index)
  );
}

/**
 * Table that owns the sequence of component instance ids; it has no rows. Instances are part of their
 * document's row, and MikroORM creates sequences only with tables.
 */
export const INSTANCE_IDS = identifier('content_component_ids');

/** Sequence name, as PostgreSQL derives it from the table and its serial column. */
export const INSTANCE_SEQUENCE = identifier('content_component_ids_id_seq');

/**
 * Table that owns the sequence of list positions and revisions; it has no rows. Later positions and revisions
 * are greater, across all lists and documents.
 */
export const COUNTS = identifier('content_counts');
export const COUNTER = identifier('content_counts_id_seq');

/** Types that Strapi defines itself. Clients know their names and special routes. */
const STRAPI_UIDS = {
  user: 'plugin::users-permissions.user',
  role: 'plugin::users-permissions.role',
  'api-token': 'admin::api-token',
  file: 'plugin::upload.file',
} as const;

export type StrapiUids = typeof STRAPI_UIDS;

const UID_OF: ReadonlyMap<string, string> = new Map(Object.entries(STRAPI_UIDS));

type NamedType = Pick<ContentType, 'singularApiId' | 'internal' | 'routes'>;

const hostUid = (name: string): string => `api::${name}.${name}`;

/** Returns the protocol's name of a type, which distinguishes it from components (D33). */
export function typeUid({ singularApiId, internal, routes }: NamedType): string {
  if (internal) return STRAPI_UIDS.file;
  return (routes.length === 0 ? UID_OF.get(singularApiId) : undefined) ?? hostUid(singularApiId);
}

/** Whether a request may call the type by this name. */
export const isUidOf = (type: NamedType, name: unknown): boolean =>
  name === typeUid(type) || (!type.internal && name === hostUid(type.singularApiId));

export const ATTRIBUTES = identifier('attributes');
export const COMPONENT = identifier('__component');
export const TYPE = identifier('__type');
export const STATE = identifier('__state');

/** First segment of the routes that show the model, and the subject of their grant. */
export const MODEL_GRANT = 'content-type-builder';

/** Subject of the grant that opens the desk. */
export const DESK_GRANT = 'desk';

/** Subject of the grant that shows the audit log, and the first segment of its route. */
export const AUDIT_GRANT = 'audit';

/** Subject of the grant on releases, and the first segment of their routes. */
export const RELEASES_GRANT = 'releases';
