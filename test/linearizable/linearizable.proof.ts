/** A sample of `npm run linearizable`. */
import { createDatabase } from '../support/database.ts';
import { LinearizableRun, type Outcome } from './run.ts';

/** A quarter of the operations. */
const SHARE = 500;

describe('two instances, each in a process of its own', () => {
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

  it('never answer anything older than what somebody could know, whoever writes', async () => {
    const { problems, reads, writes, hits } = await run('ledger', 4 * SHARE);
    expect(problems).toEqual([]);
    expect([reads > SHARE, writes > SHARE / 10, hits > SHARE / 10]).toEqual([true, true, true]);
  }, 120_000);

  it('answer too late where they wait to be told, and that is found', async () => {
    // It ends with the first one that is found, which takes thousands where messages are fast.
    expect((await run('notify', 60_000)).problems.length).toBeGreaterThan(0);
  }, 120_000);
});
