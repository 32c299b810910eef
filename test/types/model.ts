/** Registered model of the cases in this folder: no other program of the repository registers one. */
import { defineCollectionType, defineComponent, defineSingleType } from 'nestjs-content-api';

const seo = defineComponent({
  uid: 'shared.seo',
  attributes: {
    metaTitle: { type: 'string', required: true },
    image: { type: 'media' },
    hidden: { type: 'string', private: true },
  },
});
const quote = defineComponent({
  uid: 'shared.quote',
  attributes: {
    text: { type: 'text', required: true },
    by: { type: 'relation', relation: 'manyToOne', target: 'author' },
  },
});
const author = defineCollectionType({
  singularApiId: 'author',
  pluralApiId: 'authors',
  attributes: {
    name: { type: 'string', required: true },
    age: { type: 'integer' },
    articles: { type: 'relation', relation: 'oneToMany', target: 'article', mappedBy: 'author' },
    boss: { type: 'relation', relation: 'manyToOne', target: 'author' },
  },
});
const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  attributes: {
    label: { type: 'string', required: true },
    owner: { type: 'string', required: true },
    by: { type: 'relation', relation: 'morphMany', target: 'pin', morphBy: 'on' },
  },
  owner: 'owner',
});
const pin = defineCollectionType({
  singularApiId: 'pin',
  pluralApiId: 'pins',
  attributes: {
    on: { type: 'relation', relation: 'morphToOne', targets: ['article', 'tag'] },
    all: { type: 'relation', relation: 'morphToMany' },
  },
});
const article = defineCollectionType({
  singularApiId: 'article',
  pluralApiId: 'articles',
  draftAndPublish: true,
  localized: true,
  attributes: {
    title: { type: 'string', required: true, localized: true },
    slug: { type: 'uid', targetField: 'title', generate: true, required: true },
    views: { type: 'integer', required: true, default: 0 },
    big: { type: 'biginteger' },
    mood: { type: 'enumeration', enum: ['good', 'bad'] },
    open: { type: 'boolean' },
    at: { type: 'datetime' },
    meta: { type: 'json' },
    secret: { type: 'password' },
    note: { type: 'string', private: true },
    stamp: { type: 'string', writable: false },
    author: { type: 'relation', relation: 'manyToOne', target: 'author', inversedBy: 'articles' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'tag' },
    cover: { type: 'media' },
    gallery: { type: 'media', multiple: true },
    seo: { type: 'component', component: 'shared.seo' },
    quotes: { type: 'component', component: 'shared.quote', repeatable: true },
    zone: { type: 'dynamiczone', components: ['shared.seo', 'shared.quote'] },
  },
});
const homepage = defineSingleType({
  singularApiId: 'homepage',
  draftAndPublish: true,
  stages: { draft: { to: ['ready'] }, ready: { to: [], publish: true, previousName: 'done' } },
  indexes: [{ attributes: ['stage', 'heading'] }],
  desk: { list: ['heading', 'stage'] },
  attributes: { heading: { type: 'string', required: true } },
});

export const model = {
  contentTypes: [article, author, tag, pin, homepage],
  components: [seo, quote],
} as const;

declare module 'nestjs-content-api' {
  interface Register {
    model: typeof model;
  }
}
