select (
  select coalesce(json_agg(d.*), '[]')
  from (
    select t0."id" as "id", t0."document_id" as "documentId", t0."name" as "name", json_build_object('count', (
      select count(*)
      from "posts_tags_links" l2
      join "posts" t1 on t1.document_id = l2.owner_document_id
      where l2.target_document_id = t0.document_id
        and l2.published
        and l2.locale = ''
        and t1.published
        and t1.locale = $1::text
    )) as "posts"
    from "tags" t0
    where t0.id = any(array(
      select id
      from (
        select *
        from (
          select t0.id
          from "tags" t0
          where t0.published
            and t0.locale = 'en'
          order by t0.id
          limit 100
        ) q
        limit $2::int8
      ) page
    ))
    order by t0.id
  ) d
)::text as data, ((
  select count(*)
  from "tags" t0
  where t0.published
    and t0.locale = 'en'
))::int4 as total
