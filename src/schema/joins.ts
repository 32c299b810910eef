/** How relations are stored: the one place that says what each kind of join consists of. */
import { identifier, type Identifier } from '../sql.js';
import type { ContentTypeDefinition, MediaDefinition, RelationDefinition } from './definitions.js';
import type {
  ColumnJoin,
  EmbeddedJoin,
  Join,
  LinkColumn,
  LinkJoin,
  LinkTable,
  LocalesJoin,
  TwoWayLinkTable,
} from './model.js';
import { columnName, linkTableName, targetIndexName } from './naming.js';

/** The relations of instances stand in the holder's JSON, where nobody else writes. */
export const EMBEDDED: EmbeddedJoin = Object.freeze({ kind: 'embedded', side: null, lock: null });

/** The locales of a document are told by its own rows. */
export const LOCALES: LocalesJoin = Object.freeze({ kind: 'locales', side: null, lock: null });

const linkColumn = (name: string, more: Omit<LinkColumn, 'name'>): LinkColumn =>
  Object.freeze({ name: identifier(name), ...more });

const HOLDER = linkColumn('owner_id', { property: 'owner', type: null, key: true, counted: false });
const TARGET = linkColumn('target_document_id', {
  property: 'targetDocumentId',
  type: 'text',
  key: true,
  counted: false,
});
const POSITION = linkColumn('position', {
  property: 'position',
  type: 'integer',
  key: false,
  counted: false,
});
const INVERSE_POSITION = linkColumn('inverse_position', {
  property: 'inversePosition',
  type: 'integer',
  key: false,
  counted: true,
});

/** The table of an owning side's links. */
function linkTable(holder: Identifier, key: string): LinkTable {
  const table = linkTableName(holder, key);
  return {
    table,
    holder: HOLDER,
    target: TARGET,
    position: POSITION,
    inversePosition: null,
    targetIndex: targetIndexName(table),
  };
}

const twoWayTable = (holder: Identifier, key: string): TwoWayLinkTable => ({
  ...linkTable(holder, key),
  inversePosition: INVERSE_POSITION,
});

function link(holder: Identifier, key: string, twoWay: boolean): LinkJoin {
  const links = twoWay ? twoWayTable(holder, key) : linkTable(holder, key);
  return { kind: 'link', side: 'owning', lock: links.table, links };
}

const columnLock = (holder: Identifier, column: Identifier): string => `${holder}.${column}`;

function column(holder: Identifier, key: string, ordered: boolean): ColumnJoin {
  const held = columnName(key, 'document_id');
  return {
    kind: 'column',
    side: 'owning',
    lock: columnLock(holder, held),
    column: held,
    position: ordered ? columnName(key, 'position') : null,
  };
}

/** What a join is made of: the attribute, its type, and where other types are. */
export interface JoinContext {
  readonly type: ContentTypeDefinition;
  readonly key: string;
  readonly typeOf: (singularApiId: string) => ContentTypeDefinition;
  readonly tableOf: (type: ContentTypeDefinition) => Identifier;
}

/** The inverse side, which the other side's definition says all of. */
function inverse(def: RelationDefinition, mappedBy: string, { typeOf, tableOf }: JoinContext): Join {
  const target = typeOf(def.target);
  const table = tableOf(target);
  const perLocale = target.localized === true && target.attributes[mappedBy]?.localized === true;
  if (def.relation === 'manyToMany') {
    const links = twoWayTable(table, mappedBy);
    return { kind: 'inverseLink', side: 'inverse', lock: links.table, links, perLocale };
  }
  const held = columnName(mappedBy, 'document_id');
  const position = def.relation === 'oneToMany' ? columnName(mappedBy, 'position') : null;
  const lock = columnLock(table, held);
  return { kind: 'inverseColumn', side: 'inverse', lock, column: held, position, perLocale };
}

/** How a relation of a content type reaches its targets. */
export function joinOf(def: RelationDefinition | MediaDefinition, context: JoinContext): Join {
  const { type: holder, key, tableOf } = context;
  const table = tableOf(holder);
  if (def.type === 'media')
    return def.multiple === true ? link(table, key, false) : column(table, key, false);
  if (def.mappedBy !== undefined) return inverse(def, def.mappedBy, context);
  const twoWay = def.inversedBy !== undefined;
  const many = def.relation === 'oneToMany' || def.relation === 'manyToMany';
  return many ? link(table, key, twoWay) : column(table, key, twoWay && def.relation === 'manyToOne');
}
