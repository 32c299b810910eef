/** Runs a content migration on a running site. */
import type { MikroORM } from '@mikro-orm/core';
import type { AbstractSqlConnection } from '@mikro-orm/postgresql';
import type { ContentMigration } from '../features/evolution/migrate.js';
import type { BackfillStatements } from '../features/evolution/online.js';
import { isRetryable } from '../kernel/postgres-errors.js';

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

async function inTransaction(
  connection: AbstractSqlConnection,
  statements: readonly string[],
): Promise<void> {
  if (statements.length === 0) return;
  await connection.transactional(async (context) => {
    for (const statement of statements) await connection.execute(statement, [], 'run', context);
  });
}

async function idOf(connection: AbstractSqlConnection, query: string): Promise<number | null> {
  const rows: readonly { readonly id?: unknown }[] = await connection.execute(query);
  const id = rows[0]?.id ?? null;
  return id === null ? null : Number(id);
}

async function runBatch(connection: AbstractSqlConnection, statement: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1)
    try {
      await connection.execute(statement, [], 'run');
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
    if (isPowerOfTwo(batches + 1)) await connection.execute(analyze, [], 'run');
    report({ at, done: until, last: highest });
    done = until;
  }
  await connection.execute(analyze, [], 'run');
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
  for (const statement of online.after) await connection.execute(statement, [], 'run');
}
