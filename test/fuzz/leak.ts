/**
 * `npm run fuzz:leak [-- --seed S --caller NAME --full --concurrency C]`: two databases that differ only in
 * what a caller may not see answer byte for byte the same, whatever is asked.
 */
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { startPostgres } from '../support/postgres-server.ts';
import { requests } from './arbitraries.ts';
import { askOpen, askPair, each, type Question } from './leak-check.ts';
import { type Probe, probes } from './leak-probes.ts';
import { CALLERS, makeWorlds, type Pair, schema } from './leak-worlds.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    caller: { type: 'string', multiple: true, default: Object.keys(CALLERS) },
    /** Everything about every way, which takes hours. */
    full: { type: 'boolean', default: false },
    combinations: { type: 'string', default: '10000' },
    concurrency: { type: 'string', default: '6' },
  },
});
const seed = Number(values.seed);
const concurrency = Number(values.concurrency);
const PER_WAY = [0, Infinity, 12, 3];
let failures = 0;

const show = (text: string): string =>
  text.length > 1200 ? `${text.slice(0, 1200)}… (${text.length} characters)` : text;

function fail(pair: Pair, { path, query, v4 }: Question, problem: string): void {
  failures += 1;
  if (failures <= 40)
    console.log(`\nFAILED as ${pair.caller}: /api/${path}?${show(query)}${v4 ? ' (v4)' : ''}\n  ${problem}`);
}

interface Tally {
  asked: number;
  answered: number;
  control: number;
  detected: number;
}

async function askAll(pair: Pair, asked: Iterable<Probe>): Promise<void> {
  const techniques = new Map<string, Tally>();
  const total: Tally = { asked: 0, answered: 0, control: 0, detected: 0 };
  await each(asked, concurrency, async ({ technique, path, query, secret }) => {
    const question = { path, query, v4: total.asked % 5 === 0 };
    const tally = techniques.get(technique) ?? { asked: 0, answered: 0, control: 0, detected: 0 };
    techniques.set(technique, tally);
    for (const count of [tally, total]) count.asked += 1;
    const outcome = await askPair(pair, question);
    if (outcome.problem !== null) fail(pair, question, outcome.problem);
    if (outcome.status === 200) for (const count of [tally, total]) count.answered += 1;
    if (!secret || tally.control >= 60) return;
    const detected = await askOpen(pair, question, technique);
    for (const count of [tally, total]) count.control += 1;
    if (detected) for (const count of [tally, total]) count.detected += 1;
  });
  // Techniques that cannot answer anything but 400 or 403, or that name no secret.
  const blind = [...techniques]
    .filter(([, { control, detected }]) => control >= 20 && detected === 0)
    .map(([name]) => name);
  console.log(
    `${pair.caller}: ${total.asked} questions, ${total.answered} answered with 200; with nothing hidden ${total.detected} of ${total.control} show a difference`,
  );
  if (blind.length > 0) console.log(`  without any difference: ${blind.join(', ')}`);
}

async function askCombinations(
  pair: Pair,
  pool: readonly Probe[],
  documents: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  const two = fc
    .tuple(fc.constantFrom(...pool), fc.constantFrom(...pool))
    .map(([a, b]): Question => ({ path: a.path, query: `${a.query}&${b.query}`, v4: false }));
  const any = requests(schema).map(({ path, type, query, v4 }): Question => ({
    path: path.replace(/\{(\d)\}/, (_, n: string) => documents.get(type)?.[Number(n)] ?? 'x'),
    query: query.slice(0, 12_000),
    v4,
  }));
  const arbitrary = fc.oneof(two, any);
  const check = async (question: Question): Promise<void> => {
    const { problem } = await askPair(pair, question);
    if (problem !== null) throw new Error(problem);
  };
  const runs = Math.ceil(Number(values.combinations) / concurrency);
  const results = await Promise.all(
    Array.from({ length: concurrency }, (_, i) =>
      fc.check(fc.asyncProperty(arbitrary, check), { seed: seed + i, numRuns: runs }),
    ),
  );
  for (const { counterexample, errorInstance } of results)
    if (counterexample !== null) fail(pair, counterexample[0], String(errorInstance));
  console.log(`${pair.caller}: ${results.reduce((sum, { numRuns }) => sum + numRuns, 0)} combinations`);
}

console.log(`fuzz:leak with seed ${seed}`);
const postgres = await startPostgres();
try {
  const worlds = await makeWorlds(values.caller, postgres.url);
  try {
    for (const pair of worlds.pairs) {
      const asking = { schema, grants: pair.grants, seed, documents: worlds.documents };
      await askAll(
        pair,
        probes({
          ...asking,
          depth: 3,
          share: () => 1,
          perWay: (steps) => (values.full ? Infinity : (PER_WAY[steps] ?? 1)),
        }),
      );
      const pool = [
        ...probes({ ...asking, depth: 2, share: (steps) => (steps === 1 ? 1 : 0.3), perWay: () => 4 }),
      ];
      await askCombinations(pair, pool, worlds.documents);
    }
  } finally {
    await worlds.close();
  }
} finally {
  await postgres.stop();
}
console.log(failures === 0 ? 'fuzz:leak: passed' : `fuzz:leak: ${failures} failed`);
process.exitCode = failures === 0 ? 0 : 1;
