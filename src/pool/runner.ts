/** Runners: handles that run statements on the pool or in a transaction. */
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { Lock } from './locks.js';
import type { Statement } from '../kernel/sql.js';

/** A row: column → value, JSON as text and counts as numbers. */
export type Row = Readonly<Record<string, unknown>>;

/** Runs statements on one handle: the pool, or a transaction's connection. */
export interface Runner {
  run(statement: Statement): Promise<readonly Row[]>;
  /** Locks that the transaction has acquired at its start. */
  readonly held: readonly Lock[];
  /**
   * Runs statements in order, pipelined if the driver supports it. Returns the rows of each. The first error
   * fails all, and later statements do not run.
   */
  all(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]>;
  /** Runs statements that only lock and read, like `all`. */
  load(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]>;
  /**
   * Runs the last statements of a transaction, like `all`. A transaction of the library commits with them.
   */
  finish(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]>;
  /** Runs statements that write rows, like `all`. Present where their order among several writes matters. */
  readonly write?: (statements: readonly Statement[]) => Promise<readonly (readonly Row[])[]>;
  /** Entity manager of the transaction, for hooks and code of the host; null in transactions without them. */
  readonly em: SqlEntityManager | null;
}

interface RawExecutor {
  executeQuery(query: unknown): Promise<{ rows: Row[] }>;
}

const compiledQuery = (statement: Statement): unknown => ({
  sql: statement.text,
  parameters: statement.values,
  query: { kind: 'RawNode', sqlFragments: [statement.text], parameters: [] },
  queryId: { queryId: 'content' },
});

const execute = async (executor: RawExecutor, statement: Statement): Promise<readonly Row[]> =>
  (await executor.executeQuery(compiledQuery(statement))).rows;

/** Returns a runner on an entity manager's transaction or connections: one statement at a time. */
export function runnerOf(em: SqlEntityManager): Runner {
  const run = (statement: Statement): Promise<readonly Row[]> => execute(em.getKysely(), statement);
  const all = async (statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> => {
    const rows: (readonly Row[])[] = [];
    for (const statement of statements) rows.push(await run(statement));
    return rows;
  };
  return { em, held: [], run, all, load: all, finish: all };
}
