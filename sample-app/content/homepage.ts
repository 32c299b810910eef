import { defineSingleType, type DocumentOf } from 'nestjs-content-api';

export const homepage = defineSingleType({
  singularApiId: 'homepage',
  history: true,
  attributes: {
    title: { type: 'string', required: true },
    credit: { type: 'text', required: true },
    hero: { type: 'component', component: 'page.hero' },
    links: { type: 'component', component: 'page.link', repeatable: true },
    featuredStories: { type: 'relation', relation: 'manyToMany', target: 'story' },
    countryOfTheDay: { type: 'relation', relation: 'manyToOne', target: 'country' },
  },
});

export type Homepage = DocumentOf<typeof homepage>;
