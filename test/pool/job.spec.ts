/** Work on one connection: timeouts, cancel requests, and connections that return to the pool or are closed. */
import { useFakeClock } from './fake-clock.ts';
import { COMMIT, hanging, lost, refusal, stuck } from './fake-wire.ts';
import { FakeDisconnect, statement, TestPool } from './start-pool.ts';

const A = 'select a';
const TIMED_OUT = expect.objectContaining({
  status: 503,
  details: { limit: 'statementTimeout', allowed: 500, retryAfter: 1 },
});

describe('a statement that exceeds "statementTimeout"', () => {
  const clock = useFakeClock();
  let pool: TestPool;
  beforeEach(() => {
    pool = new TestPool(clock, { max: 1, statementTimeout: 500 });
  });
  afterEach(() => pool.end());

  it('fails with 503 and the limit, and not before', async () => {
    pool.server.when(A, hanging);
    const read = pool.read(A);
    await clock.advance(499);
    expect(read.state).toBe('pending');
    await clock.advance(1);
    expect(read.error).toEqual(TIMED_OUT);
  });

  it('is cancelled on the server, and its connection runs the next statement', async () => {
    pool.server.once(A, hanging);
    pool.read(A);
    await clock.advance(100);
    const next = pool.read(A);
    await clock.advance(410);
    expect(pool.server.cancelled).toEqual([101]);
    expect(next.state).toBe('done');
    expect(pool.server.connections).toHaveLength(1);
  });

  it('occupies its slot and its connection until the server has responded', async () => {
    pool.server.once(A, { ...stuck, after: 700 });
    pool.read(A);
    await clock.advance(300);
    const next = pool.read(A);
    await clock.advance(395);
    expect([next.state, pool.driver.inUse]).toEqual(['pending', 1]);
    await clock.advance(20);
    expect(next.state).toBe('done');
    expect(pool.server.connections).toHaveLength(1);
  });

  it('has its connection closed if the cancel request has no effect within a second', async () => {
    pool.server.once(A, stuck);
    pool.read(A);
    await clock.advance(1499);
    expect(pool.server.connections[0]?._queryable).toBe(true);
    const next = pool.read(A);
    await clock.advance(10);
    expect(pool.server.connections[0]?._queryable).toBe(false);
    expect(next.state).toBe('done');
    expect(pool.server.connections).toHaveLength(2);
  });

  it('has its connection closed if the cancel request does not reach the server', async () => {
    pool.server.acceptsCancel = false;
    pool.server.once(A, hanging);
    const read = pool.read(A);
    await clock.advance(1510);
    expect(read.error).toEqual(TIMED_OUT);
    expect(pool.driver.totalCount).toBe(0);
  });

  it('leaves its connection to no other one before the cancel request has arrived', async () => {
    pool.server.once(A, { ...stuck, after: 505 });
    pool.read(A);
    await clock.advance(400);
    pool.server.latency = 20;
    const next = pool.read('select next');
    // The first statement ends at 507 ms, and its cancel request arrives at 540 ms.
    await clock.advance(135);
    expect([pool.server.cancelled, pool.driver.inUse, pool.server.batches]).toEqual([[], 1, [[A]]]);
    await clock.advance(40);
    expect([pool.server.cancelled, next.state]).toEqual([[101], 'done']);
  });

  it('is rolled back in a transaction, and its connection runs the next one', async () => {
    pool.server.once(A, hanging);
    const write = pool.write((runner) => runner.all([statement('update'), statement(A)]));
    await clock.advance(510);
    expect(write.error).toEqual(TIMED_OUT);
    expect(pool.server.ran('rollback')).toEqual(['rollback']);
    const next = pool.write((runner) => runner.finish([statement('update')]));
    await clock.advance(10);
    expect(next.state).toBe('done');
    expect(pool.server.connections).toHaveLength(1);
  });

  it('has its connection closed if the rollback takes more than a second', async () => {
    pool.server.once(A, hanging);
    pool.server.when('rollback', stuck);
    pool.write((runner) => runner.run(statement(A)));
    await clock.advance(1510);
    expect(pool.driver.totalCount).toBe(0);
  });
});

describe('COMMIT', () => {
  const clock = useFakeClock();
  let pool: TestPool;
  beforeEach(() => {
    pool = new TestPool(clock, { max: 2, statementTimeout: 500 });
  });
  afterEach(() => pool.end());

  const write = (disconnect: FakeDisconnect | null = null) =>
    pool.write(
      async (runner) => {
        await runner.finish([statement('update')]);
        return 'written';
      },
      { disconnect },
    );

  it('succeeds if it returns within a second after the timeout', async () => {
    pool.server.once(COMMIT, { ...stuck, after: 1400 });
    const outcome = write();
    await clock.advance(1410);
    expect(outcome.value).toBe('written');
    expect(pool.driver.totalCount).toBe(1);
  });

  it('has its connection closed and its outcome queried if it does not return', async () => {
    pool.server.once(COMMIT, stuck);
    pool.server.when('pg_xact_status', [{ status: 'committed' }]);
    const outcome = write();
    await clock.advance(1510);
    expect(outcome.value).toBe('written');
    expect(pool.server.connections[0]?._queryable).toBe(false);
  });

  it('returns its result when the client has disconnected', async () => {
    pool.server.once(COMMIT, { ...stuck, after: 100 });
    const disconnect = new FakeDisconnect();
    const outcome = write(disconnect);
    await clock.advance(50);
    disconnect.hangUp();
    await clock.advance(60);
    expect(pool.server.committed).toHaveLength(1);
    expect(outcome.value).toBe('written');
  });
});

