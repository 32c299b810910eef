-- `bench.rows` countries: 40 to a region, two languages each (40 countries to a language), three borders. Run by seed.mjs.

INSERT INTO regions (document_id, created_at, updated_at, published_at, published, locale, name)
  SELECT 'reg' || lpad(i::text, 21, '0'), now(), now(), now(), true, 'en', 'Region ' || i
  FROM generate_series(0, current_setting('bench.rows')::int / 40 - 1) AS i ORDER BY i;
INSERT INTO languages (document_id, created_at, updated_at, published_at, published, locale, code, name)
  SELECT 'lan' || lpad(i::text, 21, '0'), now(), now(), now(), true, 'en', 'l' || i, 'Language ' || i
  FROM generate_series(0, current_setting('bench.rows')::int / 20 - 1) AS i ORDER BY i;

CREATE TEMP TABLE number ON COMMIT DROP AS
  SELECT i, current_setting('bench.rows')::int AS countries, current_setting('bench.rows')::int / 40 AS regions, current_setting('bench.rows')::int / 20 AS languages
  FROM generate_series(0, current_setting('bench.rows')::int - 1) AS i;

INSERT INTO countries (document_id, created_at, updated_at, published_at, published, locale, name, cca3, area, landlocked, region_document_id)
  SELECT 'cou' || lpad(i::text, 21, '0'), now(), now(), now(), true, 'en', 'Country ' || i, 'C' || i, (i::bigint * 7919) % 1000000 / 10.0, i % 5 = 0,
    'reg' || lpad((i % regions)::text, 21, '0')
  FROM number ORDER BY i;

CREATE TEMP TABLE country ON COMMIT DROP AS SELECT id, substr(document_id, 4)::int AS i, document_id FROM countries;
INSERT INTO countries_languages_links (owner_document_id, published, locale, target_document_id, position, inverse_position)
  SELECT document_id, true, '', 'lan' || lpad(((i + nth * 3) % languages)::text, 21, '0'), nth, nextval('content_counts_id_seq')
  FROM country JOIN number USING (i), generate_series(1, 2) AS nth ORDER BY id, nth;
INSERT INTO countries_borders_links (owner_document_id, published, locale, target_document_id, position)
  SELECT document_id, true, '', 'cou' || lpad(((i + nth * nth) % countries)::text, 21, '0'), nth
  FROM country JOIN number USING (i), generate_series(1, 3) AS nth ORDER BY id, nth;
