import { defineCollectionType, type DocumentOf } from 'nestjs-content-api';

/** Story. Locales have their own texts and share author, countries and categories. */
export const story = defineCollectionType({
  singularApiId: 'story',
  pluralApiId: 'stories',
  draftAndPublish: true,
  localized: true,
  actions: true,
  history: true,
  desk: { title: 'title', list: ['title', 'cover', 'theme', 'countries', 'updatedAt'] },
  attributes: {
    title: { type: 'string', required: true, maxLength: 120, localized: true },
    slug: { type: 'uid', targetField: 'title', generate: true, required: true },
    summary: { type: 'text', required: true, localized: true },
    cover: { type: 'media', allowedTypes: ['images'] },
    byline: { type: 'component', component: 'story.byline' },
    body: { type: 'blocks', localized: true },
    facts: { type: 'component', component: 'story.fact', repeatable: true, max: 10, localized: true },
    sections: {
      type: 'dynamiczone',
      components: ['story.quote', 'story.fact', 'story.spotlight'],
      localized: true,
    },
    countries: { type: 'relation', relation: 'manyToMany', target: 'country', inversedBy: 'stories' },
    theme: { type: 'relation', relation: 'manyToOne', target: 'theme', inversedBy: 'stories' },
  },
});

export type Story = DocumentOf<typeof story>;
