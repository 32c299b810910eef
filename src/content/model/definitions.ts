/** Definitions of content types and components: plain, JSON-serialisable data. */
import type { ActionsOption, DocumentAction } from './actions.js';
import type { DocumentCheck, ValueCheck } from './checks.js';
import type { Conversion } from './conversion.js';
import type { FallbackLocale } from './fallback-locale.js';
import type { IndexedType } from './index-definition.js';
import type { StagedType } from './stage-definition.js';
import type { AttributeLayout, ComponentLayout, TypeLayout } from './layout.js';

interface CommonOptions {
  /**
   * Requires a value when the document is published; for relations and media only with the setting
   * `strictRelations`. Default false.
   */
  readonly required?: boolean;
  /** Hides the attribute from responses, filters, sorts and searches; it stays writable. Default false. */
  readonly private?: boolean;
  /** Rejects the attribute in request bodies if false. Default true. */
  readonly writable?: boolean;
  /**
   * Stores one value per locale; otherwise all locales share a value. Only in a localized type. Default
   * false.
   */
  readonly localized?: boolean;
  /** Excludes the attribute from archives if false. Default true; passwords are never in an archive. */
  readonly archived?: boolean;
  /** Former name: migrations rename the stored data. You may leave it after the migration. Default: none. */
  readonly previousName?: string;
  /** Conversion of stored values that a changed definition does not allow. Default: refuse. */
  readonly convert?: Conversion;
  /** Layout in the desk. Default: by name and type. */
  readonly desk?: AttributeLayout;
}

/** Scalar types and the TypeScript types of their values in responses. */
export interface ScalarValues {
  string: string;
  text: string;
  richtext: string;
  email: string;
  password: string;
  uid: string;
  enumeration: string;
  integer: number;
  biginteger: string;
  float: number;
  decimal: number;
  boolean: boolean;
  date: string;
  time: string;
  datetime: string;
  timestamp: string;
  json: unknown;
  array: unknown[];
  blocks: BlockNode[];
}

export interface BlockNode {
  readonly type: string;
  readonly children?: readonly BlockNode[];
  readonly [key: string]: unknown;
}

export type ScalarTypeName = keyof ScalarValues;

/**
 * Union of the options of all scalar attributes (contract "Attribute types returned by default", protocol
 * section 14). {@link AttributeDefinition} lists the options of each type.
 */
export interface ScalarDefinition extends CommonOptions {
  readonly type: ScalarTypeName;
  /** Default on create if the body omits the attribute (protocol 14.20). */
  readonly default?: unknown;
  /**
   * Makes values unique per locale among published versions (D14). An index enforces it, inside components a
   * lock and an index. Null and empty texts do not count. Default false.
   */
  readonly unique?: boolean;
  /** Excludes the attribute from `_q` if false (protocol 6.3). Default true. */
  readonly searchable?: boolean;
  /**
   * Length limits in characters, for the string types. Default maximum of `string`, `email`, `uid` and
   * `enumeration`: 255.
   */
  readonly minLength?: number;
  readonly maxLength?: number;
  /** Regular expression that string values must match. Compiled once per process. */
  readonly regex?: string;
  readonly min?: number | string;
  readonly max?: number | string;
  readonly enum?: readonly string[];
  /** Source attribute of a `uid`, used if `generate` is true (protocol 14.17). */
  readonly targetField?: string;
  readonly generate?: boolean;
  /** Adds an index for filters and sorts. Default false. */
  readonly index?: boolean;
  readonly validate?: ValueCheck<never>;
}

interface RelationOptions extends CommonOptions {
  readonly type: 'relation';
  /**
   * With `private`: a request that populates the relation gets a response without it, instead of an error.
   * Default false.
   */
  readonly leftOut?: boolean;
}

/**
 * Relation to one type. `inversedBy` on the owning side and `mappedBy` on the other make it two-way; without
 * them it is one-way.
 */
