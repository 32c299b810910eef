select (
  select coalesce(json_agg(d.*), '[]')
  from (
    select t0."id" as "id", t0."document_id" as "documentId", t0."title" as "title", (
      select coalesce(json_agg(case c1.v->>'__component' when 'shelf.quote' then (
        select row_to_json(j2.*)
        from (
          select c1.v->'id' as "id", c1.v->'documentId' as "documentId", c1.v->'text' as "text", (
            select row_to_json(j4.*)
            from (
              select t3."id" as "id", t3."document_id" as "documentId", t3."name" as "name"
              from "authors" t3
              where t3.document_id = ((c1.v->'by' || '[]')->>0)
                and t3.published
                and t3.locale = 'en'
              limit 1
            ) j4
          ) as "by", c1.v->>'__component' as "__component"
        ) j2
      ) end order by c1.n), '[]')
      from jsonb_array_elements((t0."zone" || '[]')) with ordinality c1(v, n)
      where (c1.v->>'__component' = 'shelf.quote' and (c1.v->>'text') like $1::text)
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
            and t0.locale = $2::text
          order by t0.id
          limit $3::int8
        ) q
        limit 100
      ) page
    ))
    order by t0.id
  ) d
)::text as data, ((
  select count(*)
  from "posts" t0
  where t0.published
    and t0.locale = $2::text
))::int4 as total
