import { isMorph } from './relation-kinds.js';
import { present } from '../../kernel/present.js';
import { identifier, type Identifier } from '../../kernel/sql.js';
import type {
  ContentTypeDefinition,
  MediaDefinition,
  MorphDefinition,
  MorphSideDefinition,
  RelationDefinition,
} from './definitions.js';
import type {
  ColumnJoin,
  EmbeddedJoin,
  HoldersJoin,
  InverseLinkJoin,
  Join,
  LinkColumn,
  LinkJoin,
  LinkTable,
  LocalesJoin,
  TwoWayLinkTable,
} from './join-model.js';
import type { ContentType, LinkedAttribute } from './model.js';
import { columnName, linkTableName, targetIndexName } from './naming.js';

const ONE_SIDED = { name: null, side: null, lock: null, perLocale: false } as const;

/** Links inside a component are part of its JSON, so only the document's own writes change them. */
export const EMBEDDED_JOIN: EmbeddedJoin = Object.freeze({ kind: 'embedded', ...ONE_SIDED });

export const LOCALES: LocalesJoin = Object.freeze({ kind: 'locales', ...ONE_SIDED });

export const HOLDERS: HoldersJoin = Object.freeze({ kind: 'holders', ...ONE_SIDED });

const linkColumn = (name: string, property: string, type: string): LinkColumn =>
  Object.freeze({ name: identifier(name), property, type, key: false });

const keyColumn = (name: string, property: string, type: string): LinkColumn =>
  Object.freeze({ ...linkColumn(name, property, type), key: true });

const OWNER = keyColumn('owner_document_id', 'ownerDocumentId', 'text');
const PUBLISHED_COLUMN = keyColumn('published', 'published', 'boolean');
const LOCALE_COLUMN = keyColumn('locale', 'locale', 'text');
const TARGET = keyColumn('target_document_id', 'targetDocumentId', 'text');
const TARGET_TYPE = keyColumn('target_type', 'targetType', 'text');
const POSITION = linkColumn('position', 'position', 'integer');
const INVERSE_POSITION = linkColumn('inverse_position', 'inversePosition', 'bigint');

interface LinkShape {
  readonly perLocale: boolean;
  readonly toOne: boolean;
  readonly exclusive: boolean;
}

function linkTable(owner: Identifier, key: string, shape: LinkShape): LinkTable {
  const table = linkTableName(owner, key);
  return {
    table,
    owner: OWNER,
    published: PUBLISHED_COLUMN,
    locale: LOCALE_COLUMN,
    target: TARGET,
    targetType: null,
    position: POSITION,
    inversePosition: null,
    ...shape,
    exclusiveTypes: [],
    targetIndex: targetIndexName(table),
  };
}

const twoWayTable = (owner: Identifier, key: string, shape: LinkShape): TwoWayLinkTable => ({
  ...linkTable(owner, key, shape),
  inversePosition: INVERSE_POSITION,
});

/**
 * Returns the name of the lock for all links of a type. A write of such links from another type also changes
 * the revisions of this type's rows.
 */
export const linksLock = (owner: Identifier): string => `${owner} links`;

const relationOf = (owner: Identifier, key: string): { readonly name: string; readonly lock: string } => ({
  name: `${owner}.${key}`,
  lock: linksLock(owner),
});

function link(owner: Identifier, key: string, links: LinkTable): LinkJoin {
  const { perLocale } = links;
  return { kind: 'link', side: 'owning', ...relationOf(owner, key), links, perLocale };
}

function column(owner: Identifier, key: string, ordered: boolean): ColumnJoin {
  return {
    kind: 'column',
    side: 'owning',
    ...relationOf(owner, key),
    perLocale: false,
    column: columnName(key, 'document_id'),
    position: ordered ? columnName(key, 'position') : null,
  };
}

export const ownerTypeOf = ({ targets }: LinkedAttribute): ContentType =>
  present(targets[0], 'The owning type');

export interface JoinContext {
  readonly type: ContentTypeDefinition;
  readonly key: string;
  readonly types: ReadonlyMap<string, ContentTypeDefinition>;
  readonly tableOf: (type: ContentTypeDefinition) => Identifier;
}

const isToMany = ({ relation }: RelationDefinition): boolean =>
  relation === 'oneToMany' || relation === 'manyToMany';

const isPerLocale = (type: ContentTypeDefinition, def: { readonly localized?: boolean }): boolean =>
  type.localized === true && def.localized === true;

