select (
  select coalesce(json_agg(d.*), '[]')
  from (
    select t0."id" as "id", t0."document_id" as "documentId", t0."title" as "title", (
      select row_to_json(j2.*)
      from (
        select c1.v->'id' as "id", c1.v->'documentId' as "documentId", c1.v->'title' as "title", c1.v->'weight' as "weight", (
          select coalesce(json_agg(j4.*), '[]')
          from (
            select c3.v->'id' as "id", c3.v->'documentId' as "documentId", c3.v->'text' as "text"
            from jsonb_array_elements((c1.v->'points' || '[]')) with ordinality c3(v, n)
            order by c3.n
          ) j4
        ) as "points", (
          select row_to_json(j6.*)
          from (
            select t5."id" as "id", t5."document_id" as "documentId", t5."name" as "name"
            from "authors" t5
            where t5.document_id = ((c1.v->'by' || '[]')->>0)
              and t5.published
              and t5.locale = 'en'
            limit 1
          ) j6
        ) as "by", (
          select coalesce(json_agg(j9.*), '[]')
          from (
            select t7."id" as "id", t7."document_id" as "documentId", t7."name" as "name"
            from jsonb_array_elements_text((c1.v->'tags' || '[]')) with ordinality l8(id, n)
            cross join lateral (
              select *
              from "tags" t7
              where t7.document_id = l8.id
                and t7.published
                and t7.locale = 'en'
              limit 1
            ) t7
            order by l8.n
          ) j9
        ) as "tags"
        from (
          select case jsonb_typeof(t0."seo") when 'array' then t0."seo"->0 else t0."seo" end as v
          offset 0
        ) c1
        where c1.v is not null
        limit 1
      ) j2
    ) as "seo"
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
