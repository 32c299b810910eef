/**
 * `npm run evolution [-- --only REGEX]`: changes of models, each from a model with data to another, over the
 * library's own migration and back. `-- --rolling N`: N of them under load, with two old and two new processes
 * on one database.
 */
import { parseArgs } from 'node:util';
import { startPostgres } from '../support/postgres-server.ts';
import { CHANGES } from './cases.ts';
import { rollOut } from './rolling.ts';
import { runChange } from './run.ts';

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, rolling: { type: 'string' } },
});
const server = await startPostgres();
process.env['TEST_DATABASE_URL'] = server.url;
const started = performance.now();
let failed = 0;
let passed = 0;
let requests = 0;
const stale: Record<string, number> = {};
const wanted = CHANGES.filter(({ name }) => new RegExp(values.only).test(name));

/** How long each change is under load, in milliseconds. */
const UNDER_LOAD = 6000;

/** Changes that nobody has to allow, evenly taken from all. */
async function roll(count: number): Promise<void> {
  const quiet = wanted.filter(({ refused, isFilled }) => refused === undefined && isFilled !== true);
  const sample = Array.from(
    { length: Math.min(count, quiet.length) },
    (_, i) => quiet[Math.floor((i * quiet.length) / Math.min(count, quiet.length))],
  );
  for (const change of sample)
    if (change !== undefined)
      try {
        const counts = await rollOut(change, UNDER_LOAD);
        passed += 1;
        requests += Object.values(counts).reduce((sum, one) => sum + one, 0);
        console.log(`${change.name}  ${JSON.stringify(counts)}`);
      } catch (error) {
        failed += 1;
        console.log(`FAILED  ${(error as Error).message.slice(0, 3000)}`);
      }
}

if (values.rolling !== undefined) await roll(Number(values.rolling));
for (const change of values.rolling === undefined ? wanted : [])
  try {
    const outcome = await runChange(change);
    passed += 1;
    requests += outcome.requests;
    for (const [status, count] of Object.entries(outcome.stale)) stale[status] = (stale[status] ?? 0) + count;
    console.log(`${outcome.values}  ${outcome.back ? 'and back' : '        '}  ${change.name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED        ${(error as Error).message.slice(0, 3000)}`);
    if (values.only !== '') console.log(error);
  }
await server.stop();
console.log(`${requests} requests in ${((performance.now() - started) / 1000).toFixed(0)} s`);
if (values.rolling === undefined)
  console.log(`the old application after each change, by status: ${JSON.stringify(stale)}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
