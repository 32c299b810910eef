/** What was asked, as syntax: no name is known to exist yet. Frozen values with a `kind`. */
import type { OperatorName } from './operators.js';

/** `fields`: null when absent, `'*'` for all, else the names in the order asked. */
export type Fields = null | '*' | readonly string[];

/** One sort key: a path of names and a direction. */
export interface SortKey {
  readonly path: readonly string[];
  readonly descending: boolean;
}

export type Filter =
  | { readonly kind: 'group'; readonly op: '$and' | '$or'; readonly parts: readonly Filter[] }
  | { readonly kind: 'not'; readonly of: Filter }
  | { readonly kind: 'member'; readonly key: string; readonly of: Filter }
  | { readonly kind: 'operator'; readonly op: OperatorName; readonly operand: unknown };

/** One populated attribute. `at` is its place in messages. */
export interface PopulateItem {
  readonly key: string;
  readonly at: string;
  /** `populate[x]=false`: the name is checked, nothing is populated. */
  readonly off: boolean;
  /** What stood in place of an object, when it was a text that means neither yes nor no. */
  readonly text: string | null;
  /** Keys of the object that mean nothing here, in order. */
  readonly unknown: readonly string[];
  readonly fields: Fields;
  readonly filters: Filter | null;
  readonly sort: readonly SortKey[];
  readonly populate: Populate;
  readonly count: boolean;
  readonly on: readonly PopulateItem[] | null;
  /** Named by the rest of a path with dots, and not by a key of its own. */
  readonly dotted: boolean;
  /** The raw value, for the message about zones that quotes it. */
  readonly raw: unknown;
}

export type Populate =
  | { readonly kind: 'none' }
  | { readonly kind: 'all' }
  | { readonly kind: 'items'; readonly items: readonly PopulateItem[] };

/** Where in the result to look. `page` and `start` are exclusive. */
export interface Pagination {
  readonly kind: 'page' | 'offset';
  readonly start: number;
  readonly limit: number;
  /** The largest limit that the settings allow. */
  readonly largest: number;
  readonly page: number;
  readonly withCount: boolean;
}

export interface Query {
  readonly fields: Fields;
  readonly populate: Populate;
  readonly filters: Filter | null;
  readonly sort: readonly SortKey[];
  /** The raw `pagination` value; only lists read it. */
  readonly pagination: unknown;
  readonly status: unknown;
  readonly locale: unknown;
  readonly fallbackLocale: unknown;
  readonly search: string | null;
  readonly publication: PublicationFilter | null;
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
