select (
  select coalesce(json_agg(d.*), '[]')
  from (
    select t0."id" as "id", t0."document_id" as "documentId", t0."title" as "title", (
      select row_to_json(j2.*)
      from (
        select t1."id" as "id", t1."document_id" as "documentId", t1."name" as "name"
        from "content_files" t1
        where t1.document_id = t0."cover_document_id"
        limit 1
      ) j2
    ) as "cover", (
      select coalesce(json_agg(j5.*), '[]')
      from (
        select t3."id" as "id", t3."document_id" as "documentId", t3."name" as "name"
        from "posts_gallery_links" l4
        cross join lateral (
          select *
          from "content_files" t3
          where t3.document_id = l4.target_document_id
          limit 1
        ) t3
        where l4.owner_document_id = t0.document_id
          and l4.published
          and l4.locale = ''
        order by l4.position
      ) j5
    ) as "gallery"
    from "posts" t0
    where t0.id = any(array(
      select id
      from (
        select *
        from (
          select t0.id
          from "posts" t0
          where t0.published
            and t0.locale = $1::text
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
  from "posts" t0
  where t0.published
    and t0.locale = $1::text
))::int4 as total
