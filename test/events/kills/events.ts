/**
 * `npm run events [-- --writes N --instances N --kills N --restarts N --seed S --by notify]`
 *
 * Several processes write and are killed, while PostgreSQL restarts. Every committed write is delivered at
 * least once, in the order of its document, and no other one is.
 */
import { parseArgs } from 'node:util';
import { PostgresNode } from '../../support/postgres-node.ts';
import { runEvents } from './run.ts';

const { values } = parseArgs({
  options: {
    writes: { type: 'string', default: '100000' },
    instances: { type: 'string', default: '4' },
    kills: { type: 'string', default: '12' },
    restarts: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    by: { type: 'string', default: 'log' },
  },
});
const by = values.by === 'notify' ? 'notify' : 'log';
const server = await PostgresNode.start();
const started = Date.now();
try {
  const result = await runEvents({
    server,
    writes: Number(values.writes),
    instances: Number(values.instances),
    kills: Number(values.kills),
    restarts: Number(values.restarts),
    seed: Number(values.seed),
    by,
    say: (line) => console.log(`${((Date.now() - started) / 1000).toFixed(0)} s ${line}`),
  });
  for (const problem of result.problems.slice(0, 10)) console.log(`VIOLATION ${problem}`);
  const isRight = (by === 'log') === (result.problems.length === 0);
  console.log(
    `events: seed ${values.seed}, ${result.writes} writes, ${result.events} events, ${result.repeated} repeated, ` +
      `${result.problems.length} violations, ${isRight ? 'as expected' : 'WRONG'}`,
  );
  process.exitCode = isRight ? 0 : 1;
} finally {
  await server.stop();
}
