/** Connections outside the pool, and the check for a connection pooler that uses them. */
import { OwnConnection } from '../../src/pool/own-connection.ts';
import { useFakeClock } from './fake-clock.ts';
import { type FakeClient, lost, refusal, slow, stuck } from './fake-wire.ts';
import { Outcome, type PoolOptions, statement, TestPool } from './start-pool.ts';

const A = 'select a';

describe('a connection outside the pool', () => {
  const clock = useFakeClock();
  let pool: TestPool;
  beforeEach(() => {
    pool = new TestPool(clock, { max: 1 });
    pool.server.when(A, [{ id: 1 }]);
  });
  afterEach(() => pool.end());

  const open = async (): Promise<OwnConnection> => {
    const opened = pool.native.open();
    await clock.advance(10);
    return opened;
  };

  it('needs no slot and no connection of the pool', async () => {
    pool.server.when('select slow', slow(500));
    pool.read('select slow');
    const connection = await open();
    const rows = new Outcome(connection.run(statement(A)));
    await clock.advance(10);
    expect(rows.value).toEqual([{ id: 1 }]);
    expect(pool.driver.totalCount).toBe(1);
    expect(connection.isDirect).toBe(true);
  });

  it('prepares frequent statements', async () => {
    const connection = await open();
    for (let run = 0; run < 2; run += 1) {
      void connection.runOften(statement(A));
      await clock.advance(10);
    }
    expect(pool.server.parsed.filter((name) => name !== '')).toHaveLength(1);
    expect(pool.server.executed.at(-1)?.name).not.toBe('');
  });

  it('prepares no statements behind a pooler', async () => {
    pool.server.when('pg_backend_pid() =', [{ own: false }]);
    const connection = await open();
    void connection.runOften(statement(A));
    await clock.advance(10);
    expect([connection.isDirect, pool.server.executed.at(-1)?.name]).toEqual([false, '']);
  });

  it('is not opened if the server refuses it', async () => {
    pool.server.refuses = refusal('53300', 'sorry, too many clients already', 'FATAL');
    const opened = new Outcome(pool.native.open());
    await clock.advance(10);
    expect(opened.state).toBe('sorry, too many clients already');
    expect(pool.server.connections.every(({ _queryable }) => !_queryable)).toBe(true);
  });

  it('is closed when a statement takes more than two seconds', async () => {
    const connection = await open();
    pool.server.when(A, stuck);
    const rows = new Outcome(connection.run(statement(A)));
    await clock.advance(1999);
    expect(rows.state).toBe('pending');
    await clock.advance(1);
    expect(rows.state).toBe('The database did not respond in time');
    expect(pool.server.connections[0]?._queryable).toBe(false);
  });

  it('is closed after an error, and runs no other statement', async () => {
    const connection = await open();
    pool.server.once(A, refusal('22012', 'division by zero'));
    const first = new Outcome(connection.run(statement(A)));
    await clock.advance(10);
    const second = new Outcome(connection.run(statement(A)));
    await clock.advance(10);
    expect([first.state, second.state]).toEqual(['division by zero', 'The connection is closed']);
  });

  it('runs a transaction without timeouts of the server', async () => {
    const connection = await open();
    const rows = new Outcome(connection.transaction((run) => run(statement(A))));
    await clock.advance(20);
    expect(rows.value).toEqual([{ id: 1 }]);
    expect(pool.server.executed.slice(1).map(({ text }) => text)).toEqual([
      'begin isolation level read committed',
      expect.stringContaining('idle_in_transaction_session_timeout'),
      A,
      'commit',
    ]);
  });

  it('does not commit a transaction whose work fails', async () => {
    const connection = await open();
    const failed = new Outcome(connection.transaction(() => Promise.reject(new Error('no time'))));
    await clock.advance(20);
    expect(failed.state).toBe('no time');
    expect(pool.server.committed).toEqual([]);
    connection.close();
  });
});

