/**
 * `npm run faults:files [-- --kills N --reads N --pairs N --seed S]`
 *
 * Kills a process while it uploads, replaces and deletes. Reads a file during replacements. Removes and
 * uploads the same bytes by two instances, in a bucket that is slow, silent or disconnected. `--pairs 10000`
 * is the long run.
 */
import { parseArgs } from 'node:util';
import { startPostgres } from '../support/postgres-server.ts';
import { killUploads } from './file-kill.ts';
import { runPairs } from './file-pairs.ts';
import { readWhileReplaced } from './file-replace.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '50' },
    reads: { type: 'string', default: '10000' },
    pairs: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  },
});
let state = Number(values.seed);
const random = (): number => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;

console.log(`faults of files: seed ${values.seed}`);
const server = await startPostgres();
process.env.TEST_DATABASE_URL = server.url;
try {
  const { problems, files, mended } = await killUploads(Number(values.kills), random);
  console.log(`${values.kills} kills: ${files} files checked, ${mended} leftovers removed`);
  for (const problem of problems) console.log(`FAILED: ${problem}`);
  const { whole, gone, mixed, replacements } = await readWhileReplaced(Number(values.reads));
  console.log(
    `${whole} complete reads, ${gone} of removed files, ${mixed} mixed, in ${replacements} replacements`,
  );
  const { files: rows, missing, ...pairs } = await runPairs(Number(values.pairs), random);
  console.log(`${values.pairs} pairs: ${rows} files, ${missing} without bytes; ${JSON.stringify(pairs)}`);
  process.exitCode = problems.length + mixed + missing + pairs.left === 0 ? 0 : 1;
} finally {
  await server.stop();
}
