/** `npm run fuzz:tenants [-- --seconds N --requests N --seed S]`: random requests of one tenant in two worlds. */
import { describeBudget, readBudget } from '../fuzz/budget.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { describeFinding } from './describe-finding.ts';
import { WAYS } from './model.ts';
import { type Tally, TenantPair } from './pair.ts';
import { prepareWorlds } from './worlds.ts';

const { budget } = readBudget({
  name: 'fuzz:tenants',
  proves: 'A tenant neither sees nor changes anything of another tenant, whatever it sends.',
  budget: { seconds: 120 },
});
const MOST = 20;
const started = Date.now();
console.log(`fuzz:tenants with ${describeBudget(budget)}`);
const postgres = await startPostgres();
const closing: (() => Promise<unknown>)[] = [];
try {
  const pairs: TenantPair[] = [];
  for (const way of WAYS)
    pairs.push(await TenantPair.start(await prepareWorlds(way, closing, postgres.url), closing, budget.seed));
  const findings = new Map<string, string>();
  const tallied = (name: keyof Tally): number => pairs.reduce((sum, { tally }) => sum + tally[name], 0);
  const goesOn = (): boolean =>
    tallied('requests') < budget.requests &&
    Date.now() - started < budget.seconds * 1000 &&
    findings.size < MOST;
  while (goesOn()) {
    for (const finding of await Promise.all(pairs.map((pair) => pair.round()))) {
      if (finding === null) continue;
      const { question, problem } = finding;
      findings.set(
        `${question.method} ${question.path.split('?')[0] ?? ''} ${problem.slice(0, 40)}`,
        describeFinding(finding),
      );
    }
  }
  for (const text of findings.values()) console.log(`\nFAILED ${text}`);
  const seconds = ((Date.now() - started) / 1000).toFixed(0);
  console.log(
    `${tallied('requests')} requests in pairs, ${tallied('accepted')} accepted, ${tallied('written')} of them writes, ${seconds} s`,
  );
  console.log(
    `fuzz:tenants: ${findings.size === 0 ? 'passed' : `${findings.size} failed`}, seed ${budget.seed}`,
  );
  process.exitCode = findings.size === 0 ? 0 : 1;
} finally {
  for (const close of closing) await close();
  await postgres.stop();
}
