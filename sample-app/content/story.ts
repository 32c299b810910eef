import { defineCollectionType, type DocumentOf } from 'nestjs-content-api';

export const story = defineCollectionType({
  singularApiId: 'story',
  pluralApiId: 'stories',
  draftAndPublish: true,
  attributes: {
    title: { type: 'string', required: true, maxLength: 120 },
    slug: { type: 'uid', targetField: 'title', required: true },
    summary: { type: 'text', required: true },
    byline: { type: 'component', component: 'story.byline' },
    body: { type: 'blocks' },
    facts: { type: 'component', component: 'story.fact', repeatable: true, max: 10 },
    sections: { type: 'dynamiczone', components: ['story.quote', 'story.fact', 'story.spotlight'] },
    countries: { type: 'relation', relation: 'manyToMany', target: 'country' },
  },
});

export type Story = DocumentOf<typeof story>;
