import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { Caller } from '../access/caller.js';
import type { Hangup } from '../database/hangup.js';

/** Who writes, and the host's transaction to join, if any. */
export interface WriteOptions {
  readonly caller: Caller;
  readonly em?: SqlEntityManager;
  /** Tells when nobody waits for the answer any more: what is not committed by then is not written. */
  readonly hangup?: Hangup | null;
}
