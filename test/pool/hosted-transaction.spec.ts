/** Transactions of MikroORM on connections of the pool: slots, timeouts, disconnects and lost COMMITs. */
import type { Runner } from '../../src/pool/runner.ts';
import { useFakeClock } from './fake-clock.ts';
import { COMMIT, hanging, lost, type Reply, refusal, slow, stuck } from './fake-wire.ts';
import { FakeDisconnect, Outcome, type PoolOptions, statement, TestPool } from './start-pool.ts';

const DISCONNECTED = 'The client disconnected';
const TIMED_OUT = expect.objectContaining({
  status: 503,
  details: { limit: 'statementTimeout', allowed: 500, retryAfter: 1 },
});

describe('a hosted transaction', () => {
  const clock = useFakeClock();
  let pool: TestPool;
  let disconnect: FakeDisconnect;
  /** Number of calls for a commit whose response was lost. */
  let confirmed: number;
  afterEach(() => pool.end());

  const start = (options: PoolOptions = {}): void => {
    pool = new TestPool(clock, { max: 2, statementTimeout: 500, ...options });
    disconnect = new FakeDisconnect();
    confirmed = 0;
    // The process id is that of the connection: the first one of the pool.
    pool.server.when('pg_backend_pid() as pid', [{ pid: 101, xid: '7', started: '2026-01-01', server: '1' }]);
  };

  /** Transaction of MikroORM: BEGIN, the work, and COMMIT or ROLLBACK on one connection. */
  const transact = async <T>(inside: (runner: Runner) => Promise<T>): Promise<T> => {
    const { query, release } = await pool.borrow();
    try {
      await query(statement('begin'));
      const value = await inside({ run: query } as Runner);
      await query(statement('commit'));
      return value;
    } catch (error) {
      await query(statement('rollback')).catch(() => undefined);
      throw error;
    } finally {
      release();
    }
  };
  const run = (work: (runner: Runner) => Promise<unknown>, mutex: string | null = null): Outcome<unknown> =>
    new Outcome(
      pool.native.hosted({ transact, work, confirmed: () => void (confirmed += 1) }, { mutex, disconnect }),
    );
  const runStatement = (text = 'update'): Outcome<unknown> =>
    run(async (runner) => {
      await runner.run(statement(text));
      return 'written';
    });
  const texts = (): readonly string[] => pool.server.executed.map(({ text }) => text);

  it('is configured, runs its work and commits', async () => {
    start();
    const write = runStatement();
    await clock.advance(20);
    expect(write.value).toBe('written');
    expect(texts()).toEqual([
      'begin',
      expect.stringContaining('pg_backend_pid() as pid'),
      'update',
      'commit',
    ]);
    expect(confirmed).toBe(0);
  });

  it('disables JIT, and sets a statement timeout of a second more than its own', async () => {
    start();
    runStatement();
    await clock.advance(20);
    expect(texts()[1]).toContain("set_config('jit', 'off', true)");
    expect(pool.server.executed[1]?.values).toContain('1500');
  });

  it('sets no statement timeout if there is none', async () => {
    start({ statementTimeout: 0 });
    runStatement();
    await clock.advance(20);
    expect(pool.server.executed[1]?.values).toContain('0');
  });

  it('is rolled back when its work fails', async () => {
    start();
    const write = run(() => Promise.reject(new Error('The title is too long')));
    await clock.advance(20);
    expect(write.state).toBe('The title is too long');
    expect(texts().at(-1)).toBe('rollback');
  });

  it('waits for its mutex and its slot before it connects', async () => {
    start();
    pool.server.when('update 1', slow(100));
    const first = run((runner) => runner.run(statement('update 1')), 'note');
    const second = run((runner) => runner.run(statement('update 2')), 'note');
    await clock.advance(50);
    expect(pool.driver.inUse).toBe(1);
    await clock.advance(80);
    expect([first.state, second.state]).toEqual(['done', 'done']);
  });

  describe('whose client disconnects', () => {
    it('while it waits runs nothing', async () => {
      start();
      disconnect.hangUp();
      const write = runStatement();
      await clock.advance(20);
      expect(write.state).toBe(DISCONNECTED);
      expect(texts()).toEqual([]);
    });

    it('before COMMIT is cancelled and rolled back', async () => {
      start();
      pool.server.when('update', hanging);
      const write = runStatement();
      await clock.advance(20);
      disconnect.hangUp();
      await clock.advance(20);
      expect(write.state).toBe(DISCONNECTED);
      expect(pool.server.cancelled).toEqual([101]);
      expect(texts().at(-1)).toBe('rollback');
    });

    it('while it begins runs no work', async () => {
      start();
      pool.server.once('pg_backend_pid() as pid', slow(50, [{ pid: 101 }]));
      const write = runStatement();
      await clock.advance(20);
      disconnect.hangUp();
      await clock.advance(100);
      expect(write.state).toBe(DISCONNECTED);
      expect(texts()).not.toContain('update');
      expect(texts()).not.toContain('commit');
    });

    it('while code of the host runs does not commit', async () => {
      start();
      const write = run(async (runner) => {
        await runner.run(statement('update'));
        await new Promise((done) => setTimeout(done, 100));
      });
      await clock.advance(20);
      disconnect.hangUp();
      await clock.advance(200);
      expect(write.state).toBe(DISCONNECTED);
      expect(texts().at(-1)).toBe('rollback');
    });

    it('during COMMIT commits and returns its result', async () => {
      start();
      pool.server.when(COMMIT, slow(100));
      const write = runStatement();
      await clock.advance(20);
      disconnect.hangUp();
      await clock.advance(100);
      expect(write.value).toBe('written');
      expect(pool.server.cancelled).toEqual([]);
      expect(pool.server.committed).toHaveLength(1);
    });
  });

  describe('that exceeds "statementTimeout"', () => {
    it('before COMMIT is cancelled, rolled back and fails with 503', async () => {
      start();
      pool.server.when('update', hanging);
      const write = runStatement();
      await clock.advance(510);
      expect(write.error).toEqual(TIMED_OUT);
      expect(pool.server.cancelled).toEqual([101]);
      expect(texts().at(-1)).toBe('rollback');
    });

    it('in code of the host fails with 503, and does not commit when that code ends', async () => {
      start();
      const write = run(async (runner) => {
        await runner.run(statement('update'));
        await new Promise((done) => setTimeout(done, 800));
      });
      await clock.advance(510);
      expect(write.error).toEqual(TIMED_OUT);
      await clock.advance(400);
      expect(texts().at(-1)).toBe('rollback');
      expect(pool.server.committed).toEqual([]);
    });

    it('has its connection closed if the cancel request has no effect within a second', async () => {
      start();
      pool.server.when('update', stuck);
      runStatement();
      await clock.advance(1500);
      expect(pool.server.connections[0]?._queryable).toBe(true);
      await clock.advance(10);
      expect(pool.server.connections[0]?._queryable).toBe(false);
    });

    it('is cancelled by SQL on a separate connection if a pooler hides its process', async () => {
      start();
      pool.server.when('pg_backend_pid() as pid', [
        { pid: 4711, xid: '7', started: '2026-01-01', server: '1' },
      ]);
      pool.server.when('update', slow(700));
      const write = runStatement();
      await clock.advance(520);
      expect(write.error).toEqual(TIMED_OUT);
      const [cancel] = pool.server.executed.filter(({ text }) => text.includes('pg_cancel_backend'));
      expect(cancel?.values).toEqual(['4711', '2026-01-01']);
      expect(pool.driver._clients.map(({ number }) => number)).not.toContain(cancel?.connection);
    });

    it('during COMMIT succeeds if that returns within a second', async () => {
      start();
      pool.server.when(COMMIT, { ...stuck, after: 1400 });
      const write = runStatement();
      await clock.advance(600);
      expect(write.state).toBe('pending');
      await clock.advance(820);
      expect(write.value).toBe('written');
      expect(confirmed).toBe(0);
    });

    it('during COMMIT has its connection closed and its outcome queried if that does not return', async () => {
      start();
      pool.server.when(COMMIT, stuck);
      pool.server.when('pg_xact_status', [{ status: 'committed' }]);
      const write = runStatement();
      await clock.advance(1500);
      expect(write.state).toBe('pending');
      await clock.advance(20);
      expect(write.value).toBe('written');
      expect(confirmed).toBe(1);
    });
  });

  describe('whose connection is lost with COMMIT', () => {
    const runLost = async (status: string | null, commit: Reply = lost): Promise<Outcome<unknown>> => {
      start();
      pool.server.once(COMMIT, commit);
      pool.server.when('pg_xact_status', [{ status }]);
      const write = runStatement();
      await clock.advance(50);
      return write;
    };

    it('succeeds, and reports it, if it has committed', async () => {
      expect((await runLost('committed')).value).toBe('written');
      expect(confirmed).toBe(1);
    });

    it('fails with the error of the connection if it has not committed', async () => {
      expect((await runLost('aborted')).state).toBe(lost.message);
      expect(confirmed).toBe(0);
    });

    it('has an unknown outcome if the server does not know', async () => {
      expect((await runLost(null)).error).toMatchObject({ name: 'OutcomeUnknownError' });
    });

    it('fails without a query if the server refuses the COMMIT', async () => {
      const write = await runLost('committed', refusal('23503', 'deferred constraint'));
      expect(write.state).toBe('deferred constraint');
      expect(pool.server.ran('pg_xact_status')).toEqual([]);
    });
  });

  it('that takes long after its end ends no later user of its connection', async () => {
    start({ max: 1 });
    const slowly = async <T>(inside: (runner: Runner) => Promise<T>): Promise<T> => {
      const value = await transact(inside);
      await new Promise((done) => setTimeout(done, 2000));
      return value;
    };
    const work = (runner: Runner) => runner.run(statement('update'));
    const hosted = { transact: slowly, work, confirmed: () => undefined };
    new Outcome(pool.native.hosted(hosted, { mutex: null, disconnect }));
    await clock.advance(400);
    pool.server.when('of another', slow(1500));
    const another = new Outcome(
      pool.borrow().then(({ query, release }) => query(statement('of another')).finally(release)),
    );
    await clock.advance(1400);
    expect(another.state).toBe('pending');
    await clock.advance(1000);
    expect(another.state).toBe('done');
    expect(pool.server.cancelled).toEqual([]);
    expect(pool.server.connections[0]?._queryable).toBe(true);
  });

  it('releases its slot only after its connection', async () => {
    start({ max: 1 });
    pool.server.once('update', stuck);
    runStatement();
    await clock.advance(1100);
    const next = pool.read('select a');
    await clock.advance(400);
    expect(next.state).toBe('pending');
    await clock.advance(20);
    expect(next.state).toBe('done');
  });
});
