select (
  select coalesce(json_agg(d.*), '[]')
  from (
    select t0."id" as "id", t0."document_id" as "documentId", t0."title" as "title"
    from "posts" t0
    where t0.id = any(array(
      select id
      from (
        select *
        from (
          select t0.id
          from "posts" t0
          where not t0.published
            and exists (
            select 1
            from "posts" d
            join "posts" p on p.document_id = d.document_id
              and p.locale = d.locale
              and p.published
            where d.document_id = t0.document_id
              and d.locale = t0.locale
              and not d.published
              and not (((hash_record_extended(row(d."author_document_id", d."cover_document_id", (d."seo")::text, d."title", d."views", (d."zone")::text, (array(
              select l.target_document_id
              from "posts_gallery_links" l
              where l.owner_document_id = d.document_id
                and l.published = d.published
                and l.locale = ''
              order by l.position
            ))::text, (array(
              select l.target_document_id
              from "posts_tags_links" l
              where l.owner_document_id = d.document_id
                and l.published = d.published
                and l.locale = ''
              order by l.position
            ))::text), 0) & -65536) | 42817) = ((hash_record_extended(row(p."author_document_id", p."cover_document_id", (p."seo")::text, p."title", p."views", (p."zone")::text, (array(
              select l.target_document_id
              from "posts_gallery_links" l
              where l.owner_document_id = p.document_id
                and l.published = p.published
                and l.locale = ''
              order by l.position
            ))::text, (array(
              select l.target_document_id
              from "posts_tags_links" l
              where l.owner_document_id = p.document_id
                and l.published = p.published
                and l.locale = ''
              order by l.position
            ))::text), 0) & -65536) | 42817))
          )
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
    and exists (
    select 1
    from "posts" d
    join "posts" p on p.document_id = d.document_id
      and p.locale = d.locale
      and p.published
    where d.document_id = t0.document_id
      and d.locale = t0.locale
      and not d.published
      and not (((hash_record_extended(row(d."author_document_id", d."cover_document_id", (d."seo")::text, d."title", d."views", (d."zone")::text, (array(
      select l.target_document_id
      from "posts_gallery_links" l
      where l.owner_document_id = d.document_id
        and l.published = d.published
        and l.locale = ''
      order by l.position
    ))::text, (array(
      select l.target_document_id
      from "posts_tags_links" l
      where l.owner_document_id = d.document_id
        and l.published = d.published
        and l.locale = ''
      order by l.position
    ))::text), 0) & -65536) | 42817) = ((hash_record_extended(row(p."author_document_id", p."cover_document_id", (p."seo")::text, p."title", p."views", (p."zone")::text, (array(
      select l.target_document_id
      from "posts_gallery_links" l
      where l.owner_document_id = p.document_id
        and l.published = p.published
        and l.locale = ''
      order by l.position
    ))::text, (array(
      select l.target_document_id
      from "posts_tags_links" l
      where l.owner_document_id = p.document_id
        and l.published = p.published
        and l.locale = ''
      order by l.position
    ))::text), 0) & -65536) | 42817))
  )
    and t0.locale = $1::text
))::int4 as total
