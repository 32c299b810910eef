/**
 * `npm run fuzz:body [-- --runs N --seed S --adapter express|fastify]`: arbitrary bodies against the whole
 * model. Never a 5xx, a 4xx changes no row, and what is accepted reads back as it was sent.
 */
import { parseArgs } from 'node:util';
import { startPostgres } from '../support/postgres-server.ts';
import { BodyFuzz, fuzzBodies } from './body-run.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '20000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    adapter: { type: 'string' },
  },
});
const adapters =
  values.adapter === undefined
    ? (['express', 'fastify'] as const)
    : [values.adapter as 'express' | 'fastify'];
const seed = Number(values.seed);
console.log(`fuzz:body: ${values.runs} bodies, seed ${seed}`);
const server = await startPostgres();
process.env.TEST_DATABASE_URL = server.url;
let failed = 0;
try {
  for (const adapter of adapters) {
    const start = performance.now();
    const fuzz = await BodyFuzz.open(adapter, seed);
    try {
      const failures = await fuzzBodies(fuzz, {
        runs: Math.ceil(Number(values.runs) / adapters.length),
        seed,
        most: 12,
      });
      for (const { problems, shown } of failures)
        console.log(`\nFAILED: ${problems.join('\n  ')}\n  ${shown}`);
      failed += failures.length;
      console.log(
        `${adapter}: ${((performance.now() - start) / 1000).toFixed(0)} s, ${fuzz.compared} values read back, statuses ${JSON.stringify(fuzz.statuses)}`,
      );
    } finally {
      await fuzz.close();
    }
  }
} finally {
  await server.stop();
}
console.log(failed === 0 ? 'no failures' : `${failed} failures`);
process.exitCode = failed === 0 ? 0 : 1;
