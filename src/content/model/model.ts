/** Frozen content model: names resolved, both sides of every relation joined. */
import type { DocumentCheck } from './checks.js';
import type { Identifier, Sql } from '../../kernel/sql.js';
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
import type { IndexDefinition } from './index-definition.js';
import type { ComponentLayout, TypeLayout } from './layout.js';
import type { EmbeddedJoin, HoldersJoin, Join, LinkJoin, LinkTable } from './join-model.js';
import type { ScalarType } from './scalar-types.js';
import type { Stages } from './stages.js';

interface AttributeBase {
  readonly name: Identifier;
  readonly required: boolean;
  readonly private: boolean;
  readonly writable: boolean;
  /** Has one value per locale. False in types that are not localized. */
  readonly localized: boolean;
  readonly system: boolean;
  readonly hidden: boolean;
  /** References separate documents; other attributes are part of the document. */
  readonly linked: boolean;
  /** Visible to every caller that may read the document: system attributes and `localizations`. */
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
  readonly targets: readonly ContentType[];
  /** Responses show the type of each target (`__type`). */
  readonly named: boolean;
  /** Side of a relation with targets of several types: filters and sorts cannot use it (D33). */
  readonly polymorphic: boolean;
  readonly media: boolean;
  /** Each target has at most one owner: a new owner takes it from the old one (protocol 11.22, 11.23). */
  readonly exclusive: boolean;
}

export interface RelationAttribute extends LinkedBase {
  readonly kind: 'relation';
  readonly def: RelationDefinition | MorphSideDefinition | MediaDefinition;
  readonly join: Join;
  readonly target: ContentType;
}

/** Relation to several types: a polymorphic owning side, or the `related` of files. */
export interface MorphAttribute extends LinkedBase {
  readonly kind: 'morph';
  readonly def: MorphDefinition;
  readonly join: LinkJoin | EmbeddedJoin | HoldersJoin;
}

export type LinkedAttribute = RelationAttribute | MorphAttribute;

