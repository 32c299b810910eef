/** The type of what an answer holds, from the definitions. */
import type { ScalarTypeName, ScalarValues } from '../schema/definitions.js';
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

/** What every document carries (contract "Document"). */
export interface DocumentFields {
  readonly id: number;
  readonly documentId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly publishedAt: string | null;
  readonly locale: string;
}

/** A document or instance as far as what leads to it alone tells. */
interface UnknownItem extends Partial<DocumentFields> {
  readonly id: number;
  readonly documentId: string;
  readonly [attribute: string]: unknown;
}

/** The value of a scalar attribute: null unless required. */
type ScalarOf<A> = A extends { readonly type: infer Type extends ScalarTypeName }
  ? | (A extends { readonly type: 'enumeration'; readonly enum: readonly (infer E)[] }
        ? E
        : ScalarValues[Type])
    | (A extends { readonly required: true } ? never : null)
  : never;

/** The scalars of a type or component; all of them unless names are given. */
export type ScalarsOf<N, R, Names = string> = {
  readonly [K in NamesOf<N, R, 'scalar'> & Names]: ScalarOf<AttributeOf<N, R, K>>;
};

/** What says of which kind an item is, among items of several kinds. */
export type KindMark<U> = string extends U
  ? { readonly __type: string }
  : U extends `api::${string}`
    ? { readonly __type: U }
    : { readonly __component: U };

/** What an attribute that is populated holds, made of its items. */
export type Held<A, Item> = IsMany<A> extends true ? Item[] : Item | null;

/** A document or instance with all that may be populated in it, any depth. */
export type Whole<N, R> = [Defined<N, R>] extends [never]
  ? UnknownItem
  : Simplify<ScalarsOf<N, R> & Populatable<N, R>>;

export type Populatable<N, R> = {
  readonly [K in NamesOf<N, R, 'related' | 'mixed'>]?: WholeValue<AttributeOf<N, R, K>, R>;
};

type WholeValue<A, R> = Held<
  A,
  [TargetOf<A>] extends [never] ? WholeOfKind<KindsOf<A>, R> : Whole<TargetOf<A>, R>
>;

type WholeOfKind<U, R> = U extends unknown ? Whole<IdOfKind<U>, R> & KindMark<U> : never;

/**
 * The type of the documents of a content type, or of the instances of a component: scalar attributes by their
 * own type (null unless required), populated ones optional because they are present only when populated;
 * private and password attributes absent. Give an id of the registered model, or a definition; with the
 * model, too, what is populated is typed by its own definition.
 *
 * @example
 * const model = { contentTypes: [article, author], components: [seo] } as const;
 * type Article = DocumentOf<typeof article>;                       // article.author?.name is unknown
 * type FullArticle = DocumentOf<typeof article, typeof model>;     // article.author?.name is a string
 *
 * @publicApi
 */
export type DocumentOf<T extends ContentId | Definition, M extends Definitions | Register = Register> = Whole<
  IdOf<T>,
  RegistryOf<T, M>
>;
