/**
 * `npm run bench -- ledger --totals 10000,1000000 [--seconds 10] [--connections 10] [--rounds 7]`: cost of
 * exact totals in large tables.
 *
 * Compares the first page with its total to a count in SQL. It does so with all changes summed, then with the
 * unsummed changes of a busy minute. Then compares pages of a filter with the cache, which counts once, and
 * without.
 */
import pg from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuOf, postmasterPid } from '../cpu.mjs';
import { run } from '../load.mjs';
import { median } from '../read/measure.mjs';
import { makeLibraryTables, startLibrary } from '../read/peers.mjs';

const FILL = `insert into articles (document_id, published, locale, title, created_at, updated_at, published_at, revision)
  select 'total' || lpad(i::text, 19, '0'), true, 'en', 'Article ' || i, now(), now(), now(), 0 from generate_series(1, $1::int) i`;
/** Each update adds a row of changes, alternately of one version less and one more. */
const CHANGE = `do $$ begin for i in 1..5000 loop
  update articles set locale = case locale when 'en' then 'fr' else 'en' end where document_id = 'total' || lpad('7', 19, '0');
  end loop; end $$`;
const PATH = '/api/articles?fields=title&pagination[pageSize]=25';

/** Pages of a filter, each requested once. */
let page = 0;
const pageOfFilter = () => ({
  path: `/api/articles?fields=title&filters[title][$contains]=7&pagination[pageSize]=25&pagination[page]=${(page += 1)}`,
});

async function fill(databaseUrl, rows) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(FILL, [rows]);
  await client.query('vacuum (analyze) articles');
  return client;
}

/** The server is ready once it has counted the rows. */
async function counted(client) {
  for (;;) {
    const { rows } = await client.query(
      "select total from content_total where type = 'article' and locale = '' and published",
    );
    if (Number(rows[0]?.total) === 1) return;
    await sleep(100);
  }
}

async function turn({ server }, postgres, { connections, seconds, request = () => PATH }) {
  const before = cpuOf([postgres, server.pid]);
  const { rps, errors, requests } = await run({ url: server.url, request, connections, seconds });
  if (errors > 0) throw new Error(`${errors} of ${requests} requests failed`);
  return { rps, cpu: ((cpuOf([postgres, server.pid]) - before) * 1000) / requests };
}

async function compare(contestants, postgres, { seconds, connections, rounds, request }) {
  const results = contestants.map(() => []);
  for (let round = -1; round < rounds; round += 1)
    for (let i = 0; i < contestants.length; i += 1) {
      const place = (i + round + 1) % contestants.length;
      const result = await turn(contestants[place], postgres, {
        connections,
        seconds: seconds / rounds,
        request,
      });
      if (round >= 0) results[place].push(result);
    }
  const [small] = results;
  for (const [i, { rows, name = `${rows} rows` }] of contestants.entries()) {
    const ratio = (what) => median(results[i].map((one, n) => one[what] / small[n][what])).toFixed(2);
    console.log(`  ${name}: requests/s ${ratio('rps')} of the first, CPU per request ${ratio('cpu')}`);
  }
}

export async function benchTotals(databases, { sizes, ...options }) {
  const contestants = [];
  try {
    const postgres = await postmasterPid(databases.url);
    for (const rows of sizes) {
      const databaseUrl = await databases.create();
      await makeLibraryTables(databaseUrl, 'blog');
      const client = await fill(databaseUrl, rows);
      const server = await startLibrary(databaseUrl, 'blog');
      contestants.push({ rows, client, server, databaseUrl });
      await counted(client);
      const { meta } = await (await fetch(server.url + PATH)).json();
      if (meta.pagination.total !== rows) throw new Error(`${meta.pagination.total} instead of ${rows}`);
    }
    console.log('A page of 25 with its total:');
    await compare(contestants, postgres, options);
    for (const { client } of contestants) await client.query(CHANGE);
    console.log('The same with 5,000 unsummed changes:');
    await compare(contestants, postgres, options);
    const [smallest] = contestants;
    const keeping = await startLibrary(smallest.databaseUrl, 'blog', '--cache');
    try {
      await run({ url: keeping.url, path: PATH, connections: 1, seconds: 1 });
      console.log(`Pages of a filter of ${smallest.rows} rows:`);
      const pages = [
        { name: 'counted with each page', server: smallest.server },
        { name: 'counted once', server: keeping },
      ];
      await compare(pages, postgres, { ...options, request: pageOfFilter });
    } finally {
      await keeping.stop();
    }
    for (const { rows, client } of contestants) {
      const { rows: plan } = await client.query(
        `explain (analyze, format json) select count(*) from articles where published and locale = 'en'`,
      );
      console.log(`  counting ${rows} rows in SQL: ${plan[0]['QUERY PLAN'][0]['Execution Time']} ms`);
    }
  } finally {
    for (const { client, server } of contestants) {
      await client.end();
      await server.stop();
    }
  }
}
