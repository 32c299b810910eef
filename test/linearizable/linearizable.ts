/**
 * `npm run linearizable [-- --operations N --seconds N --seed S --by notify]`
 *
 * Two instances with caches never return a state older than a completed write, for all kinds of writers and
 * through restarts of the server. With `--replicas`, clients that repeat their positions never read an older
 * state from two replicas, through failovers.
 */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { readBudget } from '../fuzz/budget.ts';
import { createDatabase } from '../support/database.ts';
import { PostgresNode } from '../support/postgres-node.ts';
import { type ScenarioName, SCENARIOS } from './cluster.ts';
import { runReplicated } from './replicated.ts';
import { HARMS, type Harm, LinearizableRun } from './run.ts';

const { budget, values } = readBudget({
  name: 'linearizable',
  proves: 'Checks that two instances with caches never return a state older than a completed write.',
  budget: { requests: 100_000 },
  options: {
    operations: { type: 'string' },
    round: { type: 'string', default: '8000' },
    by: { type: 'string', default: 'ledger' },
    harm: { type: 'string', multiple: true },
    replicas: { type: 'boolean', default: false },
    'no-positions': { type: 'boolean', default: false },
  },
  help: {
    'operations N': 'stop after N reads and writes (100,000)',
    'round N': 'operations per round (8000)',
    replicas: 'two replicas that are paused and promoted, and failovers; N is 12,000, in six scenarios',
    'no-positions': 'with --replicas: clients repeat no position, and violations must be found',
    'by notify': 'with a check that listens in the place of one that asks: violations must be found',
    'harm NAME': `one of ${HARMS.join(', ')}, in the middle of each round; may be repeated (all, in turn)`,
  },
});
const by = values['by'] === 'notify' ? 'notify' : 'ledger';
const harms = (values['harm'] ?? (by === 'notify' ? ['none'] : HARMS)) as readonly Harm[];
const SHOWN = 10;

if (values['replicas'] === true) {
  const presents = values['no-positions'] !== true;
  const scenarios = Object.keys(SCENARIOS) as ScenarioName[];
  console.log(`seed ${budget.seed}`);
  const operations = Number(values['operations'] ?? 12_000) / scenarios.length;
  const say = (line: string): void => console.log(line);
  const outcomes = Object.values(
    await runReplicated({ seed: budget.seed, scenarios, operations, presents, say }),
  );
  const problems = outcomes.flatMap((one) => one.problems);
  for (const problem of problems.slice(0, SHOWN)) console.log(`VIOLATION ${problem}`);
  const isRead = outcomes.every(({ sent }) => sent.every((count) => count > 0));
  const isRight = presents ? problems.length === 0 && isRead : problems.length > 0;
  console.log(`linearizable: ${problems.length} violations, ${isRight ? 'as expected' : 'WRONG'}`);
  process.exit(isRight ? 0 : 1);
}

const hasPgBouncer = (process.env.PATH ?? '')
  .split(delimiter)
  .some((folder) => existsSync(join(folder, 'pgbouncer')));
console.log(
  `seed ${budget.seed}; ${hasPgBouncer ? 'pgbouncer is installed, but not used' : 'pgbouncer is not installed'}`,
);
const server = await PostgresNode.start();
const database = await createDatabase(server.url);
const started = Date.now();
try {
  const seconds = budget.seconds === Infinity ? 24 * 3600 : budget.seconds;
  const outcome = await new LinearizableRun({
    seed: budget.seed,
    operations: values['operations'] === undefined ? budget.requests : Number(values['operations']),
    until: started + seconds * 1000,
    operationsPerRound: Number(values['round']),
    by,
    harms,
    databaseUrl: database.url,
    server,
    say: (line) => console.log(`${((Date.now() - started) / 1000).toFixed(0)} s ${line}`),
  }).run();
  for (const problem of outcome.problems.slice(0, SHOWN)) console.log(`\nVIOLATION ${problem}`);
  if (outcome.problems.length > SHOWN) console.log(`\n… and ${outcome.problems.length - SHOWN} more`);
  const { operations, reads, writes, unanswered, hits, stale, passed, problems } = outcome;
  console.log(
    `\n${operations} operations (${reads} reads, ${writes} writes; ${unanswered} reads failed); ${hits} responses came from the cache, ${stale} had changed, ${passed} bypassed it`,
  );
  const isRight = by === 'notify' ? problems.length > 0 : problems.length === 0 && hits > operations / 50;
  console.log(`linearizable: ${problems.length} violations, ${isRight ? 'as expected' : 'WRONG'}`);
  process.exitCode = isRight ? 0 : 1;
} finally {
  await server.stop();
}
