/** The parts of the model of `reference/` that the benches need: equal attributes and grants. */
import { defineCollectionType, defineComponent } from 'nestjs-content-api';

const media = { type: 'media', multiple: false };

const article = defineCollectionType({
  singularApiId: 'article',
  pluralApiId: 'articles',
  draftAndPublish: true,
  localized: true,
  attributes: {
    title: { type: 'string', required: true, minLength: 3, maxLength: 120, localized: true },
    slug: { type: 'uid', targetField: 'title', localized: true },
    body: { type: 'blocks', localized: true },
    summary: { type: 'text', localized: true },
    views: { type: 'integer', min: 0, default: 0 },
    rating: { type: 'decimal' },
    bignum: { type: 'biginteger' },
    score: { type: 'float' },
    featured: { type: 'boolean', default: false },
    status_label: { type: 'enumeration', enum: ['draft', 'review', 'final'] },
    contactEmail: { type: 'email' },
    secret: { type: 'string', private: true },
    password: { type: 'password' },
    publishedOn: { type: 'date' },
    startTime: { type: 'time' },
    eventAt: { type: 'datetime' },
    meta: { type: 'json' },
    cover: media,
    gallery: { type: 'media', multiple: true },
    author: { type: 'relation', relation: 'manyToOne', target: 'author', inversedBy: 'articles' },
    categories: { type: 'relation', relation: 'manyToMany', target: 'category', inversedBy: 'articles' },
    seo: { type: 'component', component: 'shared.seo', localized: true },
    sections: { type: 'component', component: 'shared.section', repeatable: true },
    blocks: {
      type: 'dynamiczone',
      components: ['shared.quote', 'shared.rich', 'shared.media-block'],
      localized: true,
    },
    related: { type: 'relation', relation: 'manyToMany', target: 'article' },
  },
});

const author = defineCollectionType({
  singularApiId: 'author',
  pluralApiId: 'authors',
  attributes: {
    name: { type: 'string', required: true, unique: true },
    email: { type: 'email' },
    avatar: media,
    articles: { type: 'relation', relation: 'oneToMany', target: 'article', mappedBy: 'author' },
    employer: { type: 'relation', relation: 'manyToOne', target: 'company' },
  },
});

const category = defineCollectionType({
  singularApiId: 'category',
  pluralApiId: 'categories',
  attributes: {
    name: { type: 'string', required: true },
    articles: { type: 'relation', relation: 'manyToMany', target: 'article', mappedBy: 'categories' },
    parent: { type: 'relation', relation: 'manyToOne', target: 'category', inversedBy: 'children' },
    children: { type: 'relation', relation: 'oneToMany', target: 'category', mappedBy: 'parent' },
  },
});

const company = defineCollectionType({
  singularApiId: 'company',
  pluralApiId: 'companies',
  attributes: { name: { type: 'string' } },
});

const components = [
  defineComponent({
    uid: 'shared.seo',
    attributes: {
      metaTitle: { type: 'string', required: true },
      metaDescription: { type: 'text' },
      shareImage: media,
      metaTags: { type: 'component', component: 'shared.meta-tag', repeatable: true },
    },
  }),
  defineComponent({
    uid: 'shared.meta-tag',
    attributes: { name: { type: 'string' }, content: { type: 'string' } },
  }),
  defineComponent({
    uid: 'shared.section',
    attributes: {
      heading: { type: 'string' },
      body: { type: 'text' },
      link: { type: 'relation', relation: 'oneToOne', target: 'article' },
    },
  }),
  defineComponent({
    uid: 'shared.quote',
    attributes: {
      text: { type: 'text' },
      author: { type: 'relation', relation: 'oneToOne', target: 'author' },
    },
  }),
  defineComponent({ uid: 'shared.rich', attributes: { body: { type: 'richtext' } } }),
  defineComponent({ uid: 'shared.media-block', attributes: { file: media } }),
];

const ALL = ['find', 'findOne', 'create', 'update', 'delete', 'readDrafts'];

export const blog = {
  contentTypes: [article, author, category, company],
  components,
  locales: ['en', 'fr', 'de'],
  defaultLocale: 'en',
  access: { public: { article: ALL, author: ALL, category: ALL, company: ['find', 'findOne'] } },
};
