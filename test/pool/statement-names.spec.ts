/** Prepared statements: which texts get names, what each connection prepares and closes, and poolers that lose them. */
import { StatementNames, statementName } from '../../src/pool/statement-names.ts';
import type { PoolClient } from '../../src/pool/pool-types.ts';
import { useFakeClock } from './fake-clock.ts';
import { refusal, slow } from './fake-wire.ts';
import { statement, TestPool } from './start-pool.ts';

const A = 'select a';
const B = 'select b';

describe('the name of a text', () => {
  const start = (count = 100, size = 1_000_000): StatementNames => new StatementNames({ count, size });
  const use = (names: StatementNames, ...texts: readonly string[]): (string | null)[] =>
    texts.map((text) => names.of(text).name);

  it('is given with its second use', () => {
    expect(use(start(), A, A, A)).toEqual([null, statementName(A), statementName(A)]);
  });

  it('is a digest, so that all processes give the same one to a text', () => {
    expect(statementName(A)).toMatch(/^content_[0-9a-f]{32}$/);
    expect(statementName(A)).toBe(statementName('select a'));
    expect(statementName(A)).not.toBe(statementName(B));
  });

  it('is not given to texts of more than 16,384 characters', () => {
    const names = start();
    for (const [length, isNamed] of [
      [16_384, true],
      [16_385, false],
    ] as const) {
      const text = 'x'.repeat(length);
      expect(use(names, text, text)[1] !== null).toBe(isNamed);
    }
  });

  it('is given to as many texts as the settings allow, and stays with these', () => {
    expect(use(start(1), A, A, B, B, A)).toEqual([null, statementName(A), null, null, statementName(A)]);
  });

  it('is given as long as the characters of all named texts are within the limit', () => {
    expect(use(start(100, A.length), A, A, B, B)).toEqual([null, statementName(A), null, null]);
  });

  it('is given to none if the settings allow none', () => {
    const names = start(0);
    expect([names.isOn, use(names, A, A)]).toEqual([false, [null, null]]);
  });

  it('is withdrawn from all texts when naming stops', () => {
    const names = start();
    const known = names.of(A);
    use(names, A);
    names.stop();
    expect([names.isOn, known.name, ...use(names, A, A)]).toEqual([false, null, null, null]);
  });

  describe('is withdrawn from a text', () => {
    const client = {} as PoolClient;
    /** Uses other texts until the text was not used for a generation. */
    const useOthers = (names: StatementNames, count: number): void => {
      for (let i = 0; i < count; i += 1) use(names, `other ${i}`);
    };

    it('that is not used while 1,000 other texts are', () => {
      const names = start(1);
      use(names, A, A);
      names.note(client, statementName(A));
      useOthers(names, 499);
      expect(names.release(client)).toEqual([]);
      useOthers(names, 1002);
      expect(names.release(client)).toEqual([statementName(A)]);
      expect(names.release(client)).toEqual([]);
      expect(use(names, B, B)[1]).toBe(statementName(B));
    });

    it('whose characters are free for other texts then', () => {
      const names = new StatementNames({ count: 100, size: A.length });
      use(names, A, A);
      for (let i = 0; i < 1001; i += 1) use(names, `other ${i}`);
      expect(use(names, B, B)[1]).toBe(statementName(B));
    });

    it('that is not used in 10,000 uses of others', () => {
      const names = start(2);
      use(names, A, A, B, B);
      names.note(client, statementName(A));
      for (let i = 0; i < 10_002; i += 1) use(names, B);
      expect(names.release(client)).toEqual([statementName(A)]);
    });

    it('but not from one that is used in each generation', () => {
      const names = start(1);
      use(names, A, A);
      names.note(client, statementName(A));
      for (let round = 0; round < 6; round += 1) {
        useOthers(names, 300 * (round + 1));
        use(names, A);
      }
      expect(use(names, A)).toEqual([statementName(A)]);
    });
  });
});

