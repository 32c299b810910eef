-- The articles of reference/seed-bench.sql in this library's tables; run by seed.mjs, which has put the base data in and sets
-- `bench.articles` to how many, and `bench.authors` and `bench.categories` to how many of those there shall be besides. Every
-- article has a draft and a published row (locale en), and its row holds its components.

INSERT INTO companies (document_id, created_at, updated_at, published_at, published, locale, name)
  SELECT 'combench' || lpad(i::text, 16, '0'), now(), now(), now(), true, 'en', 'Bench company ' || i
  FROM generate_series(1, current_setting('bench.authors')::int) AS i ORDER BY i;
INSERT INTO authors (document_id, created_at, updated_at, published_at, published, locale, name, email, employer_document_id)
  SELECT 'autbench' || lpad(i::text, 16, '0'), now(), now(), now(), true, 'en', 'Bench author ' || i, format('author%s@example.com', i),
    'combench' || lpad(i::text, 16, '0')
  FROM generate_series(1, current_setting('bench.authors')::int) AS i ORDER BY i;
INSERT INTO categories (document_id, created_at, updated_at, published_at, published, locale, name)
  SELECT 'catbench' || lpad(i::text, 16, '0'), now(), now(), now(), true, 'en', 'Bench category ' || i
  FROM generate_series(1, current_setting('bench.categories')::int) AS i ORDER BY i;

-- What article numbers point at. `place` counts from 0.
CREATE TEMP TABLE author ON COMMIT DROP AS SELECT document_id, row_number() OVER (ORDER BY id) - 1 AS place FROM authors;
CREATE TEMP TABLE category ON COMMIT DROP AS SELECT document_id, row_number() OVER (ORDER BY id) - 1 AS place FROM categories;
CREATE TEMP TABLE image ON COMMIT DROP AS
  SELECT document_id, row_number() OVER (ORDER BY id) - 1 AS place FROM content_files WHERE mime LIKE 'image/%' LIMIT 3;
CREATE TEMP TABLE article ON COMMIT DROP AS
  SELECT i, 'bench' || lpad(i::text, 19, '0') AS document_id, author.document_id AS author, image.document_id AS cover,
    5 * i - 4 AS first_part, 'part' || lpad(i::text, 19, '0') AS part
  FROM generate_series(1, current_setting('bench.articles')::int) AS i
    JOIN author ON author.place = i % (SELECT count(*) FROM author)
    JOIN image ON image.place = i % (SELECT count(*) FROM image);

INSERT INTO articles (
  document_id, published, locale, title, slug, summary, body, meta,
  views, rating, score, bignum, featured, status_label, contact_email, secret,
  published_on, start_time, event_at, created_at, updated_at, published_at,
  author_document_id, cover_document_id, seo, sections, blocks)
SELECT
  document_id,
  published,
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
  timestamptz '2020-01-01 00:00Z' + make_interval(mins => i),
  timestamptz '2025-06-01 00:00Z' + make_interval(secs => i),
  timestamptz '2025-06-02 00:00Z' + make_interval(secs => i),
  CASE WHEN published THEN timestamptz '2025-06-02 00:00Z' + make_interval(secs => i) END,
  author,
  cover,
  jsonb_build_object('id', first_part, 'documentId', part || '1', 'metaTitle', 'Bench SEO ' || i, 'metaDescription', 'Description ' || i),
  jsonb_build_array(
    jsonb_build_object('id', first_part + 1, 'documentId', part || '2', 'heading', format('Bench section %s.1', i), 'body', 'Section body 1'),
    jsonb_build_object('id', first_part + 2, 'documentId', part || '3', 'heading', format('Bench section %s.2', i), 'body', 'Section body 2')),
  jsonb_build_array(
    jsonb_build_object('id', first_part + 3, 'documentId', part || '4', '__component', 'shared.quote', 'text', 'Bench quote ' || i, 'author', author),
    jsonb_build_object('id', first_part + 4, 'documentId', part || '5', '__component', 'shared.rich', 'body', '**bench** ' || i))
FROM article, unnest(ARRAY[false, true]) AS published
ORDER BY i, published;

SELECT setval(pg_get_serial_sequence('content_component_ids', 'id'), 5 * current_setting('bench.articles')::bigint);

INSERT INTO articles_categories_links (owner_document_id, published, locale, target_document_id, position, inverse_position)
  SELECT articles.document_id, articles.published, '', category.document_id, nth, nextval('content_counts_id_seq')
  FROM article JOIN articles USING (document_id), generate_series(1, 2) AS nth, category
  WHERE category.place = (i + 3 * (nth - 1)) % (SELECT count(*) FROM category)
  ORDER BY articles.id, nth;

INSERT INTO articles_related_links (owner_document_id, published, locale, target_document_id, position)
  SELECT articles.document_id, articles.published, '', previous.document_id, 1
  FROM article JOIN articles USING (document_id) JOIN article AS previous ON previous.i = article.i - 1
  ORDER BY articles.id;
