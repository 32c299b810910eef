/** How relations are stored: the one place that says what each kind of join consists of. */
import { identifier, type Identifier } from '../sql.js';
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

/** The relations of instances stand in the holder's JSON, where nobody else writes. */
export const EMBEDDED: EmbeddedJoin = Object.freeze({ kind: 'embedded', ...ONE_SIDED });

/** The locales of a document are told by its own rows. */
export const LOCALES: LocalesJoin = Object.freeze({ kind: 'locales', ...ONE_SIDED });

/** Whoever holds a file says so in rows and links of their own. */
export const HOLDERS: HoldersJoin = Object.freeze({ kind: 'holders', ...ONE_SIDED });

const linkColumn = (name: string, property: string, type: string): LinkColumn =>
  Object.freeze({ name: identifier(name), property, type, key: false });

const keyColumn = (name: string, property: string, type: string): LinkColumn =>
  Object.freeze({ ...linkColumn(name, property, type), key: true });

const OWNER = keyColumn('owner_document_id', 'ownerDocumentId', 'text');
const PUBLISHED = keyColumn('published', 'published', 'boolean');
const LOCALE = keyColumn('locale', 'locale', 'text');
const TARGET = keyColumn('target_document_id', 'targetDocumentId', 'text');
const TARGET_TYPE = keyColumn('target_type', 'targetType', 'text');
const POSITION = linkColumn('position', 'position', 'integer');
const INVERSE_POSITION = linkColumn('inverse_position', 'inversePosition', 'bigint');

/** What decides about the table of a relation's links. */
interface LinkShape {
  readonly perLocale: boolean;
  readonly toOne: boolean;
  readonly exclusive: boolean;
}

/** The table of an owning side's links. */
function linkTable(owner: Identifier, key: string, shape: LinkShape): LinkTable {
  const table = linkTableName(owner, key);
  return {
    table,
    owner: OWNER,
    published: PUBLISHED,
    locale: LOCALE,
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

/** One for all links of a type: whoever writes them from elsewhere moves the revisions of its rows, too. */
export const linksLock = (owner: Identifier): string => `${owner} links`;

/** What both sides of a relation say of it. */
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

/** The type that owns the links which an inverse side shows: it shows those of one type. */
export const ownerTypeOf = ({ targets }: LinkedAttribute): ContentType => targets[0] as ContentType;

/** What a join is made of: the attribute, its type, and where other types are. */
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

/** Both sides of a relation, as its owning side defines it. */
interface TwoWay {
  readonly owner: ContentTypeDefinition;
  readonly key: string;
  readonly def: RelationDefinition;
}

const shapeOf = ({ owner, def }: TwoWay): LinkShape => ({
  perLocale: isPerLocale(owner, def),
  toOne: !isToMany(def),
  exclusive: def.relation.startsWith('oneTo'),
});

/**
 * Whether a two-way relation has a table: where an owner may have several links; and where locales have their
 * own, because a link that the other side makes may wait for its owner's version (D25).
 */
const hasTable = (shape: LinkShape): boolean => !shape.toOne || shape.perLocale;

function owning({ owner, key, def }: TwoWay, table: Identifier): Join {
  const shape = shapeOf({ owner, key, def });
  if (hasTable(shape)) return link(table, key, twoWayTable(table, key, shape));
  return column(table, key, def.relation === 'manyToOne');
}

/** The inverse side, which the other side's definition says all of. */
function inverse(twoWay: TwoWay, table: Identifier): Join {
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

/** How a relation of a content type reaches its targets. */
export function joinOf(def: RelationDefinition | MediaDefinition, context: JoinContext): Join {
  const { type: owner, key, types, tableOf } = context;
  const table = tableOf(owner);
  if (def.type === 'relation' && def.mappedBy !== undefined) {
    const other = types.get(def.target) as ContentTypeDefinition;
    const theirs = other.attributes[def.mappedBy] as RelationDefinition;
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

/** The owning side of a polymorphic relation. */
interface MorphOwner {
  readonly owner: ContentTypeDefinition;
  readonly key: string;
  readonly def: MorphDefinition;
}

/** Whether a type shows the links of a polymorphic relation as those of one owner at most. */
const showsOne = (type: ContentTypeDefinition, { owner, key }: MorphOwner): boolean =>
  Object.values(type.attributes).some(
    (def) =>
      def.type === 'relation' &&
      def.relation === 'morphOne' &&
      def.target === owner.singularApiId &&
      def.morphBy === key,
  );

/** Its table, which has a place for the lists of other sides, whether or not there are such already. */
function morphTable(morph: MorphOwner, { types, tableOf }: JoinContext): TwoWayLinkTable {
  const { owner, key, def } = morph;
  const toOne = def.relation === 'morphToOne';
  return {
    ...twoWayTable(tableOf(owner), key, { perLocale: isPerLocale(owner, def), toOne, exclusive: false }),
    targetType: TARGET_TYPE,
    exclusiveTypes: [...types.values()]
      .filter((type) => showsOne(type, morph))
      .map(({ singularApiId }) => singularApiId),
  };
}

/** How a relation of a content type reaches targets of several types. */
export const morphJoin = (def: MorphDefinition, context: JoinContext): LinkJoin => {
  const { type: owner, key, tableOf } = context;
  return link(tableOf(owner), key, morphTable({ owner, key, def }, context));
};

/** How a type reaches the documents that lead to it among others. */
export function morphSideJoin(
  { target, morphBy: key }: MorphSideDefinition,
  context: JoinContext,
): InverseLinkJoin {
  const owner = context.types.get(target) as ContentTypeDefinition;
  const def = owner.attributes[key] as MorphDefinition;
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
