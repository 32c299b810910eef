/** Types of responses, narrowed to the `fields` and `populate` of the query. */
import type { PopulatedValue, KindMark, Populatable, ScalarsOf, Whole } from './document-of.js';
import type { PopulateName } from './query-of.js';
import type {
  AttributeOf,
  AuthorName,
  ContentId,
  Defined,
  Definition,
  Definitions,
  IdOf,
  IdOfKind,
  KindsOf,
  Register,
  RegistryOf,
  Simplify,
  TargetOf,
} from './registry.js';

type Items<T> = T extends readonly (infer One)[] ? One : T;

type IsOpenList<T> = T extends readonly unknown[] ? (number extends T['length'] ? true : false) : false;

type SelectedFields<N, R, F> =
  '*' extends Items<F>
    ? ScalarsOf<N, R>
    : [Items<F>] extends [never]
      ? ScalarsOf<N, R>
      : true extends IsOpenList<F>
        ? ScalarsOf<N, R, 'id' | 'documentId'> & Partial<ScalarsOf<N, R>>
        : ScalarsOf<N, R, 'id' | 'documentId' | Items<F>>;

type Head<Path> = Path extends `${infer Name}.${string}` ? Name : Path;
type PathBelow<Path, Name extends string> = Path extends `${Name}.${infer Below}` ? Below : never;

type FieldsIn<O> = O extends { readonly fields: infer F } ? F : '*';
type PopulateIn<O> = O extends { readonly populate: infer P } ? P : never;

/** Value of an attribute populated with the options `O`: `true`, `'*'`, or an object. */
type Populated<A, O, R> = O extends { readonly count: true }
  ? { readonly count: number }
  : PopulatedValue<
      A,
      [TargetOf<A>] extends [never] ? Kinds<A, O, R> : Result<TargetOf<A>, R, FieldsIn<O>, PopulateIn<O>>
    >;

/** Items of a zone or polymorphic relation: of all kinds, or of those in `on`. */
type Kinds<A, O, R> = O extends { readonly on: infer On }
  ? { [U in keyof On]: On[U] extends false ? never : Kind<U, On[U], R> }[keyof On]
  : KindsOf<A, R> extends infer U
    ? U extends unknown
      ? Kind<U, O, R>
      : never
    : never;

type Kind<U, O, R> = Result<IdOfKind<U>, R, FieldsIn<O>, PopulateIn<O>> & KindMark<U>;

interface Paths<Path extends string> {
  readonly paths: Path;
}

type ByPaths<N, R, Path extends string> = {
  readonly [K in Extract<Head<Path>, PopulateName<N, R>>]: Populated<
    AttributeOf<N, R, K>,
    { readonly populate: Paths<PathBelow<Path, K>> },
    R
  >;
};

type RequestedPaths<P> = { readonly [K in keyof P as P[K] extends false | undefined ? never : K]: P[K] };

type ByTree<N, R, P> = {
  readonly [K in keyof P as P[K] extends object | true | '*' ? K : never]: Populated<
    AttributeOf<N, R, K>,
    P[K],
    R
  >;
} & {
  readonly [K in keyof P as P[K] extends object | true | '*' ? never : K]?: Populated<
    AttributeOf<N, R, K>,
    true,
    R
  >;
};

type PopulatedBy<N, R, P> = P extends string
  ? ByPaths<N, R, P>
  : P extends Paths<infer Path>
    ? ByPaths<N, R, Path>
    : P extends readonly (infer Path extends string)[]
      ? IsOpenList<P> extends true
        ? Populatable<N, R>
        : ByPaths<N, R, Path>
      : ByTree<N, R, RequestedPaths<P>>;

/** Attributes populated by `*`, or optional ones if `populate` is not known exactly. */
type Populates<N, R, P> = [P] extends ['*']
  ? ByTree<N, R, { readonly [K in Exclude<PopulateName<N, R>, AuthorName>]: true }>
  : '*' extends P
    ? Populatable<N, R>
    : PopulatedBy<N, R, NonNullable<P>>;

/**
 * Response for a type or component `N` of a registry. Testing `P` first makes TypeScript defer the evaluation
 * until `P` is known; an intersection would evaluate every alternative at once.
 */
export type Result<N, R, F, P> = [Defined<N, R>] extends [never]
  ? Whole<N, R>
  : [P] extends [never]
    ? Simplify<SelectedFields<N, R, F>>
    : Simplify<SelectedFields<N, R, F> & Populates<N, R, P>>;

/**
 * Type of a query's response: `id`, `documentId`, the selected `fields` or all scalars, and populated
 * attributes. Write the query with `as const` or `satisfies QueryOf<…>`, so that its exact type is known.
 * Otherwise populated attributes are optional.
 *
 * @example
 * const query = { fields: ['title'], populate: { author: { fields: ['name'] } } } as const;
 * type Row = ResultOf<'article', typeof query>; // { id, documentId, title, author: { … } | null }
 *
 * @publicApi
 */
export type ResultOf<
  T extends ContentId | Definition,
  Q,
  M extends Definitions | Register = Register,
> = Result<IdOf<T>, RegistryOf<T, M>, FieldsIn<Q>, PopulateIn<Q>>;
