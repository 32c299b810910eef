/**
 * A transaction on a connection that nobody else uses: it begins with the first statements and is committed
 * with the last ones, so that both cost no time of their own.
 */
import { constantStatement, type Statement } from '../sql.js';
import { LOCAL_NO_JIT } from './jit.js';
import type { Job } from './job.js';
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
}

export class OwnTransaction implements Runner {
  readonly em = null;
  readonly held = [];
  private state: 'new' | 'open' | 'committed' = 'new';

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
    return (await this.send([...begin, ...statements])).slice(begin.length);
  }

  look(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    return this.all(statements);
  }

  async last(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    const { job, flies } = this.carrier;
    // One at a time, only the commit itself decides.
    const [before, along] = flies ? [[], statements] : [statements, []];
    const rows = before.length === 0 ? [] : await this.all(before);
    const begin = along.length > 0 ? this.begin : [];
    if (begin.length > 0) job.begun();
    job.committing();
    this.state = 'open';
    const answers = await this.send([...begin, ...along, COMMIT]);
    this.state = 'committed';
    job.committed();
    return [...rows, ...answers.slice(begin.length, -1)];
  }

  /** Commits what is not committed yet. */
  async end(): Promise<void> {
    if (this.state === 'open') await this.last([]);
  }

  /** Takes everything back; false where the connection cannot be used any more. */
  undo(): Promise<boolean> {
    if (this.state !== 'open') return Promise.resolve(true);
    return this.send([ROLLBACK]).then(
      () => true,
      () => false,
    );
  }

  private async send(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    const { job, configOf, flies } = this.carrier;
    const configs = statements.map(configOf);
    const settle = (
      start: (done: Parameters<Job['query']>[1]) => void,
    ): Promise<readonly (readonly Row[])[]> =>
      new Promise((resolve, reject) =>
        start((error, rows) => (error === null ? resolve(rows) : reject(error))),
      );
    if (flies) return settle((done) => job.fly(configs, done));
    const rows: (readonly Row[])[] = [];
    for (const config of configs) rows.push(...(await settle((done) => job.query(config, done))));
    return rows;
  }
}
