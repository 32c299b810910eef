select (
  select coalesce(json_agg(d.*), '[]')
  from (
    select t0."id" as "id", t0."document_id" as "documentId", t0."title" as "title"
    from "posts" t0
    where t0.id = any(array(
      select id
      from (
        select *
        from (
          select t0.id
          from "posts" t0
          where not t0.published
            and exists (
            select 1
            from "posts" d
            join "posts" p on p.document_id = d.document_id
              and p.locale = d.locale
              and p.published
            where d.document_id = t0.document_id
              and d.locale = t0.locale
              and not d.published
              and d.revision <> p.revision
          )
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
  where not t0.published
    and exists (
    select 1
    from "posts" d
    join "posts" p on p.document_id = d.document_id
      and p.locale = d.locale
      and p.published
    where d.document_id = t0.document_id
      and d.locale = t0.locale
      and not d.published
      and d.revision <> p.revision
  )
    and t0.locale = $1::text
))::int4 as total
