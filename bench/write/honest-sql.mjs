/** The statements of the honest limit, for articles in one locale, on the library's tables. */
import { ANSWER } from './answer-sql.mjs';

/**
 * Locks by name, in the order of their keys for everybody, so that nobody waits in a circle: a writer has its
 * document to itself and shares the relations. A statement of its own, because what comes after it has to see
 * what former holders did.
 */
const locks = (names) => `select count(case when l.exclusive then pg_advisory_xact_lock(l.key)::text
    else pg_advisory_xact_lock_shared(l.key)::text end)
  from (select hashtextextended(x.name, 0) as key, x.exclusive from (values ${names}) x(name, exclusive) order by 1) l`;

const FRESH = (count) =>
  `(select json_agg(nextval('content_component_ids_id_seq')) from generate_series(1, ${count}::int4))::text`;
const AUTHOR = (id) =>
  `(select x.document_id from authors x where x.document_id = ${id}::text and x.published and x.locale = 'en')`;
const CATEGORIES = (ids) =>
  `(select json_agg(x.document_id) from categories x where x.document_id = any(${ids}::text[]) and x.published and x.locale = 'en')::text`;

/** The document's versions, their rows locked against writers that take no lock by name. */
const VERSIONS = `(select json_agg(v) from (
    select a.id, a.locale, a.published, a.revision::text, a.contact_email, a.seo, a.sections from articles a
    where a.document_id = $4::text order by a.id for no key update) v)::text`;

/** What a POST gives, and what a publication copies. */
const POSTED = `title, slug, summary, body, views, rating, featured, published_on, meta, author_document_id,
  seo, sections, blocks`;
const COPIED = [
  ...POSTED.split(',').map((name) => name.trim()),
  ...['bignum', 'score', 'status_label', 'contact_email', 'secret', 'password', 'start_time', 'event_at'],
  'cover_document_id',
];

/** What the body of a PUT gives. */
const PUT = {
  title: '$4::text',
  summary: '$5::text',
  views: '$6::int4',
  author_document_id: '$7::text',
  seo: '$8::jsonb',
  sections: '$9::jsonb',
};
const assigned = Object.entries(PUT)
  .map(([name, value]) => `${name} = ${value}`)
  .join(', ');
const targets = (table) => `(array(select l.target_document_id from ${table} l
  where l.owner_document_id = t.document_id and l.published = t.published order by l.position))::text`;
const JSON_COLUMNS = ['body', 'meta', 'seo', 'sections', 'blocks'];
const digested = (name) => `(${PUT[name] ?? `t.${name}`})${JSON_COLUMNS.includes(name) ? '::text' : ''}`;

/**
 * A version of a document by what its content is: a digest of it, the same for a draft and what is published
 * from it, so that equal ones need no copying.
 */
const REVISION = `hash_record_extended(row(${COPIED.map(digested).join(', ')},
    $3::text[]::text, ${targets('articles_gallery_links')}, ${targets('articles_related_links')}), 0)`;
const POSTED_REVISION = `hash_record_extended(row($3::text, $4::text, $5::text, $6::jsonb::text, $7::int4, $8::numeric,
    $9::boolean, $10::date, $11::jsonb::text, $12::text, $13::jsonb::text, $14::jsonb::text, $15::jsonb::text, null::int8, null::float8,
    null::text, null::text, null::text, null::text, null::time, null::timestamptz, null::text,
    $2::text[]::text, '{}'::text, '{}'::text), 0)`;

const POST = `with o as (
    insert into articles (document_id, locale, published, created_at, updated_at, published_at, revision, ${POSTED})
    select $1::text, 'en', s.published, now(), now(), case when s.published then now() end, r.revision,
      $3::text, $4::text, $5::text, $6::jsonb, $7::int4, $8::numeric, $9::boolean, $10::date, $11::jsonb, $12::text,
      $13::jsonb, $14::jsonb, $15::jsonb
    from (values (false), (true)) s(published) cross join (select ${POSTED_REVISION} as revision) r
    returning document_id, published)
  insert into articles_categories_links (owner_document_id, published, locale, target_document_id, position, inverse_position)
  select o.document_id, o.published, '', c.id, c.n, nextval('content_counts_id_seq') from o cross join unnest($2::text[]) with ordinality c(id, n)`;

