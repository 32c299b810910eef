import { Permissions } from './permissions.js';

/**
 * Who asks. `public` carries no credential; `token` and `user` were recognised by an {@link AuthStrategy};
 * `system` is the host's own code.
 *
 * @publicApi
 */
export interface Caller {
  readonly kind: 'public' | 'token' | 'user' | 'system';
  /** The strategy's id of the token or user; null for public and system. */
  readonly id: string | null;
  readonly permissions: Permissions;
  /** The roles that the permissions come from, where they come from roles. */
  readonly roles?: readonly string[];
}

/** The host's own code: everything is allowed. */
export const SYSTEM: Caller = Object.freeze({ kind: 'system', id: null, permissions: Permissions.ALL });

export const publicCaller = (permissions: Permissions): Caller =>
  Object.freeze({ kind: 'public', id: null, permissions });

/** The user that a caller is; own documents are theirs. */
export const userOf = ({ kind, id }: Pick<Caller, 'kind' | 'id'>): string | null =>
  kind === 'user' ? id : null;
