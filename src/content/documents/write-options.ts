import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { Caller } from '../access/caller.js';
import type { Precondition } from '../plan/precondition.js';
import type { Restores } from '../plan/write-plan.js';
import type { Disconnect } from '../../kernel/disconnect.js';
import type { PasswordLimit } from './passwords.js';

export interface WriteOptions {
  readonly caller: Caller;
  readonly em?: SqlEntityManager;
  readonly precondition?: Precondition | null;
  readonly disconnect?: Disconnect | null;
  /** Id of a document to create. Default: a new one. */
  readonly documentId?: string;
  /** Creation time of the versions that the write creates. Default: the time of the transaction. */
  readonly createdAt?: string | null;
  /** User who created the versions that the write creates; null for none. Default: the user who calls. */
  readonly createdBy?: string | null;
  /** Owner of a document to create; null for none. Default: the user who calls. */
  readonly owner?: string | null;
  /** Id of the HTTP request, for hooks and the write plan. Default null: code of the application writes. */
  readonly requestId?: string | null;
  /** Passwords that the request may hash. Default: those that one transaction may. */
  readonly passwords?: PasswordLimit;
  /** Kind of version that the write restores. Default null: none. */
  readonly restores?: Restores;
  /** Called in the transaction once it holds the locks of all writes, before the first of them. */
  readonly locked?: () => Promise<void>;
}
