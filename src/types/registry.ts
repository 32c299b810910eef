/** Model at the type level: definitions by id, and attributes by role. */
import type {
  AttributeDefinitions,
  ComponentDefinition,
  ContentTypeDefinition,
  ScalarTypeName,
} from '../content/model/definitions.js';
import type { FILE_TYPE } from '../content/model/file-type.js';
import type { StrapiUids } from '../content/model/naming.js';

export interface Definitions {
  readonly contentTypes: readonly ContentTypeDefinition[];
  readonly components?: readonly ComponentDefinition[];
}

/**
 * Registers the application's model with TypeScript; merge with it once. `ContentService<'article'>`,
 * `DocumentOf<'article'>`, `QueryOf<'article'>`, `InputOf<'article'>` and `ContentEvent<'article'>` then have
 * specific types. Unknown ids do not compile. Without it, these types are general.
 *
 * @example
 * declare module 'nestjs-content-api' {
 *   interface Register { model: typeof model }
 * }
 *
 * @publicApi
 */
// Empty until an application adds the member `model` by declaration merging.
// eslint-disable-next-line @typescript-eslint/no-empty-object-type
export interface Register {}

export type IsRegistered = Register extends { readonly model: Definitions } ? true : false;

interface Of<M> {
  readonly model: M;
}

type FileType = typeof FILE_TYPE;

type ById<R> = R extends { readonly model: infer M extends Definitions }
  ? { readonly [D in M['contentTypes'][number] | FileType as D['singularApiId']]: D } & {
      readonly [C in NonNullable<M['components']>[number] as C['uid']]: C;
    }
  : { readonly file: FileType };

export type Defined<N, R> = N extends keyof ById<R> ? ById<R>[N] : never;

/** Ids of content types: those of the registered model, or any string. */
export type ContentId = Register extends { readonly model: infer M extends Definitions }
  ? M['contentTypes'][number]['singularApiId'] | 'file'
  : string;

/** Ids that hooks can have: a content type, or `'*'` for all. */
export type HookedId = Register extends { readonly model: infer M extends Definitions }
  ? M['contentTypes'][number]['singularApiId'] | 'file' | '*'
  : string;

export interface Definition {
  readonly attributes: AttributeDefinitions;
}

export type IdOf<T> = T extends string
  ? T
  : T extends { readonly singularApiId: infer N extends string }
    ? N
    : T extends { readonly uid: infer U extends string }
      ? U
      : never;

/** Registry for the names in a definition: the given model, the registered one, or the definition alone. */
export type RegistryOf<T, M> = M extends Definitions
  ? Of<M>
  : IdOf<T> extends keyof ById<Register>
    ? Register
    : Of<DefinitionsIn<T>>;

interface DefinitionsIn<T> {
  readonly contentTypes: readonly Extract<T, ContentTypeDefinition>[];
  readonly components: readonly Extract<T, ComponentDefinition>[];
}

interface InstanceAttributes {
  readonly id: { readonly type: 'integer'; readonly required: true };
  readonly documentId: { readonly type: 'string'; readonly required: true };
}

interface DocumentAttributes extends InstanceAttributes {
  readonly createdAt: { readonly type: 'datetime'; readonly required: true };
  readonly updatedAt: { readonly type: 'datetime'; readonly required: true };
  readonly publishedAt: { readonly type: 'datetime' };
  readonly locale: { readonly type: 'string'; readonly required: true };
}

interface LocalesOf<N> {
  readonly localizations: { readonly type: 'relation'; readonly relation: 'oneToMany'; readonly target: N };
}

interface Author {
  readonly type: 'relation';
  readonly relation: 'manyToOne';
  readonly target: 'user';
}

export type AuthorName = 'createdBy' | 'updatedBy';

type AuthorsOf<D> = D extends { readonly authors: true }
  ? { readonly [K in AuthorName]: Author }
  : Readonly<Record<never, never>>;

