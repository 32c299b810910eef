/** The model as TypeScript knows it: definitions by their ids, the attributes of each by what they are. */
import type {
  AttributeDefinitions,
  ComponentDefinition,
  ContentTypeDefinition,
  ScalarTypeName,
} from '../schema/definitions.js';
import type { FILE_TYPE } from '../schema/file-type.js';

/** The definitions that belong together. */
export interface Definitions {
  readonly contentTypes: readonly ContentTypeDefinition[];
  readonly components?: readonly ComponentDefinition[];
}

/**
 * Where an application tells TypeScript of its model, once. Then `ContentService<'article'>`,
 * `DocumentOf<'article'>`, `QueryOf<'article'>`, `InputOf<'article'>` and `ContentEvent<'article'>` know it,
 * and ids that the model does not have do not compile. Without it, all of that takes and gives what it may.
 *
 * @example
 * declare module 'nestjs-content-api' {
 *   interface Register { model: typeof model }
 * }
 *
 * @publicApi
 */
// Whoever merges with it gives it its one member.
// eslint-disable-next-line @typescript-eslint/no-empty-object-type
export interface Register {}

/** Whether the application has told TypeScript of its model. */
export type IsRegistered = Register extends { readonly model: Definitions } ? true : false;

/** What ids are looked up in: {@link Register}, or a model that is given. */
interface Of<M> {
  readonly model: M;
}

type FileType = typeof FILE_TYPE;

/** The definitions of a registry by id: types by `singularApiId`, components by `uid`. */
type ById<R> = R extends { readonly model: infer M extends Definitions }
  ? { readonly [D in M['contentTypes'][number] | FileType as D['singularApiId']]: D } & {
      readonly [C in NonNullable<M['components']>[number] as C['uid']]: C;
    }
  : { readonly file: FileType };

/** The definition that an id means; never where there is none. */
export type Defined<N, R> = N extends keyof ById<R> ? ById<R>[N] : never;

/** Ids of content types: those of the registered model, or any text. */
export type ContentId = Register extends { readonly model: infer M extends Definitions }
  ? M['contentTypes'][number]['singularApiId'] | 'file'
  : string;

/** What hooks are for: a content type, or all of them. */
export type HookedId = Register extends { readonly model: infer M extends Definitions }
  ? M['contentTypes'][number]['singularApiId'] | 'file' | '*'
  : string;

/** A content type or a component. */
export interface Definition {
  readonly attributes: AttributeDefinitions;
}

/** What the id of a definition, or the id itself, is. */
export type IdOf<T> = T extends string
  ? T
  : T extends { readonly singularApiId: infer N extends string }
    ? N
    : T extends { readonly uid: infer U extends string }
      ? U
      : never;

/** Where the names in a definition are looked up: in the model given, the registered one, or in itself. */
export type RegistryOf<T, M> = M extends Definitions
  ? Of<M>
  : IdOf<T> extends keyof ById<Register>
    ? Register
    : Of<Alone<T>>;

interface Alone<T> {
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

/** What the service sets of a type or component. */
type ServiceAttributes<D> = D extends { readonly uid: string }
  ? InstanceAttributes
  : D extends { readonly localized: true; readonly singularApiId: infer N }
    ? DocumentAttributes & LocalesOf<N>
    : DocumentAttributes;

/** What its definition says. */
export type OwnAttributes<D> = D extends { readonly attributes: infer A } ? A : never;

type Polymorphic = 'morphToOne' | 'morphToMany' | 'morphOne' | 'morphMany';

/** What an attribute is in a query. */
type RoleOf<A> = A extends { readonly private: true } | { readonly type: 'password' }
  ? 'hidden'
  : A extends { readonly type: ScalarTypeName }
    ? 'scalar'
    : A extends { readonly type: 'dynamiczone' } | { readonly relation: Polymorphic }
      ? 'mixed'
      : 'related';

type Role = 'scalar' | 'related' | 'mixed';

// Compilers make these once for each definition: whatever asks for names, and how often, costs a look-up.
type Roles<A> = { readonly [K in keyof A]: RoleOf<A[K]> };
type InRole<Of, Asked extends Role> = { [K in keyof Of]: Of[K] extends Asked ? K : never }[keyof Of];

type OwnNames<D, Asked extends Role> = InRole<Roles<OwnAttributes<D>>, Asked>;

/** What the service sets: scalars, and where there are locales, the other versions. */
type ServiceNames<D, Asked extends Role> = Asked extends 'scalar'
  ? D extends { readonly uid: string }
    ? keyof InstanceAttributes
    : keyof DocumentAttributes
  : Asked extends 'related'
    ? D extends { readonly localized: true }
      ? 'localizations'
      : never
    : never;

/**
 * The names of the attributes that are scalars, lead somewhere (relations to one type, files, components), or
 * are mixed: zones and polymorphic relations, which nothing is filtered or sorted by. Any name where there is
 * no definition.
 */
export type NamesOf<N, R, Asked extends Role> = [Defined<N, R>] extends [never]
  ? string
  : Asked extends Role
    ? ServiceNames<Defined<N, R>, Asked> | (string & OwnNames<Defined<N, R>, Asked>)
    : never;

/** The attribute that a name means. */
export type AttributeOf<N, R, K> = K extends keyof OwnAttributes<Defined<N, R>>
  ? OwnAttributes<Defined<N, R>>[K]
  : K extends keyof ServiceAttributes<Defined<N, R>>
    ? ServiceAttributes<Defined<N, R>>[K]
    : unknown;

/** The id of what an attribute leads to, where that is one. */
export type TargetOf<A> = A extends { readonly type: 'media' }
  ? 'file'
  : A extends { readonly target: infer N extends string } | { readonly component: infer N extends string }
    ? N
    : never;

/** The id of a content type in `__type`, or of a component in `__component`: what `on` names. */
export type KindsOf<A> = A extends { readonly components: readonly (infer U extends string)[] }
  ? U
  : A extends { readonly targets: readonly (infer N extends string)[] }
    ? TypeUid<N>
    : string;

type TypeUid<N extends string> = N extends unknown ? `api::${N}.${N}` : never;

/** The id that a name under `on` means. */
export type IdOfKind<U> = U extends `api::${string}.${infer N}` ? N : U;

/** Whether an attribute leads to several. */
export type IsMany<A> = A extends
  | { readonly relation: 'oneToMany' | 'manyToMany' | 'morphMany' | 'morphToMany' }
  | { readonly multiple: true }
  | { readonly repeatable: true }
  | { readonly type: 'dynamiczone' }
  ? true
  : false;

/** An object type as its members, which is what editors and messages show. */
export type Simplify<T> = { readonly [K in keyof T]: T[K] };
