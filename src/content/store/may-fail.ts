/** Parts of a transaction that may fail without the rest. */
import { print, silently, sql } from '../../kernel/sql.js';
import type { Runner } from '../../pool/runner.js';

const SAVEPOINT = silently(print(sql`savepoint content_part`));
const UNDO = silently(print(sql`rollback to savepoint content_part`));

/**
 * Runs a part of a transaction, and returns null. If it fails with an error that is accepted, undoes its
 * statements and returns the error. Throws other errors, which end the transaction.
 */
export async function mayFail(
  runner: Runner,
  work: () => Promise<void>,
  accepts: (error: unknown) => boolean,
): Promise<{ readonly error: unknown } | null> {
  await runner.run(SAVEPOINT);
  try {
    await work();
    return null;
  } catch (error) {
    if (!accepts(error)) throw error;
    await runner.run(UNDO);
    return { error };
  }
}