export interface RelationDefinition extends RelationOptions {
  readonly relation: 'oneToOne' | 'oneToMany' | 'manyToOne' | 'manyToMany';
  /** `singularApiId` of the target. */
  readonly target: string;
  readonly inversedBy?: string;
  readonly mappedBy?: string;
}

/** Polymorphic relation: its targets are of several types (D33). It owns its links. */
export interface MorphDefinition extends RelationOptions {
  readonly relation: 'morphToOne' | 'morphToMany';
  /** `singularApiId` of each target type. Default: all types with routes. */
  readonly targets?: readonly string[];
}

/** Inverse side of a polymorphic relation, on one of its target types. */
export interface MorphSideDefinition extends RelationOptions {
  readonly relation: 'morphOne' | 'morphMany';
  /** `singularApiId` of the type that owns the relation. */
  readonly target: string;
  readonly morphBy: string;
}

/**
 * One file or several. `allowedTypes` limits the files that can be linked. `images`, `videos` and `audios`
 * match the file's `mime`; `files` is everything else.
 */
export interface MediaDefinition extends CommonOptions {
  readonly type: 'media';
  readonly multiple?: boolean;
  readonly allowedTypes?: readonly ('images' | 'videos' | 'audios' | 'files')[];
}

/** Component embedded once, or as an ordered list. */
export interface ComponentAttributeDefinition extends CommonOptions {
  readonly type: 'component';
  /** Uid of the component, `<category>.<name>`. */
  readonly component: string;
  readonly repeatable?: boolean;
  readonly min?: number;
  readonly max?: number;
  /** Adds an index for equality filters on the component's attributes. Default false. */
  readonly index?: boolean;
}

/** Ordered list of instances of several components (a dynamic zone). */
export interface ZoneDefinition extends CommonOptions {
  readonly type: 'dynamiczone';
  readonly components: readonly string[];
  readonly min?: number;
  readonly max?: number;
}

/** Flattens an intersection to one object type, which TypeScript compares faster. */
type Flat<T> = { readonly [K in keyof T]: T[K] };

/** Scalar of type `N` with the options of every scalar and those named in `K`. */
type Scalar<N extends ScalarTypeName, K extends keyof ScalarDefinition = never> = N extends unknown
  ? Flat<
      CommonOptions &
        Pick<ScalarDefinition, 'searchable' | K> & {
          readonly type: N;
          /** Your own check of a value, after all other rules (protocol 14.24). Default: none. */
          readonly validate?: ValueCheck<ScalarValues[N]>;
          /** Default on create if the body omits the attribute (protocol 14.20). */
          readonly default?: ScalarValues[N] | (N extends 'biginteger' | 'timestamp' ? number : never) | null;
        }
    >
  : never;

type Length = 'minLength' | 'maxLength' | 'regex';
type IndexOptions = 'index' | 'unique';

export type AttributeDefinition =
  | Scalar<'string' | 'email', IndexOptions | Length>
  | Scalar<'text' | 'richtext', Length>
  | Omit<Scalar<'password', 'minLength'>, 'default'>
  | Scalar<'uid', IndexOptions | Length | 'targetField' | 'generate'>
  | Flat<Scalar<'enumeration', IndexOptions> & Required<Pick<ScalarDefinition, 'enum'>>>
  | Scalar<'integer' | 'biginteger' | 'float' | 'decimal', IndexOptions | 'min' | 'max'>
  | Scalar<'date' | 'time' | 'datetime' | 'timestamp', IndexOptions>
  | Scalar<'boolean', 'index'>
  | Scalar<'json' | 'array' | 'blocks'>
  | RelationDefinition
  | MorphDefinition
  | MorphSideDefinition
  | MediaDefinition
  | ComponentAttributeDefinition
  | ZoneDefinition;

export type AttributeDefinitions = Readonly<Record<string, AttributeDefinition>>;

export interface NamedDefinition<D = AttributeDefinition> {
  readonly key: string;
  readonly def: D;
}