type ServiceAttributes<D> = D extends { readonly uid: string }
  ? InstanceAttributes
  : D extends { readonly localized: true; readonly singularApiId: infer N }
    ? DocumentAttributes & LocalesOf<N> & AuthorsOf<D>
    : DocumentAttributes & AuthorsOf<D>;

export type OwnAttributes<D> = D extends { readonly attributes: infer A } ? A : never;

type Polymorphic = 'morphToOne' | 'morphToMany' | 'morphOne' | 'morphMany';

type RoleOf<A> = A extends { readonly private: true } | { readonly type: 'password' }
  ? 'hidden'
  : A extends { readonly type: ScalarTypeName }
    ? 'scalar'
    : A extends { readonly type: 'dynamiczone' } | { readonly relation: Polymorphic }
      ? 'mixed'
      : 'related';

type Role = 'scalar' | 'related' | 'mixed';

// TypeScript evaluates this once per definition, so later uses are lookups.
type Roles<A> = { readonly [K in keyof A]: RoleOf<A[K]> };
type InRole<Of, Asked extends Role> = { [K in keyof Of]: Of[K] extends Asked ? K : never }[keyof Of];

type OwnNames<D, Asked extends Role> = InRole<Roles<OwnAttributes<D>>, Asked>;

/** Names of system attributes: scalars, `localizations` of a localized type, and authors. */
type ServiceNames<D, Asked extends Role> = Asked extends 'scalar'
  ? D extends { readonly uid: string }
    ? keyof InstanceAttributes
    : keyof DocumentAttributes
  : Asked extends 'related'
    ? | (D extends { readonly localized: true } ? 'localizations' : never)
      | (D extends { readonly authors: true } ? AuthorName : never)
    : never;

/**
 * Attribute names by role. `scalar`: scalars. `related`: relations to one type, files and components.
 * `mixed`: zones and polymorphic relations, which filters and sorts cannot use. Any name if the definition is
 * unknown.
 */
export type NamesOf<N, R, Asked extends Role> = [Defined<N, R>] extends [never]
  ? string
  : Asked extends Role
    ? ServiceNames<Defined<N, R>, Asked> | (string & OwnNames<Defined<N, R>, Asked>)
    : never;

export type AttributeOf<N, R, K> = K extends keyof OwnAttributes<Defined<N, R>>
  ? OwnAttributes<Defined<N, R>>[K]
  : K extends keyof ServiceAttributes<Defined<N, R>>
    ? ServiceAttributes<Defined<N, R>>[K]
    : unknown;

export type TargetOf<A> = A extends { readonly type: 'media' }
  ? 'file'
  : A extends { readonly target: infer N extends string } | { readonly component: infer N extends string }
    ? N
    : never;

/** Kinds of an attribute's items, as in `__type`, `__component` and `on`. */
export type KindsOf<A, R> = A extends { readonly components: readonly (infer U extends string)[] }
  ? U
  : A extends { readonly targets: readonly (infer N extends string)[] }
    ? TypeUid<N, R>
    : string;

/** The types of the library have no routes of their own. */
type TypeUid<N extends string, R> = N extends keyof StrapiUids
  ? Defined<N, R> extends { readonly routes: false }
    ? StrapiUids[N]
    : HostUid<N>
  : HostUid<N>;

type HostUid<N extends string> = N extends unknown ? `api::${N}.${N}` : never;

export type IdOfKind<U> = U extends `${string}::${infer Name}`
  ? Name extends `${string}.${infer N}`
    ? N
    : Name
  : U;

export type IsMany<A> = A extends
  | { readonly relation: 'oneToMany' | 'manyToMany' | 'morphMany' | 'morphToMany' }
  | { readonly multiple: true }
  | { readonly repeatable: true }
  | { readonly type: 'dynamiczone' }
  ? true
  : false;

/** Flattens an intersection, for readable messages and editor hints. */
export type Simplify<T> = { readonly [K in keyof T]: T[K] };