describe('the advice on a pool', () => {
  const clock = useFakeClock();
  let pool: TestPool;
  const start = (options: PoolOptions = {}): void => {
    pool = new TestPool(clock, options);
    pool.server.when('as compiles', [{ pid: 101, compiles: false }]);
  };
  afterEach(() => pool.end());

  const advice = async (): Promise<unknown> => {
    const outcome = new Outcome(pool.native.advice());
    await clock.advance(100);
    return outcome.value;
  };
  const behindPooler = (): void => pool.server.when('pg_backend_pid() =', [{ own: false }]);
  const NAMES_LOST = expect.stringContaining('set "preparedStatements: false"');
  /** Names of the second run of a text, which has a name if statements are prepared. */
  const nameOfSecondRun = async (): Promise<string | undefined> => {
    for (let run = 0; run < 2; run += 1) {
      pool.read(A);
      await clock.advance(10);
    }
    return pool.server.executed.at(-1)?.name;
  };

  it('is empty for direct connections', async () => {
    start();
    expect(await advice()).toEqual([]);
    expect(await nameOfSecondRun()).not.toBe('');
    expect(pool.server.connections.filter(({ _queryable }) => _queryable)).toHaveLength(1);
  });

  it('names a missing connect timeout', async () => {
    start({ connectionTimeoutMillis: 0 });
    expect(await advice()).toEqual([expect.stringContaining('"connectionTimeoutMillis"')]);
  });

  it('is empty behind a pooler that keeps prepared statements', async () => {
    start();
    behindPooler();
    expect(await advice()).toEqual([]);
    expect(await nameOfSecondRun()).not.toBe('');
  });

  it('names a pooler that loses prepared statements, and none are used', async () => {
    start();
    behindPooler();
    // BEGIN of the second connection gets the session of the first one.
    pool.server.when('begin', () => {
      for (const { prepared } of pool.server.connections) prepared.clear();
      return [];
    });
    expect(await advice()).toEqual([NAMES_LOST]);
    expect(await nameOfSecondRun()).toBe('');
  });

  it('names a pooler that has no session left for the second run', async () => {
    start();
    behindPooler();
    pool.server.when('begin', () => {
      pool.server.once('as compiles', stuck);
      return [];
    });
    const outcome = new Outcome(pool.native.advice());
    await clock.advance(2100);
    expect(outcome.value).toEqual([NAMES_LOST]);
  });

  it('is empty while the database is unreachable', async () => {
    start();
    pool.server.refuses = new Error('connect ECONNREFUSED');
    expect(await advice()).toEqual([]);
  });

  it('disables JIT for long statements behind a pooler that drops settings of connections', async () => {
    start();
    behindPooler();
    pool.server.when('as compiles', [{ pid: 101, compiles: true }]);
    await advice();
    for (const text of [A, `select ${'x'.repeat(3000)}`]) {
      pool.read(text);
      await clock.advance(10);
    }
    expect(pool.server.batches.slice(-2).map((texts) => texts.length)).toEqual([1, 2]);
    expect(pool.server.ran("set_config('jit', 'off', true)")).toHaveLength(1);
  });
});

describe('a lost connection', () => {
  const clock = useFakeClock();
  let pool: TestPool;
  beforeEach(() => {
    pool = new TestPool(clock, { max: 1 });
  });
  afterEach(() => pool.end());

  const borrow = async (): Promise<{ readonly client: FakeClient; readonly release: () => void }> => {
    const borrowed = pool.borrow();
    await clock.advance(10);
    const { release } = await borrowed;
    return { client: pool.server.connections.at(-1)!, release };
  };

  it('that its user does not return is removed from the pool after 200 ms', async () => {
    const { client } = await borrow();
    client.lose();
    await clock.advance(190);
    expect(pool.driver.totalCount).toBe(1);
    await clock.advance(20);
    expect(pool.driver.totalCount).toBe(0);
  });

  it('may be returned later by its user', async () => {
    const { client } = await borrow();
    client.lose();
    await clock.advance(210);
    expect(() => client.release()).not.toThrow();
  });

  it('that its user has returned is not returned twice', async () => {
    const { client, release } = await borrow();
    client.lose(lost);
    release();
    await clock.advance(210);
    expect(pool.driver.totalCount).toBe(0);
  });

  it('has no effect on connections that are in use', async () => {
    pool = new TestPool(clock, { max: 2 });
    const first = await borrow();
    const second = await borrow();
    first.client.lose();
    await clock.advance(210);
    expect(pool.driver._clients).toEqual([second.client]);
    second.release();
  });
});
