/** Types of documents, derived from their definitions. */
import type { ScalarTypeName, ScalarValues } from '../content/model/definitions.js';
import type {
  AttributeOf,
  ContentId,
  Defined,
  Definition,
  Definitions,
  IdOf,
  IdOfKind,
  IsMany,
  KindsOf,
  NamesOf,
  Register,
  RegistryOf,
  Simplify,
  TargetOf,
} from './registry.js';

/** Fields of every document (contract "Document"). */
export interface DocumentFields {
  readonly id: number;
  readonly documentId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly publishedAt: string | null;
  readonly locale: string;
}

interface UnknownItem extends Partial<DocumentFields> {
  readonly id: number;
  readonly documentId: string;
  readonly [attribute: string]: unknown;
}

/** Value of a scalar attribute: null unless required. */
type ScalarOf<A> = A extends { readonly type: infer Type extends ScalarTypeName }
  ? | (A extends { readonly type: 'enumeration'; readonly enum: readonly (infer E)[] }
        ? E
        : ScalarValues[Type])
    | (A extends { readonly required: true } ? never : null)
  : never;

export type ScalarsOf<N, R, Names = string> = {
  readonly [K in NamesOf<N, R, 'scalar'> & Names]: ScalarOf<AttributeOf<N, R, K>>;
};

/** Property that identifies the kind of an item in a list of mixed kinds. */
export type KindMark<U> = string extends U
  ? { readonly __type: string }
  : U extends `${string}::${string}`
    ? { readonly __type: U }
    : { readonly __component: U };

export type PopulatedValue<A, Item> = IsMany<A> extends true ? Item[] : Item | null;

export type Whole<N, R> = [Defined<N, R>] extends [never]
  ? UnknownItem
  : Simplify<ScalarsOf<N, R> & Populatable<N, R>>;

export type Populatable<N, R> = {
  readonly [K in NamesOf<N, R, 'related' | 'mixed'>]?: WholeValue<AttributeOf<N, R, K>, R>;
};

type WholeValue<A, R> = PopulatedValue<
  A,
  [TargetOf<A>] extends [never] ? WholeOfKind<KindsOf<A, R>, R> : Whole<TargetOf<A>, R>
>;

type WholeOfKind<U, R> = U extends unknown ? Whole<IdOfKind<U>, R> & KindMark<U> : never;

/**
 * Type of the documents of a content type, or of the instances of a component. Scalar attributes have their
 * own type, or null unless required. Populated attributes are optional; private and password attributes are
 * absent.
 *
 * Pass an id of the registered model, or a definition. With the model as a second parameter, populated
 * attributes have the types of their own definitions.
 *
 * @example
 * const model = { contentTypes: [article, author], components: [seo] } as const;
 * type Article = DocumentOf<typeof article>;                       // article.author?.name is unknown
 *
 * type FullArticle = DocumentOf<typeof article, typeof model>;     // article.author?.name is a string
 *
 * @publicApi
 */
export type DocumentOf<T extends ContentId | Definition, M extends Definitions | Register = Register> = Whole<
  IdOf<T>,
  RegistryOf<T, M>
>;
