/**
 * `npm run fuzz:rights [-- --requests N --seconds N --seed S]`: writes of callers whose grants have conditions.
 * No write changes a version that meets none of them before or after it, and a 4xx changes nothing. Published
 * versions meet the constraints of their attributes, and were approved if their type has stages. Each change is in
 * the event log and in the audit log, and known to the hooks of its type.
 */
import fc from 'fast-check';
import { startPostgres } from '../support/postgres-server.ts';
import { describeBudget, readBudget, timeLimit } from './budget.ts';
import { RightsFuzz } from './rights-run.ts';
import { scenarios } from './rights-scenarios.ts';

const { budget } = readBudget({
  name: 'fuzz:rights',
  proves:
    'No write changes what the grants of its caller do not cover, or publishes what its type does not permit.',
  budget: { seconds: 300 },
});
console.log(`fuzz:rights with ${describeBudget(budget)}`);
const server = await startPostgres();
process.env.TEST_DATABASE_URL = server.url;
const fuzz = await RightsFuzz.open();
try {
  const found = await fc.check(
    fc.asyncProperty(scenarios, (scenario) => fuzz.run(scenario)),
    { seed: budget.seed, numRuns: Math.min(budget.requests, 2 ** 30), ...timeLimit(budget.seconds) },
  );
  const { errorInstance } = found;
  if (found.failed) console.log(errorInstance instanceof Error ? errorInstance.message : errorInstance);
  console.log(`fuzz:rights: ${found.failed ? 'failed' : 'passed'} after ${found.numRuns} scenarios`);
  process.exitCode = found.failed ? 1 : 0;
} finally {
  console.log(`statuses ${JSON.stringify(fuzz.statuses)}, ${fuzz.changing} writes changed something`);
  await fuzz.close();
  await server.stop();
}
