/** Parsed query. Names are not yet resolved against the model. */
import type { OperatorName } from './operators.js';

/** Value of `fields`: null if absent, `'*'` for all, else the names in the given order. */
export type Fields = null | '*' | readonly string[];

export interface SortKey {
  readonly path: readonly string[];
  readonly descending: boolean;
}

export type Filter =
  | { readonly kind: 'group'; readonly op: '$and' | '$or'; readonly parts: readonly Filter[] }
  | { readonly kind: 'not'; readonly of: Filter }
  | { readonly kind: 'member'; readonly key: string; readonly of: Filter }
  | { readonly kind: 'operator'; readonly op: OperatorName; readonly operand: unknown };

/** Populated attribute; `at` is its path in messages. */
export interface PopulateItem {
  readonly key: string;
  readonly at: string;
  /** True for `populate[x]=false`, which validates the name and populates nothing. */
  readonly off: boolean;
  /** Text in place of the options, as in `populate[author]=name`; null for options and for booleans. */
  readonly text: string | null;
  /** Unknown keys of the object, in order. */
  readonly unknown: readonly string[];
  readonly fields: Fields;
  readonly filters: Filter | null;
  readonly sort: readonly SortKey[];
  readonly populate: Populate;
  readonly count: boolean;
  readonly on: readonly PopulateItem[] | null;
  /** Whether the name is a later segment of a dotted path. */
  readonly dotted: boolean;
  /** Raw value, which the message about dynamic zones quotes. */
  readonly raw: unknown;
}

export type Populate =
  | { readonly kind: 'none' }
  | { readonly kind: 'all' }
  | { readonly kind: 'items'; readonly items: readonly PopulateItem[] };

/** Requested page. `page` and `start` are mutually exclusive. */
export interface Pagination {
  readonly kind: 'page' | 'offset';
  readonly start: number;
  readonly limit: number;
  /** Largest limit that the settings allow. */
  readonly largest: number;
  readonly page: number;
  readonly withCount: boolean;
}

export interface Query {
  readonly fields: Fields;
  readonly populate: Populate;
  readonly filters: Filter | null;
  readonly sort: readonly SortKey[];
  /** Raw `pagination`, which only lists parse. */
  readonly pagination: unknown;
  readonly status: unknown;
  readonly locale: unknown;
  readonly fallbackLocale: unknown;
  readonly search: string | null;
  readonly publication: PublicationFilter | null;
  readonly withState: boolean;
}

/** Values of `publicationFilter` (protocol 8.18). */
export const PUBLICATION_FILTERS = [
  'never-published',
  'has-published-version',
  'modified',
  'unmodified',
  'never-published-document',
  'has-published-version-document',
  'published-without-draft',
  'published-with-draft',
] as const;

export type PublicationFilter = (typeof PUBLICATION_FILTERS)[number];

/** Filters that compare a published version with its draft. */
export const DRAFT_FILTERS: readonly PublicationFilter[] = [
  'has-published-version',
  'modified',
  'unmodified',
  'published-without-draft',
  'published-with-draft',
];

export const NO_POPULATE: Populate = Object.freeze({ kind: 'none' });
