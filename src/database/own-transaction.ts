/**
 * A transaction on a connection that nobody else uses: it begins with the first statements and is committed
 * with the last ones, so that both cost no time of their own.
 */
import { constantStatement, type Statement } from '../sql.js';
import { confirmCommit, identity, idOf, type RunElsewhere } from './commit-outcome.js';
import { UnreadableRow } from './flight.js';
import { LOCAL_NO_JIT } from './jit.js';
import type { Done, Job } from './job.js';
import type { QueryConfig } from './pool-types.js';
import type { Row, Runner } from './runner.js';

/**
 * One plan for all values: what writes look up and change goes by keys, so that the planner, left to itself,
 * would plan large statements anew for each run, which takes longer than they do.
 */
const BEGIN = [
  // Whoever has waited for a lock has to see what was written meanwhile.
  constantStatement('begin isolation level read committed'),
  constantStatement('set local plan_cache_mode = force_generic_plan'),
];
const BEGIN_WITHOUT_JIT = [...BEGIN, LOCAL_NO_JIT];
const COMMIT = constantStatement('commit');
const ROLLBACK = constantStatement('rollback');

/** How statements get to the connection. */
export interface Carrier {
  readonly job: Job;
  readonly configOf: (statement: Statement) => QueryConfig;
  /** Whether several can be sent at once. */
  readonly flies: boolean;
  /** Whether the server might compile statements, unless it is told not to. */
  readonly mayCompile: boolean;
  readonly elsewhere: RunElsewhere;
}

/** How statements ended: the error, if any, and the rows of those before it. */
interface Sent {
  readonly error: Error | null;
  readonly rows: readonly (readonly Row[])[];
}

export class OwnTransaction implements Runner {
  readonly em = null;
  readonly held = [];
  private state: 'new' | 'open' | 'over' = 'new';

  constructor(private readonly carrier: Carrier) {}

  /** What has to be sent before anything else. */
  private get begin(): readonly Statement[] {
    if (this.state !== 'new') return [];
    return this.carrier.mayCompile ? BEGIN_WITHOUT_JIT : BEGIN;
  }

  async run(statement: Statement): Promise<readonly Row[]> {
    const [rows = []] = await this.all([statement]);
    return rows;
  }

  async all(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    const { begin } = this;
    this.state = 'open';
    this.carrier.job.begun();
    const { error, rows } = await this.send([...begin, ...statements].map(this.carrier.configOf));
    if (error !== null) throw error;
    return rows.slice(begin.length);
  }

  look(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    return this.all(statements);
  }

  async last(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    if (this.carrier.flies) return this.commit(statements);
    const rows = await this.all([...statements, identity]);
    await this.commit([], rows.at(-1)?.[0]);
    return rows.slice(0, -1);
  }

  /** Sends statements and COMMIT. The transaction's identity goes between them, unless it is known. */
  private async commit(statements: readonly Statement[], known?: Row): Promise<readonly (readonly Row[])[]> {
    const { job, configOf } = this.carrier;
    const { begin } = this;
    const configs = [...begin, ...statements].map(configOf);
    // Flushed, so that the rows are here before COMMIT is confirmed.
    const identifying = known === undefined ? [{ ...configOf(identity), flush: true }] : [];
    if (begin.length > 0) job.begun();
    job.committing();
    this.state = 'open';
    const { error, rows } = await this.send([...configs, ...identifying, configOf(COMMIT)]);
    if (error !== null) await this.confirm(error, known ?? rows[configs.length]?.[0]);
    this.state = 'over';
    job.committed();
    if (error instanceof UnreadableRow) throw error;
    return rows.slice(begin.length, configs.length);
  }

  private confirm(error: Error, row: Row | undefined): Promise<void> {
    const transaction = row === undefined ? undefined : idOf(row);
    const close = (): void => {
      this.state = 'over';
      this.carrier.job.finish(true);
    };
    return confirmCommit({ error, transaction, run: this.carrier.elsewhere, close });
  }

  /** Commits what is not committed yet. */
  async end(): Promise<void> {
    if (this.state === 'open') await this.last([]);
  }

  /** Rolls back; false where the connection cannot be used any more, or a COMMIT may have succeeded. */
  undo(): Promise<boolean> {
    if (this.state !== 'open') return Promise.resolve(this.state === 'new');
    return this.send([this.carrier.configOf(ROLLBACK)]).then(({ error }) => error === null);
  }

  private async send(configs: readonly QueryConfig[]): Promise<Sent> {
    const { job, flies } = this.carrier;
    const settle = (start: (done: Done) => void): Promise<Sent> =>
      new Promise((resolve) => start((error, rows) => resolve({ error, rows })));
    if (flies) return settle((done) => job.fly(configs, done));
    const all: (readonly Row[])[] = [];
    for (const config of configs) {
      const { error, rows } = await settle((done) => job.query(config, done));
      all.push(...rows);
      if (error !== null) return { error, rows: all };
    }
    return { error: null, rows: all };
  }
}
