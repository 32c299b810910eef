/**
 * `npm run evolution [-- --only REGEX]`
 *
 * Changes of models, each from a model with data to another, by the library's own migration, and back. Then
 * the same on two databases that differ only in hidden values, which must stay hidden. `--leak` repeats it
 * with an application that shows them, which must fail. `--rolling N` runs N changes under load, with two old
 * and two new processes on one database. `--random N` runs N random pairs of models; `--seed S` repeats them,
 * `--only-pair N` runs one of them.
 */
import { parseArgs } from 'node:util';
import { startPostgres } from '../support/postgres-server.ts';
import { CHANGES } from './cases.ts';
import { HARD } from './hard-cases.ts';
import { runPairs } from './pairs/random.ts';
import { rollOut } from './rolling.ts';
import { runChange } from './run.ts';
import { runWorlds } from './worlds.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    rolling: { type: 'string' },
    random: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    'only-pair': { type: 'string' },
    leak: { type: 'boolean', default: false },
  },
});
const server = await startPostgres();
process.env['TEST_DATABASE_URL'] = server.url;
const started = performance.now();
let failed = 0;
let passed = 0;
let requests = 0;
const wanted = [...CHANGES, ...HARD].filter(({ name }) => new RegExp(values.only).test(name));

/** Time of each change under load, in milliseconds. */
const UNDER_LOAD = 6000;

/** Runs changes that need no consent, evenly taken from all. */
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
        fail(error);
      }
}

/** Reports a failed change, and continues. */
function fail(error: unknown): void {
  failed += 1;
  console.log(`FAILED  ${(error as Error).message.slice(0, 3000)}`);
  if (values.only !== '') console.log(error);
}

/** Runs each change, there and back. */
async function change(): Promise<void> {
  const stale: Record<string, number> = {};
  for (const one of wanted)
    try {
      const outcome = await runChange(one);
      passed += 1;
      requests += outcome.requests;
      for (const [status, count] of Object.entries(outcome.stale))
        stale[status] = (stale[status] ?? 0) + count;
      console.log(`${outcome.values}  ${outcome.back ? 'and back' : '        '}  ${one.name}`);
    } catch (error) {
      fail(error);
    }
  console.log(`the old application after each change, by status: ${JSON.stringify(stale)}`);
}

/** Runs each change on databases that differ in hidden values. */
async function hide(): Promise<void> {
  let differing = 0;
  for (const one of wanted)
    try {
      const { questions, differ } = await runWorlds(one, values.leak ? ['readDrafts'] : []);
      passed += 1;
      requests += 2 * questions;
      differing += differ ? 1 : 0;
    } catch (error) {
      fail(error);
    }
  console.log(
    `${differing} of ${wanted.length} changes had hidden content, as a caller with all permissions sees`,
  );
  if (differing < wanted.length / 2)
    fail(new Error('most databases are alike: their responses prove nothing'));
}

async function randomPairs(): Promise<void> {
  const only = values['only-pair'];
  const seed = Number(values.seed);
  const range =
    only === undefined ? { first: 0, count: Number(values.random) } : { first: Number(only), count: 1 };
  console.log(`--seed ${seed}`);
  const { faults, ...counts } = await runPairs({ seed, ...range }, console.log, console.log);
  const wrong = Object.values(faults).reduce((sum, one) => sum + one, 0);
  requests += counts.requests;
  passed += counts.pairs - wrong;
  failed += wrong;
  console.log(
    `${counts.pairs} pairs: ${counts.migrated} migrated (${counts.back} with a way back, ` +
      `${counts.advised} refusals followed), ${counts.refused} refused, ${counts['model error']} model errors`,
  );
  console.log(
    Object.entries(faults)
      .map(([fault, count]) => `${fault} ${count}`)
      .join(', '),
  );
}

if (values.random !== undefined || values['only-pair'] !== undefined) await randomPairs();
else if (values.rolling !== undefined) await roll(Number(values.rolling));
else {
  if (!values.leak) await change();
  await hide();
}
await server.stop();
console.log(`${requests} requests in ${((performance.now() - started) / 1000).toFixed(0)} s`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
