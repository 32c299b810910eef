/** The type of what is written: the `data` of a body. */
import type { ScalarTypeName } from '../schema/definitions.js';
import type {
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

/** How a body names a document: by `id`, by `documentId`, or as an object with one of them. */
type Reference = string | number | NamedById | NamedByDocumentId;

/** These are taken, and change nothing: one status and one locale hold for the whole request. */
interface Tolerated {
  readonly locale?: string | null;
  readonly status?: 'draft' | 'published';
}
interface NamedById extends Tolerated {
  readonly id: number | string;
}
interface NamedByDocumentId extends Tolerated {
  readonly documentId: string;
}

/** Where something new stands in a list. */
interface Position {
  readonly before?: string | number;
  readonly after?: string | number;
  readonly start?: true;
  readonly end?: true;
}

/** A document to connect, at the end of the list unless `position` says otherwise. */
type Connected<Named> = Named | (Extract<Named, object> & { readonly position?: Position });

/** A change of a relation. `set` wins over the others. */
interface Change<Named> {
  readonly set?: readonly Named[] | Named | null;
  readonly connect?: readonly Connected<Named>[] | Connected<Named>;
  readonly disconnect?: readonly Named[] | Named;
  /** With `strict: false`, an item whose anchor is not linked is put at the end. */
  readonly options?: { readonly strict?: boolean };
}

type Links<A, Named> =
  IsMany<A> extends true ? readonly Named[] | Change<Named> : Named | readonly [Named] | null | Change<Named>;

/** A reference that says of which type the document is. */
type Typed<U> = U extends string ? (NamedById | NamedByDocumentId) & { readonly __type: U } : never;

/** Instances: new ones with all that is required, those that have an `id` already with what changes. */
type Instance<N, R, S> =
  | ({ readonly id?: undefined } & NewInput<N, R, S>)
  | ({ readonly id: number | string } & ChangeInput<N, R, S>);

type InstanceOfKind<U, R, S> = U extends string ? Instance<U, R, S> & { readonly __component: U } : never;

type Embedded<A, R, S> = A extends { readonly type: 'dynamiczone' }
  ? readonly InstanceOfKind<KindsOf<A>, R, S>[]
  : IsMany<A> extends true
    ? readonly Instance<TargetOf<A>, R, S>[]
    : Instance<TargetOf<A>, R, S>;

type ValueOf<A, R, S> = A extends { readonly type: infer Type extends ScalarTypeName }
  ? A extends { readonly enum: readonly (infer E)[] }
    ? E
    : Values[Type]
  : A extends { readonly type: 'relation' | 'media' }
    ? Links<A, A extends { readonly relation: 'morphToOne' | 'morphToMany' } ? Typed<KindsOf<A>> : Reference>
    : A extends { readonly type: 'component' | 'dynamiczone' }
      ? Embedded<A, R, S>
      : unknown;

/** What may be null: everything in a draft; else what is not required, and no list. */
type Nothing<A, S> = S extends 'draft'
  ? A extends { readonly repeatable: true } | { readonly type: 'dynamiczone' }
    ? never
    : null
  : A extends { readonly required: true } | { readonly repeatable: true } | { readonly type: 'dynamiczone' }
    ? never
    : null;

type Attributes<N, R> = OwnAttributes<Defined<N, R>>;

/** What has to be there and is made by nobody else; links need not be there. */
type Needed = { readonly required: true };
type Made =
  { readonly type: 'relation' | 'media' } | { readonly default: unknown } | { readonly generate: true };

// Both are made once for each definition, whatever is written.
type Writable<A> = {
  [K in keyof A]: A[K] extends { readonly writable: false } ? never : K;
}[keyof A];
type NeededOf<D, A> = {
  [K in keyof A]: A[K] extends Needed
    ? A[K] extends Made | { readonly writable: false }
      ? never
      : D extends { readonly owner: K }
        ? never
        : K
    : never;
}[keyof A];

type WritableName<N, R> = Writable<Attributes<N, R>> & keyof Attributes<N, R>;

type NeededName<N, R, S> = S extends 'draft'
  ? never
  : NeededOf<Defined<N, R>, Attributes<N, R>> & keyof Attributes<N, R>;

/** What is needed of a document in the state `S`. */
type NeededInput<N, R, S> = {
  readonly [K in NeededName<N, R, S>]: ValueOf<Attributes<N, R>[K], R, S>;
};

/** What changes in a document: nothing is required, and what is required cannot be taken away. */
export type ChangeInput<N, R, S> = {
  readonly [K in WritableName<N, R>]?: ValueOf<Attributes<N, R>[K], R, S> | Nothing<Attributes<N, R>[K], S>;
};

/** What a new document is made from; `S` is its status. */
export type NewInput<N, R, S> = NeededInput<N, R, S> & ChangeInput<N, R, S>;

/** What a hook finds in `event.data`, and may change. */
export type HookData<N, R> = {
  -readonly [K in keyof Attributes<N, R>]?: ValueOf<Attributes<N, R>[K], R, 'draft'> | null;
};

/**
 * The `data` of a new document: what is required and has no default must be there. Relations, files,
 * components and zones in every form that a body may have (protocol sections 11 to 13). Give an id of the
 * registered model, or a definition and its model. `Partial<InputOf<…>>` is the data of an update; with
 * `'draft'` as the third parameter nothing is required.
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