describe('prepared statements of a connection', () => {
  const clock = useFakeClock();
  let pool: TestPool;
  const start = (
    options: { maxPreparedStatements?: number; preparedStatements?: boolean; max?: number } = {},
  ) => {
    pool = new TestPool(clock, { max: 1, ...options });
    for (const text of [A, B]) pool.server.when(text, [{ id: 1 }]);
  };
  afterEach(() => pool.end());

  const read = async (...texts: readonly string[]): Promise<string[]> => {
    const reads = texts.map((text) => pool.read(text));
    await clock.advance(50);
    return reads.map(({ state }) => state);
  };
  const names = (): readonly string[] => pool.server.executed.map(({ name }) => name);

  it('are prepared once and run by name', async () => {
    start();
    for (let run = 0; run < 3; run += 1) await read(A);
    expect(names()).toEqual(['', statementName(A), statementName(A)]);
    expect(pool.server.parsed).toEqual(['', statementName(A)]);
  });

  it('are described once', async () => {
    start();
    for (let run = 0; run < 4; run += 1) await read(A);
    expect(pool.server.described).toBe(2);
  });

  it('are prepared by each connection for itself', async () => {
    start({ max: 2 });
    await read(A);
    await read(A);
    pool.server.once(A, slow(100, [{ id: 1 }]));
    const reads = [pool.read(A, { mutex: 'one' })];
    await clock.advance(10);
    reads.push(pool.read(A));
    await clock.advance(110);
    expect(reads.map(({ state }) => state)).toEqual(['done', 'done']);
    expect(pool.server.parsed).toEqual(['', statementName(A), statementName(A)]);
  });

  it('are prepared again after an error of their first run', async () => {
    start();
    await read(A);
    pool.server.once(A, refusal('22012', 'division by zero'));
    expect(await read(A)).toEqual(['division by zero']);
    expect(await read(A)).toEqual(['done']);
    expect(pool.server.closed).toEqual([statementName(A)]);
  });

  it('are closed with the next statement when they are no longer used', async () => {
    start({ maxPreparedStatements: 2 });
    await read(A);
    await read(A);
    for (let i = 0; i < 1001; i += 1) pool.native['names'].of(`other ${i}`);
    expect(pool.server.closed).toEqual([]);
    await read(B);
    expect(pool.server.closed).toEqual([statementName(A)]);
    expect(pool.server.batches.at(-1)).toEqual([B]);
    expect(await read(A)).toEqual(['done']);
  });

  it('are prepared again when they are used again after that', async () => {
    start({ maxPreparedStatements: 1 });
    await read(A);
    await read(A);
    for (let i = 0; i < 1001; i += 1) pool.native['names'].of(`other ${i}`);
    await read(B);
    expect(pool.server.closed).toEqual([statementName(A)]);
    await read(A);
    expect(await read(A)).toEqual(['done']);
    expect(names().at(-1)).toBe(statementName(A));
    expect(pool.warnings).toEqual([]);
  });

  it('are not used if the setting is off', async () => {
    start({ preparedStatements: false });
    for (let run = 0; run < 3; run += 1) await read(A);
    expect(names()).toEqual(['', '', '']);
  });

  it('are not used if the driver does not support pipelining', async () => {
    pool = new TestPool(clock, { pipelines: false });
    pool.server.when(A, [{ id: '1' }]);
    for (let run = 0; run < 3; run += 1) expect(await read(A)).toEqual(['done']);
    expect(names()).toEqual(['', '', '']);
  });

  describe('that a pooler has lost', () => {
    const LOST = [
      ['26000', 'prepared statement "content_1" does not exist'],
      ['42P05', 'prepared statement "content_1" already exists'],
      ['08P01', 'bind message supplies 1 parameters, but prepared statement "content_1" requires 0'],
    ] as const;

    it.each(LOST)(
      'are replaced by unnamed ones after the error %s, and the read is repeated',
      async (...error) => {
        start();
        await read(A);
        pool.server.once(A, refusal(...error));
        expect(await read(A)).toEqual(['done']);
        await read(A, B);
        expect(names()).toEqual(['', statementName(A), '', '', '']);
      },
    );

    it('are replaced when another server session answers', async () => {
      start();
      await read(A);
      await read(A);
      pool.server.connections[0]!.prepared = new Map();
      expect(await read(A)).toEqual(['done']);
      expect(names().at(-1)).toBe('');
    });

    it('are reported once, with advice', async () => {
      start();
      await read(A);
      for (let i = 0; i < 2; i += 1) {
        pool.server.once(A, refusal(...LOST[0]));
        await read(A);
      }
      expect(pool.warnings).toEqual([
        'prepared statement "content_1" does not exist. A connection pooler in transaction mode does not keep ' +
          'prepared statements, so none are used: set "preparedStatements: false"',
      ]);
    });

    it('are replaced in writes, which run again', async () => {
      start();
      let runs = 0;
      pool.server.once('update', refusal(...LOST[0]));
      const write = pool.write((runner) => {
        runs += 1;
        return runner.finish([statement('update')]);
      });
      await clock.advance(20);
      expect([write.state, runs]).toEqual(['done', 2]);
      expect(pool.server.committed).toEqual([[expect.any(String), 'update']]);
    });

    it('have no part in other protocol errors', async () => {
      start();
      pool.server.once(A, refusal('08P01', 'invalid message format'));
      expect(await read(A)).toEqual(['invalid message format']);
      expect(pool.warnings).toEqual([]);
    });
  });

  it('are prepared once by a batch that runs them twice', async () => {
    start({ max: 2 });
    const writeTwice = () =>
      pool.write((runner) => runner.finish([statement('update'), statement('update')]));
    writeTwice();
    await clock.advance(20);
    pool.server.once(A, slow(100));
    pool.read(A);
    const write = writeTwice();
    await clock.advance(20);
    expect(write.state).toBe('done');
    const onSecond = pool.server.executed.filter(({ connection }) => connection === 2);
    expect(onSecond.filter(({ name }) => name === statementName('update'))).toHaveLength(2);
  });
});
