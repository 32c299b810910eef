/** Facts about a caller, from its strategy. */
export interface CallerFacts {
  readonly kind: 'public' | 'token' | 'user' | 'system';
  /** Id of the token or user in its strategy; null for public and system. */
  readonly id: string | null;
  /** Roles that the permissions come from, if any. */
  readonly roles?: readonly string[];
  /** Further facts, such as the caller's organisation, for the conditions of grants. */
  readonly attributes?: Readonly<Record<string, unknown>>;
}