interface EmbeddedBase extends AttributeBase {
  readonly linked: false;
  readonly column: Identifier;
  readonly components: readonly Component[];
  /** Responses show the component of each instance (`__component`). */
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

/** Attribute with component instances, stored as JSON in the row that contains it. */
export type EmbeddedAttribute = ComponentAttribute | ZoneAttribute;

export type Attribute = ScalarAttribute | LinkedAttribute | EmbeddedAttribute;

interface ModelBase {
  readonly uid: string;
  /** Name in an earlier model; null for none. */
  readonly previousName: string | null;
  /** Names of data that migrations may drop with all values. */
  readonly removed: readonly string[];
  readonly attributes: ReadonlyMap<string, Attribute>;
  readonly shown: readonly ScalarAttribute[];
}

export interface ContentType extends ModelBase, FallsBack {
  readonly model: 'type';
  readonly kind: 'collectionType' | 'singleType';
  readonly singularApiId: string;
  readonly pluralApiId: string;
  readonly route: string;
  readonly draftAndPublish: boolean;
  readonly localized: boolean;
  readonly table: Identifier;
  /** Built in (the file type): has no content routes. */
  readonly internal: boolean;
  readonly routes: readonly AnyRoute[];
  /** `right`: publishing by a create or update requires the grant `publish`. */
  readonly publishBy: 'write' | 'right';
  readonly owner: string | null;
  /** Attribute that identifies the tenant of a document; null for a type that tenants share. */
  readonly tenant: string | null;
  /** Stages of drafts; null for a type without them. */
  readonly stages: Stages | null;
  /** Seconds that shared caches may store public responses about the type. */
  readonly sharedMaxAge: number;
  readonly archived: boolean;
  /** Writes are in the event log. */
  readonly events: boolean;
  /** Versions are stored. */
  readonly history: boolean;
  /** Check of all values of a published version; null for none. */
  readonly validate: DocumentCheck | null;
  /** Declared indexes, in addition to those of the attributes. */
  readonly indexes: readonly IndexDefinition[];
  /** Layout of the desk, which affects no content. */
  readonly layout: TypeLayout;
  readonly storage: Storage;
}

export interface Component extends ModelBase {
  readonly model: 'component';
  readonly uid: Identifier;
  readonly layout: ComponentLayout;
}

export interface Column {
  readonly name: Identifier;
  readonly property: string;
  readonly comment: string;
  readonly attribute: Attribute;
  readonly type: string;
  readonly cast: Sql;
  readonly toJson: (column: Sql) => Sql;
  readonly nullable: boolean;
  /** Column of the reference whose targets sort this row by this position; null for all other columns. */
  readonly placeOf: Identifier | null;
  /** Column of the published position that this column preserves while the document is unpublished. */
  readonly remembers: Identifier | null;
  readonly reference: ContentType | null;
  /** Only one row per locale and state may have a given value. */
  readonly exclusive: boolean;
}

export interface GinIndex {
  readonly columns: readonly Identifier[];
  readonly operators: 'jsonb_path_ops' | 'gin_trgm_ops';
}

export interface Index {
  readonly name: Identifier;
  readonly properties: readonly string[];
  /** Columns of a GIN index, over JSON or trigrams of texts; null for a B-tree index. */
  readonly gin: GinIndex | null;
  readonly unique: boolean;
  /** Condition of a partial index; null for all rows. */
  readonly where: Sql | null;
  readonly deferred: boolean;
}

export interface StoredLinks {
  readonly attribute: LinkedAttribute;
  readonly table: LinkTable;
}

export interface Storage {
  readonly columns: readonly Column[];
  readonly columnOf: ReadonlyMap<string, Column>;
  readonly links: readonly StoredLinks[];
  /**
   * Columns and links that the revision digest covers, sorted by name so that definition order does not
   * matter.
   */
  readonly content: { readonly columns: readonly Column[]; readonly links: readonly StoredLinks[] };
  /** Number of the form of the content, in the last bits of each revision. */
  readonly generation: number;
  readonly indexes: readonly Index[];
  readonly instanceIds: Identifier;
  readonly instanceSequence: Identifier;
  /** Sequence of list positions and revisions, and the table that owns it, shared by all types. */
  readonly counter: Identifier;
  readonly counts: Identifier;
  readonly names: readonly { readonly name: string; readonly attribute: Attribute | null }[];
  readonly relations: readonly LinkedAttribute[];
  readonly owning: readonly LinkedAttribute[];
  readonly exclusive: readonly LinkedAttribute[];
  /** Types that own a relation to this type: their rows may reference a document that is deleted. */
  readonly referrers: readonly ContentType[];
  readonly incomingLocks: readonly string[];
  readonly uniques: readonly ScalarAttribute[];
  /** Attributes that are unique only together with others. */
  readonly uniqueTogether: readonly Attribute[];
  /** Names of attributes whose stored values may violate a rule when the document is published. */
  readonly ruled: ReadonlySet<string>;
  /**
   * Uids generated from another attribute; their unique indexes resolve conflicts between concurrent writers.
   */
  readonly generatedUids: readonly ScalarAttribute[];
  /** Attributes of each unique index by its name; several are unique together. */
  readonly uniqueNames: ReadonlyMap<string, readonly Attribute[]>;
  /** Attributes whose texts have a trigram index. */
  readonly trigrams: ReadonlySet<Attribute>;
  /** Indexes on which concurrent valid writes may conflict; a retry resolves the conflict. */
  readonly contended: readonly string[];
}

export type Model = ContentType | Component;

/**
 * Whole content model: every content type and component with its attributes, frozen. Inject it by {@link
 * CONTENT_SCHEMA}.
 *
 * @publicApi
 */
export interface Schema {
  readonly types: ReadonlyMap<string, ContentType>;
  readonly components: ReadonlyMap<string, Component>;
  readonly file: ContentType;
  /** Names of the attributes of users that name their tenant, sorted. */
  readonly tenants: readonly string[];
  /** Former types, components and locales that migrations may drop with all their values. */
  readonly removed: readonly string[];
}

/**
 * Injection token of the {@link Schema} that the content module serves.
 *
 * @publicApi
 */
export const CONTENT_SCHEMA = Symbol('ContentSchema');
