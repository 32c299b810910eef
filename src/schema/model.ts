/**
 * The model as the rest of the library sees it: names resolved, both sides of every relation joined, frozen.
 */
import type { Identifier } from '../sql.js';
import type {
  ComponentAttributeDefinition,
  MediaDefinition,
  RelationDefinition,
  Route,
  ScalarDefinition,
  ZoneDefinition,
} from './definitions.js';
import type { ScalarType } from './scalar-types.js';

/** How a relation reaches its targets. Relations link documents; the version is picked when they are read. */
export type Join =
  /** The owner's row holds the target's document id. `position` orders the owners on the other side. */
  | { readonly kind: 'column'; readonly column: Identifier; readonly position: Identifier | null }
  /** The target's rows hold our document id. */
  | ({
      readonly kind: 'inverseColumn';
      readonly column: Identifier;
      readonly position: Identifier | null;
    } & OtherSide)
  /** A link table whose owner side is ours. */
  | { readonly kind: 'link'; readonly table: Identifier; readonly twoWay: boolean }
  /** A link table whose owner side is the target's. */
  | ({ readonly kind: 'inverseLink'; readonly table: Identifier } & OtherSide)
  /** Inside a component: the instance holds one document id or a list of them. */
  | { readonly kind: 'embedded' }
  /** The other locales of the same document. */
  | { readonly kind: 'locales' };

/** What the side that does not own a relation knows of the one that does. */
interface OtherSide {
  /** The owning attribute has a value per locale. */
  readonly perLocale: boolean;
}

interface AttributeBase {
  readonly name: Identifier;
  readonly required: boolean;
  readonly private: boolean;
  readonly writable: boolean;
  /** Has a value per locale. False in types that are not localized. */
  readonly localized: boolean;
}

export interface ScalarAttribute extends AttributeBase {
  readonly kind: 'scalar';
  readonly column: Identifier;
  readonly type: ScalarType;
  readonly def: ScalarDefinition;
  /** `id`, `documentId`, timestamps, `locale`: set by the service. */
  readonly system: boolean;
  readonly searchable: boolean;
}

export interface RelationAttribute extends AttributeBase {
  readonly kind: 'relation';
  readonly def: RelationDefinition | MediaDefinition;
  readonly many: boolean;
  readonly join: Join;
  readonly target: ContentType;
  /** A media attribute: its target, the file type, needs no grant. */
  readonly media: boolean;
  /** Each target has at most one owner: a new one takes it from the old (protocol 11.22, 11.23). */
  readonly exclusive: boolean;
}

export interface ComponentAttribute extends AttributeBase {
  readonly kind: 'component';
  readonly column: Identifier;
  readonly def: ComponentAttributeDefinition;
  readonly component: Component;
  readonly many: boolean;
}

export interface ZoneAttribute extends AttributeBase {
  readonly kind: 'zone';
  readonly column: Identifier;
  readonly def: ZoneDefinition;
  readonly components: readonly Component[];
  readonly many: true;
}

export type Attribute = ScalarAttribute | RelationAttribute | ComponentAttribute | ZoneAttribute;

interface ModelBase {
  readonly uid: string;
  readonly attributes: ReadonlyMap<string, Attribute>;
  /** The scalars that an answer shows by default, in order. */
  readonly shown: readonly ScalarAttribute[];
}

export interface ContentType extends ModelBase {
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
  /** Built in (the file type): no routes, no grants. */
  readonly internal: boolean;
  /** The routes that it has. */
  readonly routes: readonly Route[];
  /** The attribute that is filled with the user who creates a document. */
  readonly owner: string | null;
}

export interface Component extends ModelBase {
  readonly model: 'component';
  readonly uid: Identifier;
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
}

/**
 * Injection token of the {@link Schema} that the content module serves.
 *
 * @publicApi
 */
export const CONTENT_SCHEMA = Symbol('ContentSchema');

/** System columns of every content type. */
export const SYSTEM_COLUMNS = [
  'id',
  'document_id',
  'created_at',
  'updated_at',
  'published_at',
  'published',
  'locale',
] as const;