interface TwoWayRelation {
  readonly owner: ContentTypeDefinition;
  readonly key: string;
  readonly def: RelationDefinition;
}

const shapeOf = ({ owner, def }: TwoWayRelation): LinkShape => ({
  perLocale: isPerLocale(owner, def),
  toOne: !isToMany(def),
  exclusive: def.relation.startsWith('oneTo'),
});

/**
 * Whether a two-way relation needs a link table: an owner may have several links, or locales have their own.
 * In the second case the inverse side may create a link before the owner's version exists (D25).
 */
const hasTable = (shape: LinkShape): boolean => !shape.toOne || shape.perLocale;

function owning({ owner, key, def }: TwoWayRelation, table: Identifier): Join {
  const shape = shapeOf({ owner, key, def });
  if (hasTable(shape)) return link(table, key, twoWayTable(table, key, shape));
  return column(table, key, def.relation === 'manyToOne');
}

function inverse(twoWay: TwoWayRelation, table: Identifier): Join {
  const { key, def } = twoWay;
  const shape = shapeOf(twoWay);
  const relation = relationOf(table, key);
  if (hasTable(shape))
    return {
      kind: 'inverseLink',
      side: 'inverse',
      ...relation,
      perLocale: shape.perLocale,
      links: twoWayTable(table, key, shape),
      calledType: null,
    };
  const position = def.relation === 'manyToOne' ? columnName(key, 'position') : null;
  return {
    kind: 'inverseColumn',
    side: 'inverse',
    ...relation,
    perLocale: false,
    column: columnName(key, 'document_id'),
    position,
  };
}

export function joinOf(def: RelationDefinition | MediaDefinition, context: JoinContext): Join {
  const { type: owner, key, types, tableOf } = context;
  const table = tableOf(owner);
  if (def.type === 'relation' && def.mappedBy !== undefined) {
    const other = present(types.get(def.target), def.target);
    const theirs = other.attributes[def.mappedBy];
    if (theirs?.type !== 'relation' || isMorph(theirs) || 'morphBy' in theirs)
      throw new Error(`${def.target}.${def.mappedBy} is not a relation with an inverse side`);
    return inverse({ owner: other, key: def.mappedBy, def: theirs }, tableOf(other));
  }
  if (def.type === 'relation' && def.inversedBy !== undefined) return owning({ owner, key, def }, table);
  const many = def.type === 'media' ? def.multiple === true : isToMany(def);
  if (!many) return column(table, key, false);
  return link(
    table,
    key,
    linkTable(table, key, { perLocale: isPerLocale(owner, def), toOne: false, exclusive: false }),
  );
}

interface MorphOwner {
  readonly owner: ContentTypeDefinition;
  readonly key: string;
  readonly def: MorphDefinition;
}

/**
 * Whether a type shows the links of a polymorphic relation as a `morphOne`, so each document has one owner at
 * most.
 */
const hasOneOwner = (type: ContentTypeDefinition, { owner, key }: MorphOwner): boolean =>
  Object.values(type.attributes).some(
    (def) =>
      def.type === 'relation' &&
      def.relation === 'morphOne' &&
      def.target === owner.singularApiId &&
      def.morphBy === key,
  );

function morphTable(morph: MorphOwner, { types, tableOf }: JoinContext): TwoWayLinkTable {
  const { owner, key, def } = morph;
  const toOne = def.relation === 'morphToOne';
  return {
    ...twoWayTable(tableOf(owner), key, { perLocale: isPerLocale(owner, def), toOne, exclusive: false }),
    targetType: TARGET_TYPE,
    exclusiveTypes: [...types.values()]
      .filter((type) => hasOneOwner(type, morph))
      .map(({ singularApiId }) => singularApiId),
  };
}

export const morphJoin = (def: MorphDefinition, context: JoinContext): LinkJoin => {
  const { type: owner, key, tableOf } = context;
  return link(tableOf(owner), key, morphTable({ owner, key, def }, context));
};

export function morphSideJoin(
  { target, morphBy: key }: MorphSideDefinition,
  context: JoinContext,
): InverseLinkJoin {
  const owner = present(context.types.get(target), target);
  const def = owner.attributes[key];
  if (def?.type !== 'relation' || !isMorph(def)) throw new Error(`${target}.${key} is not polymorphic`);
  const links = morphTable({ owner, key, def }, context);
  return {
    kind: 'inverseLink',
    side: 'inverse',
    ...relationOf(context.tableOf(owner), key),
    perLocale: links.perLocale,
    links,
    calledType: context.type.singularApiId,
  };
}
