/** The type of a query in code: what a query string says, as an object. */
import type { PublicationFilter } from '../query/query.js';
import type { FieldsOf, FiltersOf, OneOrMany, SortOf } from './filters-of.js';
import type {
  AttributeOf,
  Definition,
  Definitions,
  ContentId,
  IdOf,
  IdOfKind,
  KindsOf,
  NamesOf,
  Register,
  RegistryOf,
  TargetOf,
} from './registry.js';

/** The name of an attribute that can be populated. */
export type PopulateName<N, R> = NamesOf<N, R, 'related' | 'mixed'>;

/**
 * `author`, `author.company`; what lies deeper is asked for by objects. A member of an interface has no name
 * of its own, so that messages show which texts there are.
 */
interface PopulateTexts<N extends string, R> {
  readonly text:
    | PopulateName<N, R>
    | {
        [K in NamesOf<N, R, 'related'>]: `${K}.${PopulateName<TargetOf<AttributeOf<N, R, K>>, R>}`;
      }[NamesOf<N, R, 'related'>]
    | {
        [K in NamesOf<N, R, 'mixed'>]: `${K}.${PopulateNames<IdOfKind<KindsOf<AttributeOf<N, R, K>>>, R>}`;
      }[NamesOf<N, R, 'mixed'>];
}

type PopulateNames<N, R> = N extends unknown ? PopulateName<N, R> : never;

/** What is said of the documents or instances that an attribute leads to. */
interface ItemOptions<N extends string, R> {
  readonly fields?: FieldsOf<N, R>;
  readonly filters?: FiltersOf<N, R>;
  readonly sort?: SortOf<N, R>;
  readonly populate?: PopulateOf<N, R>;
}

interface RelatedOptions<N extends string, R> extends ItemOptions<N, R> {
  /** Answers `{ count }` in place of the items. */
  readonly count?: boolean;
}

/** Items of several kinds, each with options of its own; what `on` does not name is left out. */
interface MixedOptions<Kinds extends string, R> {
  readonly on?: { readonly [U in Kinds]?: boolean | '*' | ItemOptions<IdOfKind<U> & string, R> };
  readonly populate?: '*';
  readonly count?: boolean;
}

type OptionsOf<A, R> = [TargetOf<A>] extends [never]
  ? boolean | MixedOptions<KindsOf<A>, R>
  : boolean | '*' | RelatedOptions<TargetOf<A>, R>;

type PopulateTree<N extends string, R> = {
  readonly [K in PopulateName<N, R>]?: OptionsOf<AttributeOf<N, R, K>, R>;
};

/** `populate` (protocol section 4). */
export type PopulateOf<N extends string, R> =
  '*' | OneOrMany<PopulateTexts<N, R>['text']> | PopulateTree<N, R>;

/** Which of the versions of a document is meant. */
export interface VersionQuery {
  readonly status?: 'draft' | 'published' | undefined;
  /** A code, or `'*'` for all locales. Default: the application's default locale. */
  readonly locale?: string | undefined;
}

/** Pages or offsets, not both. */
type PaginationQuery =
  | { readonly page?: number; readonly pageSize?: number; readonly withCount?: boolean }
  | { readonly start?: number; readonly limit?: number; readonly withCount?: boolean };

/** A query of what a write answers. */
export interface WriteQuery<F, P> extends VersionQuery {
  readonly fields?: F;
  readonly populate?: P;
}

interface Found<N extends string, R> extends VersionQuery {
  readonly filters?: FiltersOf<N, R>;
  readonly _q?: string;
  /** Filters that compare a version with its draft need `readDrafts`. */
  readonly publicationFilter?: PublicationFilter;
  readonly hasPublishedVersion?: boolean;
  readonly fallbackLocale?: string | readonly string[] | false;
}

/** A query of one document. */
export interface OneQuery<N extends string, R, F, P> extends Found<N, R> {
  readonly fields?: F;
  readonly populate?: P;
}

/** A query of documents. */
export interface ListQuery<N extends string, R, F, P> extends OneQuery<N, R, F, P> {
  readonly sort?: SortOf<N, R>;
  readonly pagination?: PaginationQuery;
}

/** A query of how many documents there are. */
export type CountQuery<N extends string, R> = Found<N, R>;

/**
 * The queries of a content type: `fields`, `populate`, `filters`, `sort`, `pagination`, `status`, `locale` …,
 * with the names and the operators that the definition allows. Give an id of the registered model, or a
 * definition and the model that it belongs to.
 *
 * @example
 * const newest = { sort: 'createdAt:desc', populate: { author: true } } satisfies QueryOf<'article'>;
 * const query = { filters: { author: { name: 'Ann' } } } satisfies QueryOf<typeof article, typeof model>;
 *
 * @publicApi
 */
export type QueryOf<
  T extends ContentId | Definition,
  M extends Definitions | Register = Register,
> = ListQuery<
  IdOf<T>,
  RegistryOf<T, M>,
  FieldsOf<IdOf<T>, RegistryOf<T, M>>,
  PopulateOf<IdOf<T>, RegistryOf<T, M>>
>;
