/**
 * Request shapes. `paths` are the protocol's, for this library and Strapi, in turn. `own` are the same
 * requests to a hand-written API, which has a route for each and parses no query language.
 */
const POPULATE = 'populate[author]=true&populate[categories]=true&populate[sections]=true';
const AUTHORS = 10; // of the base data
const COMPANIES = ['Acme Corp', 'Globex', 'Initech'];
const CATEGORIES = ['Root', 'News', 'Tech', 'World', 'Sport', 'Science', 'Europe', 'Orphan'];

const numbered = (prefix, digits) => (number) => prefix + String(number).padStart(digits, '0');
const articleId = numbered('bench', 19);
const list = (query) => `/api/articles?sort=id${query && `&${query}`}`;
const spread = (rows, count, make) =>
  Array.from({ length: count }, (_, nth) => make(1 + Math.floor((nth * rows) / count)));
/** Number of different values, more than a plan cache should contain. */
const MANY = 2000;
/**
 * Number of authors, categories, regions and languages with 40 rows each: on small tables all of them, on
 * large tables as many.
 */
const GROUPS = 250;
const shape = (name, title, requests) => ({
  name,
  title,
  paths: requests.map(([path]) => path),
  own: requests.map(([, own]) => own),
});

/** Returns the shapes for all peers, on `rows` articles with the reference's ten authors. */
export function comparedShapes(rows) {
  const lastPage = Math.min(400, Math.floor(rows / 25));
  const page = `pagination[page]=${lastPage}`;
  return [
    shape('list', 'list of 25', [[list(''), '/articles']]),
    shape('list-populated', 'list of 25, author + categories + sections', [
      [list(POPULATE), '/articles?full=1'],
    ]),
    shape('list-uncounted', 'list of 25, populated, withCount=false', [
      [list(`${POPULATE}&pagination[withCount]=false`), '/articles?full=1&count=0'],
    ]),
    shape(
      'pages',
      'list of 25, each time another page',
      spread(lastPage, lastPage, (nth) => [list(`pagination[page]=${nth}`), `/articles?page=${nth}`]),
    ),
    shape(
      'pages-populated',
      'list of 25, populated, each time another page',
      spread(lastPage, lastPage, (nth) => [
        list(`pagination[page]=${nth}&${POPULATE}`),
        `/articles?page=${nth}&full=1`,
      ]),
    ),
    shape(
      'one',
      'one document',
      spread(rows, MANY, (i) => [`/api/articles/${articleId(i)}`, `/articles/${articleId(i)}`]),
    ),
    shape(
      'one-populated',
      'one document, populated',
      spread(rows, MANY, (i) => [
        `/api/articles/${articleId(i)}?${POPULATE}`,
        `/articles/${articleId(i)}?full=1`,
      ]),
    ),
    shape(
      'by-slug',
      'filters[slug]',
      spread(rows, MANY, (i) => [
        list(`filters[slug][$eq]=bench-article-${i}`),
        `/articles/by-slug/bench-article-${i}`,
      ]),
    ),
    shape(
      'by-author',
      'filters[author][documentId], populated',
      spread(AUTHORS, AUTHORS, numbered('autxxxxxxxxxxxxxxxxx', 4)).map((id) => [
        list(`filters[author][documentId][$eq]=${id}&${POPULATE}`),
        `/articles/by-author/${id}?full=1`,
      ]),
    ),
    shape(
      'by-employer',
      'filters[author][employer][name]',
      COMPANIES.map((name) => [
        list(`filters[author][employer][name][$eq]=${encodeURIComponent(name)}`),
        `/articles/by-employer/${encodeURIComponent(name)}`,
      ]),
    ),
    shape(
      'by-category',
      'filters[categories][name]',
      CATEGORIES.map((name) => [
        list(`filters[categories][name][$eq]=${name}`),
        `/articles/by-category/${name}`,
      ]),
    ),
    shape('deep-page', `page ${lastPage}`, [[list(page), `/articles?page=${lastPage}`]]),
    shape('deep-page-populated', `page ${lastPage}, populated`, [
      [list(`${page}&${POPULATE}`), `/articles?page=${lastPage}&full=1`],
    ]),
  ];
}

