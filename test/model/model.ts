/**
 * `npm run model [-- --runs N --max N --seed N --seconds N]`: random sequences of writes, each followed by a look at every
 * document in every state and locale, compared with a model in memory.
 */
import { parseArgs } from 'node:util';
import { startPostgres } from '../support/postgres-server.ts';
import { Engine } from './engine.ts';
import type { Tally } from './sequence.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '3000' },
    max: { type: 'string', default: '30' },
    seed: { type: 'string' },
    seconds: { type: 'string' },
    ignore: { type: 'string' },
    every: { type: 'string', default: '1' },
  },
});
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const start = performance.now();

const shown = (tally: Tally, requests: number): string => {
  const seconds = (performance.now() - start) / 1000;
  const { sequences, commands, refused, documents, statuses } = tally;
  return [
    `${seconds.toFixed(0)} s: ${sequences} sequences (${(sequences / seconds).toFixed(1)} a second)`,
    `${commands} commands, ${refused} refused, ${requests} requests, ${documents} documents compared`,
    JSON.stringify(statuses),
  ].join(', ');
};

console.log(`model with seed ${seed}, ${values.runs} sequences of at most ${values.max} commands`);
const server = await startPostgres({
  jit: 'off',
  autovacuum: 'off',
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
});
process.env.TEST_DATABASE_URL = server.url;
try {
  const engine = await Engine.start({
    ignored: values.ignore === undefined ? null : new RegExp(values.ignore),
    every: Number(values.every),
  });
  const found = await engine.search({
    runs: Number(values.runs),
    max: Number(values.max),
    seed,
    ...(values.seconds === undefined ? {} : { seconds: Number(values.seconds) }),
    progress: (tally) => console.log(shown(tally, engine.client.requests)),
  });
  console.log(shown(engine.tally, engine.client.requests));
  if (found !== null)
    console.log(`\nDIFFERENT:\n${found.difference.message}\n\n${JSON.stringify(found.commands)}`);
  console.log(found === null ? 'model: passed' : 'model: failed');
  process.exitCode = found === null ? 0 : 1;
  await engine.close();
} finally {
  await server.stop();
}
