/**
 * The model as the rest of the library sees it: names resolved, both sides of every relation joined, frozen.
 */
import type { Identifier, Sql } from '../sql.js';
import type {
  AnyRoute,
  ComponentAttributeDefinition,
  MediaDefinition,
  MorphDefinition,
  MorphSideDefinition,
  RelationDefinition,
  ScalarDefinition,
  ZoneDefinition,
} from './definitions.js';
import type { FallsBack } from './fallback-locale.js';
import type { EmbeddedJoin, HoldersJoin, Join, LinkJoin, LinkTable } from './join-model.js';
import type { ScalarType } from './scalar-types.js';

interface AttributeBase {
  readonly name: Identifier;
  readonly required: boolean;
  readonly private: boolean;
  readonly writable: boolean;
  /** Has a value per locale. False in types that are not localized. */
  readonly localized: boolean;
  /** `id`, `documentId`, timestamps, `locale`, and the `related` of files: set by the service. */
  readonly system: boolean;
  /** Nobody can read it. */
  readonly hidden: boolean;
  /** Leads to documents of their own; the others are part of the document. */
  readonly linked: boolean;
  /** Every document shows it to whoever may read it at all: what the service sets, and `localizations`. */
  readonly open: boolean;
}

export interface ScalarAttribute extends AttributeBase {
  readonly kind: 'scalar';
  readonly linked: false;
  readonly column: Identifier;
  readonly type: ScalarType;
  readonly def: ScalarDefinition;
  readonly searchable: boolean;
}

interface LinkedBase extends AttributeBase {
  readonly linked: true;
  readonly many: boolean;
  /** The types that it may lead to. */
  readonly targets: readonly ContentType[];
  /** Targets say of which type they are (`__type`). */
  readonly named: boolean;
  /** A side of a relation whose targets are of several types: no filter or sort leads through it (D33). */
  readonly polymorphic: boolean;
  /** A media attribute: its target, the file type, needs no grant. */
  readonly media: boolean;
  /** Each target has at most one owner: a new one takes it from the old (protocol 11.22, 11.23). */
  readonly exclusive: boolean;
}

/** A relation to one type, files included, and the other side of one to several. */
export interface RelationAttribute extends LinkedBase {
  readonly kind: 'relation';
  readonly def: RelationDefinition | MorphSideDefinition | MediaDefinition;
  readonly join: Join;
  readonly target: ContentType;
}

/** A relation to several types: the owning side of one, or what shows who holds a file. */
export interface MorphAttribute extends LinkedBase {
  readonly kind: 'morph';
  readonly def: MorphDefinition;
  readonly join: LinkJoin | EmbeddedJoin | HoldersJoin;
}

/** An attribute that leads to documents of their own. */
export type LinkedAttribute = RelationAttribute | MorphAttribute;

interface EmbeddedBase extends AttributeBase {
  readonly linked: false;
  readonly column: Identifier;
  /** What its instances may be of. */
  readonly components: readonly Component[];
  /** Instances say of which component they are (`__component`). */
  readonly named: boolean;
}

export interface ComponentAttribute extends EmbeddedBase {
  readonly kind: 'component';
  readonly def: ComponentAttributeDefinition;
  readonly component: Component;
  readonly many: boolean;
}

export interface ZoneAttribute extends EmbeddedBase {
  readonly kind: 'zone';
  readonly def: ZoneDefinition;
  readonly many: true;
}

/** An attribute that holds component instances, as JSON in the row that holds it. */
export type EmbeddedAttribute = ComponentAttribute | ZoneAttribute;

export type Attribute = ScalarAttribute | LinkedAttribute | EmbeddedAttribute;

interface ModelBase {
  readonly uid: string;
  /** The name that it had under an earlier model; null for none. */
  readonly previousName: string | null;
  /** What migrations may drop with all its values. */
  readonly removed: readonly string[];
  readonly attributes: ReadonlyMap<string, Attribute>;
  /** The scalars that an answer shows by default, in order. */
  readonly shown: readonly ScalarAttribute[];
}

export interface ContentType extends ModelBase, FallsBack {
  readonly model: 'type';
  readonly kind: 'collectionType' | 'singleType';
  readonly singularApiId: string;
  readonly pluralApiId: string;
  /** The id in routes: plural for collections, singular for single types. */
  readonly route: string;
  readonly draftAndPublish: boolean;
  readonly localized: boolean;
  /** Its table, with the schema where one is set. */
  readonly table: Identifier;
  /** Built in (the file type): no routes among those of content types. */
  readonly internal: boolean;
  /** The routes that it has. */
  readonly routes: readonly AnyRoute[];
  /** The attribute that is filled with the user who creates a document. */
  readonly owner: string | null;
  /** For how many seconds caches that many callers share may keep public answers about it. */
  readonly sharedMaxAge: number;
  /** What it is in the database. */
  readonly storage: Storage;
}

