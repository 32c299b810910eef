/** Indexes that a type declares, in addition to those of its attributes. */

/** Attributes of every document that an index may contain. */
export const INDEXED_ALWAYS = ['documentId', 'createdAt', 'updatedAt', 'publishedAt'] as const;

export const isIndexedAlways = (name: string): boolean => INDEXED_ALWAYS.some((one): boolean => one === name);

export interface IndexDefinition {
  /**
   * Attributes in the order of the index: scalars, to-one relations, `documentId`, `createdAt`, `updatedAt`,
   * `publishedAt`.
   */
  readonly attributes: readonly string[];
  /**
   * `'trigram'` serves `$contains`, `$startsWith`, `$endsWith`, their forms with `i`, and `_q`, on texts.
   * It requires the PostgreSQL extension `pg_trgm`. Default: a sorted index, for filters and sorts.
   */
  readonly using?: 'trigram';
  /**
   * Refuses a published document whose values equal those of another one in the same locale (400). Documents
   * in which one of the values is null or an empty text do not count. Default false.
   */
  readonly unique?: boolean;
}

export interface IndexedType {
  /** Indexes over attributes, for lists that are filtered, sorted or searched. Default: none. */
  readonly indexes?: readonly IndexDefinition[];
}
