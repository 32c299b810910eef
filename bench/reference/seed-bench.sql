-- Bench articles for the tables of the reference; run by seed-bench.mjs, which sets `bench.articles` to how many.
--
-- Article i gets a draft and a published row (locale en), one author, two categories, a cover, one related article
-- (its predecessor of the same status), a seo component, two sections and two blocks (a quote with an author, a text).
-- Rows are what the server itself would have written: ids rise draft first, components belong to one row each.

-- What article numbers point at.
CREATE TEMP TABLE target ON COMMIT DROP AS
  SELECT (SELECT array_agg(id ORDER BY id) FROM authors) AS authors,
         (SELECT array_agg(id ORDER BY id) FROM categories) AS categories,
         (SELECT array_agg(id ORDER BY id) FROM files WHERE mime LIKE 'image/%') AS images;

CREATE TEMP TABLE version ON COMMIT DROP AS
  SELECT i, published, nextval('articles_id_seq')::int AS id
  FROM generate_series(1, current_setting('bench.articles')::int) AS i, unnest(ARRAY[false, true]) AS published
  ORDER BY i, published;
CREATE UNIQUE INDEX ON version (i, published);

INSERT INTO articles (
  id, document_id, locale, title, slug, summary, body, meta,
  views, rating, score, bignum, featured, status_label, contact_email, secret,
  published_on, start_time, event_at, created_at, updated_at, published_at)
SELECT
  id,
  'bench' || lpad(i::text, 19, '0'),
  'en',
  format('Bench article %s %s', lpad(i::text, 6, '0'), (ARRAY['alpha', 'beta', 'gamma', 'delta'])[1 + i % 4]),
  'bench-article-' || i,
  format('Bench summary %s %s', i, md5(i::text)),
  jsonb_build_array(jsonb_build_object('type', 'paragraph', 'children', jsonb_build_array(
    jsonb_build_object('type', 'text', 'text', repeat('Lorem ipsum dolor sit amet ', 8) || i)))),
  jsonb_build_object('i', i, 'tags', jsonb_build_array('a', 't' || i % 3)),
  (i::bigint * 7919) % 100000,
  ((i::bigint * 31) % 1000) / 10.0,
  i / 3.0,
  9007199254740993 + i,
  i % 2 = 0,
  (ARRAY['draft', 'review', 'final'])[1 + i % 3],
  format('bench%s@example.com', i),
  'bench-secret-' || i,
  date '2020-01-01' + i % 2000,
  time '00:00' + make_interval(secs => i % 86400),
  timestamp '2020-01-01' + make_interval(mins => i),
  timestamp '2025-06-01' + make_interval(secs => i),
  timestamp '2025-06-02' + make_interval(secs => i),
  CASE WHEN published THEN timestamp '2025-06-02' + make_interval(secs => i) END
FROM version;

-- Relations and media. `<side>_ord` is the place among the links of that side.
INSERT INTO articles_author_lnk (article_id, author_id, article_ord)
  SELECT id, authors[1 + i % cardinality(authors)], i FROM version, target;
INSERT INTO articles_categories_lnk (article_id, category_id, category_ord, article_ord)
  SELECT id, categories[1 + (i + 3 * (place - 1)) % cardinality(categories)], place, i
  FROM version, target, generate_series(1, 2) AS place;
INSERT INTO articles_related_lnk (article_id, inv_article_id, article_ord)
  SELECT this.id, predecessor.id, 1
  FROM version AS this JOIN version AS predecessor ON predecessor.i = this.i - 1 AND predecessor.published = this.published;
INSERT INTO files_related_mph (file_id, related_id, related_type, field, "order")
  SELECT images[1 + i % least(3, cardinality(images))], id, 'api::article.article', 'cover', 1 FROM version, target;

-- Components: one row each, tied to the article by articles_cmps. A component that does not repeat has no order.
CREATE TEMP TABLE part ON COMMIT DROP AS
  SELECT version.id AS article_id, i, kind, field, place, component_place,
    CASE kind WHEN 'seo' THEN nextval('components_shared_seos_id_seq')
              WHEN 'section' THEN nextval('components_shared_sections_id_seq')
              WHEN 'quote' THEN nextval('components_shared_quotes_id_seq')
              WHEN 'rich' THEN nextval('components_shared_riches_id_seq') END::int AS id
  FROM version, (VALUES (1, 'seo', 'seo', NULL), (2, 'section', 'sections', 1), (3, 'section', 'sections', 2),
                        (4, 'quote', 'blocks', 1), (5, 'rich', 'blocks', 2)) AS layout (component_place, kind, field, place)
  ORDER BY version.id, component_place;

INSERT INTO components_shared_seos (id, meta_title, meta_description)
  SELECT id, 'Bench SEO ' || i, 'Description ' || i FROM part WHERE kind = 'seo';
INSERT INTO components_shared_sections (id, heading, body)
  SELECT id, format('Bench section %s.%s', i, place), 'Section body ' || place FROM part WHERE kind = 'section';
INSERT INTO components_shared_quotes (id, text) SELECT id, 'Bench quote ' || i FROM part WHERE kind = 'quote';
INSERT INTO components_shared_quotes_author_lnk (quote_id, author_id)
  SELECT id, authors[1 + i % cardinality(authors)] FROM part, target WHERE kind = 'quote';
INSERT INTO components_shared_riches (id, body) SELECT id, '**bench** ' || i FROM part WHERE kind = 'rich';
INSERT INTO articles_cmps (entity_id, cmp_id, component_type, field, "order")
  SELECT article_id, id, 'shared.' || kind, field, place FROM part ORDER BY article_id, component_place;
