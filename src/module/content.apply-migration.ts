/** Runs a content migration on a running site. */
import type { MikroORM } from '@mikro-orm/core';
import type { AbstractSqlConnection } from '@mikro-orm/postgresql';
import type { ContentMigration, Run } from '../features/evolution/migrate.js';
import type { BackfillStatements } from '../features/evolution/online.js';
import { isRetryable } from '../kernel/postgres-errors.js';
import { param, script, sql } from '../kernel/sql.js';

/** Progress of the backfills of a migration. */
export interface MigrationProgress {
  /** Changed part: `note.score`. */
  readonly at: string;
  /** Highest row id that is done, and the last one. */
  readonly done: number;
  readonly last: number;
}

export type Report = (progress: MigrationProgress) => void;

/** Attempts of a batch, which may deadlock with writers. */
const MAX_ATTEMPTS = 10;

export const connectionOf = (orm: MikroORM): AbstractSqlConnection =>
  orm.em.getConnection() as AbstractSqlConnection;

/** Lifts the timeout that statements of the module's own connections have, until the transaction ends. */
const NO_TIMEOUT = script(sql`set local statement_timeout = 0`);

type Rows = Awaited<ReturnType<Run>>;

/** Runs a query, however long it takes. */
export const queryUnlimited = (connection: AbstractSqlConnection, query: string): Promise<Rows> =>
  connection.transactional(async (context) => {
    await connection.execute(NO_TIMEOUT, [], 'run', context);
    return connection.execute(query, [], 'all', context);
  });

async function inTransaction(
  connection: AbstractSqlConnection,
  statements: readonly string[],
): Promise<void> {
  if (statements.length === 0) return;
  await connection.transactional(async (context) => {
    for (const statement of [NO_TIMEOUT, ...statements])
      await connection.execute(statement, [], 'run', context);
  });
}

const TIMEOUT = script(sql`select current_setting('statement_timeout') as timeout`);
const setTimeoutTo = (timeout: string): string =>
  script(sql`select set_config('statement_timeout', ${param(timeout)}, false)`);

/** Runs statements that no transaction may contain. The session gets its timeout back. */
async function outsideTransaction(
  connection: AbstractSqlConnection,
  statements: readonly string[],
): Promise<void> {
  if (statements.length === 0) return;
  await connection
    .getClient()
    .connection()
    .execute(async (session) => {
      const run = (statement: string): Promise<Rows> => connection.execute(statement, [], 'all', session);
      const timeout = String((await run(TIMEOUT))[0]?.['timeout']);
      // A pooler may share the session, but then the module sets no timeout.
      if (timeout !== '0') await run(setTimeoutTo('0'));
      try {
        for (const statement of statements) await run(statement);
      } finally {
        if (timeout !== '0') await run(setTimeoutTo(timeout));
      }
    });
}

async function idOf(connection: AbstractSqlConnection, query: string): Promise<number | null> {
  const id = (await queryUnlimited(connection, query))[0]?.['id'] ?? null;
  return id === null ? null : Number(id);
}

async function runBatch(connection: AbstractSqlConnection, statement: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1)
    try {
      await inTransaction(connection, [statement]);
      return;
    } catch (error) {
      if (attempt >= MAX_ATTEMPTS || !isRetryable(error)) throw error;
    }
}

const isPowerOfTwo = (n: number): boolean => Number.isInteger(Math.log2(n));

async function runBackfills(
  connection: AbstractSqlConnection,
  { at, prepare, last, next, batch, analyze }: BackfillStatements,
  report: Report,
): Promise<void> {
  await inTransaction(connection, prepare);
  // Drafts are rows with higher ids. Rows that are added later are part of the last step.
  const highest = (await idOf(connection, last)) ?? 0;
  let batches = 0;
  for (let done = 0; done < highest; batches += 1) {
    const until = Math.min((await idOf(connection, next(done))) ?? highest, highest);
    await runBatch(connection, batch(done, until));
    // Without statistics of the new rows, the planner reads all of them for each old one.
    if (isPowerOfTwo(batches + 1)) await inTransaction(connection, [analyze]);
    report({ at, done: until, last: highest });
    done = until;
  }
  await inTransaction(connection, [analyze]);
}

/** Runs a migration. Other requests wait only for its short transaction. Repeat it if it was interrupted. */
export async function applyMigration(
  orm: MikroORM,
  { online }: ContentMigration,
  report: Report = () => undefined,
): Promise<void> {
  const connection = connectionOf(orm);
  await inTransaction(connection, online.begin);
  for (const one of online.backfills) await runBackfills(connection, one, report);
  await inTransaction(connection, online.step);
  await outsideTransaction(connection, online.after);
}
