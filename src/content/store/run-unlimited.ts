/** Transactions for slow statements on large tables. */
import { print, sql } from '../../kernel/sql.js';
import type { Runner } from '../../pool/runner.js';
import type { Database } from './database.js';

const NO_STATEMENT_TIMEOUT = print(sql`select set_config('statement_timeout', '0', true)`);

/** Runs `work` in a transaction of its own, without a timeout of its statements. Retries deadlocks. */
export const runUnlimited = <T>(
  database: Pick<Database, 'runAlone'>,
  work: (runner: Runner) => Promise<T>,
): Promise<T> =>
  database.runAlone(
    async (runner) => {
      await runner.run(NO_STATEMENT_TIMEOUT);
      return work(runner);
    },
    { snapshot: false },
  );
