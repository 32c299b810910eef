/** Fills the tables of the scale model by SQL. */
import pg from 'pg';

const CATEGORIES = 1000;

const STATEMENTS = [
  `insert into categories (document_id, created_at, updated_at, published_at, published, locale, name, revision)
   select 'cat' || lpad(n::text, 21, '0'), now(), now(), now(), true, 'en', 'Category ' || md5(n::text), 1
   from generate_series(1, ${CATEGORIES}) n`,
  `insert into notes (document_id, created_at, updated_at, published_at, published, locale, title, score, revision)
   select 'note' || lpad(n::text, 20, '0'), now() - n * interval '1 second', now(), now(), true, 'en',
     'Note ' || md5(n::text), n % 100000, 1
   from generate_series(1, $1::int) n`,
  // A quarter as many documents, with a draft and a published version in two locales.
  `insert into articles (document_id, created_at, updated_at, published_at, published, locale, title, text, score, plain,
     category_document_id, revision)
   select 'art' || lpad(n::text, 21, '0'), now() - n * interval '1 second', now(), case when published then now() end,
     published, locale, locale || ' title ' || md5(n::text), repeat(md5(n || locale) || ' ', 10), n % 100000,
     md5((n * 7)::text), case when n % 10 > 0 then 'cat' || lpad((1 + n % ${CATEGORIES})::text, 21, '0') end, 1
   from generate_series(1, $1::int / 4) n, unnest(array['en', 'fr']) locale, unnest(array[false, true]) published`,
  `insert into articles_tags_links (owner_document_id, published, locale, target_document_id, position)
   select 'art' || lpad(n::text, 21, '0'), published, '', 'cat' || lpad((1 + (n + k) % ${CATEGORIES})::text, 21, '0'), k
   from generate_series(1, $1::int / 4) n, generate_series(1, 5) k, unnest(array[false, true]) published`,
];

/** Indexes that are faster to create after the rows. */
const INDEXES = `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as text from pg_index
  where indrelid in ('articles'::regclass, 'notes'::regclass) and not indisunique`;

const SIZES = `select relname as table, pg_table_size(oid)::float8 as heap, pg_indexes_size(oid)::float8 as indexes
  from pg_class where relname in ('notes', 'articles', 'articles_tags_links') order by 1`;

/** Fills the tables without the triggers of the change log: the server counts the rows when it starts. */
export async function fill(databaseUrl, documents) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('set session_replication_role = replica');
    const { rows: indexes } = await client.query(INDEXES);
    for (const { name } of indexes) await client.query(`drop index ${name}`);
    for (const statement of STATEMENTS)
      await client.query(statement, statement.includes('$1') ? [documents] : []);
    await client.query(`set maintenance_work_mem = '512MB'`);
    for (const { text } of indexes) await client.query(text);
    await client.query('vacuum (analyze)');
    return (await client.query(SIZES)).rows;
  } finally {
    await client.end();
  }
}
