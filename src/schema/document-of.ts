/** The TypeScript type of what an answer holds, from the definitions. */
import type {
  AttributeDefinitions,
  ComponentDefinition,
  ContentTypeDefinition,
  ScalarTypeName,
  ScalarValues,
} from './definitions.js';
import type { FILE_TYPE } from './file-type.js';

/** What every document carries (contract "Document"). */
export interface DocumentFields extends InstanceFields {
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly publishedAt: string | null;
  readonly locale: string;
}

/** What a component instance carries. */
interface InstanceFields {
  readonly id: number;
  readonly documentId: string;
}

/** A related document as far as its relation alone tells. */
interface RelatedDocument extends Partial<DocumentFields> {
  readonly id: number;
  readonly documentId: string;
  readonly [attribute: string]: unknown;
}

/** A component instance as far as the name of its component alone tells. */
interface ComponentInstance extends InstanceFields {
  readonly [attribute: string]: unknown;
}

/** The definitions that belong together, for the types of what they name. */
interface Definitions {
  readonly contentTypes: readonly ContentTypeDefinition[];
  readonly components?: readonly ComponentDefinition[];
}

/**
 * The type of the documents of a content type, or of the instances of a component: scalar attributes by their
 * own type (null unless required), populated ones optional because they are present only when populated;
 * private and password attributes absent. Give the model, too, to have what is populated typed by its own
 * definition.
 *
 * @example
 * const model = { contentTypes: [article, author], components: [seo] } as const;
 * type Article = DocumentOf<typeof article>;                       // article.author?.name is unknown
 * type FullArticle = DocumentOf<typeof article, typeof model>;     // article.author?.name is a string
 *
 * @publicApi
 */
export type DocumentOf<
  T extends { readonly attributes: AttributeDefinitions },
  M extends Definitions = never,
> = (T extends { readonly uid: string } ? InstanceFields : DocumentFields) & ValuesOf<T['attributes'], M>;

type ValuesOf<A extends AttributeDefinitions, M extends Definitions> = {
  readonly [K in keyof A as Visible<A[K]> extends 'scalar' ? K : never]: ScalarOf<A[K]>;
} & {
  readonly [K in keyof A as Visible<A[K]> extends 'populated' ? K : never]?: PopulatedOf<A[K], M>;
};

type Visible<A> = A extends { private: true } | { type: 'password' }
  ? 'hidden'
  : A extends { type: ScalarTypeName }
    ? 'scalar'
    : 'populated';

type ScalarOf<A> = A extends { type: infer N extends ScalarTypeName }
  ? | (A extends { type: 'enumeration'; enum: readonly (infer E)[] } ? E : ScalarValues[N])
    | (A extends { required: true } ? never : null)
  : never;

type PopulatedOf<A, M extends Definitions> = A extends {
  type: 'relation';
  target: infer N;
  relation: infer R;
}
  ? R extends 'oneToMany' | 'manyToMany' | 'morphMany'
    ? Related<N, M>[]
    : Related<N, M> | null
  : A extends { relation: infer R extends 'morphToOne' | 'morphToMany' }
    ? R extends 'morphToMany'
      ? Mixed<A, M>[]
      : Mixed<A, M> | null
    : MoreOf<A, M>;

/** What is populated and is no relation. */
type MoreOf<A, M extends Definitions> = A extends { type: 'media' }
  ? A extends { multiple: true }
    ? DocumentOf<typeof FILE_TYPE>[]
    : DocumentOf<typeof FILE_TYPE> | null
  : A extends { type: 'component'; component: infer U }
    ? A extends { repeatable: true }
      ? Instance<U, M>[]
      : Instance<U, M> | null
    : A extends { type: 'dynamiczone'; components: readonly (infer U)[] }
      ? (U extends unknown ? Instance<U, M> & { readonly __component: U } : never)[]
      : never;

/** A target of a polymorphic relation, which says of which type it is. */
type Mixed<A, M extends Definitions> = A extends { targets: readonly (infer N extends string)[] }
  ? N extends unknown
    ? Related<N, M> & { readonly __type: `api::${N}.${N}` }
    : never
  : RelatedDocument & { readonly __type: string };

type Related<N, M extends Definitions> = Defined<
  Extract<M['contentTypes'][number], { readonly singularApiId: N }>,
  M,
  RelatedDocument
>;

type Instance<U, M extends Definitions> = Defined<
  Extract<NonNullable<M['components']>[number], { readonly uid: U }>,
  M,
  ComponentInstance
>;

/** The type of a definition's values, or what is known without it. */
type Defined<D, M extends Definitions, Otherwise> = [D] extends [never]
  ? Otherwise
  : D extends { readonly attributes: AttributeDefinitions }
    ? DocumentOf<D, M>
    : never;
