/**
 * Cost of uploads and removals in a library of 100,000 files, in turns with an empty one.
 *
 * - form: `fileInfo` that no row can store, refused before bytes are stored;
 * - hook: refused inside the transaction, after bytes were stored, so that they are swept;
 * - removal: an upload and the removal of its file.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { median } from '../read/measure.mjs';

const TRIES = 40;
const ROUNDS = 5;

async function send(url, { name = 'small.bin', fileInfo = {}, count = 1 } = {}) {
  const form = new FormData();
  const infos = Array.from({ length: count }, () => fileInfo);
  for (let i = 0; i < count; i += 1)
    form.append('files', new Blob([randomBytes(100)], { type: 'application/octet-stream' }), name);
  form.append('fileInfo', JSON.stringify(infos));
  const response = await fetch(`${url}/api/upload`, { method: 'POST', body: form });
  return { status: response.status, body: await response.json() };
}

async function expectStatus(sending, status) {
  const { status: found, body } = await sending;
  if (found !== status) throw new Error(`${found} ${JSON.stringify(body)}`);
  return body;
}

const KINDS = {
  'form with 1 file': (url) => expectStatus(send(url, { fileInfo: { caption: '\u0000' } }), 400),
  'form with 20 files': (url) => expectStatus(send(url, { fileInfo: { caption: '\u0000' }, count: 20 }), 400),
  'hook, 1 file': (url) => expectStatus(send(url, { name: 'refused.bin' }), 400),
  removal: async (url) => {
    const [{ id }] = await expectStatus(send(url), 201);
    const response = await fetch(`${url}/api/upload/files/${id}`, { method: 'DELETE' });
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  },
};

/** Fills a library with copies of its row, each with an empty file. */
export async function fill({ url, directory, databaseUrl }, count) {
  await expectStatus(send(url), 201);
  const keys = Array.from({ length: count }, (_, n) => {
    const digest = createHash('sha256').update(`${n}`).digest('hex');
    return `${digest.slice(0, 2)}/${digest.slice(2, 4)}/${digest}.bin`;
  });
  for (const key of keys) {
    await mkdir(join(directory, dirname(key)), { recursive: true });
    await writeFile(join(directory, key), '');
  }
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query(
    `select column_name as name from information_schema.columns
     where table_name = 'content_files' and column_name <> 'id'`,
  );
  const names = rows.map(({ name }) => name);
  const OWN = { document_id: "lpad(n::text, 24, 'd')", hash: "'file_' || n", storage_key: 'key' };
  const values = names.map((name) => OWN[name] ?? `f."${name}"`);
  await client.query(
    `insert into content_files (${names.map((name) => `"${name}"`).join(', ')})
     select ${values.join(', ')} from (select * from content_files limit 1) f,
       unnest($1::text[]) with ordinality as k(key, n)`,
    [keys],
  );
  await client.query('analyze content_files');
  await client.end();
}

/** Returns the medians of each kind in milliseconds, measured in turns on both servers. */
export async function compare(empty, full) {
  const outcome = [];
  for (const [name, run] of Object.entries(KINDS)) {
    const times = { empty: [], full: [] };
    for (let round = 0; round < ROUNDS; round += 1)
      for (const [at, { url }] of Object.entries({ empty, full }))
        for (let i = 0; i < TRIES / ROUNDS + 1; i += 1) {
          const started = performance.now();
          await run(url);
          // The first of a round is a warm-up.
          if (i > 0) times[at].push(performance.now() - started);
        }
    const [none, many] = [median(times.empty), median(times.full)];
    outcome.push({ name, none, many, ratio: many / none });
  }
  return outcome;
}
