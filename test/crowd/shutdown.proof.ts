/** A process under load ends soon after SIGTERM, and no completely sent request is lost. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startHost } from '../http/helpers.ts';
import { ContentModule } from 'nestjs-content-api';
import { ADAPTERS } from '../support/app.ts';
import { note } from '../support/notes.ts';

const CHILD = fileURLToPath(new URL('./shutdown-child.ts', import.meta.url));
const LOADER = fileURLToPath(new URL('../support/from-source.mjs', import.meta.url));
/** Milliseconds between the last response and the end of the process. */
const SOON = 3000;
/** Milliseconds after SIGTERM until clients stop without an error. */
const LONGEST = 15_000;

interface Tally {
  statuses: Record<number, number>;
  errors: string[];
  /** Time of the last response. */
  last: number;
}

/** Sends a request on a keep-alive connection; returns true if the response keeps it open. */
function send(agent: Agent, url: string, tally: Tally, body?: string): Promise<boolean> {
  return new Promise((resolve) => {
    const method = body === undefined ? 'GET' : 'POST';
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const sent = request(url, { agent, method, headers }, (response) => {
      const status = response.statusCode ?? 0;
      response.resume().on('end', () => {
        tally.statuses[status] = (tally.statuses[status] ?? 0) + 1;
        tally.last = performance.now();
        resolve(response.headers.connection !== 'close');
      });
    });
    sent.on('error', (error) => {
      tally.errors.push(String(error));
      resolve(false);
    });
    sent.end(body);
  });
}

describe.each(ADAPTERS)('a process on %s', (adapter) => {
  async function withChild(work: (url: string, child: ChildProcess) => Promise<void>): Promise<void> {
    const host = await startHost(
      ({ url }) => ({
        imports: [ContentModule.forRoot({ contentTypes: [note], database: { clientUrl: url } })],
      }),
      { tables: true },
    );
    const child = fork(CHILD, [host.database.url, adapter], {
      execArgv: ['--no-warnings', '--import', LOADER],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    try {
      const [url] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as unknown[];
      await work(String(url), child);
    } finally {
      child.kill('SIGKILL');
      await host.close();
    }
  }

  it.each([8, 24])('ends after SIGTERM under load of %d clients, and resets no request', async (clients) => {
    await withChild(async (url, child) => {
      const tally: Tally = { statuses: {}, errors: [], last: 0 };
      let stopAt = Infinity;
      const client = async (): Promise<void> => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 });
        while ((await send(agent, `${url}/api/notes`, tally)) && performance.now() < stopAt);
        agent.destroy();
      };
      const busy = Promise.all(Array.from({ length: clients }, client));
      await sleep(500);
      // Requests on keep-alive connections that run when the signal arrives.
      const agent = new Agent({ keepAlive: true });
      const body = JSON.stringify({ data: { title: 'late' } });
      const writes = Promise.all(
        Array.from({ length: 4 }, () => send(agent, `${url}/api/notes`, tally, body)),
      );
      await sleep(200);
      const exited = once(child, 'exit');
      stopAt = performance.now() + LONGEST;
      child.kill('SIGTERM');
      await exited;
      const took = performance.now() - tally.last;
      await Promise.all([busy, writes]);
      agent.destroy();
      expect(tally.errors).toEqual([]);
      expect(tally.statuses).toEqual({ 200: expect.any(Number), 201: 4 });
      expect(took).toBeLessThan(SOON);
    });
  });
});
