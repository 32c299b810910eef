/** Connection outside the pool, for statements that must not wait in the queue. Runs one at a time. */
import { param, print, type Statement, sql } from '../kernel/sql.js';
import { runAlone } from './pipelined-batch.js';
import type { DescribedStatement, OwnClient, Pool } from './pool-types.js';
import type { Row, Runner } from './runner.js';
import { statementName } from './statement-names.js';
import { BEGIN, COMMIT } from './transaction-statements.js';
import { TimeoutList } from '../kernel/timeout-list.js';

/** Timeout of a statement in milliseconds, after which the connection counts as lost. */
const PATIENCE = 2000;
const waits = new TimeoutList(PATIENCE);

/**
 * Returns whether the server session belongs to this connection alone: a pooler invents process ids for its
 * clients. With `tune`, sets such a session up. Planning for each set of values takes longer than the
 * statements that run here. They look for few rows of tables that are never analysed.
 */
const SESSION = (processID: number, tune: boolean): Statement =>
  print(
    sql`select s.own, case when s.own and ${param(tune)}::boolean then concat(
      set_config('plan_cache_mode', 'force_generic_plan', false), set_config('enable_seqscan', 'off', false)) end
    from (select pg_backend_pid() = ${param(processID)} as own) s`,
  );

/** Exempts a transaction from the server's limits of idle time and of total time, which version 17 added. */
const ENDLESS = print(
  sql`select set_config(name, '0', true) from pg_settings
    where name in ('idle_in_transaction_session_timeout', 'transaction_timeout')`,
);

export class OwnConnection {
  private isOpen = true;
  /** Whether the server session is this connection's own: there is no pooler between them. */
  isDirect = false;
  private isTuned = false;
  private readonly described = new Map<string, DescribedStatement>();

  private constructor(private readonly client: OwnClient) {
    const close = (): void => {
      this.isOpen = false;
    };
    client.on('error', close);
    client.on('end', close);
    client.unref?.();
  }

  /** Opens a connection with the options of the pool. Throws if the server accepts none. */
  static async open({ Client, options }: Pool, prepared: boolean): Promise<OwnConnection> {
    const client = new Client(options);
    const connection = new OwnConnection(client);
    try {
      await within((done) => client.connect((error) => done(error ?? null, [])));
      const [session] = await connection.run(SESSION(client.processID ?? 0, prepared));
      connection.isDirect = session?.['own'] === true;
      connection.isTuned = prepared && connection.isDirect;
    } catch (error) {
      connection.close();
      throw error;
    }
    return connection;
  }

  /** Runs a statement, under a name if it has one. Throws its error, which ends the connection. */
  async run({ text, values }: Statement, name?: string): Promise<readonly Row[]> {
    if (!this.isOpen) throw new Error('The connection is closed');
    const named = name === undefined ? {} : { name, described: this.describedAs(name) };
    try {
      return await within((done) =>
        runAlone(this.client, { ...named, text, values }, (error, [rows = []]) => done(error, rows)),
      );
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Runs a frequent statement, prepared if no pooler is in between. */
  runOften(statement: Statement): Promise<readonly Row[]> {
    return this.run(statement, this.isTuned ? statementName(statement.text) : undefined);
  }

  async transaction<T>(work: (run: Runner['run']) => Promise<T>): Promise<T> {
    await this.run(BEGIN);
    await this.run(ENDLESS);
    const done = await work((statement) => this.run(statement));
    await this.run(COMMIT);
    return done;
  }

  private describedAs(name: string): DescribedStatement {
    const cached = this.described.get(name);
    if (cached !== undefined) return cached;
    const described: DescribedStatement = { columns: null };
    this.described.set(name, described);
    return described;
  }

  close(): void {
    this.isOpen = false;
    this.client.connection?.stream?.destroy();
  }
}

type Settle = (error: Error | null, rows: readonly Row[]) => void;

function within(start: (done: Settle) => void): Promise<readonly Row[]> {
  return new Promise((resolve, reject) => {
    const wait = waits.add(() => reject(new Error('The database did not respond in time')));
    start((error, rows) => {
      waits.delete(wait);
      if (error === null) resolve(rows);
      else reject(error);
    });
  });
}
