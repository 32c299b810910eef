select (
  select coalesce(json_agg(d.*), '[]')
  from (
    select t0."id" as "id", t0."document_id" as "documentId", t0."title" as "title", t0."locale" as "locale"
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
            and not exists (
            select 1
            from "posts" v
            where v.document_id = t0.document_id
              and v.published
              and v.locale = any($1::text[])
              and array_position($1::text[], v.locale) < array_position($1::text[], t0.locale)
          )
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
  from (
    select distinct t0.document_id
    from "posts" t0
    where t0.published
      and t0.locale = any($1::text[])
  ) q
))::int4 as total
