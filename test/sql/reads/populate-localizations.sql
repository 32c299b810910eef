select (
  select coalesce(json_agg(d.*), '[]')
  from (
    select t0."id" as "id", t0."document_id" as "documentId", t0."title" as "title", (
      select coalesce(json_agg(j2.*), '[]')
      from (
        select t1."id" as "id", t1."document_id" as "documentId", t1."title" as "title", t1."locale" as "locale"
        from "posts" t1
        where t1.document_id = t0.document_id
          and t1.locale <> t0.locale
          and t1.published = t0.published
        order by t1.id
      ) j2
    ) as "localizations"
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
