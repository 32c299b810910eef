import { Permissions } from './permissions.js';

/**
 * Caller of a request. `public` has no credential; `token` and `user` come from an {@link AuthStrategy};
 * `system` is the host's own code.
 *
 * @publicApi
 */
export interface Caller {
  readonly kind: 'public' | 'token' | 'user' | 'system';
  /** Id of the token or user in its strategy; null for public and system. */
  readonly id: string | null;
  readonly permissions: Permissions;
  /** Roles that the permissions come from, if any. */
  readonly roles?: readonly string[];
  /** Facts about the caller from its strategy, such as its organisation, for the conditions of grants. */
  readonly attributes?: Readonly<Record<string, unknown>>;
}

export const SYSTEM: Caller = Object.freeze({ kind: 'system', id: null, permissions: Permissions.ALL });

export const publicCaller = (permissions: Permissions): Caller =>
  Object.freeze({ kind: 'public', id: null, permissions });

export const userOf = ({ kind, id }: Pick<Caller, 'kind' | 'id'>): string | null =>
  kind === 'user' ? id : null;
