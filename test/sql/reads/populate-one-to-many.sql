select (
  select coalesce(json_agg(d.*), '[]')
  from (
    select t0."id" as "id", t0."document_id" as "documentId", t0."name" as "name", (
      select coalesce(json_agg(j2.*), '[]')
      from (
        select t1."id" as "id", t1."document_id" as "documentId", t1."title" as "title"
        from "posts" t1
        where t1."author_document_id" = t0.document_id
          and t1.published
          and t1.locale = $1::text
          and t1."views" > $2::int4
        order by t1."title" desc, t1."author_position"
      ) j2
    ) as "posts"
    from "authors" t0
    where t0.id = any(array(
      select id
      from (
        select *
        from (
          select t0.id
          from "authors" t0
          where t0.published
            and t0.locale = 'en'
          order by t0.id
          limit 100
        ) q
        limit $3::int8
      ) page
    ))
    order by t0.id
  ) d
)::text as data, ((
  select count(*)
  from "authors" t0
  where t0.published
    and t0.locale = 'en'
))::int4 as total
