import { CREDIT } from './credit.js';

/** Homepage, without its relations. */
export const HOMEPAGE = {
  title: 'Atlas',
  credit: CREDIT,
  hero: {
    title: 'Two hundred and fifty places, and the lines between them',
    text: 'Countries, languages, currencies and a few stories, as content.',
  },
  links: [
    { label: 'Countries by name', path: '/api/countries?sort=name:asc&populate=region' },
    { label: 'Landlocked countries', path: '/api/countries?filters[landlocked]=true&populate=borders' },
    { label: 'Regions and their countries', path: '/api/regions?populate=countries' },
    { label: 'Stories', path: '/api/stories?populate=*' },
    { label: 'Themes and their stories', path: '/api/themes?populate=stories' },
  ],
  /** Featured stories by slug, in order. */
  featuredStories: ['twice-from-the-sea', 'four-ways-to-say-switzerland'],
  countryOfTheDay: 'CHE',
} as const;
