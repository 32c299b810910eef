select (
  select coalesce(json_agg(d.*), '[]')
  from (
    select t0."id" as "id", t0."document_id" as "documentId", t0."title" as "title"
    from unnest(array(
      select id
      from (
        select *
        from (
          select t0.id, t2."city" as k0, t1."name" as k1, t3."name" as k2
          from "posts" t0
          left join "authors" t1 on t1.document_id = t0."author_document_id"
            and t1.published
            and t1.locale = 'en'
          left join "places" t2 on t2.document_id = t1."home_document_id"
            and t2.published
            and t2.locale = 'en'
          left join "authors" t3 on t3.document_id = ((t0."seo"->'by' || '[]')->>0)
            and t3.published
            and t3.locale = 'en'
          where not t0.published
            and t0.locale = $1::text
          order by k0 desc, k1 desc, k2 asc, t0.id
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
  where not t0.published
    and t0.locale = $1::text
))::int4 as total
