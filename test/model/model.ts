/**
 * `npm run model [-- --runs N --max N --seed N --seconds N --every N]`
 *
 * Random sequences of writes. After each write, every document in every state and locale is compared with a
 * model in memory. `--replay` runs the commands that a run has printed. `--crowd N` sends the commands from
 * several connections concurrently, and checks the invariants of the tables.
 */
import { parseArgs } from 'node:util';
import { startPostgres } from '../support/postgres-server.ts';
import { runCrowd } from './crowd.ts';
import type { Command } from './commands.ts';
import { Engine } from './engine.ts';
import type { Tally } from './sequence.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '3000' },
    max: { type: 'string', default: '30' },
    seed: { type: 'string' },
    seconds: { type: 'string' },
    ignore: { type: 'string' },
    known: { type: 'string' },
    crowd: { type: 'string' },
    replay: { type: 'string' },
    every: { type: 'string', default: '1' },
  },
});
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const start = performance.now();

const expression = (text: string | undefined): RegExp | null =>
  text === undefined ? null : new RegExp(text);

const shown = (tally: Tally, requests: number): string => {
  const seconds = (performance.now() - start) / 1000;
  const { sequences, commands, refused, known, documents, statuses } = tally;
  return [
    `${seconds.toFixed(0)} s: ${sequences} sequences (${(sequences / seconds).toFixed(1)} a second)`,
    `${commands} commands, ${refused} refused, ${requests} requests, ${documents} documents compared`,
    ...(known > 0 ? [`${known} abandoned`] : []),
    JSON.stringify(statuses),
  ].join(', ');
};

async function search(): Promise<boolean> {
  console.log(`model with seed ${seed}, ${values.runs} sequences of at most ${values.max} commands`);
  const engine = await Engine.start({
    ignored: expression(values.ignore),
    known: expression(values.known),
    every: Number(values.every),
  });
  const replay = values.replay === undefined ? null : (JSON.parse(values.replay) as Command[]);
  const found =
    replay !== null
      ? await engine.find(replay)
      : await engine.search({
          runs: Number(values.runs),
          max: Number(values.max),
          seed,
          ...(values.seconds === undefined ? {} : { seconds: Number(values.seconds) }),
          progress: (tally) => console.log(shown(tally, engine.client.requests)),
        });
  console.log(shown(engine.tally, engine.client.requests));
  if (found !== null)
    console.log(`\nDIFFERENT:\n${found.difference.message}\n\n${JSON.stringify(found.commands)}`);
  await engine.close();
  return found === null;
}

async function crowd(commands: number): Promise<boolean> {
  console.log(`model with seed ${seed}, ${commands} commands from several concurrent connections`);
  const { statuses, problems, deadlocks } = await runCrowd({ commands, seed, progress: console.log });
  console.log(`statuses ${JSON.stringify(statuses)}, ${deadlocks} deadlocks`);
  for (const problem of problems.slice(0, 20)) console.log(`FAILED: ${problem}`);
  return problems.length === 0 && deadlocks === 0;
}

// Many statements on small tables: generic plans suffice.
const server = await startPostgres({ jit: 'off', autovacuum: 'off', plan_cache_mode: 'force_generic_plan' });
process.env.TEST_DATABASE_URL = server.url;
try {
  const passed = values.crowd === undefined ? await search() : await crowd(Number(values.crowd));
  console.log(passed ? 'model: passed' : 'model: failed');
  process.exitCode = passed ? 0 : 1;
} finally {
  await server.stop();
}
