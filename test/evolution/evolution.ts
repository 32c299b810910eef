/**
 * `npm run evolution [-- --only REGEX]`: changes of models, each from a model with data to another, over the
 * library's own migration and back.
 */
import { parseArgs } from 'node:util';
import { startPostgres } from '../support/postgres-server.ts';
import { CHANGES } from './cases.ts';
import { runChange } from './run.ts';

const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });
const server = await startPostgres();
process.env['TEST_DATABASE_URL'] = server.url;
const started = performance.now();
let failed = 0;
let passed = 0;
let requests = 0;
const stale: Record<string, number> = {};
for (const change of CHANGES.filter(({ name }) => new RegExp(values.only).test(name)))
  try {
    const outcome = await runChange(change);
    passed += 1;
    requests += outcome.requests;
    for (const [status, count] of Object.entries(outcome.stale)) stale[status] = (stale[status] ?? 0) + count;
    console.log(`${outcome.values}  ${outcome.back ? 'and back' : '        '}  ${change.name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED        ${(error as Error).message.slice(0, 3000)}`);
    if (values.only !== '') console.log(error);
  }
await server.stop();
console.log(`${requests} requests in ${((performance.now() - started) / 1000).toFixed(0)} s`);
console.log(`the old application after each change, by status: ${JSON.stringify(stale)}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
