select (
  select coalesce(json_agg(d.*), '[]')
  from (
    select t0."id" as "id", t0."document_id" as "documentId", t0."name" as "name", (
      select coalesce(json_agg(j3.*), '[]')
      from (
        select t1."id" as "id", t1."document_id" as "documentId", t1."title" as "title"
        from "posts_tags_links" l2
        join "posts" t1 on t1.document_id = l2.owner_document_id
        where l2.target_document_id = t0.document_id
          and l2.published
          and l2.locale = ''
          and t1.published
          and t1.locale = any($1::text[])
          and not exists (
          select 1
          from "posts" v
          where v.document_id = t1.document_id
            and v.published
            and v.locale = any($1::text[])
            and array_position($1::text[], v.locale) < array_position($1::text[], t1.locale)
        )
        order by l2.inverse_position
      ) j3
    ) as "posts"
    from unnest(array(
      select id
      from (
        select *
        from (
          select t0.id, t0."name" as k0
          from "tags" t0
          where t0.published
            and t0.locale = 'en'
          order by k0 asc, t0.id
          limit 100
        ) q
        limit $2::int8
      ) page
    )) with ordinality p(id, n)
    join "tags" t0 on t0.id = p.id
    order by p.n
  ) d
)::text as data, ((
  select count(*)
  from "tags" t0
  where t0.published
    and t0.locale = 'en'
))::int4 as total
