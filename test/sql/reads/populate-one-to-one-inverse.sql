select (
  select coalesce(json_agg(d.*), '[]')
  from (
    select t0."id" as "id", t0."document_id" as "documentId", t0."city" as "city", (
      select row_to_json(j2.*)
      from (
        select t1."id" as "id", t1."document_id" as "documentId", t1."name" as "name"
        from "authors" t1
        where t1."home_document_id" = t0.document_id
          and t1.published
          and t1.locale = 'en'
        limit 1
      ) j2
    ) as "owner"
    from "places" t0
    where t0.id = any(array(
      select id
      from (
        select *
        from (
          select t0.id
          from "places" t0
          where t0.published
            and t0.locale = 'en'
          order by t0.id
          limit 100
        ) q
        limit $1::int8
      ) page
    ))
    order by t0.id
  ) d
)::text as data, ((
  select count(*)
  from "places" t0
  where t0.published
    and t0.locale = 'en'
))::int4 as total
