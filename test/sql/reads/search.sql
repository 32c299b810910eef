with page as materialized (
  select *
  from (
    select t0.id, count(*) over () as total
    from "posts" t0
    where t0.published
      and t0.locale = $1::text
      and (lower(t0."document_id") like lower($2::text) or lower(t0."title") like lower($2::text))
    order by t0.id
    limit 100
  ) q
  limit $3::int8
) select (
  select coalesce(json_agg(d.*), '[]')
  from (
    select t0."id" as "id", t0."document_id" as "documentId", t0."title" as "title"
    from "posts" t0
    where t0.id = any(array(
      select id
      from page
    ))
    order by t0.id
  ) d
)::text as data, coalesce((
  select p.total
  from page p
  limit 1
), 0)::int4 as total
