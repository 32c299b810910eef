/** Processes that are killed and a server that restarts lose no event; listening alone does. */
import { PostgresNode } from '../support/postgres-node.ts';
import { runEvents, type RunOptions } from './kills/run.ts';

const run = async (by: RunOptions['by']): Promise<readonly string[]> => {
  const server = await PostgresNode.start();
  try {
    const options = {
      server,
      by,
      writes: 900,
      instances: 3,
      kills: 2,
      restarts: 1,
      seed: 5,
      say: () => undefined,
    };
    return (await runEvents(options)).problems;
  } finally {
    await server.stop();
  }
};

describe('events of killed processes', () => {
  it('21.5: arrive at least once, in the order of their documents', async () => {
    expect(await run('log')).toEqual([]);
  });

  it('are lost by a system that listens', async () => {
    let lost: readonly string[] = [];
    // A run may kill at moments without events on their way.
    for (let attempt = 0; attempt < 3 && lost.length === 0; attempt += 1) lost = await run('notify');
    expect(lost).not.toEqual([]);
  });
});
