select o.data, o.stamp
from (
  select 1
) z
left join (
  select (
    select row_to_json(d.*)
    from (
      select t0."id" as "id", t0."document_id" as "documentId", t0."title" as "title", (
        select row_to_json(j2.*)
        from (
          select t1."id" as "id", t1."document_id" as "documentId", t1."name" as "name"
          from "authors" t1
          where t1.document_id = t0."author_document_id"
            and t1.published
            and t1.locale = 'en'
          limit 1
        ) j2
      ) as "author"
    ) d
  )::text as data, concat(t0.id, '.', t0.xmin, '.', (date_part('epoch', t0.updated_at) * 1000)::int8) as stamp
  from "posts" t0
  where t0.document_id = $1::text
    and t0.published
    and t0.locale = $2::text
) o on true
