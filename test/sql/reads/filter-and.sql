with page as materialized (
  select *
  from (
    select t0.id, count(*) over () as total
    from "posts" t0
    where t0.published
      and t0.locale = $1::text
      and (exists (
      select 1
      from "posts_tags_links" l2
      join "tags" t1 on t1.document_id = l2.target_document_id
      where l2.owner_document_id = t0.document_id
        and l2.published
        and l2.locale = ''
        and t1.published
        and t1.locale = 'en'
        and t1."name" = $2::text
    ) and exists (
      select 1
      from "posts_tags_links" l4
      join "tags" t3 on t3.document_id = l4.target_document_id
      where l4.owner_document_id = t0.document_id
        and l4.published
        and l4.locale = ''
        and t3.published
        and t3.locale = 'en'
        and t3."name" = $3::text
    ))
    order by t0.id
    limit 100
  ) q
  limit $4::int8
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
