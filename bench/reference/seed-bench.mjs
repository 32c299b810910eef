/**
 * Adds published articles to the reference's database by SQL, 10,000 in a few seconds. The server must have
 * been started on that database once, because it creates the tables and the base data.
 *
 * node seed-bench.mjs 10000 postgresql://user:password@127.0.0.1:5432/name
 *
 * Without a URL: DATABASE_URL, then the variables of libpq. The server may be running, because it caches no
 * content.
 */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import pg from 'pg';

/** Resolves with the number of articles added; rejects if there are bench articles already. */
export async function seedBench({ databaseUrl = process.env.DATABASE_URL, articles = 10_000 } = {}) {
  const sql = await readFile(new URL('./seed-bench.sql', import.meta.url), 'utf8');
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query("select exists (select from articles where document_id like 'bench%') as seeded");
    if (rows[0].seeded) throw new Error('This database already has bench articles. Use a new one.');
    await client.query('begin');
    await client.query("select set_config('bench.articles', $1, true)", [String(articles)]);
    await client.query(sql);
    await client.query('commit');
    await client.query('vacuum (analyze)');
    return articles;
  } finally {
    await client.end();
  }
}

if (process.argv[1] && resolve(process.argv[1]) === import.meta.filename) {
  const [articles = '10000', databaseUrl] = process.argv.slice(2);
  console.log(`added ${await seedBench({ databaseUrl, articles: Number(articles) })} articles`);
}
