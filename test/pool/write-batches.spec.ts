/** Batches of writes: one transaction for writes without conflicts, and a result of its own for each. */
import type { Runner } from '../../src/pool/runner.ts';
import type { BatchTraits } from '../../src/pool/write-batches.ts';
import { useFakeClock } from './fake-clock.ts';
import { COMMIT, hanging, lost, refusal, slow, stuck } from './fake-wire.ts';
import { FakeDisconnect, Outcome, statement, TestPool } from './start-pool.ts';

/** Statements of a write by its name. */
const loadOf = (name: string): string => `select ${name}`;
const changeOf = (name: string): string => `update ${name}`;

interface Options {
  readonly disconnect?: FakeDisconnect;
  readonly locks?: BatchTraits['locks'];
  readonly rows?: string;
  readonly kind?: string;
}

const exclusive = (name: string) => ({ name, exclusive: true });
const shared = (name: string) => ({ name, exclusive: false });

const OUTCOME_UNKNOWN = expect.objectContaining({ name: 'OutcomeUnknownError', status: 503 });

describe('concurrent writes', () => {
  const clock = useFakeClock();
  let pool: TestPool;
  /** Names of the writes whose work has begun, in order. */
  let begun: string[];

  beforeEach(() => {
    pool = new TestPool(clock, { max: 20 });
    begun = [];
    pool.server.when('select ', [{ id: 1 }]);
    pool.server.when('pg_current_xact_id', [{ xid: '7', started: '2026-01-01', server: '1' }]);
  });
  afterEach(() => pool.end());

  /** Runs a write that loads, changes and returns its name, and may share a transaction. */
  const write = (
    name: string,
    { disconnect, locks = [], rows, kind = 'update' }: Options = {},
  ): Outcome<string> =>
    pool.write(
      async (runner: Runner) => {
        begun.push(name);
        await runner.load([statement(loadOf(name))]);
        await runner.finish([statement(changeOf(name))]);
        return name;
      },
      { disconnect: disconnect ?? null, together: { locks, rows: rows ?? null, kind } },
    );

  /** Names in the committed transactions, by transaction. */
  const committed = (): readonly (readonly string[])[] =>
    pool.server.committed.map((texts) =>
      texts.filter((text) => text.startsWith('update ')).map((text) => text.slice('update '.length)),
    );
  const states = (writes: readonly Outcome<unknown>[]): readonly string[] => writes.map(({ state }) => state);

  it('share a transaction of two round trips, and get their own results', async () => {
    const writes = ['a', 'b', 'c'].map((name) => write(name));
    await clock.advance(10);
    expect(writes.map(({ value }) => value)).toEqual(['a', 'b', 'c']);
    expect(committed()).toEqual([['a', 'b', 'c']]);
    expect(pool.server.batches).toEqual([
      [
        'begin isolation level read committed',
        expect.stringContaining('pg_current_xact_id'),
        'set local lock_timeout = 100',
        ...['a', 'b', 'c'].map(loadOf),
      ],
      [...['a', 'b', 'c'].map(changeOf), 'commit'],
    ]);
  });

  it('get the rows of their own statements', async () => {
    pool.server.when('select a', [{ id: 11 }]);
    pool.server.when('select b', [{ id: 12 }]);
    const traits = { together: { locks: [], rows: null, kind: 'update' } };
    const rowsOf = (name: string): Outcome<unknown> =>
      pool.write(async (runner) => {
        const rows = await runner.load([statement('values'), statement(`select ${name}`)]);
        await runner.finish([statement('update')]);
        return rows;
      }, traits);
    const reads = [rowsOf('a'), rowsOf('b')];
    await clock.advance(10);
    expect(reads.map(({ value }) => value)).toEqual([
      [[], [{ id: 11 }]],
      [[], [{ id: 12 }]],
    ]);
  });

  it('share a transaction with at most five others', async () => {
    for (let i = 0; i < 7; i += 1) write(`w${i}`);
    await clock.advance(10);
    expect(committed().map((names) => names.length)).toEqual([6, 1]);
  });

  it('share no transaction if a write does not allow it', async () => {
    const alone = pool.write((runner) => runner.finish([statement('update alone')]));
    write('a');
    await clock.advance(10);
    expect(alone.state).toBe('done');
    expect(committed()).toEqual([['alone'], ['a']]);
  });

  it('acquire all locks in one statement, each once', async () => {
    write('a', { locks: [shared('type'), exclusive('a')] });
    write('b', { locks: [shared('type'), exclusive('b')] });
    await clock.advance(10);
    const [{ values } = { values: [] }] = pool.server.executed.filter(({ text }) =>
      text.includes('advisory'),
    );
    expect(values).toEqual(['a', 'b', 'type']);
    expect(committed()).toEqual([['a', 'b']]);
  });

  it.each([
    ['have the same exclusive lock', { locks: [exclusive('note')] }, { locks: [exclusive('note')] }],
    ['share a lock that the other one holds', { locks: [shared('note')] }, { locks: [exclusive('note')] }],
    ['may change rows of the other document', { locks: [exclusive('a')] }, { rows: 'a' }],
  ])('share no transaction if they %s', async (_title, one, other) => {
    for (const [first, second] of [
      [one, other],
      [other, one],
    ]) {
      pool.server.committed.length = 0;
      write('first', first);
      write('second', second);
      await clock.advance(20);
      expect(committed()).toEqual([['first'], ['second']]);
    }
  });

  it('share a transaction if both share a lock', async () => {
    write('first', { locks: [shared('note')] });
    write('second', { locks: [shared('note')] });
    await clock.advance(10);
    expect(committed()).toEqual([['first', 'second']]);
  });

  it('run one by one if the driver does not support pipelining', async () => {
    pool = new TestPool(clock, { max: 20, pipelines: false });
    const writes = ['a', 'b'].map((name) => write(name));
    await clock.advance(50);
    expect(states(writes)).toEqual(['done', 'done']);
    expect(committed()).toEqual([['a'], ['b']]);
  });

  describe('of which one fails', () => {
    it('are rolled back and run again one by one', async () => {
      pool.server.when('update b', refusal('23505', 'duplicate key'));
      const writes = ['a', 'b', 'c'].map((name) => write(name));
      await clock.advance(20);
      expect(states(writes)).toEqual(['done', 'duplicate key', 'done']);
      expect(committed()).toEqual([['a'], ['c']]);
      expect(begun).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
    });

    it('are rolled back and run again if COMMIT itself is refused', async () => {
      pool.server.once(COMMIT, refusal('23503', 'deferred constraint'));
      const writes = ['a', 'b'].map((name) => write(name));
      await clock.advance(20);
      expect(states(writes)).toEqual(['done', 'done']);
      expect(committed()).toEqual([['a'], ['b']]);
    });

    it('run again one by one if their connection is lost before COMMIT was sent', async () => {
      pool.server.once('select b', lost);
      const writes = ['a', 'b'].map((name) => write(name));
      await clock.advance(20);
      expect(states(writes)).toEqual(['done', 'done']);
      expect(committed()).toEqual([['a'], ['b']]);
      expect(pool.server.ran('pg_xact_status')).toEqual([]);
    });

    it('fail after that if the database stays unreachable', async () => {
      pool.server.when('select ', lost);
      const writes = ['a', 'b'].map((name) => write(name));
      await clock.advance(20);
      expect(states(writes)).toEqual([lost.message, lost.message]);
      expect(begun).toEqual(['a', 'b', 'a', 'b']);
    });

    it('run again one by one if one of them waits for a lock of another transaction', async () => {
      pool.server.once('advisory', refusal('55P03', 'canceling statement due to lock timeout'));
      const writes = ['a', 'b'].map((name) => write(name, { locks: [exclusive(name)] }));
      await clock.advance(20);
      expect(states(writes)).toEqual(['done', 'done']);
      expect(committed()).toEqual([['a'], ['b']]);
    });

    it('get the error of their own code, and the others commit', async () => {
      const failing = pool.write(
        async (runner) => {
          await runner.load([statement('select failing')]);
          throw new Error('The title is too long');
        },
        { together: { locks: [], rows: null, kind: 'update' } },
      );
      const other = write('a');
      await clock.advance(10);
      expect(states([failing, other])).toEqual(['The title is too long', 'done']);
      expect(committed()).toEqual([['a']]);
    });
  });

  describe('that need more than one query before they write', () => {
    const wide = (): Outcome<string> =>
      pool.write(
        async (runner) => {
          await runner.load([statement('select first')]);
          await runner.load([statement('select second')]);
          await runner.finish([statement('update wide')]);
          return 'wide';
        },
        { together: { locks: [], rows: null, kind: 'wide' } },
      );

    it('run one by one, and so do the others of their batch', async () => {
      const writes = [wide(), write('a')];
      await clock.advance(20);
      expect(states(writes)).toEqual(['done', 'done']);
      expect(committed()).toEqual([['a'], ['wide']]);
    });

    it('run unbatched for the next 100 writes of their kind', async () => {
      wide();
      write('a');
      await clock.advance(20);
      for (let i = 0; i < 100; i += 1) {
        write(`w${i}`, { kind: 'wide' });
        await clock.advance(5);
      }
      pool.server.committed.length = 0;
      for (const name of ['b', 'c']) write(name, { kind: 'wide' });
      await clock.advance(10);
      expect(committed()).toEqual([['b', 'c']]);
    });

    it('leave writes of other kinds in batches', async () => {
      wide();
      write('a');
      await clock.advance(20);
      pool.server.committed.length = 0;
      write('b', { kind: 'wide' });
      write('c');
      write('d');
      await clock.advance(10);
      expect(committed()).toEqual([['b'], ['c', 'd']]);
    });
  });

  it('run unbatched for a while after a batch of their kind took more than 250 ms', async () => {
    pool.server.once('select a', slow(260));
    const writes = [write('a'), write('b')];
    await clock.advance(300);
    expect(states(writes)).toEqual(['done', 'done']);
    pool.server.committed.length = 0;
    for (const name of ['c', 'd']) write(name);
    await clock.advance(10);
    expect(committed()).toEqual([['c'], ['d']]);
  });

  describe('whose connection is lost after COMMIT was sent', () => {
    const run = async (status: string | null): Promise<readonly Outcome<string>[]> => {
      pool.server.once(COMMIT, lost);
      pool.server.when('pg_xact_status', [{ status }]);
      const writes = ['a', 'b'].map((name) => write(name));
      await clock.advance(100);
      return writes;
    };

    it('succeed if the server says that it has committed', async () => {
      expect(states(await run('committed'))).toEqual(['done', 'done']);
    });

    it('fail if the server says that it has not committed', async () => {
      expect(states(await run('aborted'))).toEqual([lost.message, lost.message]);
    });

    it('fail with an unknown outcome if the server does not know', async () => {
      const writes = await run(null);
      expect(writes.map(({ error }) => error)).toEqual([OUTCOME_UNKNOWN, OUTCOME_UNKNOWN]);
    });

    it.each(['committed', 'aborted', null])('never run again (%s)', async (status) => {
      await run(status);
      expect(begun).toEqual(['a', 'b']);
      expect(pool.server.ran('update')).toEqual(['update a', 'update b']);
    });

    it('ask for the outcome on another connection, with the id of the transaction', async () => {
      await run('committed');
      const [commit] = pool.server.executed.filter(({ text }) => text === 'commit');
      const [question] = pool.server.executed.filter(({ text }) => text.includes('pg_xact_status'));
      expect(question?.connection).not.toBe(commit?.connection);
      expect(question?.values).toContain('7');
    });
  });

  describe('of which a client disconnects', () => {
    it('leave out its write if nothing of it was sent', async () => {
      pool.server.when('select ', slow(50, [{ id: 1 }]));
      const disconnect = new FakeDisconnect();
      const writes = [write('a', { disconnect }), write('b')];
      await clock.advance(20);
      disconnect.hangUp();
      await clock.advance(200);
      expect(states(writes)).toEqual(['The client disconnected', 'done']);
      expect(committed()).toEqual([['b']]);
    });

    it('commit its write if that was sent', async () => {
      pool.server.when('update ', slow(50, []));
      const disconnect = new FakeDisconnect();
      const writes = [write('a', { disconnect }), write('b')];
      await clock.advance(20);
      disconnect.hangUp();
      await clock.advance(200);
      expect(states(writes)).toEqual(['done', 'done']);
      expect(committed()).toEqual([['a', 'b']]);
    });

    it('are cancelled and rolled back if all clients disconnect before the write is sent', async () => {
      pool.server.when('select ', hanging);
      const hangups = [new FakeDisconnect(), new FakeDisconnect()];
      const writes = hangups.map((disconnect, i) => write(`w${i}`, { disconnect }));
      await clock.advance(20);
      for (const disconnect of hangups) disconnect.hangUp();
      await clock.advance(20);
      expect(states(writes)).toEqual(['The client disconnected', 'The client disconnected']);
      expect(pool.server.cancelled).toHaveLength(1);
      expect(committed()).toEqual([]);
    });
  });

  describe('that exceed "statementTimeout"', () => {
    beforeEach(() => {
      pool = new TestPool(clock, { max: 20, statementTimeout: 500 });
    });

    it('fail with 503 and are rolled back before COMMIT was sent', async () => {
      pool.server.when('select a', hanging);
      const writes = [write('a'), write('b')];
      await clock.advance(520);
      expect(writes[0]?.error).toMatchObject({ status: 503, details: { limit: 'statementTimeout' } });
      expect(committed()).toEqual([]);
      expect(pool.server.cancelled).toHaveLength(1);
    });

    it('succeed if COMMIT returns within a second after it', async () => {
      pool.server.when(COMMIT, { ...stuck, after: 900 });
      const writes = [write('a'), write('b')];
      await clock.advance(1000);
      expect(states(writes)).toEqual(['done', 'done']);
    });

    it('ask for the outcome if COMMIT does not return within a second after it', async () => {
      pool.server.when(COMMIT, stuck);
      pool.server.when('pg_xact_status', [{ status: 'committed' }]);
      const writes = [write('a'), write('b')];
      await clock.advance(1400);
      expect(states(writes)).toEqual(['pending', 'pending']);
      await clock.advance(200);
      expect(states(writes)).toEqual(['done', 'done']);
    });
  });

  it('wait for the writer of the same document without a connection', async () => {
    const traits = { mutex: 'note 1' };
    const writes = [1, 2].map((n) =>
      pool.write((runner) => runner.finish([statement(`update ${n}`)]), traits),
    );
    await clock.settle();
    expect(pool.driver.inUse).toBe(1);
    await clock.advance(10);
    expect(states(writes)).toEqual(['done', 'done']);
    expect(committed()).toEqual([['1'], ['2']]);
  });
});
