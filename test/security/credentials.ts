/**
 * `npm run fuzz:credentials [-- --runs N --seed S]`: any request with any credential is answered without a
 * 5xx, and no credential, secret, password or hash comes back in an answer or a log line.
 */
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { ADAPTERS } from '../support/app.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { cases } from './credentials-cases.ts';
import { Watched } from './credentials-run.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  },
});
const [runs, seed] = [Number(values.runs), Number(values.seed)];
let failures = 0;

const fail = (what: string): void => {
  failures += 1;
  console.log(`FAILED: ${what}`);
};
process.on('unhandledRejection', (error) => fail(`unhandled: ${String(error)}`));

console.log(`fuzz:credentials with seed ${seed}, ${runs} requests`);
const postgres = await startPostgres();
process.env['TEST_DATABASE_URL'] = postgres.url;
try {
  for (const [i, adapter] of ADAPTERS.entries()) {
    const watched = await Watched.start(adapter);
    const start = performance.now();
    const { problems, statuses, issued, logLines } = await watched.run(
      fc.sample(cases, { seed: seed + i, numRuns: Math.ceil(runs / ADAPTERS.length) }),
    );
    problems.forEach(fail);
    const answers = Object.entries(statuses)
      .map(([status, n]) => `${status}: ${n}`)
      .join(', ');
    console.log(
      `${adapter}: ${((performance.now() - start) / 1000).toFixed(0)} s (${answers}), ${issued} answers gave tokens, ${logLines} log lines`,
    );
    await watched.close();
  }
} finally {
  await postgres.stop();
}
console.log(failures === 0 ? 'fuzz:credentials: passed' : `fuzz:credentials: ${failures} failed`);
process.exitCode = failures === 0 ? 0 : 1;
