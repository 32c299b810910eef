/**
 * Detection of a connection pooler, and whether prepared statements stay with their connection. In
 * transaction mode, each transaction may run in another server session.
 */
import { randomBytes } from 'node:crypto';
import { print, sql } from '../kernel/sql.js';
import { isStatementMismatch, outageReason } from '../kernel/postgres-errors.js';
import { OwnConnection } from './own-connection.js';
import type { Pool } from './pool-types.js';
import type { Row } from './runner.js';
import { BEGIN, ROLLBACK } from './transaction-statements.js';

export interface PoolerCheck {
  readonly pooled: boolean;
  readonly keepsNames: boolean;
  /** Whether the server may compile statements ("jit"), whatever the connection has asked for. */
  readonly compiles: boolean;
}

const SESSION = print(sql`select pg_backend_pid() as pid, current_setting('jit') = 'on' as compiles`);
const NOT_CHECKED: PoolerCheck = { pooled: false, keepsNames: true, compiles: false };

/**
 * Checks the connection of a pool. With `named`, prepares a statement on one connection, occupies a server
 * session by another one, and runs the statement again. Never throws: the first error of a lost name has the
 * same effect later.
 */
export async function checkPooler(pool: Pool, named: boolean): Promise<PoolerCheck> {
  try {
    return await withConnection(pool, async (first) => {
      const [seen = {}] = await first.run(SESSION);
      const compiles = seen['compiles'] === true;
      if (first.isDirect) return { pooled: false, keepsNames: true, compiles };
      return { pooled: true, keepsNames: !named || (await keepsNames(pool, first)), compiles };
    });
  } catch {
    return NOT_CHECKED;
  }
}

async function keepsNames(pool: Pool, first: OwnConnection): Promise<boolean> {
  const name = `content_check_${randomBytes(8).toString('hex')}`;
  const run = (): Promise<readonly Row[]> => first.run(SESSION, name);
  await run();
  return withConnection(pool, async (second) => {
    await second.run(BEGIN);
    try {
      await run();
      return true;
    } catch (error) {
      // A pooler without a free session does not respond: both connections share one session.
      if (isStatementMismatch(error) || outageReason(error) === null) return false;
      throw error;
    } finally {
      await second.run(ROLLBACK);
    }
  });
}

async function withConnection<T>(pool: Pool, work: (connection: OwnConnection) => Promise<T>): Promise<T> {
  const connection = await OwnConnection.open(pool, false);
  try {
    return await work(connection);
  } finally {
    connection.close();
  }
}