/** The published version of a document that has one, and of one that has none yet. */
const REPUBLISH = `update articles t set updated_at = d.updated_at, published_at = now(), revision = d.revision,
    ${COPIED.map((name) => `${name} = d.${name}`).join(', ')}
    from d where t.id = $2::int4 returning t.document_id, t.published`;
const PUBLISH = `insert into articles (document_id, locale, published, created_at, updated_at, published_at, revision, ${COPIED.join(', ')})
    select d.document_id, d.locale, true, d.created_at, d.updated_at, now(), d.revision, ${COPIED.map((name) => `d.${name}`).join(', ')}
    from d where $2::int4 is null returning document_id, published`;

/** Lists that the body does not name are published as the draft has them; what is right stays untouched. */
const copied = (table, name) => `${name}_gone as (
    delete from ${table} l using p where l.owner_document_id = p.document_id and l.published and not exists (
      select 1 from ${table} s
      where s.owner_document_id = p.document_id and not s.published and s.target_document_id = l.target_document_id)
  ), ${name}_copied as (
    insert into ${table} (owner_document_id, published, locale, target_document_id, position)
    select p.document_id, true, '', s.target_document_id, s.position from p
    join ${table} s on s.owner_document_id = p.document_id and not s.published
    where not exists (
      select 1 from ${table} k
      where k.owner_document_id = p.document_id and k.published and k.target_document_id = s.target_document_id
        and k.position = s.position)
    order by s.position
    on conflict (owner_document_id, published, locale, target_document_id) do update set position = excluded.position)`;

/** The categories of the rows in `o`. */
const RELINKED = `unlinked as (
    delete from articles_categories_links l using o
    where l.owner_document_id = o.document_id and l.published = o.published and l.target_document_id <> all($3::text[])
  )`;
const LINKED = `insert into articles_categories_links (owner_document_id, published, locale, target_document_id, position, inverse_position)
  select o.document_id, o.published, '', c.id, c.n, nextval('content_counts_id_seq') from o cross join unnest($3::text[]) with ordinality c(id, n)
  on conflict (owner_document_id, published, locale, target_document_id) do update set position = excluded.position
  where articles_categories_links.position <> excluded.position`;

const put = (publication) => `with d as (
    update articles t set updated_at = now(), revision = ${REVISION}, ${assigned}
    where id = $1::int4 returning *
  ), p as (${publication}),
  o as (select document_id, published from d union all select document_id, published from p),
  ${RELINKED}, ${copied('articles_gallery_links', 'gallery')}, ${copied('articles_related_links', 'related')}
  ${LINKED}`;

/** A draft and a published version that is what it is take the same. */
const PUT_BOTH = `with r as (select ${REVISION} as revision from articles t where t.id = $1::int4),
  o as (
    update articles t set updated_at = now(), revision = (select r.revision from r), ${assigned},
      published_at = case when t.published then now() end
    where t.id in ($1::int4, $2::int4) returning t.document_id, t.published
  ), ${RELINKED} ${LINKED}`;

/** By name; every connection has them prepared. */
export const STATEMENTS = {
  begin: 'begin',
  commit: 'commit',
  rollback: 'rollback',
  answer: ANSWER,
  // Fresh component ids, the author, the categories; of a PUT the versions as well.
  post_locks: locks(`('articles links', false)`),
  post_look: `select ${FRESH('$1')}, ${AUTHOR('$2')}, ${CATEGORIES('$3')}`,
  post: POST,
  put_locks: locks(`('articles:' || $1::text, true), ('articles links', false)`),
  put_look: `select ${FRESH('$1')}, ${AUTHOR('$2')}, ${CATEGORIES('$3')}, ${VERSIONS}`,
  put: put(REPUBLISH),
  put_both: PUT_BOTH,
  put_first: put(PUBLISH),
};
