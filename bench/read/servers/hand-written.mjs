/**
 * Hand-written limit: the cheapest server with exactly these responses, byte for byte, on the library's
 * tables. It uses node:http and pg, with one named prepared statement per request shape that returns the
 * finished JSON. It has no query language, no permissions and no validation.
 *
 * node hand-written.mjs --database-url postgresql://…
 */
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import pg from 'pg';

const { values: options } = parseArgs({ options: { 'database-url': { type: 'string' } } });

// Each statement has one good plan, so a generic plan suffices for all values.
const pool = new pg.Pool({
  connectionString: options['database-url'],
  max: 10,
  options: '-c plan_cache_mode=force_generic_plan',
});

const instant = (column) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const stamps = (
  row,
) => `${instant(`${row}.created_at`)} as "createdAt", ${instant(`${row}.updated_at`)} as "updatedAt",
  ${instant(`${row}.published_at`)} as "publishedAt", ${row}.locale`;

const ARTICLE = `a.id, a.document_id as "documentId", a.title, a.slug, a.body, a.summary, a.views, a.rating, a.bignum::text, a.score, a.featured,
  a.status_label, a.contact_email as "contactEmail", a.published_on::text as "publishedOn",
  replace(to_char(a.start_time, 'HH24:MI:SS.MS'), '.000', '') as "startTime", ${instant('a.event_at')} as "eventAt", a.meta, ${stamps('a')}`;

const POPULATED = `${ARTICLE},
  (select row_to_json(j) from (
    select u.id, u.document_id as "documentId", u.name, u.email, ${stamps('u')} from authors u where u.document_id = a.author_document_id
  ) j) as author,
  (select coalesce(json_agg(j order by l.position), '[]') from articles_categories_links l cross join lateral (
    select c.id, c.document_id as "documentId", c.name, ${stamps('c')} from categories c where c.document_id = l.target_document_id limit 1
  ) j where l.owner_document_id = a.document_id and l.published) as categories,
  (select coalesce(json_agg(j), '[]') from (
    select s->'id' as id, s->'documentId' as "documentId", s->'heading' as heading, s->'body' as body from jsonb_array_elements(a.sections) s
  ) j) as sections`;

const LIVE = "published and locale = 'en'";
const page = (ids) => `(select coalesce(json_agg(d), '[]') from (
  select COLUMNS from articles a where a.id = any(array(${ids})) order by a.id) d)::text as data`;
const all = `select ${page(`select id from articles where ${LIVE} order by id limit 25 offset $1`)}`;
const matching = (
  condition,
  columns = '',
) => `with found as materialized (select id${columns} from articles where ${LIVE} and ${condition})
  select ${page('select id from found order by id limit 25')}, (select count(*) from found)::int as total`;

/** Statements by shape; `COLUMNS` lists the attributes of an article. */
const STATEMENTS = {
  list: `${all}, (select count(*) from articles where ${LIVE})::int as total`,
  uncounted: all,
  one: `select (select row_to_json(d) from (select COLUMNS from articles a where a.document_id = $1 and ${LIVE}) d)::text as data`,
  'by-slug': matching("slug = $1 and slug <> ''"),
  'by-author': matching('author_document_id = $1'),
  'by-employer': matching(`author_document_id in (
    select u.document_id from authors u join companies c on c.document_id = u.employer_document_id where c.name = $1)`),
  'by-category': matching(`document_id in (
    select l.owner_document_id from articles_categories_links l join categories c on c.document_id = l.target_document_id
    where l.published and c.name = $1)`),
};

async function run(shape, full, value) {
  const text = STATEMENTS[shape].replace('COLUMNS', full ? POPULATED : ARTICLE);
  const { rows } = await pool.query({ name: full ? `${shape}-full` : shape, text, values: [value] });
  return rows[0];
}

const list = ({ data, total }, pageNumber) => {
  const counted = total === undefined ? '' : `,"pageCount":${Math.ceil(total / 25)},"total":${total}`;
  return `{"data":${data},"meta":{"pagination":{"page":${pageNumber},"pageSize":25${counted}}}}`;
};

async function answer(url) {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const [, , first, value] = pathname.split('/');
  const full = searchParams.has('full');
  if (value !== undefined) return list(await run(first, full, decodeURIComponent(value)), 1);
  if (first !== undefined) return `{"data":${(await run('one', full, first)).data},"meta":{}}`;
  const pageNumber = Number(searchParams.get('page') ?? 1);
  return list(
    await run(searchParams.get('count') === '0' ? 'uncounted' : 'list', full, (pageNumber - 1) * 25),
    pageNumber,
  );
}

const server = createServer((request, response) => {
  answer(request.url).then(
    (body) =>
      response
        .writeHead(200, {
          'content-type': 'application/json; charset=utf-8',
          'content-length': Buffer.byteLength(body),
        })
        .end(body),
    (error) => response.writeHead(500).end(String(error)),
  );
});
server.listen(0, '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
