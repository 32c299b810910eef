/** Faults at a chosen statement of the application: errors, killed backends and cut connections. */
import pg from 'pg';

/**
 * `before`, `after`: the statement fails without a run, or after it.
 * `killed`, `killing`, `kill`: the server ends the connection before, during or after the statement.
 * `cut`, `cutting`: the connection breaks before or during the statement.
 * `lost`: the connection breaks after the server has run the statement, before its result arrives.
 * `timeout`: the timeout of the driver elapses during the statement, and the server continues.
 * `deadlock`, `serialization`: the statement is refused once with a retryable error.
 */
export const MODES = [
  'before',
  'after',
  'killed',
  'killing',
  'kill',
  'cut',
  'cutting',
  'lost',
  'timeout',
  'deadlock',
  'serialization',
] as const;
export type Mode = (typeof MODES)[number];

/** Whether the request is retried after this fault and succeeds. */
export const isRetried = (mode: Mode): boolean => mode === 'deadlock' || mode === 'serialization';

/** Text that no response may contain. */
export const SECRET = 'injected-by-the-test';

interface Armed {
  readonly mode: Mode | null;
  /** Index of the statement that the fault hits. */
  at: number;
  readonly seen: string[];
  /** Whether a COMMIT was running at the fault. */
  decided: boolean;
  /** Backends that were killed or cut off. */
  readonly lost: number[];
}

type Query = (this: pg.Client, ...args: unknown[]) => unknown;

/** Several statements that are sent in one pipeline, and the callback for their result. */
interface PipelinedBatch {
  readonly statements: readonly { readonly text: string }[];
  done: (error: unknown, rows: readonly unknown[]) => void;
  callback: (error: Error) => void;
  handleError(error: Error, wire: unknown): void;
}
const isCommit = (text: string): boolean => /^commit/i.test(text);
const isBatch = (value: unknown): value is PipelinedBatch =>
  typeof value === 'object' && value !== null && 'statements' in value;

/** Whether a statement is maintenance of the change log, independent of writes. */
const isMaintenance = (statement: unknown): boolean =>
  / as pending from /.test((statement as { text?: string }).text ?? '');

interface Inner {
  readonly processID: number;
  readonly connection: { readonly stream: { destroy(): void; pause(): void } };
}

/** Times out a pipeline as the driver does. */
function giveUp(batch: PipelinedBatch, { connection }: Inner, error: Error): void {
  process.nextTick(() => batch.handleError(error, connection));
  batch.callback(error);
  batch.callback = () => undefined;
}

const failure = (code: string): Error =>
  Object.assign(new Error(`${SECRET} ${code}`), { code, severity: 'ERROR' });
const CODES: Partial<Record<Mode, string>> = {
  before: 'XX000',
  after: '53100',
  deadlock: '40P01',
  serialization: '40001',
};

/**
 * Whether a fault would cost a slot of the pool: the BEGIN of an entity manager fails on a working connection
 * (kysely-org/kysely#1990). Background work begins such transactions during a write, too.
 */
const costsSlot = (mode: Mode, text: string): boolean =>
  /^start transaction/i.test(text) && (mode === 'timeout' || CODES[mode] !== undefined);

/**
 * Intercepts the connections of the application. Counts and disturbs only connections that are not `exempt`.
 */
export class Injector {
  private readonly original = pg.Client.prototype.query as unknown as Query;
  private readonly exempt = new WeakSet<pg.Client>();
  private armed: Armed | null = null;
  private readonly admin: pg.Client;

  private constructor(databaseUrl: string) {
    this.admin = this.spare(new pg.Client({ connectionString: databaseUrl }));
  }

  static async install(databaseUrl: string): Promise<Injector> {
    const injector = new Injector(databaseUrl);
    const wrapped: Query = function (this: pg.Client, ...args) {
      return injector.query(this, args);
    };
    pg.Client.prototype.query = wrapped as unknown as typeof pg.Client.prototype.query;
    await injector.admin.connect();
    return injector;
  }

  /** Exempts a connection. */
  spare(client: pg.Client): pg.Client {
    client.on('error', () => undefined);
    this.exempt.add(client);
    return client;
  }

  async sql(text: string, values: unknown[] = []): Promise<Record<string, any>[]> {
    return (await this.admin.query<Record<string, any>>(text, values)).rows;
  }

  /**
   * Runs `work` with a fault at its `at`-th statement; without a mode it only records. Returns the
   * statements.
   */
  async during<T>(
    mode: Mode | null,
    at: number,
    work: () => Promise<T>,
  ): Promise<{ readonly result: T; readonly statements: readonly string[]; readonly decided: boolean }> {
    const armed: Armed = { mode, at, seen: [], decided: false, lost: [] };
    this.armed = armed;
    try {
      const result = await work();
      return { result, statements: armed.seen, decided: armed.decided };
    } finally {
      this.armed = null;
      await this.gone(armed.lost);
    }
  }

