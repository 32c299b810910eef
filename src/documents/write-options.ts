import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { Caller } from '../access/caller.js';
import type { Precondition } from '../plan/precondition.js';
import type { Hangup } from '../database/hangup.js';

/** Who writes, and the host's transaction to join, if any. */
export interface WriteOptions {
  readonly caller: Caller;
  readonly em?: SqlEntityManager;
  /** Tells when nobody waits for the answer any more: what is not committed by then is not written. */
  /** What must be so of the versions that are written. Null or left out: nothing. */
  readonly precondition?: Precondition | null;
  readonly hangup?: Hangup | null;
}
