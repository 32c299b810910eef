/** Statements of the honest limit, for articles in one locale, on the library's tables. */
import { ANSWER } from './answer-sql.mjs';

/**
 * Locks by name, in the order of their keys, so that writers cannot deadlock. A writer locks its document
 * exclusively and the relations as shared. A separate statement, because later statements must see the
 * changes of earlier holders.
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

/** Versions of the document, with row locks against writers without named locks. */
const VERSIONS = `(select json_agg(v) from (
    select a.id, a.locale, a.published, a.revision::text, a.contact_email, a.seo, a.sections from articles a
    where a.document_id = $4::text order by a.id for no key update) v)::text`;

/** Columns that a POST sets, and those that a publication copies. */
const POSTED = `title, slug, summary, body, views, rating, featured, published_on, meta, author_document_id,
  seo, sections, blocks`;
const COPIED = [
  ...POSTED.split(',').map((name) => name.trim()),
  ...['bignum', 'score', 'status_label', 'contact_email', 'secret', 'password', 'start_time', 'event_at'],
  'cover_document_id',
];

/** Columns that a PUT sets. */
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
 * Revision: a digest of a version's content. A draft and the version published from it have the same digest,
 * so equal ones need no copy.
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

/** Statements that publish a document again, and for the first time. */
const REPUBLISH = `update articles t set updated_at = d.updated_at, published_at = now(), revision = d.revision,
    ${COPIED.map((name) => `${name} = d.${name}`).join(', ')}
    from d where t.id = $2::int4 returning t.document_id, t.published`;
const PUBLISH = `insert into articles (document_id, locale, published, created_at, updated_at, published_at, revision, ${COPIED.join(', ')})
    select d.document_id, d.locale, true, d.created_at, d.updated_at, now(), d.revision, ${COPIED.map((name) => `d.${name}`).join(', ')}
    from d where $2::int4 is null returning document_id, published`;

/** Publishes lists that the body does not set from the draft. Equal links stay untouched. */
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

/** Replaces the categories of the rows in `o`. */
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

/** Writes a draft and an equal published version with the same values. */
const PUT_BOTH = `with r as (select ${REVISION} as revision from articles t where t.id = $1::int4),
  o as (
    update articles t set updated_at = now(), revision = (select r.revision from r), ${assigned},
      published_at = case when t.published then now() end
    where t.id in ($1::int4, $2::int4) returning t.document_id, t.published
  ), ${RELINKED} ${LINKED}`;

/** Statements by name; each connection prepares all of them. */
export const STATEMENTS = {
  begin: 'begin',
  commit: 'commit',
  rollback: 'rollback',
  answer: ANSWER,
  // New component ids, the author and the categories; for a PUT also the versions.
  post_locks: locks(`('articles links', false)`),
  post_checks: `select ${FRESH('$1')}, ${AUTHOR('$2')}, ${CATEGORIES('$3')}`,
  post: POST,
  put_locks: locks(`('articles:' || $1::text, true), ('articles links', false)`),
  put_checks: `select ${FRESH('$1')}, ${AUTHOR('$2')}, ${CATEGORIES('$3')}, ${VERSIONS}`,
  put: put(REPUBLISH),
  put_both: PUT_BOTH,
  put_first: put(PUBLISH),
};
