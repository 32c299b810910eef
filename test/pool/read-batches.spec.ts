/** Batches of reads: one write to the socket, and a result or an error of its own for each read. */
import { useFakeClock } from './fake-clock.ts';
import { hanging, lost, refusal, slow } from './fake-wire.ts';
import { FakeDisconnect, type Read, statement, TestPool, TRAITS } from './start-pool.ts';

const A = 'select a';
const B = 'select b';

const states = (reads: readonly Read[]): readonly string[] => reads.map(({ state }) => state);

describe('concurrent short reads', () => {
  const clock = useFakeClock();
  let pool: TestPool;
  beforeEach(async () => {
    pool = new TestPool(clock, { max: 10 });
    pool.server.when(A, (id = 0) => [{ id: Number(id) }]);
    pool.server.when(B, [{ id: 7 }]);
    await pool.warm(A, B);
  });
  afterEach(() => pool.end());

  /** Runs a read of A for each id, at the same time. */
  const readAll = (ids: readonly unknown[]): readonly Read[] => ids.map((id) => pool.read([A, id]));

  it('share one write if they have the same text, and get their own rows', async () => {
    const reads = readAll([1, 2, 3]);
    await clock.advance(1);
    expect(pool.server.batches).toEqual([[A, A, A]]);
    expect(reads.map(({ value }) => value)).toEqual([[{ id: 1 }], [{ id: 2 }], [{ id: 3 }]]);
  });

  it('share no write with reads of another text', async () => {
    pool.read([A, 1]);
    pool.read(B);
    pool.read([A, 2]);
    await clock.advance(10);
    expect(pool.server.batches).toEqual([[A, A], [B]]);
  });

  it('share batches of at most four', async () => {
    const reads = readAll([1, 2, 3, 4, 5]);
    await clock.advance(10);
    expect(pool.server.batches.map((texts) => texts.length)).toEqual([4, 1]);
    expect(reads.at(-1)?.value).toEqual([{ id: 5 }]);
  });

  it('share no batch in their first two runs, which show whether they are short', async () => {
    pool.server.when('select new', [{ id: 1 }]);
    const reads = [pool.read('select new'), pool.read('select new')];
    await clock.advance(10);
    expect(states(reads)).toEqual(['done', 'done']);
    expect(pool.server.batches).toEqual([['select new'], ['select new']]);
  });

  it('share no batch if their rows are large', async () => {
    pool.server.when('large', [{ text: 'x'.repeat(17_000) }]);
    await pool.warm('large');
    const reads = [pool.read('large'), pool.read('large')];
    await clock.advance(10);
    expect(states(reads)).toEqual(['done', 'done']);
    expect(pool.server.batches).toEqual([['large'], ['large']]);
  });

  it('run one at a time with the same mutex', async () => {
    pool.server.when(A, slow(5, [{ id: 1 }]));
    const [first, second] = [pool.read(A, { mutex: 'a' }), pool.read(A, { mutex: 'a' })];
    await clock.advance(6);
    expect(states([first, second])).toEqual(['done', 'pending']);
    await clock.advance(6);
    expect(second.state).toBe('done');
    expect(pool.server.batches).toEqual([[A], [A]]);
  });

  it('report to each caller the moment from which it may miss commits', async () => {
    const begun: string[] = [];
    pool.read([A, 1], { begun: () => void begun.push('first') });
    pool.read([A, 2], { begun: () => void begun.push('second') });
    await clock.settle();
    expect([begun, pool.server.executed]).toEqual([['first', 'second'], []]);
  });

  describe('of which one fails', () => {
    it('run again one by one, and the failure has no effect on the others', async () => {
      pool.server.when(A, (id) => (id === '2' ? refusal('22P02', 'invalid value') : [{ id: Number(id) }]));
      const reads = readAll([1, 2, 3]);
      await clock.advance(20);
      expect(states(reads)).toEqual(['done', 'invalid value', 'done']);
      expect(reads[2]?.value).toEqual([{ id: 3 }]);
      expect(pool.server.batches).toEqual([[A, A, A], [A], [A], [A]]);
    });

    it('run again on another connection when theirs is lost', async () => {
      pool.server.once(A, lost);
      const reads = readAll([1, 2]);
      await clock.advance(20);
      expect(states(reads)).toEqual(['done', 'done']);
    });

    it('fail together when the server ends the connection, which is closed', async () => {
      pool.server.once(A, refusal('57P01', 'terminating connection', 'FATAL'));
      const reads = readAll([1, 2]);
      await clock.advance(20);
      expect(states(reads)).toEqual(['terminating connection', 'terminating connection']);
      expect(pool.driver._clients.every(({ _queryable }) => _queryable)).toBe(true);
    });
  });

  describe('of which one takes long', () => {
    it('are cancelled after 200 ms and run again one by one', async () => {
      pool.server.when(A, (id) => (id === '1' ? slow(1000, [{ id: 1 }]) : [{ id: Number(id) }]));
      const reads = readAll([1, 2]);
      await clock.advance(199);
      expect(states(reads)).toEqual(['pending', 'pending']);
      await clock.advance(10);
      expect(states(reads)).toEqual(['pending', 'done']);
      expect(pool.server.cancelled).toHaveLength(1);
      await clock.advance(1000);
      expect(states(reads)).toEqual(['done', 'done']);
    });

    it('share no batch for a while if they are heavy', async () => {
      pool.server.once(A, slow(30));
      pool.read(A, { heavy: true });
      await clock.advance(50);
      pool.server.batches.length = 0;
      const both = [pool.read(A, { heavy: true }), pool.read(A, { heavy: true })];
      await clock.advance(10);
      expect(states(both)).toEqual(['done', 'done']);
      expect(pool.server.batches).toEqual([[A], [A]]);
    });

    it('share no batch if they are light and stay slow', async () => {
      pool.server.when(A, slow(40));
      for (let run = 0; run < 20; run += 1) {
        pool.read(A);
        await clock.advance(50);
      }
      pool.server.batches.length = 0;
      readAll([1, 2]);
      await clock.advance(50);
      expect(pool.server.batches).toEqual([[A], [A]]);
    });
  });

  describe('of which a client disconnects', () => {
    it('respond to the other clients', async () => {
      pool.server.when(A, slow(50, [{ id: 1 }]));
      const disconnect = new FakeDisconnect();
      const reads = [pool.read(A, { disconnect }), pool.read(A)];
      await clock.advance(10);
      disconnect.hangUp();
      await clock.advance(100);
      expect(states(reads)).toEqual(['The client disconnected', 'done']);
      expect(pool.server.cancelled).toEqual([]);
    });

    it('are cancelled when all clients have disconnected', async () => {
      pool.server.when(A, hanging);
      const hangups = [new FakeDisconnect(), new FakeDisconnect()];
      const reads = hangups.map((disconnect) => pool.read(A, { disconnect }));
      await clock.advance(10);
      for (const disconnect of hangups) disconnect.hangUp();
      await clock.advance(10);
      expect(states(reads)).toEqual(['The client disconnected', 'The client disconnected']);
      expect(pool.server.cancelled).toHaveLength(1);
      expect(pool.driver.inUse).toBe(0);
    });
  });
});

