/**
 * `npm run fuzz:credentials [-- --requests N --seconds N --seed S]`: no request with any credential returns a
 * 5xx. No credential, secret, password or hash appears in a response or a log line.
 */
import fc from 'fast-check';
import { ADAPTERS } from '../support/app.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { describeBudget, readBudget } from '../fuzz/budget.ts';
import { type Case, cases } from './credentials-cases.ts';
import { Watched } from './credentials-run.ts';

const { budget } = readBudget({
  name: 'fuzz:credentials',
  proves: 'No request with any credential returns a 5xx, and no secret appears in a response or the log.',
  budget: { requests: 10_000 },
});
/** Number of cases that are generated at once. */
const BATCH = 500;

/** Generates the cases that the budget allows for one adapter. */
function* allowed(seed: number): Generator<Case> {
  const until = performance.now() + (budget.seconds * 1000) / ADAPTERS.length;
  const most = Math.ceil(budget.requests / ADAPTERS.length);
  for (let made = 0; made < most; made += BATCH)
    for (const one of fc.sample(cases, { seed: seed + made, numRuns: Math.min(BATCH, most - made) })) {
      if (performance.now() > until) return;
      yield one;
    }
}

let failures = 0;

const fail = (what: string): void => {
  failures += 1;
  console.log(`FAILED: ${what}`);
};
process.on('unhandledRejection', (error) => fail(`unhandled: ${String(error)}`));

console.log(`fuzz:credentials with ${describeBudget(budget)}`);
const postgres = await startPostgres();
process.env['TEST_DATABASE_URL'] = postgres.url;
try {
  for (const [i, adapter] of ADAPTERS.entries()) {
    const watched = await Watched.start(adapter);
    const start = performance.now();
    const { problems, statuses, issued, logLines } = await watched.run(allowed(budget.seed + i));
    problems.forEach(fail);
    const answers = Object.entries(statuses)
      .map(([status, n]) => `${status}: ${n}`)
      .join(', ');
    console.log(
      `${adapter}: ${((performance.now() - start) / 1000).toFixed(0)} s (${answers}), ${issued} responses with tokens, ${logLines} log lines`,
    );
    await watched.close();
  }
} finally {
  await postgres.stop();
}
console.log(failures === 0 ? 'fuzz:credentials: passed' : `fuzz:credentials: ${failures} failed`);
process.exitCode = failures === 0 ? 0 : 1;
