/** Transactions of the library: few round trips, rollback, and the outcome of a COMMIT without response. */
import { useFakeClock } from './fake-clock.ts';
import { COMMIT, lost, type Reply, refusal, slow } from './fake-wire.ts';
import { type Outcome, statement, TestPool } from './start-pool.ts';

const IDENTITY = expect.stringContaining('pg_current_xact_id');
const BEGIN = 'begin isolation level read committed';

describe('a transaction', () => {
  const clock = useFakeClock();
  let pool: TestPool;
  beforeEach(() => {
    pool = new TestPool(clock, { max: 3 });
  });
  afterEach(() => pool.end());

  it('is one write to the socket if it has one step', async () => {
    const write = pool.write((runner) => runner.finish([statement('update'), statement('select')]));
    await clock.advance(10);
    expect(write.state).toBe('done');
    expect(pool.server.batches).toEqual([[BEGIN, IDENTITY, 'update', 'select', 'commit']]);
  });

  it('begins with its first step and commits with its last one', async () => {
    pool.server.when('select 1', [{ a: 1 }]);
    pool.server.when('select 2', [{ b: 2 }]);
    const write = pool.write(async (runner) => [
      await runner.run(statement('select 1')),
      await runner.all([statement('select 2'), statement('select 1')]),
      await runner.finish([statement('select 2')]),
    ]);
    await clock.advance(10);
    expect(write.value).toEqual([[{ a: 1 }], [[{ b: 2 }], [{ a: 1 }]], [[{ b: 2 }]]]);
    expect(pool.server.batches).toEqual([
      [BEGIN, IDENTITY, 'select 1'],
      ['select 2', 'select 1'],
      ['select 2', 'commit'],
    ]);
  });

  it('commits after its work if that has no last step', async () => {
    const write = pool.write((runner) => runner.run(statement('update')));
    await clock.advance(10);
    expect(write.state).toBe('done');
    expect(pool.server.batches.at(-1)).toEqual(['commit']);
  });

  it('sends nothing if its work runs no statement', async () => {
    const write = pool.write(() => Promise.resolve('nothing to do'));
    await clock.advance(10);
    expect(write.value).toBe('nothing to do');
    expect(pool.server.executed).toEqual([]);
  });

  it('is rolled back when a statement fails, without the statements after it', async () => {
    pool.server.when('update 2', refusal('23505', 'duplicate key'));
    const write = pool.write((runner) =>
      runner.finish([statement('update 1'), statement('update 2'), statement('update 3')]),
    );
    await clock.advance(10);
    expect(write.state).toBe('duplicate key');
    expect(pool.server.ran('update 3')).toEqual([]);
    expect(pool.server.executed.at(-1)?.text).toBe('rollback');
    expect(pool.server.committed).toEqual([]);
  });

  it('is rolled back when its work fails', async () => {
    const write = pool.write(async (runner) => {
      await runner.run(statement('update'));
      throw new Error('The title is too long');
    });
    await clock.advance(10);
    expect(write.state).toBe('The title is too long');
    expect(pool.server.executed.at(-1)?.text).toBe('rollback');
  });

  it('has its connection closed if it cannot be rolled back', async () => {
    pool.server.when('update', refusal('23505', 'duplicate key'));
    pool.server.when('rollback', refusal('XX000', 'cannot roll back'));
    const write = pool.write((runner) => runner.run(statement('update')));
    await clock.advance(10);
    expect(write.state).toBe('duplicate key');
    expect(pool.driver.totalCount).toBe(0);
  });

  it('disables JIT if the server may compile its statements', async () => {
    pool = new TestPool(clock, { options: '' });
    pool.write((runner) => runner.finish([statement('update')]));
    await clock.advance(10);
    expect(pool.server.ran("set_config('jit', 'off', true)")).toHaveLength(1);
  });

  it.each([
    [500, '1500'],
    [0, '0'],
  ])('sets the timeout of the server if the session has none (%i ms)', async (statementTimeout, bound) => {
    pool = new TestPool(clock, { statementTimeout, preparedStatements: false });
    pool.write((runner) => runner.finish([statement('update')]));
    await clock.advance(10);
    const [start] = pool.server.executed.filter(({ text }) =>
      text.includes("set_config('statement_timeout'"),
    );
    expect([start?.text, start?.values]).toEqual([expect.stringContaining("when '0' then"), [bound]]);
  });

  it('sends one statement at a time if the driver does not support pipelining', async () => {
    pool = new TestPool(clock, { pipelines: false });
    const write = pool.write((runner) => runner.finish([statement('update 1'), statement('update 2')]));
    await clock.advance(20);
    expect(write.state).toBe('done');
    expect(pool.server.batches).toEqual([[BEGIN], [IDENTITY], ['update 1'], ['update 2'], ['commit']]);
  });
});

