/** A sample of `npm run linearizable`. */
import { createDatabase } from '../support/database.ts';
import { runReplicated } from './replicated.ts';
import { LinearizableRun, type Outcome } from './run.ts';

/** A quarter of the operations. */
const SHARE = 500;

describe('two instances, each in its own process', () => {
  async function run(by: 'ledger' | 'notify', operations: number): Promise<Outcome> {
    const database = await createDatabase();
    try {
      return await new LinearizableRun({
        seed: 7,
        operations,
        until: Date.now() + 40_000,
        operationsPerRound: by === 'ledger' ? operations / 2 : 400,
        by,
        harms: by === 'ledger' ? ['fold', 'kill'] : ['none'],
        databaseUrl: database.url,
        server: null,
        say: () => undefined,
      }).run();
    } finally {
      await database.drop();
    }
  }

  it('never return a state older than a completed write, for all kinds of writers', async () => {
    const { problems, reads, writes, hits } = await run('ledger', 4 * SHARE);
    expect(problems).toEqual([]);
    expect([reads > SHARE, writes > SHARE / 10, hits > SHARE / 10]).toEqual([true, true, true]);
  });

  it('return stale states if they only listen, and the checker finds it', async () => {
    // Ends with the first violation, which takes thousands of operations if notifications are fast.
    expect((await run('notify', 60_000)).problems.length).toBeGreaterThan(0);
  });
});

/** A sample of `npm run linearizable -- --replicas`. */
describe('clients that repeat their positions', () => {
  it('never read an older state, with a paused replica and after a disorderly failover', async () => {
    const outcomes = Object.values(
      await runReplicated({
        seed: 7,
        scenarios: ['a replica is paused', 'a disorderly failover'],
        operations: 300,
        presents: true,
        say: () => undefined,
      }),
    );
    expect(outcomes.flatMap(({ problems }) => problems)).toEqual([]);
    expect(outcomes.filter(({ reads, reached }) => reads > 0 && reached > 0)).toHaveLength(2);
    expect(outcomes.every(({ sent: [, ...replicas] }) => replicas.some((count) => count > 0))).toBe(true);
  });
});
