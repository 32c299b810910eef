/**
 * `npm run bench -- history [--seconds 14] [--rounds 9] [--versions 10000] [--tries 60]`
 *
 * Measures the cost of `history: true` for writers, in turns with the same server without it. Then it measures
 * the storage of a version next to that of its row, and lists of the versions of one document.
 */
import assert from 'node:assert/strict';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { startDatabases } from '../databases.mjs';
import { measureWriters } from '../events/writers.mjs';
import { median } from '../read/measure.mjs';

/** Prints the bytes of a stored version and of the row with its links, without indexes. */
async function reportStorage(client) {
  const { rows } = await client.query(`
    select round(avg(pg_column_size(v.*))) as version, round(avg(pg_column_size(t.*)
        + (select coalesce(sum(pg_column_size(l.*)), 0) from articles_categories_links l
          where l.owner_document_id = t.document_id and l.published = t.published))) as row
    from content_version v
    join articles t on t.document_id = v.document_id and t.locale = v.locale and t.published = v.published
    where v.content is not null`);
  const [{ version, row }] = rows;
  console.log(`a version has ${version} bytes, the row with its links ${row}`);
}

/** Gives a document more versions, and returns its id. */
async function fillVersions(client, count) {
  const { rows } = await client.query(
    'select document_id, min(id) as id from content_version group by 1 limit 1',
  );
  const [{ document_id: documentId, id }] = rows;
  await client.query(
    `insert into content_version select -n, type, document_id, locale, published, action, since, at, actor,
       actor_id, request_id, content from content_version, generate_series(1, $2::int) n where id = $1`,
    [id, count],
  );
  await client.query('vacuum analyze content_version');
  return documentId;
}

async function reportLists(url, documentId, tries) {
  const get = async (query) => {
    const started = performance.now();
    const response = await fetch(`${url}/api/articles/${documentId}/versions${query}`);
    const { data } = await response.json();
    assert.equal(response.status, 200);
    return { data, duration: performance.now() - started };
  };
  for (const [name, query] of [
    ['first page', ''],
    ['page of 100 in the middle', '?pagination[pageSize]=100&pagination[page]=50'],
    ['published ones', '?status=published'],
  ]) {
    const durations = [];
    for (let n = 0; n < tries; n += 1) durations.push((await get(query)).duration);
    console.log(`${name}: ${median(durations).toFixed(1)} ms`);
  }
  const { data } = await get('');
  const shown = [];
  for (let n = 0; n < tries; n += 1) shown.push((await get(`/${data[0].id}`)).duration);
  console.log(`one version: ${median(shown).toFixed(1)} ms`);
}

export async function bench(args) {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '14' },
      rounds: { type: 'string', default: '9' },
      versions: { type: 'string', default: '10000' },
      tries: { type: 'string', default: '60' },
    },
  });
  const [seconds, rounds, versions, tries] = ['seconds', 'rounds', 'versions', 'tries'].map((name) =>
    Number(values[name]),
  );
  const databases = await startDatabases();
  const visit = async ({ server, databaseUrl }) => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    try {
      await reportStorage(client);
      const documentId = await fillVersions(client, versions);
      await reportLists(server.url, documentId, tries);
    } finally {
      await client.end();
    }
  };
  try {
    await measureWriters({ databases, seconds, rounds, flag: '--history', visit });
  } finally {
    await databases.stop();
  }
}
