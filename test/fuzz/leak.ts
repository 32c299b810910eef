/**
 * `npm run fuzz:leak [-- --seconds N --requests N --seed S]`: sends reads and writes to two databases that
 * differ only in data that the caller may not read. Their responses must be equal byte for byte.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { startPostgres } from '../support/postgres-server.ts';
import { describeBudget, readBudget } from './budget.ts';
import { add, describeCoverage, nothing } from './leak-coverage.ts';
import { modelLeaks } from './leak-models.ts';
import type { Done, Finding, Job } from './leak-worker.ts';
import { CALLERS, prepareWorlds } from './leak-worlds.ts';
import { prepareWriters, WRITERS } from './leak-write-worlds.ts';

const started = Date.now();
const { budget, values } = readBudget({
  name: 'fuzz:leak',
  proves:
    'Two databases that differ only in what a caller may not see answer the same, whatever is asked or written.',
  budget: { seconds: 300 },
  options: {
    caller: { type: 'string', multiple: true, default: [...Object.keys(CALLERS), ...Object.keys(WRITERS)] },
    processes: { type: 'string', default: String(Math.min(4, availableParallelism())) },
    leak: { type: 'boolean', default: false },
  },
  help: {
    'caller NAME': `one of ${[...Object.keys(CALLERS), ...Object.keys(WRITERS)].join(', ')}; may stand more than once`,
    'processes N': 'how many ask at the same time (as many as there are processors, 4 at most)',
    leak: 'against a library that shows a private attribute: the run must fail',
  },
});
const callers = values['caller'] as string[];
const processes = Number(values['processes']);
/** Share of the time that closing the applications takes. */
const CLOSING = 0.05;
const SHOWN = 40;

/** Selects every n-th item, so that each process gets the same number. */
const part = <T>(items: readonly T[], index: number): T[] => items.filter((_, i) => i % processes === index);

async function workIn(job: Job): Promise<Done> {
  const script = new URL('./leak-worker.ts', import.meta.url).pathname;
  const child = fork(script, [], { execArgv: ['--no-warnings'], serialization: 'advanced' });
  child.send(job);
  const answer = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (child.exitCode !== null && child.exitCode !== 0) throw new Error('a process of fuzz:leak failed');
  return answer[0] as Done;
}

function printFindings(findings: readonly Finding[]): void {
  const kinds = new Map<string, Finding[]>();
  for (const finding of findings) kinds.set(finding.kind, [...(kinds.get(finding.kind) ?? []), finding]);
  for (const [first, ...more] of [...kinds.values()].slice(0, SHOWN))
    console.log(`\nFAILED ${first?.text}${more.length === 0 ? '' : `\n  and ${more.length} similar ones`}`);
  if (kinds.size > SHOWN) console.log(`\n… and ${kinds.size - SHOWN} other kinds`);
}

console.log(`fuzz:leak with ${describeBudget(budget)}`);
// About thirty applications, each with a pool and a connection that polls the change log.
const postgres = await startPostgres({ max_connections: '500' });
const closing: (() => Promise<unknown>)[] = [];
try {
  const readers = callers.filter((name) => name in CALLERS);
  const prepared = await prepareWorlds(readers, closing, { serverUrl: postgres.url, seed: budget.seed });
  const writers = await prepareWriters(
    callers.filter((name) => name in WRITERS),
    closing,
    postgres.url,
  );
  const models = await modelLeaks(
    readers.filter((name) => !name.startsWith('limited')),
    postgres.url,
  );
  console.log(`models: ${models.asked} pairs of descriptions, ${models.leaks.length} differ`);
  console.log(`databases created after ${((Date.now() - started) / 1000).toFixed(0)} s`);
  const jobs = Array.from({ length: processes }, (_, i): Job => ({
    prepared: { ...prepared, copies: part(prepared.copies, i) },
    writers: part(writers, i),
    seed: budget.seed,
    until: started + budget.seconds * (1 - CLOSING) * 1000,
    least: (budget.seconds * 1000) / 3,
    requests: Math.ceil(budget.requests / Math.max(1, callers.length)),
    leaky: values['leak'] === true,
  }));
  const done = await Promise.all(jobs.map(workIn));
  const coverage = nothing();
  for (const one of done) add(coverage, one.coverage);
  const findings = [
    ...done.flatMap((one) => one.findings),
    ...models.leaks.map(({ caller, path, problem }): Finding => ({
      kind: `${caller} ${path}`,
      text: `as ${caller}: GET /api/${path}\n  ${problem}`,
    })),
  ];
  printFindings(findings);
  console.log(`\n${describeCoverage(coverage, 1 + readers.length + 2 * writers.length)}`);
  const seconds = ((Date.now() - started) / 1000).toFixed(0);
  const verdict = findings.length === 0 ? 'passed' : `${findings.length} failed`;
  console.log(`fuzz:leak: ${verdict}, seed ${budget.seed}, ${seconds} s`);
  process.exitCode = findings.length === 0 && coverage.kept > 0 ? 0 : 1;
} finally {
  for (const close of closing) await close();
  await postgres.stop();
}
