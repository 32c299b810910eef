/** Transaction that sends BEGIN with its first statements and COMMIT with its last ones. */
import { outcomeUnknown } from '../kernel/errors.js';
import { join, print, type Statement, sql } from '../kernel/sql.js';
import { confirmCommit, IDENTITY, idOf, type RunElsewhere, type TransactionId } from './commit-outcome.js';
import { UnreadableRow, Unsendable } from './pipelined-batch.js';
import { withoutJit, withTimeout } from './session-settings.js';
import { BEGIN, COMMIT, ROLLBACK } from './transaction-statements.js';
import type { Job } from './job.js';
import type { QueryConfig } from './pool-types.js';
import type { Row, Runner } from './runner.js';

/**
 * Writes look up and change rows by their keys, so one plan fits all values. By default the planner plans
 * large statements for each run, which takes longer than the run.
 */
const GENERIC_PLANS = sql`set_config('plan_cache_mode', 'force_generic_plan', true)`;

/**
 * Returns BEGIN, and a statement that configures the transaction and returns its id. `mayCompile` is whether
 * the server may compile statements (JIT) by default.
 */
export function startOf(statementTimeout: number, mayCompile: boolean): readonly Statement[] {
  const settings = [GENERIC_PLANS, withTimeout(statementTimeout), ...(mayCompile ? [withoutJit] : [])];
  return [BEGIN, print(sql`select ${IDENTITY}, ${join(settings, ', ')}`)];
}

export interface TransactionConnection {
  readonly job: Job;
  readonly configOf: (statement: Statement) => QueryConfig;
  readonly pipelines: boolean;
  /** Statements that begin a transaction. */
  readonly start: readonly Statement[];
  readonly elsewhere: RunElsewhere;
}

/** Result of statements: the error or null, and the rows of those before it. */
interface SendResult {
  readonly error: Error | null;
  readonly rows: readonly (readonly Row[])[];
}

export class OwnTransaction implements Runner {
  readonly em = null;
  readonly held = [];
  private state: 'new' | 'open' | 'over' = 'new';
  private id: TransactionId | undefined;
  /** Whether a COMMIT may have succeeded. */
  mayBeCommitted = false;

  constructor(private readonly connection: TransactionConnection) {}

  private get begin(): readonly Statement[] {
    return this.state === 'new' ? this.connection.start : [];
  }

  async run(statement: Statement): Promise<readonly Row[]> {
    const [rows = []] = await this.all([statement]);
    return rows;
  }

  async all(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    const { error, rows } = await this.send(statements);
    if (error !== null) throw error;
    return rows;
  }

  load(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    return this.all(statements);
  }

  async finish(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    const { job, pipelines } = this.connection;
    const before = pipelines ? [] : await this.all(statements);
    job.markCommitting();
    const { error, rows } = await this.send(pipelines ? [...statements, COMMIT] : [COMMIT]);
    if (error instanceof Unsendable) throw error;
    this.mayBeCommitted = true;
    if (error !== null) await this.confirm(error);
    this.state = 'over';
    job.markCommitted();
    if (error instanceof UnreadableRow) throw error;
    if (error !== null && pipelines && rows.length < statements.length) throw outcomeUnknown(error);
    return [...before, ...rows].slice(0, statements.length);
  }

  private confirm(error: Error): Promise<void> {
    const close = (): void => {
      this.state = 'over';
      this.connection.job.finish(true);
    };
    return confirmCommit({ error, transaction: this.id, run: this.connection.elsewhere, close });
  }

  async end(): Promise<void> {
    if (this.state === 'open') await this.finish([]);
  }

  /** Rolls back. Returns false if the connection is unusable or a COMMIT may have succeeded. */
  undo(): Promise<boolean> {
    if (this.state !== 'open') return Promise.resolve(this.state === 'new');
    return this.send([ROLLBACK]).then(({ error }) => error === null);
  }

  /** Sends statements, after BEGIN if they are the first. Stores the transaction's id. */
  private async send(statements: readonly Statement[]): Promise<SendResult> {
    const { job, pipelines } = this.connection;
    const { begin } = this;
    this.state = 'open';
    if (begin.length > 0) job.markBegun();
    const configs = [...begin, ...statements].map((statement) => this.configOf(statement));
    const { error, rows } = await (pipelines ? this.pipeline(configs) : this.query(configs));
    const [first] = begin.length > 0 ? (rows[1] ?? []) : [];
    if (first !== undefined) this.id = idOf(first);
    return { error, rows: rows.slice(begin.length) };
  }

  /** Has the server send all rows and the transaction's id before it commits. */
  private configOf(statement: Statement): QueryConfig {
    const config = this.connection.configOf(statement);
    return statement === COMMIT ? { ...config, flush: true } : config;
  }

  private pipeline(configs: readonly QueryConfig[]): Promise<SendResult> {
    return new Promise((resolve) =>
      this.connection.job.pipeline(configs, (error, rows) => resolve({ error, rows })),
    );
  }

  private async query(configs: readonly QueryConfig[]): Promise<SendResult> {
    const all: (readonly Row[])[] = [];
    for (const config of configs) {
      const { error, rows } = await new Promise<SendResult>((resolve) =>
        this.connection.job.query(config, (failure, rows) => resolve({ error: failure, rows })),
      );
      all.push(...rows);
      if (error !== null) return { error, rows: all };
    }
    return { error: null, rows: all };
  }
}
