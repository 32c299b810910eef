/** Pool of the library over the fake server, with the fake clock, for one test. */
import { NativePool, type ReadTraits, type WriteTraits } from '../../src/pool/native-pool.ts';
import type { Row, Runner } from '../../src/pool/runner.ts';
import type { Disconnect, DisconnectListener } from '../../src/kernel/disconnect.ts';
import type { ContentSettings } from '../../src/kernel/settings.ts';
import type { Statement } from '../../src/kernel/sql.ts';
import type { FakeClock } from './fake-clock.ts';
import { FakePool, FakeServer } from './fake-wire.ts';

export interface PoolOptions {
  /** Connections of the pool. */
  readonly max?: number;
  /** Milliseconds; 0 for no limit. */
  readonly statementTimeout?: number;
  readonly queueTimeout?: number;
  readonly queueLength?: number;
  readonly slowShare?: number;
  readonly maxPreparedStatements?: number;
  readonly preparedStatements?: boolean;
  /** Whether the driver supports pipelining. */
  readonly pipelines?: boolean;
  /** Options of connections. Without `jit=off` the server may compile statements. */
  readonly options?: string;
  readonly connectionTimeoutMillis?: number;
}

/** Client of a request, which may disconnect. */
export class FakeDisconnect implements Disconnect {
  happened = false;
  private readonly listeners = new Set<DisconnectListener>();

  add(listener: DisconnectListener): void {
    this.listeners.add(listener);
  }

  delete(listener: DisconnectListener): void {
    this.listeners.delete(listener);
  }

  hangUp(): void {
    this.happened = true;
    for (const listener of [...this.listeners]) listener.disconnected();
  }
}

/** Result of a promise so far. */
export class Outcome<T> {
  value: T | 'pending' = 'pending';
  error: Error | null = null;
  /** Time at which it was settled. */
  at = Number.NaN;

  constructor(promise: Promise<T>) {
    promise.then(
      (value) => this.settle(() => (this.value = value)),
      (error: Error) => this.settle(() => (this.error = error)),
    );
  }

  /** Message of the error, or `pending`, or `done`. */
  get state(): string {
    if (this.error !== null) return this.error.message;
    return this.value === 'pending' ? 'pending' : 'done';
  }

  private settle(set: () => void): void {
    set();
    this.at = performance.now();
  }
}

export const statement = (text: string, ...values: readonly unknown[]): Statement => ({ text, values });

export const TRAITS: ReadTraits = { disconnect: null, heavy: false, mutex: null, begun: () => undefined };

export type Read = Outcome<readonly Row[]>;

interface Borrowed {
  readonly query: (statement: Statement) => Promise<readonly Row[]>;
  readonly release: () => void;
}

export class TestPool {
  readonly server = new FakeServer();
  readonly warnings: string[] = [];
  readonly driver: FakePool;
  readonly native: NativePool;

  constructor(
    readonly clock: FakeClock,
    options: PoolOptions = {},
  ) {
    this.server.install();
    const {
      pipelines = true,
      max = 2,
      options: session = '-c jit=off',
      connectionTimeoutMillis = 3000,
    } = options;
    this.driver = new FakePool(this.server, { max, options: session, connectionTimeoutMillis }, pipelines);
    const { statementTimeout = 10_000, queueTimeout = 5000, queueLength = 100, slowShare = 0.4 } = options;
    const { preparedStatements = true, maxPreparedStatements = 100 } = options;
    const settings = {
      load: { queueTimeout, queueLength, slowShare },
      limits: { statementTimeout },
      preparedStatements,
      maxPreparedStatements,
      maxPreparedSize: 1_000_000,
    } as ContentSettings;
    this.native = NativePool.over(this.driver, {
      settings,
      warn: (message) => void this.warnings.push(message),
    })!;
  }

  /** Lets all timeouts elapse, and restores the network. Fails if the pool has lost a connection or left a transaction open. */
  async end(): Promise<void> {
    try {
      await this.clock.advance(20_000);
    } finally {
      this.server.uninstall();
    }
    expect(this.driver.inUse).toBe(0);
    expect(this.driver._clients.filter(({ transaction }) => transaction !== null)).toEqual([]);
  }

  /** Runs a read. A text with values is written as an array. */
  read(text: string | readonly [string, ...unknown[]], traits: Partial<ReadTraits> = {}): Read {
    const [sql, ...values] = typeof text === 'string' ? [text] : text;
    return new Outcome(this.native.run({ text: sql, values }, { ...TRAITS, ...traits }));
  }

  write<T>(work: (runner: Runner) => Promise<T>, traits: Partial<WriteTraits> = {}): Outcome<T> {
    return new Outcome(this.native.transaction(work, { mutex: null, disconnect: null, ...traits }));
  }

  /** Borrows a connection of the driver's pool, as code of the host does. */
  borrow(): Promise<Borrowed> {
    return new Promise((resolve, reject) =>
      this.driver.connect((error, client, release) => {
        if (client === undefined) return reject(error!);
        const query = ({ text, values }: Statement): Promise<readonly Row[]> =>
          new Promise((done, fail) =>
            client.query({ text, values }, (failure, { rows }) => (failure ? fail(failure) : done(rows))),
          );
        resolve({ query, release });
      }),
    );
  }

  /** Runs a read until it is prepared and known to be short, so that later ones may share a batch. */
  async warm(...texts: readonly string[]): Promise<void> {
    for (const text of [...texts, ...texts]) {
      const read = this.read(text);
      await this.clock.advance(10);
      expect(read.state).toBe('done');
    }
    this.server.executed.length = 0;
    this.server.batches.length = 0;
  }
}
