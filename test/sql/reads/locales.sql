select (
  select coalesce(json_agg(d.*), '[]')
  from (
    select t0."id" as "id", t0."document_id" as "documentId", t0."title" as "title", t0."locale" as "locale", (
      select row_to_json(j2.*)
      from (
        select t1."id" as "id", t1."document_id" as "documentId", t1."name" as "name", (
          select coalesce(json_agg(j4.*), '[]')
          from (
            select t3."id" as "id", t3."document_id" as "documentId", t3."title" as "title"
            from "posts" t3
            where t3."author_document_id" = t1.document_id
              and t3.published
              and t3.locale = 'en'
            order by t3."author_position"
          ) j4
        ) as "posts"
        from "authors" t1
        where t1.document_id = t0."author_document_id"
          and t1.published
          and t1.locale = 'en'
        limit 1
      ) j2
    ) as "author"
    from "posts" t0
    where t0.id = any(array(
      select id
      from (
        select *
        from (
          select t0.id
          from "posts" t0
          where t0.published
            and t0.locale = any($1::text[])
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
    and t0.locale = any($1::text[])
))::int4 as total