/** Routes by kind of type. Each requires the action of its name, `bulk` those of its items. */
export const ROUTES = Object.freeze({
  collectionType: ['find', 'findOne', 'create', 'update', 'delete', 'bulk'],
  singleType: ['find', 'update', 'delete'],
} as const);

export type Route = (typeof ROUTES)['collectionType'][number];
export type AnyRoute = Route | DocumentAction | 'history';

/** Routes of a type: all, none, only some, or all except some (protocol 1.28). */
export type RoutesOption =
  boolean | { readonly only: readonly Route[] } | { readonly except: readonly Route[] };

export interface TypeOptions extends IndexedType, StagedType {
  /** API id of one document; grants, relation targets and services refer to the type by it. */
  readonly singularApiId: string;
  readonly pluralApiId: string;
  /** Gives documents a draft and a published version (protocol section 8). Default false. */
  readonly draftAndPublish?: boolean;
  /** Gives documents a version per locale (protocol section 9). Default false. */
  readonly localized?: boolean;
  /**
   * Locale or locales that replace a missing one. An object sets them per locale:
   * `{ 'de-CH': ['de', 'en'], default: 'en' }` (protocol 9.18). Default false: the document is not found.
   */
  readonly fallbackLocale?: FallbackLocale;
  /** Name of the table. Default: the plural id in snake case. */
  readonly tableName?: string;
  /** Routes. A type without routes is available through its service and relations. Default all. */
  readonly routes?: RoutesOption;
  /** Routes for `…/actions/…` (protocol 8.22); requires `draftAndPublish`. Default false. */
  readonly actions?: ActionsOption;
  /**
   * With `'right'`, writes publish only for callers with the grant `publish`; others store the draft, and may
   * not delete a published document (403). Default `'write'`. Requires `draftAndPublish`.
   */
  readonly publishBy?: 'write' | 'right';
  /**
   * Attribute that identifies the owner of a document: a to-one relation, or a `string` for users stored
   * outside this library. The service sets it to the signed-in user on create. Tokens and the host
   * application can write it; users cannot.
   */
  readonly owner?: string;
  /**
   * Seconds that shared caches, for example a CDN, may store a response to a request without credentials. A
   * response that shows or filters by several types gets the shortest time. Default 0: not at all.
   */
  readonly sharedMaxAge?: number;
  /** Excludes the documents from archives if false. Default true. */
  readonly archived?: boolean;
  /** Excludes the writes of its documents from the event log if false. Default true. */
  readonly events?: boolean;
  /** Stores every version, with routes to restore them; requires HistoryModule. Default false. */
  readonly history?: boolean;
  /** Former `singularApiId`: migrations rename the stored data. Default: none. */
  readonly previousName?: string;
  /**
   * Data that migrations may drop with all values: names of removed attributes, or `zone.uid` for a component
   * removed from a zone. Also `drafts` and `localizations`, for a type that no longer has these. Default:
   * nothing.
   */
  readonly removed?: readonly string[];
  /** Your own check of all values of a published version (protocol 14.25). Default: none. */
  readonly validate?: DocumentCheck;
  /** Layout of the type in the desk. Default: in the menu, with the first values as columns of the list. */
  readonly desk?: TypeLayout;
  readonly attributes: AttributeDefinitions;
}

export interface CollectionTypeDefinition extends TypeOptions {
  readonly kind: 'collectionType';
}

export interface SingleTypeDefinition extends Omit<TypeOptions, 'pluralApiId'> {
  readonly kind: 'singleType';
  /** Names only the table; routes do not use it. Default: `singularApiId`. */
  readonly pluralApiId?: string;
}

export type ContentTypeDefinition = CollectionTypeDefinition | SingleTypeDefinition;

export interface ComponentDefinition {
  readonly uid: string;
  /** Former uid: migrations rename the stored data. Default: none. */
  readonly previousName?: string;
  /** Removed attributes that migrations may drop with all their values. Default: none. */
  readonly removed?: readonly string[];
  /** Layout in the desk. Default: instances are named by the first text. */
  readonly desk?: ComponentLayout;
  readonly attributes: AttributeDefinitions;
}
