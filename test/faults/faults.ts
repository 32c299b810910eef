/**
 * `npm run faults [-- --count N --seed S --kills N]`
 *
 * Faults at every statement of every kind of write. Afterwards the document is entirely the old or entirely
 * the new one, and the application still works.
 */
import { parseArgs } from 'node:util';
import { startPostgres } from '../support/postgres-server.ts';
import { describeFault, Engine, type Job } from './engine.ts';
import { killAndLook } from './kill.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '500' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    kills: { type: 'string' },
    /** Only writes whose name contains this. */
    only: { type: 'string', default: '' },
  },
});
const count = Number(values.count);
const kills = values.kills === undefined ? Math.min(30, Math.ceil(count / 20)) : Number(values.kills);
let state = Number(values.seed);
const random = (): number => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
const shuffled = <T>(items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);

console.log(`faults: count ${count}, seed ${values.seed}`);
const server = await startPostgres();
process.env.TEST_DATABASE_URL = server.url;
let failures = 0;
const tally = new Map<string, number>();
const start = performance.now();

function note(what: string, problems: readonly string[], kind: string): void {
  tally.set(kind, (tally.get(kind) ?? 0) + 1);
  if (problems.length === 0) return;
  failures += 1;
  console.log(`\nFAILED: ${what}\n  ${problems.join('\n  ')}`);
}

try {
  for (const hooks of [false, true]) {
    const engine = await Engine.start(hooks);
    try {
      const share = Math.ceil((count - kills) / 2);
      const all = engine.jobs().filter(({ scenario }) => scenario.name.includes(values.only));
      const jobs: Job[] = [];
      while (jobs.length < share && all.length > 0) jobs.push(...shuffled(all));
      for (const job of jobs.slice(0, share)) {
        const kind = job.fault.kind === 'statement' ? job.fault.mode : job.fault.kind;
        note(
          `${job.scenario.name}${hooks ? ' (with hooks)' : ''}: ${describeFault(job.fault)}`,
          await engine.run(job),
          kind,
        );
      }
      console.log(
        `${hooks ? 'with hooks' : 'without hooks'}: ${Math.min(share, jobs.length)} faults of ${all.length} places and kinds`,
      );
    } finally {
      await engine.stop();
    }
  }
  await killAndLook(kills, random, (problems) =>
    note('the process killed while it wrote', problems, 'SIGKILL'),
  );
} finally {
  await server.stop();
}

const total = [...tally.values()].reduce((sum, n) => sum + n, 0);
console.log(
  `\n${total} faults in ${((performance.now() - start) / 1000).toFixed(0)} s: ${[...tally].map(([kind, n]) => `${kind} ${n}`).join(', ')}`,
);
console.log(
  failures === 0 ? 'every document was entirely the old or entirely the new one' : `${failures} failures`,
);
process.exitCode = failures === 0 ? 0 : 1;
