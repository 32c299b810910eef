/**
 * `npm run kills [-- --times 10 --seed N]`: kills imports at random moments, the first ones among the bytes
 * of files. Each import resumes the killed one; in the end all responses and downloads equal those of the
 * source.
 */
import { deepEqual } from 'node:assert/strict';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ContentArchive } from 'nestjs-content-api';
import { createDatabase } from '../support/database.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { killImport } from './kill.ts';
import { answers, directoryOf, fill, startWorld } from './world.ts';

/** Number of documents of the type with all kinds of attributes. */
const STORIES = 30;
/** Number of files, which come before all documents. */
const TEXTS = 12;

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now()) },
  },
});
let state = Number(values.seed) % 2147483647;
const random = (): number => (state = (state * 48271) % 2147483647) / 2147483647;

const server = await startPostgres();
process.env['TEST_DATABASE_URL'] = server.url;
console.log(`seed ${values.seed}`);
const folder = await mkdtemp(join(tmpdir(), 'kills-'));
const file = join(folder, 'content.archive');
const [from, to] = [await createDatabase(), await createDatabase()];
const source = await startWorld(from);
await fill(source, STORIES, TEXTS);
const before = await answers(source);
await source.app.get(ContentArchive).export(createWriteStream(file));
const target = await startWorld(to);
let killed = 0;
let reached = 0;
for (let tries = 0; killed < Number(values.times) && tries < 3 * Number(values.times); tries += 1) {
  // The first kills hit the bytes of files.
  const after = killed < 3 ? 1 + Math.floor(random() * 4) : reached + 1 + Math.floor(random() * 4);
  const moment = { after, wait: random() * 30 };
  if (await killImport({ url: to.url, file }, moment)) killed += 1;
  const [row] = await target.sql(`select to_regclass('content_import') is not null as there`);
  const [done] = row?.['there'] === true ? await target.sql('select done::int from content_import') : [];
  console.log(
    `killed after ${moment.after} contents and documents and ${moment.wait.toFixed(1)} ms: ${String(done?.['done'])}`,
  );
  if (done === undefined) break;
  reached = Number(done['done']);
}
const { imported, same, contents } = await target.app
  .get(ContentArchive)
  .import(() => createReadStream(file));
console.log(`the last import: ${imported} new, ${same} unchanged, ${contents} contents`);
deepEqual(await answers(target), before);
console.log(`${killed} kills, ${Object.keys(before).length} answers are the same`);
for (const host of [source, target]) await host.close();
for (const { url } of [from, to]) await rm(directoryOf(url), { recursive: true, force: true });
for (const database of [from, to]) await database.drop();
await server.stop();
await rm(folder, { recursive: true, force: true });
