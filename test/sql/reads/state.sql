select (
  select coalesce(json_agg(d.*), '[]')
  from (
    select t0."id" as "id", t0."document_id" as "documentId", t0."title" as "title", (
      select json_build_object('status', max(s.status) filter (where s.locale = t0.locale), 'locales', json_agg(json_build_object('locale', s.locale, 'status', s.status) order by s.locale))
      from (
        select v.locale, case when not bool_or(v.published) then 'draft' when count(distinct ((hash_record_extended(row(v."author_document_id", v."cover_document_id", (v."seo")::text, v."title", v."views", (v."zone")::text, (array(
          select l.target_document_id
          from "posts_gallery_links" l
          where l.owner_document_id = v.document_id
            and l.published = v.published
            and l.locale = ''
          order by l.position
        ))::text, (array(
          select l.target_document_id
          from "posts_tags_links" l
          where l.owner_document_id = v.document_id
            and l.published = v.published
            and l.locale = ''
          order by l.position
        ))::text), 0) & -65536) | 42817)) > 1 then 'modified' else 'published' end as status
        from "posts" v
        where v.document_id = t0.document_id group by v.locale
      ) s
    ) as "__state"
    from "posts" t0
    where t0.id = any(array(
      select id
      from (
        select *
        from (
          select t0.id
          from "posts" t0
          where not t0.published
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
  where not t0.published
    and t0.locale = $1::text
))::int4 as total