describe('a transaction without a response to its COMMIT', () => {
  const clock = useFakeClock();
  let pool: TestPool;
  let write: Outcome<unknown>;
  afterEach(() => pool.end());

  const UNKNOWN = expect.objectContaining({ name: 'OutcomeUnknownError', status: 503 });
  /** Runs a write whose connection is lost with COMMIT, and replies to the queries for its outcome in order. */
  const run = async (replies: readonly Reply[], commit: Reply = lost): Promise<void> => {
    pool = new TestPool(clock, { max: 3 });
    pool.server.when('select row', [{ id: 1 }]);
    pool.server.when(COMMIT, commit);
    for (const reply of replies) pool.server.once('pg_xact_status', reply);
    write = pool.write((runner) => runner.finish([statement('update'), statement('select row')]));
    await clock.advance(50);
  };
  const questions = (): number => pool.server.ran('pg_xact_status').length;

  it('succeeds with its rows if it has committed', async () => {
    await run([[{ status: 'committed' }]]);
    expect(write.value).toEqual([[], [{ id: 1 }]]);
  });

  it('fails with the error of the connection if it has not committed', async () => {
    await run([[{ status: 'aborted' }]]);
    expect(write.error).toBe(lost);
  });

  it('has an unknown outcome if the server does not know it', async () => {
    await run([[{ status: null }]]);
    expect(write.error).toEqual(UNKNOWN);
    expect(questions()).toBe(1);
  });

  it('is queried again while the server is committing', async () => {
    const committing = [{ status: 'in progress' }];
    await run([committing, committing, [{ status: 'committed' }]]);
    expect([write.state, questions()]).toEqual(['pending', 1]);
    await clock.advance(150);
    expect([write.state, questions()]).toEqual(['done', 3]);
  });

  it('is queried again while the server is unreachable', async () => {
    await run([refusal('57P03', 'the database system is starting up'), [{ status: 'committed' }]]);
    await clock.advance(100);
    expect(write.state).toBe('done');
  });

  it('has an unknown outcome after six queries in about 1.5 seconds', async () => {
    await run([]);
    pool.server.when('pg_xact_status', [{ status: 'in progress' }]);
    await clock.advance(1450);
    expect(write.state).toBe('pending');
    await clock.advance(200);
    expect(write.error).toEqual(UNKNOWN);
    expect(questions()).toBe(6);
  });

  it('is queried on another connection, with its id, its start and its server', async () => {
    await run([[{ status: 'committed' }]]);
    const [commit] = pool.server.executed.filter(({ text }) => text === 'commit');
    const [question] = pool.server.executed.filter(({ text }) => text.includes('pg_xact_status'));
    expect(question?.connection).not.toBe(commit?.connection);
    expect(question?.values).toEqual(expect.arrayContaining(['7', '2026-01-01', '1']));
    expect(pool.server.connections[0]?._queryable).toBe(false);
  });

  it('has an unknown outcome, without a query, if its id was not received', async () => {
    pool = new TestPool(clock);
    pool.server.when('pg_xact_status', [{ status: 'aborted' }]);
    pool.server.once('update', lost);
    write = pool.write((runner) => runner.finish([statement('update')]));
    await clock.advance(2000);
    expect(write.error).toEqual(UNKNOWN);
    expect(questions()).toBe(0);
  });

  it('fails without a query if its connection was lost before COMMIT was sent', async () => {
    pool = new TestPool(clock);
    write = pool.write(async (runner) => {
      await runner.run(statement('select'));
      pool.driver._clients[0]?.lose();
      return runner.finish([statement('update')]);
    });
    await clock.advance(2000);
    expect(write.state).toBe('Client has encountered a connection error');
    expect([questions(), pool.server.ran('update')]).toEqual([0, []]);
  });

  it('has an unknown outcome if its session ended before COMMIT, but its statements arrived later', async () => {
    // A pooler may send such an error for a session whose results it has lost.
    pool = new TestPool(clock);
    pool.server.once(
      /^begin/,
      refusal('57P05', 'terminating connection due to idle-session timeout', 'FATAL'),
    );
    write = pool.write((runner) => runner.finish([statement('update')]));
    await clock.advance(2000);
    expect(write.error).toEqual(UNKNOWN);
  });

  it('fails without a query if the server refuses the COMMIT', async () => {
    await run([], refusal('23503', 'deferred constraint'));
    expect(write.state).toBe('deferred constraint');
    expect(questions()).toBe(0);
    expect(pool.server.executed.at(-1)?.text).toBe('rollback');
  });

  it.each([
    ['is shut down', refusal('57P01', 'terminating connection', 'FATAL')],
    ['ends the session as idle', refusal('25P03', 'idle in transaction')],
  ])('is queried if the server %s', async (_title, commit) => {
    await run([[{ status: 'committed' }]], commit);
    expect([write.state, questions()]).toEqual(['done', 1]);
  });

  it('does not wait for its connection to respond', async () => {
    await run([[{ status: 'committed' }]], slow(20, lost));
    expect(write.state).toBe('done');
  });
});
