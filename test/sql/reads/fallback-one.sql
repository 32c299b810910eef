select o.data, o.stamp
from (
  select 1
) z
left join (
  select (
    select row_to_json(d.*)
    from (
      select t0."id" as "id", t0."document_id" as "documentId", t0."title" as "title"
    ) d
  )::text as data, concat(t0.id, '.', t0.xmin, '.', (date_part('epoch', t0.updated_at) * 1000)::int8) as stamp
  from "posts" t0
  where t0.document_id = $1::text
    and t0.published
    and t0.locale = any($2::text[])
    and not exists (
    select 1
    from "posts" v
    where v.document_id = t0.document_id
      and v.published
      and v.locale = any($2::text[])
      and array_position($2::text[], v.locale) < array_position($2::text[], t0.locale)
  )
) o on true
