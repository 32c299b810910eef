with page as materialized (
  select *
  from (
    select t0.id, count(*) over () as total
    from "tags" t0
    where t0.published
      and t0.locale = 'en'
      and t0."name" = $1::text
    order by t0.id
    limit 100
  ) q
  limit $2::int8
) select (
  select coalesce(json_agg(d.*), '[]')
  from (
    select t0."id" as "id", t0."document_id" as "documentId", t0."name" as "name", (
      select coalesce(json_agg(j3.*), '[]')
      from (
        select t1."id" as "id", t1."document_id" as "documentId", t1."title" as "title", (
          select row_to_json(j5.*)
          from (
            select t4."id" as "id", t4."document_id" as "documentId", t4."name" as "name", (
              select row_to_json(j7.*)
              from (
                select t6."id" as "id", t6."document_id" as "documentId", t6."city" as "city"
                from "places" t6
                where t6.document_id = t4."home_document_id"
                  and t6.published
                  and t6.locale = 'en'
                limit 1
              ) j7
            ) as "home"
            from "authors" t4
            where t4.document_id = t1."author_document_id"
              and t4.published
              and t4.locale = 'en'
            limit 1
          ) j5
        ) as "author"
        from "posts_tags_links" l2
        join "posts" t1 on t1.document_id = l2.owner_document_id
        where l2.target_document_id = t0.document_id
          and l2.published
          and l2.locale = ''
          and t1.published
          and t1.locale = $3::text
        order by l2.inverse_position
      ) j3
    ) as "posts"
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
