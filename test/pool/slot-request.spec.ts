/** Queue of requests for a connection: order, limits, timeouts and clients that disconnect. */
import { useFakeClock } from './fake-clock.ts';
import { hanging, slow } from './fake-wire.ts';
import { FakeDisconnect, type PoolOptions, TestPool } from './start-pool.ts';

describe('the request queue', () => {
  const clock = useFakeClock();
  let pool: TestPool;
  const start = (options: PoolOptions): void => {
    pool = new TestPool(clock, options);
    for (const text of ['one', 'two', 'three', 'four']) pool.server.when(text, slow(10, [{ n: 1 }]));
  };
  afterEach(() => pool.end());

  it('runs reads in the order of arrival', async () => {
    start({ max: 1 });
    for (const text of ['one', 'two', 'three']) pool.read(text);
    await clock.advance(100);
    expect(pool.server.executed.map(({ text }) => text)).toEqual(['one', 'two', 'three']);
  });

  it('runs a read while writes occupy all slots of their lane', async () => {
    start({ max: 2 });
    pool.server.when('update', slow(500));
    const writes = ['update 1', 'update 2'].map((text) =>
      pool.write((run) => run.finish([{ text, values: [] }])),
    );
    const read = pool.read('one');
    await clock.advance(100);
    expect([...writes, read].map(({ state }) => state)).toEqual(['pending', 'pending', 'done']);
    expect(pool.server.ran('update')).toEqual(['update 1']);
  });

  it('rejects a request with 503 and the limit when "queueLength" requests wait', async () => {
    start({ max: 1, queueLength: 2 });
    const reads = ['one', 'two', 'three', 'four'].map((text) => pool.read(text));
    await clock.advance(100);
    expect(reads.slice(0, 3).map(({ state }) => state)).toEqual(['done', 'done', 'done']);
    expect(reads[3]?.error).toMatchObject({
      status: 503,
      details: { limit: 'load.queueLength', allowed: 2, retryAfter: 1 },
    });
    expect(pool.server.ran('four')).toEqual([]);
  });

  it('rejects a request with 503 and the limit when it has waited for "queueTimeout"', async () => {
    start({ max: 1, queueTimeout: 200 });
    pool.server.when('one', slow(500));
    pool.read('one');
    const waiting = pool.read('two');
    await clock.advance(199);
    expect(waiting.state).toBe('pending');
    await clock.advance(1);
    expect(waiting.error).toMatchObject({
      status: 503,
      details: { limit: 'load.queueTimeout', allowed: 200, retryAfter: 1 },
    });
    await clock.advance(1000);
    expect(pool.server.ran('two')).toEqual([]);
  });

  it('does not apply "queueTimeout" to a request that got its slot', async () => {
    start({ max: 1, queueTimeout: 200 });
    pool.server.when('two', slow(500));
    pool.read('one');
    const second = pool.read('two');
    await clock.advance(600);
    expect(second.state).toBe('done');
  });

  it('does not count time in which the process was suspended', async () => {
    start({ max: 1, queueTimeout: 400 });
    pool.server.when('one', slow(1200));
    pool.read('one');
    const waiting = pool.read('two');
    await clock.advance(100);
    await clock.suspend(1000);
    expect(waiting.state).toBe('pending');
    await clock.advance(150);
    expect(waiting.state).toBe('done');
  });

  it('removes a request whose client disconnects, and gives the slot to the next one', async () => {
    start({ max: 1 });
    const disconnect = new FakeDisconnect();
    const [, second, third] = [pool.read('one'), pool.read('two', { disconnect }), pool.read('three')];
    await clock.advance(5);
    disconnect.hangUp();
    await clock.settle();
    expect(second.state).toBe('The client disconnected');
    await clock.advance(100);
    expect(third.state).toBe('done');
    expect(pool.server.executed.map(({ text }) => text)).toEqual(['one', 'three']);
  });

  it('accepts another request in place of one whose client has disconnected', async () => {
    start({ max: 1, queueLength: 1 });
    const disconnect = new FakeDisconnect();
    pool.read('one');
    pool.read('two', { disconnect });
    disconnect.hangUp();
    const third = pool.read('three');
    await clock.advance(100);
    expect(third.state).toBe('done');
  });

  it('sends nothing for a client that has disconnected before', async () => {
    start({ max: 1 });
    const disconnect = new FakeDisconnect();
    disconnect.hangUp();
    const read = pool.read('one', { disconnect });
    await clock.advance(100);
    expect(read.state).toBe('The client disconnected');
    expect(pool.server.executed).toEqual([]);
  });

  it('counts the wait in the total time of a request', async () => {
    start({ max: 1, statementTimeout: 300, queueTimeout: 5000 });
    pool.server.when('one', slow(200));
    pool.server.when('two', hanging);
    pool.read('one');
    const second = pool.read('two');
    await clock.advance(300);
    expect(second.error).toMatchObject({ status: 503, details: { limit: 'statementTimeout', allowed: 300 } });
  });
});
