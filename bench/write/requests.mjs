/**
 * Measured writes: an article with two relations, a component, a repeatable one and a zone, published at
 * once.
 */

const pad = (n) => String(n).padStart(4, '0');
const author = (n) => `autxxxxxxxxxxxxxxxxx${pad(1 + (n % 10))}`;
const category = (n) => `catxxxxxxxxxxxxxxxxx${pad(1 + (n % 8))}`;
const JSON_TYPE = { 'content-type': 'application/json' };

const post = (n) => ({
  title: `Written article ${n}`,
  slug: `written-${n}`,
  summary: `Summary of article ${n}`,
  body: [{ type: 'paragraph', children: [{ type: 'text', text: `Lorem ipsum dolor sit amet ${n}` }] }],
  views: n % 1000,
  rating: 4.5,
  featured: n % 2 === 0,
  publishedOn: '2025-06-01',
  meta: { n, tags: ['a', 'b'] },
  author: author(n),
  categories: [category(n), category(n + 3)],
  seo: { metaTitle: `SEO ${n}`, metaDescription: `Description ${n}` },
  sections: [
    { heading: `Section ${n}.1`, body: 'First' },
    { heading: `Section ${n}.2`, body: 'Second' },
  ],
  blocks: [
    { __component: 'shared.rich', body: `**rich** ${n}` },
    { __component: 'shared.quote', text: `Quote ${n}` },
  ],
});

const put = (n) => ({
  title: `Rewritten article ${n}`,
  summary: `New summary ${n}`,
  views: n % 1000,
  author: author(n + 1),
  categories: [category(n + 2), category(n + 5)],
  seo: { metaTitle: `New SEO ${n}`, metaDescription: `New description ${n}` },
  sections: [
    { heading: `New section ${n}.1`, body: 'First' },
    { heading: `New section ${n}.2`, body: 'Second' },
  ],
});

/** Number of the seed's articles to rewrite, in turn. */
const TARGETS = 2000;
const documentOf = (n, rows) => `bench${String(1 + (n % Math.min(TARGETS, rows))).padStart(19, '0')}`;

/** Wrong bodies, to send after the n-th request: each is a right one with one mistake. */
const wrongPosts = (n) => [
  { ...post(n + 1), title: undefined },
  { ...post(n + 1), title: 'ab' },
  { ...post(n + 1), title: 'x'.repeat(121) },
  { ...post(n + 1), nickname: 'unknown key' },
  { ...post(n + 1), slug: `written-${n}` },
  { ...post(n + 1), slug: 'no slug' },
  { ...post(n + 1), views: -1 },
  { ...post(n + 1), views: 1.5 },
  { ...post(n + 1), rating: 'many' },
  { ...post(n + 1), featured: 'perhaps' },
  { ...post(n + 1), publishedOn: '2025-02-30' },
  { ...post(n + 1), body: [{ type: 'unknown' }] },
  { ...post(n + 1), author: 'nobody' },
  { ...post(n + 1), categories: [category(n), 'nothing'] },
  { ...post(n + 1), seo: { metaDescription: 'No title' } },
  { ...post(n + 1), seo: { metaTitle: 'Title', keywords: 'unknown key' } },
  { ...post(n + 1), sections: [{ heading: 5 }] },
  { ...post(n + 1), blocks: [{ __component: 'shared.unknown' }] },
  { ...post(n + 1), summary: 'NUL \0' },
];
const wrongPuts = (n) => [
  { ...put(n), title: 'ab' },
  { ...put(n), views: 'many' },
  { ...put(n), author: 'nobody' },
  { ...put(n), seo: { metaTitle: null } },
  { ...put(n), sections: [{ id: 999_999_999, heading: 'Of nobody' }] },
];

const requestOf = (method, path, data) => ({
  method,
  path,
  headers: JSON_TYPE,
  body: JSON.stringify({ data }),
});

/**
 * Returns the shapes for a database with `rows` articles. Each shape creates the n-th request; POST and PUT
 * publish, which is the default. `wrong` creates requests that a server with checks must refuse after the
 * n-th request.
 */
export const shapesOn = (rows) => [
  {
    name: 'post',
    title: 'POST an article, published',
    status: 201,
    request: (n) => requestOf('POST', '/api/articles', post(n)),
    wrong: (n) => wrongPosts(n).map((data) => requestOf('POST', '/api/articles', data)),
  },
  {
    name: 'put',
    title: 'PUT an article and publish it',
    status: 200,
    request: (n) => requestOf('PUT', `/api/articles/${documentOf(n, rows)}`, put(n)),
    wrong: (n) => [
      ...wrongPuts(n).map((data) => requestOf('PUT', `/api/articles/${documentOf(n, rows)}`, data)),
      requestOf('PUT', '/api/articles/nosucharticle', put(n)),
    ],
  },
];
