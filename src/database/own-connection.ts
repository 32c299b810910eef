/**
 * A connection beside the pool, for statements that must not wait for anybody's: one at a time, under a plan
 * that is made once.
 */
import { print, type Statement, sql } from '../sql.js';
import { runAlone } from './flight.js';
import type { Described, OwnClient, Pool } from './pool-types.js';
import type { Row } from './runner.js';
import { TimeoutList } from './timeout-list.js';

/** How long a statement may take, in milliseconds; one that takes longer has lost its connection. */
const PATIENCE = 2000;
const waits = new TimeoutList(PATIENCE);

/**
 * Planning for each set of values takes longer than these statements. They look for few rows of tables that
 * nobody has analysed, which a plan for any value would read from end to end.
 */
const GENERIC = print(
  sql`select set_config('plan_cache_mode', 'force_generic_plan', false), set_config('enable_seqscan', 'off', false)`,
);

export class OwnConnection {
  private isOpen = true;
  /** What statements with a name bring, by name. */
  private readonly described = new Map<string, Described>();

  private constructor(
    private readonly client: OwnClient,
    /** Whether statements are kept prepared: not behind poolers that give each to another session. */
    private readonly prepared: boolean,
  ) {
    const close = (): void => {
      this.isOpen = false;
    };
    client.on('error', close);
    client.on('end', close);
    client.unref?.();
  }

  /** Opens one as the pool would; throws where there is none to be had. */
  static async open({ Client, options }: Pool, prepared: boolean): Promise<OwnConnection> {
    const client = new Client(options);
    const connection = new OwnConnection(client, prepared);
    try {
      await within((done) => client.connect((error) => done(error ?? null, [])));
      if (prepared) await connection.run(GENERIC);
    } catch (error) {
      connection.close();
      throw error;
    }
    return connection;
  }

  /** Runs a statement, under a name if it has one. What is wrong is thrown, and ends the connection. */
  async run({ text, values }: Statement, name?: string): Promise<readonly Row[]> {
    if (!this.isOpen) throw new Error('The connection is closed');
    const named = name !== undefined && this.prepared ? { name, described: this.describedAs(name) } : {};
    try {
      return await within((done) =>
        runAlone(this.client, { ...named, text, values }, (error, [rows = []]) => done(error, rows)),
      );
    } catch (error) {
      this.close();
      throw error;
    }
  }

  private describedAs(name: string): Described {
    const known = this.described.get(name);
    if (known !== undefined) return known;
    const described: Described = { columns: null };
    this.described.set(name, described);
    return described;
  }

  /** Ends it, whatever it does. */
  close(): void {
    this.isOpen = false;
    this.client.connection?.stream?.destroy();
  }
}

type Settle = (error: Error | null, rows: readonly Row[]) => void;

function within(start: (done: Settle) => void): Promise<readonly Row[]> {
  return new Promise((resolve, reject) => {
    const wait = waits.add(() => reject(new Error('The database did not answer in time')));
    start((error, rows) => {
      waits.delete(wait);
      if (error === null) resolve(rows);
      else reject(error);
    });
  });
}
