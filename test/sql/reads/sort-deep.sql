select (
  select coalesce(json_agg(d.*), '[]')
  from (
    select t0."id" as "id", t0."document_id" as "documentId", t0."title" as "title"
    from unnest(array(
      select id
      from (
        select *
        from (
          select t0.id, (
            select t1."name"
            from "posts_tags_links" l2
            join "tags" t1 on t1.document_id = l2.target_document_id
            where l2.owner_document_id = t0.document_id
              and l2.published
              and l2.locale = ''
              and t1.published
              and t1.locale = 'en'
            order by 1 desc nulls last
            limit 1
          ) as k0, t3."name" as k1
          from "posts" t0
          left join "authors" t3 on t3.document_id = t0."author_document_id"
            and t3.published
            and t3.locale = 'en'
          where t0.published
            and t0.locale = $1::text
          order by k0 desc nulls last, k1 asc, t0.id
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
