/** Model of the bench of large tables, with the indexes that `docs/content-types.md` recommends. */
import { defineCollectionType } from 'nestjs-content-api';

const category = defineCollectionType({
  singularApiId: 'category',
  pluralApiId: 'categories',
  attributes: { name: { type: 'string' } },
});

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  attributes: { title: { type: 'string' }, score: { type: 'integer', index: true } },
});

const article = defineCollectionType({
  singularApiId: 'article',
  pluralApiId: 'articles',
  draftAndPublish: true,
  localized: true,
  attributes: {
    title: { type: 'string', localized: true },
    text: { type: 'text', localized: true },
    score: { type: 'integer' },
    plain: { type: 'string' },
    category: { type: 'relation', relation: 'manyToOne', target: 'category' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'category' },
  },
  indexes: [
    { attributes: ['createdAt'] },
    { attributes: ['score'] },
    { attributes: ['category', 'createdAt'] },
    { attributes: ['documentId', 'title', 'text', 'plain'], using: 'trigram' },
  ],
});

export const scale = {
  contentTypes: [note, article, category],
  locales: ['en', 'fr'],
  access: { public: { '*': '*' } },
};
