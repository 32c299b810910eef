import { defineCollectionType, type DocumentOf } from 'nestjs-content-api';

/** Ordered list of stories. Themes have drafts and one language. */
export const theme = defineCollectionType({
  singularApiId: 'theme',
  pluralApiId: 'themes',
  draftAndPublish: true,
  actions: true,
  attributes: {
    title: { type: 'string', required: true, unique: true },
    stories: { type: 'relation', relation: 'oneToMany', target: 'story', mappedBy: 'theme' },
  },
});

export type Theme = DocumentOf<typeof theme>;
