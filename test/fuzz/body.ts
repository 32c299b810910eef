/**
 * `npm run fuzz:body [-- --requests N --seconds N --seed S --adapter express|fastify]`: sends arbitrary
 * bodies for the whole model. None causes a 5xx, a 4xx changes no row, and reads return accepted values
 * unchanged.
 */
import { startPostgres } from '../support/postgres-server.ts';
import { describeBudget, readBudget } from './budget.ts';
import { BodyFuzz, fuzzBodies } from './body-run.ts';

const { budget, values } = readBudget({
  name: 'fuzz:body',
  proves: 'No body causes a 5xx, a 4xx changes no row, and reads return accepted values unchanged.',
  budget: { requests: 20_000 },
  options: { adapter: { type: 'string' } },
  help: { 'adapter A': 'express or fastify (both)' },
});
const { seed } = budget;
const adapters =
  values['adapter'] === undefined
    ? (['express', 'fastify'] as const)
    : [values['adapter'] as 'express' | 'fastify'];
console.log(`fuzz:body with ${describeBudget(budget)}`);
const server = await startPostgres();
process.env.TEST_DATABASE_URL = server.url;
let failed = 0;
try {
  for (const adapter of adapters) {
    const start = performance.now();
    const fuzz = await BodyFuzz.open(adapter, seed);
    try {
      const failures = await fuzzBodies(fuzz, {
        runs: Math.ceil(Math.min(budget.requests, 2 ** 30) / adapters.length),
        seconds: budget.seconds / adapters.length,
        seed,
        most: 12,
      });
      for (const { problems, shown } of failures)
        console.log(`\nFAILED: ${problems.join('\n  ')}\n  ${shown}`);
      failed += failures.length;
      console.log(
        `${adapter}: ${((performance.now() - start) / 1000).toFixed(0)} s, ${fuzz.compared} values read back, ${fuzz.described.counts.described} responses compared with the API description, statuses ${JSON.stringify(fuzz.statuses)}`,
      );
    } finally {
      await fuzz.close();
    }
  }
} finally {
  await server.stop();
}
console.log(failed === 0 ? 'fuzz:body: passed' : `fuzz:body: ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
