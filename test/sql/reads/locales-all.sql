select (
  select coalesce(json_agg(d.*), '[]')
  from (
    select t0."id" as "id", t0."document_id" as "documentId", t0."title" as "title", t0."locale" as "locale"
    from unnest(array(
      select id
      from (
        select *
        from (
          select t0.id, t0."title" as k0
          from "posts" t0
          where t0.published
          order by k0 asc, t0.id
          limit 100
        ) q
        limit $1::int8
      ) page
    )) with ordinality p(id, n)
    join "posts" t0 on t0.id = p.id
    order by p.n
  ) d
)::text as data, ((
  select count(*)
  from "posts" t0
  where t0.published
))::int4 as total
