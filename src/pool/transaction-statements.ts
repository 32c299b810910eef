/** Statements that begin and end transactions. */
import { print, silently, sql } from '../kernel/sql.js';

/** Read committed: after a wait for a lock, statements see what was committed in the meantime. */
export const BEGIN = silently(print(sql`begin isolation level read committed`));
export const COMMIT = silently(print(sql`commit`));
export const ROLLBACK = silently(print(sql`rollback`));
