/**
 * `npm run adopt [-- --archives 300 --seed N]`: random projects of Strapi 4 and 5 with content, as archives
 * of its `export`. The command moves each one in; every value, link, order, state, locale, time and file is
 * compared over HTTP. Then it moves it in again, which must change nothing. `--only N` runs one archive.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createDatabase } from '../support/database.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { prove, subjectOf } from './prove.ts';

const { values } = parseArgs({
  options: {
    archives: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    only: { type: 'string' },
  },
});
const seed = Number(values.seed);
const first = Number(values.only ?? 0);
const last = values.only === undefined ? Number(values.archives) : first + 1;
const server = await startPostgres();
process.env['TEST_DATABASE_URL'] = server.url;
const folder = await mkdtemp(join(tmpdir(), 'archives-'));
const database = await createDatabase();
console.log(`--seed ${seed}`);
let failed = 0;
let answers = 0;
for (let number = first; number < last; number += 1) {
  const subject = await subjectOf(seed, number, folder);
  try {
    const result = await prove(subject, database);
    answers += result.answers;
    if (result.differences.length === 0) continue;
    failed += 1;
    const lines = result.differences.slice(0, values.only === undefined ? 8 : 200);
    console.log(`FAILED  --seed ${seed} --only ${number} (${subject.form}): ${result.differences.length}`);
    console.log(lines.map((line) => `  ${line}`).join('\n'));
  } catch (error) {
    failed += 1;
    console.log(`FAILED  --seed ${seed} --only ${number} (${subject.form}): ${String(error).slice(0, 2000)}`);
    if (values.only !== undefined) console.log(error);
  } finally {
    await rm(subject.file);
  }
  if (number % 25 === 24) console.log(`${number + 1} archives, ${failed} failed`);
}
console.log(`${last - first} archives, ${answers} answers compared, ${failed} failed`);
await database.drop();
await server.stop();
await rm(folder, { recursive: true, force: true });
process.exitCode = failed === 0 ? 0 : 1;
