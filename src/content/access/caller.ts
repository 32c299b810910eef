import type { CallerFacts } from './caller-facts.js';
import { Permissions } from './permissions.js';

/**
 * Caller of a request. `public` has no credential; `token` and `user` come from an {@link AuthStrategy};
 * `system` is the host's own code.
 *
 * @publicApi
 */
export interface Caller extends CallerFacts {
  readonly permissions: Permissions;
}

export const SYSTEM: Caller = Object.freeze({ kind: 'system', id: null, permissions: Permissions.ALL });

/**
 * Caller of writes that are due: the application. Permission was checked when the time was set, for the
 * documents themselves only.
 */
export const SCHEDULE: Caller = Object.freeze({ ...SYSTEM });

export const publicCaller = (permissions: Permissions): Caller =>
  Object.freeze({ kind: 'public', id: null, permissions });

export const userOf = ({ kind, id }: Pick<Caller, 'kind' | 'id'>): string | null =>
  kind === 'user' ? id : null;
