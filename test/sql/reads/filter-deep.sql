with page as materialized (
  select *
  from (
    select t0.id, count(*) over () as total
    from "tags" t0
    where t0.published
      and t0.locale = 'en'
      and exists (
      select 1
      from "posts_tags_links" l2
      join "posts" t1 on t1.document_id = l2.owner_document_id
      where l2.target_document_id = t0.document_id
        and l2.published
        and l2.locale = ''
        and t1.published
        and t1.locale = $1::text
        and exists (
        select 1
        from "authors" t3
        where t3.document_id = t1."author_document_id"
          and t3.published
          and t3.locale = 'en'
          and exists (
          select 1
          from "places" t4
          where t4.document_id = t3."home_document_id"
            and t4.published
            and t4.locale = 'en'
            and t4."city" = $2::text
        )
      )
    )
    order by t0.id
    limit 100
  ) q
  limit $3::int8
) select (
  select coalesce(json_agg(d.*), '[]')
  from (
    select t0."id" as "id", t0."document_id" as "documentId", t0."name" as "name"
    from "tags" t0
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
