/**
 * `npm run adopt [-- --archives 300 --seed N]`: random projects of Strapi 4 and 5 with content, as archives
 * of its `export`. The command moves each one in; every value, link, order, state, locale, time and file is
 * compared over HTTP. Then it moves it in again, which must change nothing. `--only N` runs one archive.
 * `--kills N` also kills the moves of N archives at ten random moments each. `--rows N` moves one archive of N
 * simple rows instead, and prints rows per second and memory.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createDatabase } from '../support/database.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { Dice } from '../evolution/pairs/dice.ts';
import { proveKills } from './kill.ts';
import { moveMany } from './many.ts';
import { prove, subjectOf } from './prove.ts';

const { values } = parseArgs({
  options: {
    archives: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    only: { type: 'string' },
    kills: { type: 'string', default: '0' },
    rows: { type: 'string' },
  },
});
const seed = Number(values.seed);
const first = Number(values.only ?? 0);
const last = values.only === undefined ? Number(values.archives) : first + 1;
const server = await startPostgres();
process.env['TEST_DATABASE_URL'] = server.url;
if (values.rows !== undefined) {
  await moveMany(Number(values.rows));
  await server.stop();
  process.exit();
}
const folder = await mkdtemp(join(tmpdir(), 'archives-'));
const database = await createDatabase();
console.log(`--seed ${seed}`);
let failed = 0;
let answers = 0;
function report(number: number, differences: readonly string[], form: string): void {
  if (differences.length === 0) return;
  const lines = differences.slice(0, values.only === undefined ? 8 : 200);
  console.log(`FAILED  --seed ${seed} --only ${number} (${form}): ${differences.length}`);
  console.log(lines.map((line) => `  ${line}`).join('\n'));
}

for (let number = first; number < last; number += 1) {
  const subject = await subjectOf(seed, number, folder);
  try {
    const result = await prove(subject, database);
    answers += result.answers;
    if (result.differences.length > 0) failed += 1;
    report(number, result.differences, subject.form);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  --seed ${seed} --only ${number} (${subject.form}): ${String(error).slice(0, 2000)}`);
    if (values.only !== undefined) console.log(error);
  } finally {
    await rm(subject.file);
  }
  if (number % 25 === 24) console.log(`${number + 1} archives, ${failed} failed`);
}
let killed = 0;
for (let number = first; number < first + Number(values.kills); number += 1) {
  const subject = await subjectOf(seed, number, folder);
  const result = await proveKills(subject, { times: 10, dice: new Dice(seed + number) });
  answers += result.answers;
  killed += result.killed;
  if (result.differences.length > 0) failed += 1;
  for (const line of result.differences.slice(0, 8)) console.log(`KILLED  ${number}  ${line}`);
}
if (killed > 0) console.log(`${killed} moves killed`);
console.log(`${last - first} archives, ${answers} answers compared, ${failed} failed`);
await database.drop();
await server.stop();
await rm(folder, { recursive: true, force: true });
process.exitCode = failed === 0 ? 0 : 1;
