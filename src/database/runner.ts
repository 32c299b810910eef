/** What runs statements: one handle, whatever is behind it. */
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { Lock } from '../plan/locks.js';
import type { Statement } from '../sql.js';

/** A row: column → value, JSON as text and counts as numbers. */
export type Row = Readonly<Record<string, unknown>>;

/** Runs statements on one handle: the pool, or a transaction's connection. */
export interface Runner {
  run(statement: Statement): Promise<readonly Row[]>;
  /** Locks that its transaction has begun with. */
  readonly held: readonly Lock[];
  /**
   * Runs statements one after another, sent all at once where the driver can; the rows of each. The first
   * that fails is the failure of all, and none after it has run.
   */
  all(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]>;
  /** The same for statements that change nothing: what locks, and what looks. */
  look(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]>;
  /**
   * The same for the last statements of a transaction, which is committed along with them where it is the
   * library's own. Nothing can be run after them.
   */
  last(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]>;
  /**
   * The transaction's entity manager, for hooks and host code that join in; null where nobody asked for one.
   */
  readonly em: SqlEntityManager | null;
}

/** The part of Kysely that this room needs; the query builder itself is not used. */
interface RawExecutor {
  executeQuery(query: unknown): Promise<{ rows: Row[] }>;
}

/** A finished query in the form that Kysely's executors take. */
const compiled = (statement: Statement): unknown => ({
  sql: statement.text,
  parameters: statement.values,
  query: { kind: 'RawNode', sqlFragments: [statement.text], parameters: [] },
  queryId: { queryId: 'content' },
});

const execute = async (executor: RawExecutor, statement: Statement): Promise<readonly Row[]> =>
  (await executor.executeQuery(compiled(statement))).rows;

/** Statements in the transaction, or on the connections, of an entity manager: one at a time. */
export function runnerOf(em: SqlEntityManager): Runner {
  const run = (statement: Statement): Promise<readonly Row[]> => execute(em.getKysely(), statement);
  const all = async (statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> => {
    const rows: (readonly Row[])[] = [];
    for (const statement of statements) rows.push(await run(statement));
    return rows;
  };
  return { em, held: [], run, all, look: all, last: all };
}
