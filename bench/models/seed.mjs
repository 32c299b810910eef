/** Fills the library's tables by SQL. The tables must exist and be empty. */
import { readFile } from 'node:fs/promises';
import pg from 'pg';

/**
 * Columns of base-data.json entries, table by table, targets before the rows that refer to them: column →
 * member of the entry.
 */
const BASE_TABLES = {
  companies: { from: 'companies', columns: { name: 'name' } },
  content_files: {
    from: 'files',
    columns: {
      name: 'name',
      alternative_text: 'alternativeText',
      caption: 'caption',
      hash: 'hash',
      ext: 'ext',
      mime: 'mime',
      width: 'width',
      height: 'height',
      size: 'size',
      url: 'url',
      formats: 'formats',
      provider: 'provider',
    },
  },
  authors: { from: 'authors', columns: { name: 'name', email: 'email', employer_document_id: 'employer' } },
  categories: { from: 'categories', columns: { name: 'name', parent_document_id: 'parent' } },
};

/**
 * Seeds the blog: base-data.json and bench articles. The base data has ten authors and eight categories. More
 * of them, with a company per author, keep the matches of a filter constant while the table grows.
 */
export function seedBlog({ databaseUrl, articles, authors = 0, categories = 0 }) {
  return seed(databaseUrl, 'seed-blog.sql', { articles, authors, categories }, insertBaseData);
}

export function seedAtlas({ databaseUrl, rows }) {
  return seed(databaseUrl, 'seed-atlas.sql', { rows });
}

async function seed(databaseUrl, file, settings, before = async () => {}) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('begin');
    await client.query('set local session_replication_role = replica'); // skips a check per foreign key: all rows are valid
    await before(client);
    for (const [name, value] of Object.entries(settings))
      await client.query('select set_config($1, $2, true)', [`bench.${name}`, String(value)]);
    await client.query(await readFile(new URL(file, import.meta.url), 'utf8'));
    await client.query('commit');
    await client.query('vacuum (analyze)');
  } finally {
    await client.end();
  }
}

async function insertBaseData(client) {
  const data = JSON.parse(await readFile(new URL('../base-data.json', import.meta.url), 'utf8'));
  for (const [table, { from, columns }] of Object.entries(BASE_TABLES)) {
    for (const entry of data[from]) await insert(client, table, columns, entry);
  }
}

async function insert(client, table, columns, entry) {
  const places = Object.keys(columns).map((_column, i) => `$${i + 2}`);
  await client.query(
    `insert into ${table} (document_id, created_at, updated_at, published_at, published, locale, ${Object.keys(columns).join(', ')})
     values ($1, now(), now(), now(), true, 'en', ${places.join(', ')})`,
    [entry.documentId, ...Object.values(columns).map((member) => entry[member])],
  );
}
