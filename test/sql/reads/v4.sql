select o.data, o.stamp
from (
  select 1
) z
left join (
  select (
    select row_to_json(d.*)
    from (
      select t0."id" as "id", t0."document_id" as "documentId", (
        select row_to_json(j13.*)
        from (
          select t0."title" as "title", json_build_object('data', (
            select row_to_json(j2.*)
            from (
              select t1."id" as "id", t1."document_id" as "documentId", (
                select row_to_json(j3.*)
                from (
                  select t1."name" as "name"
                ) j3
              ) as "attributes"
              from "authors" t1
              where t1.document_id = t0."author_document_id"
                and t1.published
                and t1.locale = 'en'
              limit 1
            ) j2
          )) as "author", json_build_object('data', (
            select coalesce(json_agg(j6.*), '[]')
            from (
              select t4."id" as "id", t4."document_id" as "documentId", (
                select row_to_json(j7.*)
                from (
                  select t4."name" as "name"
                ) j7
              ) as "attributes"
              from "posts_tags_links" l5
              cross join lateral (
                select *
                from "tags" t4
                where t4.document_id = l5.target_document_id
                  and t4.published
                  and t4.locale = 'en'
                limit 1
              ) t4
              where l5.owner_document_id = t0.document_id
                and l5.published
                and l5.locale = ''
              order by l5.position
            ) j6
          )) as "tags", (
            select row_to_json(j9.*)
            from (
              select c8.v->'id' as "id", c8.v->'documentId' as "documentId", c8.v->'title' as "title", json_build_object('data', (
                select row_to_json(j11.*)
                from (
                  select t10."id" as "id", t10."document_id" as "documentId", (
                    select row_to_json(j12.*)
                    from (
                      select t10."name" as "name"
                    ) j12
                  ) as "attributes"
                  from "authors" t10
                  where t10.document_id = ((c8.v->'by' || '[]')->>0)
                    and t10.published
                    and t10.locale = 'en'
                  limit 1
                ) j11
              )) as "by"
              from (
                select case jsonb_typeof(t0."seo") when 'array' then t0."seo"->0 else t0."seo" end as v
                offset 0
              ) c8
              where c8.v is not null
              limit 1
            ) j9
          ) as "seo"
        ) j13
      ) as "attributes"
    ) d
  )::text as data, concat(t0.id, '.', t0.xmin, '.', (date_part('epoch', t0.updated_at) * 1000)::int8) as stamp
  from "posts" t0
  where t0.document_id = $1::text
    and t0.published
    and t0.locale = $2::text
) o on true
