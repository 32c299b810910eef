/** What a developer writes: content types and components as plain, JSON-serialisable data. */
import type { ActionsOption, DocumentAction } from './actions.js';
import type { FallbackLocale } from './fallback-locale.js';

/** Options that every attribute may carry. */
interface CommonOptions {
  /**
   * Must have a value when the document is published; relations and media only with the setting
   * `strictRelations`. Default false.
   */
  readonly required?: boolean;
  /** Never in an answer, never in a filter, sort or search, at any depth; still writable. Default false. */
  readonly private?: boolean;
  /** Refused in request bodies when false. Default true. */
  readonly writable?: boolean;
  /**
   * Has a value of its own per locale; without it all locales share one. Only in a localized type. Default
   * false.
   */
  readonly localized?: boolean;
  /**
   * The name that it had before: migrations rename what is stored. It may stay when that is done. Default:
   * none.
   */
  readonly previousName?: string;
  /** What migrations do with stored values that its type cannot keep as they are. Default: refuse. */
  readonly convert?: Conversion;
}

/**
 * What a migration does with values that a changed attribute cannot keep as they are. `'fit'`: they become
 * the nearest that it can keep: rounded, cut, the first of several; what has no nearest is refused.
 * `'empty'`: the same, and what has none becomes null. An object, for an `enumeration`: new values by stored
 * ones.
 */
export type Conversion = 'fit' | 'empty' | Readonly<Record<string, string | null>>;

/** The scalar types and the TypeScript type of their values in an answer. */
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

/** A node of a `blocks` attribute. */
export interface BlockNode {
  readonly type: string;
  readonly children?: readonly BlockNode[];
  readonly [key: string]: unknown;
}

export type ScalarTypeName = keyof ScalarValues;

/**
 * All that a scalar attribute may carry: contract "Attribute types returned by default" and protocol section
 * 14. Which type takes which is in {@link AttributeDefinition}.
 */
export interface ScalarDefinition extends CommonOptions {
  readonly type: ScalarTypeName;
  /** Fills the attribute on create when the body leaves it out (protocol 14.20). */
  readonly default?: unknown;
  /**
   * No two documents have the same value, per locale and among published versions (D14): held by an index of
   * the database, inside components by a lock and an index. Null and empty texts do not count. Default false.
   */
  readonly unique?: boolean;
  /** Left out of `_q` when false (protocol 6.3). Default true. */
  readonly searchable?: boolean;
  /**
   * Characters, for the string types. `string`, `email`, `uid`, `enumeration`: at most 255 unless said
   * otherwise.
   */
  readonly minLength?: number;
  readonly maxLength?: number;
  /** A regular expression that string values must match. Compiled once at start. */
  readonly regex?: string;
  /** Bounds of the number types. */
  readonly min?: number | string;
  readonly max?: number | string;
  /** The values of an `enumeration`. */
  readonly enum?: readonly string[];
  /** `uid`: the attribute it is made from, when `generate` is true (protocol 14.17). */
  readonly targetField?: string;
  readonly generate?: boolean;
  /** Adds an index for filters and sorts. Default false. */
  readonly index?: boolean;
}

interface RelationOptions extends CommonOptions {
  readonly type: 'relation';
  /**
   * With `private`: populating it is silently left out of the answer, where other private attributes are
   * refused. Default false.
   */
  readonly leftOut?: boolean;
}

/**
 * A relation. `inversedBy` on the owning side and `mappedBy` on the other make it two-way; neither: one-way.
 */
export interface RelationDefinition extends RelationOptions {
  readonly relation: 'oneToOne' | 'oneToMany' | 'manyToOne' | 'manyToMany';
  /** `singularApiId` of the target. */
  readonly target: string;
  readonly inversedBy?: string;
  readonly mappedBy?: string;
}

/** A polymorphic relation: its targets are of several types (D33). It owns its links. */
export interface MorphDefinition extends RelationOptions {
  readonly relation: 'morphToOne' | 'morphToMany';
  /** The `singularApiId` of each type that it may lead to. Default: every type that has a route. */
  readonly targets?: readonly string[];
}

/** The other side of a polymorphic relation, on a type that it leads to. */
export interface MorphSideDefinition extends RelationOptions {
  readonly relation: 'morphOne' | 'morphMany';
  /** `singularApiId` of the type that owns the relation. */
  readonly target: string;
  /** The attribute there that is the owning side. */
  readonly morphBy: string;
}

/**
 * One file or several. With `allowedTypes` other files are refused when they are linked: `images`, `videos`
 * and `audios` go by the file's `mime`, `files` is all that is none of these.
 */
export interface MediaDefinition extends CommonOptions {
  readonly type: 'media';
  readonly multiple?: boolean;
  readonly allowedTypes?: readonly ('images' | 'videos' | 'audios' | 'files')[];
}

/** A component embedded once, or repeatedly with its order. */
export interface ComponentAttributeDefinition extends CommonOptions {
  readonly type: 'component';
  /** Uid of the component, `<category>.<name>`. */
  readonly component: string;
  readonly repeatable?: boolean;
  readonly min?: number;
  readonly max?: number;
  /** Adds an index for equality filters on its attributes. Default false. */
  readonly index?: boolean;
}

/** A list of components of mixed kinds. */
export interface ZoneDefinition extends CommonOptions {
  readonly type: 'dynamiczone';
  readonly components: readonly string[];
  readonly min?: number;
  readonly max?: number;
}