const ATLAS_POPULATE = 'populate[region]=true&populate[languages]=true&populate[borders]=true';
const scaling = (name, title, paths, inTarget = true) => ({ name, title, paths, inTarget });

/**
 * Returns the shapes for this library alone, on tables of very different sizes. The matches of a filter are
 * constant: 40 articles of an author or category, 40 countries of a region or language. `inTarget` marks an
 * indexed first page, whose cost must stay flat. An exact total of the whole table cannot stay flat; its
 * shape shows the cost.
 */
export function blogScalingShapes(rows) {
  const some = (make) => spread(Math.floor(rows / 40), GROUPS, make);
  const uncounted = 'pagination[withCount]=false';
  return [
    scaling('list', 'list of 25, exact total of the table', [list('')], false),
    scaling('list-uncounted', 'list of 25, withCount=false', [list(uncounted)]),
    scaling('list-populated-uncounted', 'the same, populated', [list(`${uncounted}&${POPULATE}`)]),
    scaling(
      'one',
      'one document',
      spread(rows, MANY, (i) => `/api/articles/${articleId(i)}`),
    ),
    scaling(
      'one-populated',
      'one document, populated',
      spread(rows, MANY, (i) => `/api/articles/${articleId(i)}?${POPULATE}`),
    ),
    scaling(
      'by-slug',
      'filters[slug], with total',
      spread(rows, MANY, (i) => list(`filters[slug][$eq]=bench-article-${i}`)),
    ),
    scaling(
      'by-author',
      'filters[author][documentId], populated, with total',
      some((i) => list(`filters[author][documentId][$eq]=${numbered('autbench', 16)(i)}&${POPULATE}`)),
    ),
    scaling(
      'by-category',
      'filters[categories][documentId], with total',
      some((i) => list(`filters[categories][documentId][$eq]=${numbered('catbench', 16)(i)}`)),
    ),
    scaling(
      'by-employer',
      'filters[author][employer][documentId], with total',
      some((i) => list(`filters[author][employer][documentId][$eq]=${numbered('combench', 16)(i)}`)),
    ),
    scaling(
      'by-author-sorted',
      'the same author, sort=title:desc, with total',
      some(
        (i) =>
          `/api/articles?sort=title:desc&filters[author][documentId][$eq]=${numbered('autbench', 16)(i)}`,
      ),
    ),
  ];
}

export function atlasScalingShapes(rows) {
  const countries = (query) => `/api/countries?sort=id&${query}`;
  const some = (make) => spread(Math.floor(rows / 40), GROUPS, (nth) => make(nth - 1));
  return [
    scaling('countries-uncounted', 'countries, region + languages + borders, withCount=false', [
      countries(`pagination[withCount]=false&${ATLAS_POPULATE}`),
    ]),
    scaling(
      'country-by-code',
      'filters[cca3], populated, with total',
      spread(rows, MANY, (nth) => countries(`filters[cca3][$eq]=C${nth - 1}&${ATLAS_POPULATE}`)),
    ),
    scaling(
      'countries-by-region',
      'filters[region][name], with total',
      some((nth) => countries(`filters[region][name][$eq]=Region ${nth}`.replace(' ', '%20'))),
    ),
    scaling(
      'countries-by-border',
      'filters[borders][cca3], with total',
      some((nth) => countries(`filters[borders][cca3][$eq]=C${nth}`)),
    ),
    scaling('regions-with-countries', 'regions, with their 40 countries, withCount=false', [
      '/api/regions?sort=id&pagination[withCount]=false&pagination[pageSize]=5&populate[countries]=true',
    ]),
  ];
}