describe('a read with a condition', () => {
  const clock = useFakeClock();
  let pool: TestPool;
  beforeEach(() => {
    pool = new TestPool(clock);
    pool.server.when(A, [{ id: 1 }]);
  });
  afterEach(() => pool.end());

  const readIf = (): Promise<unknown> =>
    pool.native.runIf(statement('select condition'), statement(A), TRAITS);

  it('is sent in one write with the condition, and returns its rows if that is true', async () => {
    pool.server.when('condition', [{ yes: true }]);
    const rows = readIf();
    await clock.advance(10);
    expect(await rows).toEqual([{ id: 1 }]);
    expect(pool.server.batches).toEqual([['select condition', A]]);
  });

  it.each([[[{ yes: false }]], [[{ yes: null }]], [[]]])(
    'returns null if the condition is %j',
    async (reply) => {
      pool.server.when('condition', reply);
      const rows = readIf();
      await clock.advance(10);
      expect(await rows).toBeNull();
    },
  );

  it('returns null without a query if the driver does not support pipelining', async () => {
    pool = new TestPool(clock, { pipelines: false });
    const rows = readIf();
    await clock.advance(10);
    expect(await rows).toBeNull();
    expect(pool.server.executed).toEqual([]);
  });
});

describe('slow reads', () => {
  const clock = useFakeClock();
  let pool: TestPool;
  afterEach(() => pool.end());

  it('release their connections to waiting requests, and run again afterwards', async () => {
    pool = new TestPool(clock, { max: 2, slowShare: 0.4 });
    for (const text of ['slow 1', 'slow 2']) pool.server.when(text, slow(800, [{ id: 1 }]));
    pool.server.when(A, [{ id: 2 }]);
    const [first, second] = [pool.read('slow 1'), pool.read('slow 2')];
    await clock.advance(10);
    const short = pool.read(A);
    await clock.advance(400);
    expect(states([first, second, short])).toEqual(['pending', 'pending', 'done']);
    expect(pool.server.cancelled).toHaveLength(1);
    await clock.advance(1300);
    expect(states([first, second])).toEqual(['done', 'done']);
    expect(pool.server.ran('slow')).toEqual(['slow 1', 'slow 2', 'slow 2']);
  });

  it('keep their connections while no other request waits', async () => {
    pool = new TestPool(clock, { max: 2, slowShare: 0.4 });
    pool.server.when('slow', slow(800));
    const reads = [pool.read('slow 1'), pool.read('slow 2')];
    await clock.advance(820);
    expect(states(reads)).toEqual(['done', 'done']);
    expect(pool.server.cancelled).toEqual([]);
  });

  it('run within the time that their first run has left', async () => {
    pool = new TestPool(clock, { max: 2, slowShare: 0.4, statementTimeout: 1000 });
    pool.server.when('slow', hanging);
    pool.server.when(A, hanging);
    const reads = [pool.read('slow 1'), pool.read('slow 2')];
    await clock.advance(10);
    pool.read(A);
    await clock.advance(990);
    expect(reads.map(({ error }) => error)).toEqual([
      expect.objectContaining({ status: 503 }),
      expect.objectContaining({ status: 503 }),
    ]);
  });
});
