/** Types of queries in code: the parameters of a query string as an object. */
import type { PublicationFilter } from '../content/query/query.js';
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

export type PopulateName<N, R> = NamesOf<N, R, 'related' | 'mixed'>;

/**
 * Dotted paths such as `author.company`; deeper levels need the object form. An interface member has no alias
 * name, so messages show the valid texts.
 */
interface PopulateTexts<N extends string, R> {
  readonly text:
    | PopulateName<N, R>
    | {
        [K in NamesOf<N, R, 'related'>]: `${K}.${PopulateName<TargetOf<AttributeOf<N, R, K>>, R>}`;
      }[NamesOf<N, R, 'related'>]
    | {
        [K in NamesOf<N, R, 'mixed'>]: `${K}.${PopulateNames<IdOfKind<KindsOf<AttributeOf<N, R, K>, R>>, R>}`;
      }[NamesOf<N, R, 'mixed'>];
}

type PopulateNames<N, R> = N extends unknown ? PopulateName<N, R> : never;

interface ItemOptions<N extends string, R> {
  readonly fields?: FieldsOf<N, R>;
  readonly filters?: FiltersOf<N, R>;
  readonly sort?: SortOf<N, R>;
  readonly populate?: PopulateOf<N, R>;
}

interface RelatedOptions<N extends string, R> extends ItemOptions<N, R> {
  /** True returns `{ count }` instead of the items. */
  readonly count?: boolean;
}

/** Options by kind for items of several kinds; a kind that `on` does not list is left out. */
interface MixedOptions<Kinds extends string, R> {
  readonly on?: { readonly [U in Kinds]?: boolean | '*' | ItemOptions<IdOfKind<U> & string, R> };
  readonly populate?: '*';
  readonly count?: boolean;
}

type OptionsOf<A, R> = [TargetOf<A>] extends [never]
  ? boolean | MixedOptions<KindsOf<A, R>, R>
  : boolean | '*' | RelatedOptions<TargetOf<A>, R>;

type PopulateTree<N extends string, R> = {
  readonly [K in PopulateName<N, R>]?: OptionsOf<AttributeOf<N, R, K>, R>;
};

/** Type of `populate` (protocol section 4). */
export type PopulateOf<N extends string, R> =
  '*' | OneOrMany<PopulateTexts<N, R>['text']> | PopulateTree<N, R>;

export interface VersionQuery {
  readonly status?: 'draft' | 'published' | undefined;
  /** Locale code, or `'*'` for all locales. Default: the application's default locale. */
  readonly locale?: string | undefined;
}

/** Type of `pagination`: pages or offsets, not both. */
type PaginationQuery =
  | { readonly page?: number; readonly pageSize?: number; readonly withCount?: boolean }
  | { readonly start?: number; readonly limit?: number; readonly withCount?: boolean };

export interface WriteQuery<F, P> extends VersionQuery {
  readonly fields?: F;
  readonly populate?: P;
}

interface Found<N extends string, R> extends VersionQuery {
  readonly filters?: FiltersOf<N, R>;
  readonly _q?: string;
  /** Filters that compare a version with its draft require `readDrafts`. */
  readonly publicationFilter?: PublicationFilter;
  readonly hasPublishedVersion?: boolean;
  readonly fallbackLocale?: string | readonly string[] | false;
}

export interface OneQuery<N extends string, R, F, P> extends Found<N, R> {
  readonly fields?: F;
  readonly populate?: P;
  /** Adds `__state` to each document of the root. Needs `readDrafts` for types with drafts. */
  readonly withState?: boolean;
}

export interface ListQuery<N extends string, R, F, P> extends OneQuery<N, R, F, P> {
  readonly sort?: SortOf<N, R>;
  readonly pagination?: PaginationQuery;
}

export type CountQuery<N extends string, R> = Found<N, R>;

/**
 * Queries of a content type: `fields`, `populate`, `filters`, `sort`, `pagination`, `status`, `locale` …,
 * with the names and operators that the definition allows. Pass an id of the registered model, or a
 * definition and its model.
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
