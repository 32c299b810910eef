/** Drafts, translations and themes. They name stories by slug. */
import { paragraph } from './blocks.js';
import type { StoryText } from './stories.js';

/** Story with a draft only. */
export const DRAFT: StoryText = {
  slug: 'where-the-day-begins',
  title: 'Where the day begins',
  summary:
    'Two neighbours in the Pacific have moved to the other side of the date line, one of them overnight.',
  readingMinutes: 1,
  countries: ['KIR', 'WSM'],
  facts: [{ label: 'Friday in Samoa in the last week of 2011', value: 'none' }],
  body: [
    paragraph(
      'Until 1995 it was never the same day in all of Kiribati. Then its eastern islands changed sides, and the date line has had a bulge since.',
    ),
    paragraph('Samoa followed at the end of 2011: whoever went to bed on Thursday got up on Saturday.'),
  ],
  sections: [{ kind: 'spotlight', country: 'WSM', note: 'To be checked: what became of birthdays?' }],
};

/** Edited draft of a published story. */
export const EDIT = {
  slug: 'countries-inside-a-country',
  attributes: {
    title: 'Surrounded',
    summary: 'Three states have one neighbour all around them, and good reasons to stay apart.',
  },
} as const;

/** French version of a story, without the attributes that locales share. */
export interface Translation {
  readonly slug: string;
  /** Whether it is published or only a draft. */
  readonly published: boolean;
  readonly attributes: Pick<StoryText, 'title' | 'summary' | 'body' | 'facts'>;
}

export const FRENCH: readonly Translation[] = [
  {
    slug: 'twice-from-the-sea',
    published: true,
    attributes: {
      title: 'Deux fois loin de la mer',
      summary:
        'Quittez le Liechtenstein ou l’Ouzbékistan dans n’importe quelle direction : le pays voisin n’a pas de côte non plus.',
      facts: [{ label: 'Pays doublement enclavés', value: '2' }],
      body: [
        paragraph(
          'Plus de quarante pays n’ont pas de côte. À la plupart, un seul voisin suffit pour rejoindre la mer. À deux d’entre eux, non.',
        ),
      ],
    },
  },
  {
    slug: 'one-island-three-flags',
    published: false,
    attributes: {
      title: 'Une île, trois drapeaux',
      summary: 'Bornéo est partagée entre l’Indonésie, la Malaisie et le Brunei.',
      facts: [{ label: 'Rang de Bornéo parmi les îles du monde', value: '3e par la superficie' }],
      body: [paragraph('La plupart des îles partagées le sont une fois. Bornéo porte trois drapeaux.')],
    },
  },
];

/** Theme with its stories in an editor's order. */
export const THEME = {
  title: 'Lines on the map',
  stories: ['twice-from-the-sea', 'countries-inside-a-country', 'one-island-three-flags'],
} as const;
