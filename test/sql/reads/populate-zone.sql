select (
  select coalesce(json_agg(d.*), '[]')
  from (
    select t0."id" as "id", t0."document_id" as "documentId", t0."title" as "title", (
      select coalesce(json_agg(v order by n), '[]')
      from (
        select case c1.v->>'__component' when 'shelf.quote' then (
          select row_to_json(j3.*)
          from (
            select c1.v->'id' as "id", c1.v->'documentId' as "documentId", c1.v->'text' as "text", 'shelf.quote' as "__component"
          ) j3
        ) when 'shelf.seo' then (
          select row_to_json(j4.*)
          from (
            select c1.v->'id' as "id", c1.v->'documentId' as "documentId", c1.v->'title' as "title", c1.v->'weight' as "weight", 'shelf.seo' as "__component"
          ) j4
        ) end as v, c1.n as n
        from jsonb_array_elements((t0."zone" || '[]')) with ordinality c1(v, n)
        offset 0
      ) k2
      where k2.v is not null
    ) as "zone"
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
