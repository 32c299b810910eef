/** Types of request body data. */
import type { ScalarTypeName } from '../content/model/definitions.js';
import type {
  AuthorName,
  ContentId,
  Defined,
  Definition,
  Definitions,
  IdOf,
  IsMany,
  KindsOf,
  OwnAttributes,
  Register,
  RegistryOf,
  TargetOf,
} from './registry.js';
import type { Values } from './values.js';

/** Reference to a document in a body: by `id`, by `documentId`, or as an object with one of them. */
type Reference = string | number | NamedById | NamedByDocumentId;

/** Keys of a reference that are accepted without effect: one status and locale apply to the whole request. */
interface IgnoredKeys {
  readonly locale?: string | null;
  readonly status?: 'draft' | 'published';
}
interface NamedById extends IgnoredKeys {
  readonly id: number | string;
}
interface NamedByDocumentId extends IgnoredKeys {
  readonly documentId: string;
}

interface Position {
  readonly before?: string | number;
  readonly after?: string | number;
  readonly start?: true;
  readonly end?: true;
}

/** Document to connect; `position` defaults to the end of the list. */
type ConnectInput<Named> = Named | (Extract<Named, object> & { readonly position?: Position });

/** Change of a relation. `set` takes precedence over the other properties. */
interface Change<Named> {
  readonly set?: readonly Named[] | Named | null;
  readonly connect?: readonly ConnectInput<Named>[] | ConnectInput<Named>;
  readonly disconnect?: readonly Named[] | Named;
  /** With `strict: false`, an item whose anchor is not linked goes to the end. */
  readonly options?: { readonly strict?: boolean };
}

type Links<A, Named> =
  IsMany<A> extends true ? readonly Named[] | Change<Named> : Named | readonly [Named] | null | Change<Named>;

type TypedReference<U> = U extends string ? (NamedById | NamedByDocumentId) & { readonly __type: U } : never;

/** Component instances: a new one needs all required attributes, one with an `id` only its changes. */
type Instance<N, R, S> =
  | ({ readonly id?: undefined } & NewInput<N, R, S>)
  | ({ readonly id: number | string } & ChangeInput<N, R, S>);

type InstanceOfKind<U, R, S> = U extends string ? Instance<U, R, S> & { readonly __component: U } : never;

type EmbeddedInput<A, R, S> = A extends { readonly type: 'dynamiczone' }
  ? readonly InstanceOfKind<KindsOf<A, R>, R, S>[]
  : IsMany<A> extends true
    ? readonly Instance<TargetOf<A>, R, S>[]
    : Instance<TargetOf<A>, R, S>;

type ValueOf<A, R, S> = A extends { readonly type: infer Type extends ScalarTypeName }
  ? A extends { readonly enum: readonly (infer E)[] }
    ? E
    : Values[Type]
  : A extends { readonly type: 'relation' | 'media' }
    ? Links<
        A,
        A extends { readonly relation: 'morphToOne' | 'morphToMany' }
          ? TypedReference<KindsOf<A, R>>
          : Reference
      >
    : A extends { readonly type: 'component' | 'dynamiczone' }
      ? EmbeddedInput<A, R, S>
      : unknown;

/** Null, where a body may send it: never for lists, for required attributes only in a draft. */
type NullIfAllowed<A, S> = S extends 'draft'
  ? A extends { readonly repeatable: true } | { readonly type: 'dynamiczone' }
    ? never
    : null
  : A extends { readonly required: true } | { readonly repeatable: true } | { readonly type: 'dynamiczone' }
    ? never
    : null;

type Attributes<N, R> = OwnAttributes<Defined<N, R>>;

/** Attributes that a new document must have, except links, defaults and generated values. */
type RequiredAttribute = { readonly required: true };
type OptionalAttribute =
  { readonly type: 'relation' | 'media' } | { readonly default: unknown } | { readonly generate: true };

// TypeScript evaluates both once per definition.
type Writable<A> = {
  [K in keyof A]: A[K] extends { readonly writable: false } ? never : K;
}[keyof A];
type RequiredNamesOf<D, A> = {
  [K in keyof A]: A[K] extends RequiredAttribute
    ? A[K] extends OptionalAttribute | { readonly writable: false }
      ? never
      : D extends { readonly owner: K }
        ? never
        : K
    : never;
}[keyof A];

type WritableName<N, R> = Writable<Attributes<N, R>> & keyof Attributes<N, R>;

type RequiredName<N, R, S> = S extends 'draft'
  ? never
  : RequiredNamesOf<Defined<N, R>, Attributes<N, R>> & keyof Attributes<N, R>;

type RequiredInput<N, R, S> = {
  readonly [K in RequiredName<N, R, S>]: ValueOf<Attributes<N, R>[K], R, S>;
};

/** Data of an update: nothing is required, but required attributes cannot be null. */
export type ChangeInput<N, R, S> = {
  readonly [K in WritableName<N, R>]?:
    ValueOf<Attributes<N, R>[K], R, S> | NullIfAllowed<Attributes<N, R>[K], S>;
};

export type NewInput<N, R, S> = RequiredInput<N, R, S> & ChangeInput<N, R, S>;

/** Type of `event.data` in a hook, which the hook may change. */
export type HookData<N, R> = {
  -readonly [K in keyof Attributes<N, R> | AuthorOf<Defined<N, R>>]?:
    (K extends keyof Attributes<N, R> ? ValueOf<Attributes<N, R>[K], R, 'draft'> : Reference) | null;
};

/** Authors, which hooks can write and requests cannot. */
type AuthorOf<D> = D extends { readonly authors: true } ? AuthorName : never;

/**
 * Type of the `data` of a new document; required attributes without a default must be present. Relations,
 * files, components and zones may have every form of a body (protocol sections 11 to 13).
 *
 * Pass an id of the registered model, or a definition and its model. `Partial<InputOf<…>>` is the data of an
 * update. With `'draft'` as the third parameter nothing is required.
 *
 * @example
 * const data: InputOf<'article'> = { title: 'New', author: { documentId }, tags: { connect: [1, 2] } };
 *
 * @publicApi
 */
export type InputOf<
  T extends ContentId | Definition,
  M extends Definitions | Register = Register,
  Status extends 'draft' | 'published' = 'published',
> = NewInput<IdOf<T>, RegistryOf<T, M>, Status>;