describe('a client that disconnects', () => {
  const clock = useFakeClock();
  let pool: TestPool;
  let disconnect: FakeDisconnect;
  beforeEach(() => {
    pool = new TestPool(clock, { max: 1 });
    disconnect = new FakeDisconnect();
  });
  afterEach(() => pool.end());

  it('has its statement cancelled', async () => {
    pool.server.when(A, hanging);
    const read = pool.read(A, { disconnect });
    await clock.advance(10);
    disconnect.hangUp();
    await clock.advance(10);
    expect(read.state).toBe('The client disconnected');
    expect(pool.server.cancelled).toEqual([101]);
    expect(pool.driver.inUse).toBe(0);
  });

  it('has nothing sent if the connection was not open yet', async () => {
    const read = pool.read(A, { disconnect });
    await clock.settle();
    disconnect.hangUp();
    await clock.advance(10);
    expect(read.state).toBe('The client disconnected');
    expect(pool.server.executed).toEqual([]);
    expect(pool.driver.totalCount).toBe(1);
  });

  it('has its transaction rolled back', async () => {
    pool.server.when('update', hanging);
    const write = pool.write((runner) => runner.run(statement('update')), { disconnect });
    await clock.advance(10);
    disconnect.hangUp();
    await clock.advance(10);
    expect(write.state).toBe('The client disconnected');
    expect(pool.server.executed.at(-1)?.text).toBe('rollback');
    expect(pool.driver.inUse).toBe(0);
  });

  it('has its transaction rolled back if the statements before COMMIT are running', async () => {
    pool.server.when('update', hanging);
    const write = pool.write((runner) => runner.finish([statement('update')]), { disconnect });
    await clock.advance(10);
    disconnect.hangUp();
    await clock.advance(10);
    expect(write.state).toBe('canceling statement due to user request');
    expect(pool.server.executed.at(-1)?.text).toBe('rollback');
    expect(pool.server.committed).toEqual([]);
  });

  it('changes nothing after its response', async () => {
    pool.read(A, { disconnect });
    await clock.advance(10);
    disconnect.hangUp();
    await clock.advance(10);
    expect(pool.server.cancelled).toEqual([]);
  });
});

describe('a connection', () => {
  const clock = useFakeClock();
  let pool: TestPool;
  beforeEach(() => {
    pool = new TestPool(clock, { max: 1 });
  });
  afterEach(() => pool.end());

  it('is opened again if the timeout of the driver elapses', async () => {
    pool.server.refuses = new Error('timeout exceeded when trying to connect');
    const read = pool.read(A);
    await clock.advance(1);
    pool.server.refuses = null;
    await clock.advance(10);
    expect(read.state).toBe('done');
  });

  it('is not opened a third time', async () => {
    pool.server.refuses = new Error('timeout exceeded when trying to connect');
    const read = pool.read(A);
    await clock.advance(10);
    expect(read.state).toBe('timeout exceeded when trying to connect');
    expect(pool.server.connections).toHaveLength(2);
  });

  it('that the server refuses is an error of the request, and its slot is released', async () => {
    pool.server.refuses = refusal('53300', 'sorry, too many clients already', 'FATAL');
    const read = pool.read(A);
    await clock.advance(10);
    expect(read.state).toBe('sorry, too many clients already');
    expect(pool.server.connections).toHaveLength(1);
    pool.server.refuses = null;
    const next = pool.read(A);
    await clock.advance(10);
    expect(next.state).toBe('done');
  });

  it('that is lost is an error of its statement, and the next one gets another', async () => {
    pool.server.once(A, lost);
    const read = pool.read(A);
    const next = pool.read(A);
    await clock.advance(20);
    expect([read.state, next.state]).toEqual([lost.message, 'done']);
    expect(pool.server.connections).toHaveLength(2);
  });

  it('returns to the pool after an error of the server', async () => {
    pool.server.once(A, refusal('22012', 'division by zero'));
    const read = pool.read(A);
    const next = pool.read(A);
    await clock.advance(20);
    expect([read.state, next.state]).toEqual(['division by zero', 'done']);
    expect(pool.server.connections).toHaveLength(1);
  });

  it('sends nothing if a value cannot be encoded, and runs the next statement', async () => {
    const read = pool.read([A, Symbol('value')]);
    const next = pool.read(A);
    await clock.advance(20);
    expect(read.state).toContain('A symbol cannot be sent to the database');
    expect(next.state).toBe('done');
    expect(pool.server.batches).toEqual([[A]]);
  });
});