export interface Component extends ModelBase {
  readonly model: 'component';
  readonly uid: Identifier;
}

/** A column that holds what an attribute has. */
export interface Column {
  readonly name: Identifier;
  /** Its property in the entity, and its comment in the database. */
  readonly property: string;
  readonly comment: string;
  readonly attribute: Attribute;
  /** Its type in the database. */
  readonly type: string;
  /** The cast of a parameter to it. */
  readonly cast: Sql;
  /** Its value as the answer shows it. */
  readonly toJson: (column: Sql) => Sql;
  readonly nullable: boolean;
  /** The column whose targets list this row, in the order of this one; null for all other columns. */
  readonly placeOf: Identifier | null;
  /** The column of the published place that this one keeps while a document is not published. */
  readonly remembers: Identifier | null;
  /** The type whose document ids it holds. */
  readonly reference: ContentType | null;
  /** Of the rows of a locale and state only one holds a value. */
  readonly exclusive: boolean;
}

/** An index of a type's table. */
export interface Index {
  readonly name: Identifier;
  /** What it is of: properties of the entity, see {@link Column.property}. */
  readonly properties: readonly string[];
  /** The one column that an index of what is inside JSON looks into; null for a plain index. */
  readonly inside: Identifier | null;
  readonly unique: boolean;
  /** Which rows are in it; null for all. */
  readonly where: Sql | null;
  /** Judged when the transaction ends. */
  readonly deferred: boolean;
}

/** A relation whose links have a table. */
export interface StoredLinks {
  readonly attribute: LinkedAttribute;
  readonly table: LinkTable;
}

/** What a type is in the database, and what follows from that: derived once, when the model is built. */
export interface Storage {
  /** The columns of the attributes, without those that every document has, see `SYSTEM_COLUMNS`. */
  readonly columns: readonly Column[];
  /** The column that holds an attribute's value, by the attribute's name; system attributes, too. */
  readonly columnOf: ReadonlyMap<string, Column>;
  readonly links: readonly StoredLinks[];
  /** What the revision of a version is a digest of, in an order that definitions do not decide. */
  readonly content: { readonly columns: readonly Column[]; readonly links: readonly StoredLinks[] };
  readonly indexes: readonly Index[];
  /** The table whose sequence numbers component instances, the same for all types. */
  readonly instanceIds: Identifier;
  readonly instanceSequence: Identifier;
  /** The sequence of places in lists and of revisions, and its table, the same for all types. */
  readonly counter: Identifier;
  readonly counts: Identifier;
  /** What it takes of the names of its schema, or keeps for itself: tables, sequences and indexes. */
  readonly names: readonly { readonly name: string; readonly attribute: Attribute | null }[];
  /** The relations of the type, in their order. */
  readonly relations: readonly LinkedAttribute[];
  /** Those whose links are stored on this side. */
  readonly owning: readonly LinkedAttribute[];
  /** Those of them whose targets have one owner each. */
  readonly exclusive: readonly LinkedAttribute[];
  /** The types that own a relation leading here: they name a document of this one that goes. */
  readonly referrers: readonly ContentType[];
  /** The locks of all relations that lead here, from either side. */
  readonly incomingLocks: readonly string[];
  /** Attributes whose values no two published documents share in a locale. */
  readonly uniques: readonly ScalarAttribute[];
  /** Names of attributes whose stored values may break a rule when a document has to be complete. */
  readonly ruled: ReadonlySet<string>;
  /** Uids that are made from another attribute; their unique indexes decide between concurrent writers. */
  readonly generatedUids: readonly ScalarAttribute[];
  /** The attribute that a unique index is about, by the index's name; the index may be an older model's. */
  readonly uniqueNames: ReadonlyMap<string, ScalarAttribute>;
  /** Indexes that concurrent writers may meet at although each of them is right; a second look tells. */
  readonly contended: readonly string[];
}

/** What attributes belong to. */
export type Model = ContentType | Component;

/**
 * The whole model: every content type and component with its attributes, joined and frozen. Inject it by
 * {@link CONTENT_SCHEMA}.
 *
 * @publicApi
 */
export interface Schema {
  readonly types: ReadonlyMap<string, ContentType>;
  readonly components: ReadonlyMap<string, Component>;
  /** The built-in file type that media attributes refer to. */
  readonly file: ContentType;
  /** Types, components and locales that are gone, and that migrations may drop with all their values. */
  readonly removed: readonly string[];
}

/**
 * Injection token of the {@link Schema} that the content module serves.
 *
 * @publicApi
 */
export const CONTENT_SCHEMA = Symbol('ContentSchema');
