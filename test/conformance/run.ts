/**
 * npm run conformance -- [--model M.json] [--seed S.json] [--adapter express|fastify] [--min PERCENT]
 * [CASES.jsonl…]
 *
 * Without file arguments it replays `cases/`. Ends with 1 if it could not run, or if less than PERCENT (100)
 * matched.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startPostgres } from '../support/postgres-server.ts';
import { conformance } from './conformance.ts';
import type { Adapter } from './library.ts';
import { report, totals } from './report.ts';

const own = (file: string): string => fileURLToPath(new URL(`./cases/${file}`, import.meta.url));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    model: { type: 'string', default: own('model.json') },
    seed: { type: 'string', default: own('seed.json') },
    adapter: { type: 'string', default: 'express' },
    min: { type: 'string', default: '100' },
  },
});

const cases =
  positionals.length === 0 ? [own('reads.jsonl'), own('writes.jsonl'), own('uploads.jsonl')] : positionals;
const server = await startPostgres();
try {
  const results = await conformance(
    { ...values, cases },
    { serverUrl: server.url, adapter: values.adapter as Adapter },
  );
  console.log(report(results));
  if (!(totals(results).percent >= Number(values.min))) process.exitCode = 1;
} finally {
  await server.stop();
}
