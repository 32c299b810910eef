/**
 * The writes that are measured: an article with two relations, a component, a repeatable one and a zone;
 * published at once.
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

/** Articles that are rewritten, in turn: those of the seed. */
const TARGETS = 2000;
const documentOf = (n) => `bench${String(1 + (n % TARGETS)).padStart(19, '0')}`;

/** Each shape makes the n-th request; POST and PUT publish, as they do unless they say otherwise. */
export const SHAPES = [
  {
    name: 'post',
    title: 'POST an article, published',
    status: 201,
    request: (n) => ({
      method: 'POST',
      path: '/api/articles',
      headers: JSON_TYPE,
      body: JSON.stringify({ data: post(n) }),
    }),
  },
  {
    name: 'put',
    title: 'PUT an article and publish it',
    status: 200,
    request: (n) => ({
      method: 'PUT',
      path: `/api/articles/${documentOf(n)}`,
      headers: JSON_TYPE,
      body: JSON.stringify({ data: put(n) }),
    }),
  },
];
