import type { AuthStrategy } from './auth-strategy.js';
import type { Caller } from './caller.js';

/** Who is asked about credentials, and what the public may do. */
export interface AccessControl {
  readonly strategies: readonly AuthStrategy[];
  readonly anybody: Caller;
}

/** Injection token of {@link AccessControl}. */
export const ACCESS_CONTROL = Symbol('ContentAccessControl');
