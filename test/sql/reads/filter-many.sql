with page as materialized (
  select *
  from (
    select t0.id, count(*) over () as total
    from "tags" t0
    where t0.published
      and t0.locale = 'en'
      and (exists (
      select 1
      from "posts_tags_links" l2
      join "posts" t1 on t1.document_id = l2.owner_document_id
      where l2.target_document_id = t0.document_id
        and l2.published
        and l2.locale = ''
        and t1.published
        and t1.locale = $1::text
        and t1."views" > $2::int4
    ) and exists (
      select 1
      from "posts_tags_links" l4
      join "posts" t3 on t3.document_id = l4.owner_document_id
      where l4.target_document_id = t0.document_id
        and l4.published
        and l4.locale = ''
        and t3.published
        and t3.locale = $1::text
        and t3."views" > $3::int4
    ) and exists (
      select 1
      from "posts_tags_links" l6
      join "posts" t5 on t5.document_id = l6.owner_document_id
      where l6.target_document_id = t0.document_id
        and l6.published
        and l6.locale = ''
        and t5.published
        and t5.locale = $1::text
        and t5."views" > $4::int4
    ) and exists (
      select 1
      from "posts_tags_links" l8
      join "posts" t7 on t7.document_id = l8.owner_document_id
      where l8.target_document_id = t0.document_id
        and l8.published
        and l8.locale = ''
        and t7.published
        and t7.locale = $1::text
        and t7."views" > $5::int4
    ) and exists (
      select 1
      from "posts_tags_links" l10
      join "posts" t9 on t9.document_id = l10.owner_document_id
      where l10.target_document_id = t0.document_id
        and l10.published
        and l10.locale = ''
        and t9.published
        and t9.locale = $1::text
        and t9."views" > $6::int4
      offset 0
    ))
    order by t0.id
    limit 100
  ) q
  limit $7::int8
) select (
  select coalesce(json_agg(d.*), '[]')
  from (
    select t0."id" as "id", t0."document_id" as "documentId", t0."name" as "name"
    from "tags" t0
    where t0.id = any(array(
      select id
      from page
    ))
    order by t0.id
  ) d
)::text as data, coalesce((
  select p.total
  from page p
  limit 1
), 0)::int4 as total
