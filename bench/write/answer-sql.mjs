/** Published version of an article as in the response, for both hand-written peers. */

const instant = (column) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

export const ANSWER = `select (select row_to_json(d) from (
  select a.id, a.document_id as "documentId", a.title, a.slug, a.body, a.summary, a.views, a.rating, a.bignum::text, a.score, a.featured,
    a.status_label, a.contact_email as "contactEmail", a.published_on::text as "publishedOn",
    replace(to_char(a.start_time, 'HH24:MI:SS.MS'), '.000', '') as "startTime", ${instant('a.event_at')} as "eventAt", a.meta,
    ${instant('a.created_at')} as "createdAt", ${instant('a.updated_at')} as "updatedAt", ${instant('a.published_at')} as "publishedAt", a.locale
  from articles a where a.document_id = $1 and a.published and a.locale = 'en') d)::text as data`;
