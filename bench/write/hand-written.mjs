/**
 * Unchecked limit: the fastest server by hand for bodies known to be right. It uses node:http and pg, on the
 * library's tables. One named statement writes the draft, the published row, their links and components; a
 * second one reads the response. It has no validation, permissions, target checks or locks, so it is fast and
 * unsafe.
 *
 * node hand-written.mjs --database-url postgresql://…
 */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { ANSWER } from './answer-sql.mjs';

const { values: options } = parseArgs({ options: { 'database-url': { type: 'string' } } });
const pool = new pg.Pool({
  connectionString: options['database-url'],
  max: 10,
  options: '-c plan_cache_mode=force_generic_plan',
});

/** Columns set by a body, and their place among the parameters, after the document id and the categories. */
const GIVEN = {
  post: [
    'title',
    'slug',
    'summary',
    'body',
    'views',
    'rating',
    'featured',
    'published_on',
    'meta',
    'author_document_id',
    'seo',
    'sections',
    'blocks',
  ],
  put: ['title', 'summary', 'views', 'author_document_id', 'seo', 'sections'],
};
const JSON_COLUMNS = new Set(['body', 'meta', 'seo', 'sections', 'blocks']);
const place = (name, i) => `$${i + 3}${JSON_COLUMNS.has(name) ? '::jsonb' : ''}`;
const TYPES = { views: '::int4', rating: '::numeric', featured: '::boolean', published_on: '::date' };
const typed = (name, i) => `${place(name, i)}${TYPES[name] ?? (JSON_COLUMNS.has(name) ? '' : '::text')}`;

const ALL = [
  ...GIVEN.post,
  'bignum',
  'score',
  'status_label',
  'contact_email',
  'secret',
  'password',
  'start_time',
  'event_at',
  'cover_document_id',
];

const POST = `with d as (
  insert into articles (document_id, locale, published, created_at, updated_at, published_at, ${GIVEN.post.join(', ')})
  select $1, 'en', s.published, now(), now(), case when s.published then now() end, ${GIVEN.post.map(typed).join(', ')} from (values (false), (true)) s(published)
  returning document_id, published)
  insert into articles_categories_links (owner_document_id, published, locale, target_document_id, position, inverse_position)
  select d.document_id, d.published, '', c.id, c.n, nextval('content_counts_id_seq') from d cross join unnest($2::text[]) with ordinality c(id, n)`;

const PUT = `with d as (
    update articles set updated_at = now(), ${GIVEN.put.map((name, i) => `${name} = ${typed(name, i)}`).join(', ')}
    where document_id = $1 and not published and locale = 'en' returning *
  ), p as (
    update articles t set updated_at = now(), published_at = now(), ${ALL.map((name) => `${name} = d.${name}`).join(', ')}
    from d where t.document_id = d.document_id and t.published and t.locale = 'en' returning t.document_id, t.published
  ), o as (select document_id, published from d union all select document_id, published from p),
  x as (
    delete from articles_categories_links l using o
    where l.owner_document_id = o.document_id and l.published = o.published and l.target_document_id <> all($2::text[]))
  insert into articles_categories_links (owner_document_id, published, locale, target_document_id, position, inverse_position)
  select o.document_id, o.published, '', c.id, c.n, nextval('content_counts_id_seq') from o cross join unnest($2::text[]) with ordinality c(id, n)
  on conflict (owner_document_id, published, locale, target_document_id) do update set position = excluded.position`;

let lastComponent = Date.now() % 1_000_000_000;
const documentId = () => `h${randomBytes(12).toString('hex').slice(0, 23)}`;
const instance = (item) => ({ id: (lastComponent += 1), documentId: documentId(), ...item });
const parts = (value) => JSON.stringify(Array.isArray(value) ? value.map(instance) : instance(value));

/** Parameter of a column. */
const VALUES = {
  published_on: (data) => data.publishedOn,
  author_document_id: (data) => data.author,
  body: (data) => JSON.stringify(data.body),
  meta: (data) => JSON.stringify(data.meta),
  seo: (data) => parts(data.seo),
  sections: (data) => parts(data.sections),
  blocks: (data) => parts(data.blocks),
};

async function write(kind, id, data) {
  const values = GIVEN[kind].map((name) => (VALUES[name] === undefined ? data[name] : VALUES[name](data)));
  const client = await pool.connect();
  try {
    await client.query({
      name: kind,
      text: kind === 'post' ? POST : PUT,
      values: [id, data.categories, ...values],
    });
    return (await client.query({ name: 'read', text: ANSWER, values: [id] })).rows[0].data;
  } finally {
    client.release();
  }
}

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8')).data;
}

async function answer(request) {
  const data = await bodyOf(request);
  const id = request.url.split('/')[3];
  return `{"data":${await (id === undefined ? write('post', documentId(), data) : write('put', id, data))},"meta":{}}`;
}

const server = createServer((request, response) => {
  answer(request).then(
    (body) =>
      response
        .writeHead(request.method === 'POST' ? 201 : 200, {
          'content-type': 'application/json; charset=utf-8',
          'content-length': Buffer.byteLength(body),
        })
        .end(body),
    (error) => response.writeHead(500).end(String(error)),
  );
});
server.listen(0, '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