  /**
   * Waits until the server has ended the sessions of lost connections, so that their writes are rolled back
   * or committed.
   */
  private async gone(lost: readonly number[]): Promise<void> {
    for (let i = 0; lost.length > 0 && i < 2000; i += 1) {
      const [row] = await this.sql('select count(*)::int as n from pg_stat_activity where pid = any($1)', [
        lost,
      ]);
      if (row?.['n'] === 0) return;
      await new Promise((done) => setTimeout(done, 5));
    }
    if (lost.length > 0) throw new Error(`A lost connection is still active: ${lost.join()}`);
  }

  private query(client: pg.Client, args: unknown[]): unknown {
    const { armed } = this;
    if (armed === null || this.exempt.has(client) || isMaintenance(args[0]))
      return this.original.apply(client, args);
    const done = args.at(-1);
    if (isBatch(done)) return this.observedBatch(armed, client, done);
    if (typeof done === 'function') {
      const answer = done as (error: unknown, result?: unknown) => void;
      this.observed(armed, client, args.slice(0, -1)).then((result) => answer(null, result), answer);
      return undefined;
    }
    return this.observed(armed, client, args);
  }

  /**
   * A lost connection fails all its statements. An error fails one statement, so the statements are sent one
   * by one.
   */
  private observedBatch(armed: Armed, client: pg.Client, batch: PipelinedBatch): void {
    const { statements, done } = batch;
    const first = armed.seen.length;
    const isHit = armed.mode !== null && armed.at >= first && armed.at < first + statements.length;
    if (!isHit || CODES[armed.mode ?? 'kill'] === undefined) {
      const texts = statements.map(({ text }) => text);
      armed.seen.push(...texts);
      armed.decided ||= isHit && texts.some(isCommit);
      let received: readonly unknown[] = [];
      const whole = (): Promise<readonly unknown[]> =>
        new Promise((resolve, reject) => {
          batch.done = (error, rows) => {
            received = rows;
            if (error instanceof Error) reject(error);
            else resolve(rows);
          };
          this.original.call(client, batch);
          if (isHit && armed.mode === 'timeout')
            giveUp(batch, client as unknown as Inner, new Error('Query read timeout'));
        });
      const hits = isHit && armed.mode !== null && armed.mode !== 'timeout';
      const run = hits ? this.hit(armed.mode, client, whole, armed) : whole();
      void (run as Promise<readonly unknown[]>).then(
        (rows) => done(null, rows),
        (error: unknown) => done(error, received),
      );
      return;
    }
    const oneByOne = async (): Promise<unknown[]> => {
      const rows: unknown[] = [];
      for (const statement of statements)
        rows.push(
          ((await this.observed(armed, client, [{ ...statement, callback: undefined }])) as { rows: unknown })
            .rows,
        );
      return rows;
    };
    void oneByOne().then(
      (rows) => done(null, rows),
      (error: unknown) => done(error, []),
    );
  }

  private observed(armed: Armed, client: pg.Client, args: unknown[]): Promise<unknown> {
    const run = (): Promise<unknown> => this.original.apply(client, args) as Promise<unknown>;
    const [first] = args as [string | { text?: string }];
    armed.seen.push(typeof first === 'string' ? first : (first.text ?? ''));
    if (armed.mode === null || armed.seen.length - 1 !== armed.at) return run();
    if (costsSlot(armed.mode, armed.seen.at(-1) ?? '')) {
      armed.at += 1;
      return run();
    }
    armed.decided = isCommit(armed.seen.at(-1) ?? '');
    return this.hit(armed.mode, client, run, armed);
  }

  private async hit(
    mode: Mode,
    client: pg.Client,
    run: () => Promise<unknown>,
    armed: Armed,
  ): Promise<unknown> {
    const { processID, connection } = client as unknown as Inner;
    const code = CODES[mode];
    if (code !== undefined && mode !== 'after') throw failure(code);
    if (code !== undefined) return run().then(() => Promise.reject(failure(code)));
    if (mode === 'timeout') {
      run().catch(() => undefined);
      throw new Error('Query read timeout');
    }
    armed.lost.push(processID);
    if (mode === 'lost') {
      connection.stream.pause();
      const result = run();
      result.catch(() => undefined);
      await this.idle(processID);
      connection.stream.destroy();
      return result;
    }
    if (mode === 'cut' || mode === 'cutting') {
      if (mode === 'cut') connection.stream.destroy();
      const result = run();
      result.catch(() => undefined);
      if (mode === 'cutting') await new Promise((done) => setImmediate(done));
      connection.stream.destroy();
      return result;
    }
    const kill = (): Promise<unknown> => this.sql('select pg_terminate_backend($1)', [processID]);
    if (mode === 'killed') await kill();
    const result = run();
    result.catch(() => undefined);
    if (mode === 'killing') await kill();
    if (mode === 'kill') await result.then(kill, kill);
    return result;
  }

  /** Waits until a backend has run all its statements; a lock may block it. */
  private async idle(processID: number): Promise<void> {
    for (let i = 0; i < 200; i += 1) {
      const [row] = await this.sql(
        `select state like 'idle%' and state_change > query_start as done from pg_stat_activity where pid = $1`,
        [processID],
      );
      if (row === undefined || row['done'] === true) return;
      await new Promise((done) => setTimeout(done, 5));
    }
  }

  async remove(): Promise<void> {
    pg.Client.prototype.query = this.original as unknown as typeof pg.Client.prototype.query;
    await this.admin.end();
  }
}