/** One object: compilers compare with it at once, with an intersection member by member. */
type Flat<T> = { readonly [K in keyof T]: T[K] };

/** A scalar of type `N` with the options that every scalar has, and those named in `K`. */
type Scalar<N extends ScalarTypeName, K extends keyof ScalarDefinition = never> = N extends unknown
  ? Flat<
      CommonOptions &
        Pick<ScalarDefinition, 'searchable' | K> & {
          readonly type: N;
          /** Fills the attribute on create when the body leaves it out (protocol 14.20). */
          readonly default?: ScalarValues[N] | (N extends 'biginteger' | 'timestamp' ? number : never) | null;
        }
    >
  : never;

type Length = 'minLength' | 'maxLength' | 'regex';
type Indexed = 'index' | 'unique';

export type AttributeDefinition =
  | Scalar<'string' | 'email', Indexed | Length>
  | Scalar<'text' | 'richtext', Length>
  | Omit<Scalar<'password', 'minLength'>, 'default'>
  | Scalar<'uid', Indexed | Length | 'targetField' | 'generate'>
  | Flat<Scalar<'enumeration', Indexed> & Required<Pick<ScalarDefinition, 'enum'>>>
  | Scalar<'integer' | 'biginteger' | 'float' | 'decimal', Indexed | 'min' | 'max'>
  | Scalar<'date' | 'time' | 'datetime' | 'timestamp', Indexed>
  | Scalar<'boolean', 'index'>
  | Scalar<'json' | 'array' | 'blocks'>
  | RelationDefinition
  | MorphDefinition
  | MorphSideDefinition
  | MediaDefinition
  | ComponentAttributeDefinition
  | ZoneDefinition;

export type AttributeDefinitions = Readonly<Record<string, AttributeDefinition>>;

/** A definition and the name that it goes by. */
export interface NamedDefinition<D = AttributeDefinition> {
  readonly key: string;
  readonly def: D;
}

/** The routes that each kind of content type has. A route has the name of the action that it needs. */
export const ROUTES = Object.freeze({
  collectionType: ['find', 'findOne', 'create', 'update', 'delete'],
  singleType: ['find', 'update', 'delete'],
} as const);

export type Route = (typeof ROUTES)['collectionType'][number];
export type AnyRoute = Route | DocumentAction;

/** Which routes a type has: all of them, none, only some, or all but some (protocol 1.28). */
export type RoutesOption =
  boolean | { readonly only: readonly Route[] } | { readonly except: readonly Route[] };

/** What both kinds of content type share. */
export interface TypeOptions {
  /** API id of one document, the type's name everywhere: grants, relation targets, services. */
  readonly singularApiId: string;
  readonly pluralApiId: string;
  /** Documents have a draft and a published version (protocol section 8). Default false. */
  readonly draftAndPublish?: boolean;
  /** Documents have a version per locale (protocol section 9). Default false. */
  readonly localized?: boolean;
  /**
   * The locale that stands in where a document lacks the one asked for; a list, of which the first that it
   * has does; or these by locale, `default` for the others: `{ 'de-CH': ['de', 'en'], default: 'en' }`
   * (protocol 9.18). Default false: none, the document is not shown.
   */
  readonly fallbackLocale?: FallbackLocale;
  /** Name of the table. Default: the plural id in snake case. */
  readonly tableName?: string;
  /**
   * Which routes the type has. What has no route is reached through its service and through relations; grants
   * are as good there as ever. Default true: all of them.
   */
  readonly routes?: RoutesOption;
  /** Which `…/actions/…` it has routes for (protocol 8.22); only with `draftAndPublish`. Default false. */
  readonly actions?: ActionsOption;
  /**
   * The attribute that says whose a document is: a to-one relation, or a `string` for users who are kept
   * elsewhere. The service fills it on create with the signed-in user; users cannot write it themselves,
   * tokens and the host can.
   */
  readonly owner?: string;
  /**
   * For how many seconds caches that many callers share, a CDN for example, may keep what is answered without
   * credentials; an answer that shows or filters by several types, as long as each of them allows. Default 0:
   * not at all.
   */
  readonly sharedMaxAge?: number;
  /** The `singularApiId` that it had before: migrations rename what is stored. Default: none. */
  readonly previousName?: string;
  /**
   * What migrations may drop with all its values: names of attributes that are gone, `zone.uid` for a
   * component that a zone takes no more, `drafts` and `localizations` of a type that has none any more.
   * Default: nothing.
   */
  readonly removed?: readonly string[];
  readonly attributes: AttributeDefinitions;
}

interface CollectionTypeDefinition extends TypeOptions {
  readonly kind: 'collectionType';
}

interface SingleTypeDefinition extends Omit<TypeOptions, 'pluralApiId'> {
  readonly kind: 'singleType';
  /** Not routed; only names the table. Default: `singularApiId`. */
  readonly pluralApiId?: string;
}

export type ContentTypeDefinition = CollectionTypeDefinition | SingleTypeDefinition;

export interface ComponentDefinition {
  /** `<category>.<name>`. */
  readonly uid: string;
  /** The uid that it had before: migrations rename what is stored. Default: none. */
  readonly previousName?: string;
  /** Attributes that are gone, which migrations may drop with all their values. Default: none. */
  readonly removed?: readonly string[];
  readonly attributes: AttributeDefinitions;
}
