select (
  select coalesce(json_agg(d.*), '[]')
  from (
    select t0."id" as "id", t0."document_id" as "documentId", t0."title" as "title"
    from unnest(array(
      select id
      from (
        select *
        from (
          select t0.id, (case when jsonb_typeof(t0."seo"->'weight') = 'number' then (t0."seo"->'weight')::numeric end) as k0
          from "posts" t0
          where t0.published
            and t0.locale = $1::text
          order by k0 desc, t0.id
          limit 100
        ) q
        limit $2::int8
      ) page
    )) with ordinality p(id, n)
    join "posts" t0 on t0.id = p.id
    order by p.n
  ) d
)::text as data, ((
  select count(*)
  from "posts" t0
  where t0.published
    and t0.locale = $1::text
))::int4 as total
