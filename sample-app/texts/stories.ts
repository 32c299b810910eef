/** Stories of the atlas. They name countries by three-letter code, which the loader turns into relations. */
import { type BlockNode, heading, link, list, paragraph } from './blocks.js';

interface Fact {
  readonly label: string;
  readonly value: string;
}

export type Section =
  | { readonly kind: 'quote'; readonly text: string; readonly source?: string }
  | ({ readonly kind: 'fact' } & Fact)
  | { readonly kind: 'spotlight'; readonly country: string; readonly note: string };

export interface StoryText {
  readonly slug: string;
  readonly title: string;
  readonly summary: string;
  readonly readingMinutes: number;
  readonly countries: readonly string[];
  readonly facts: readonly Fact[];
  readonly body: readonly BlockNode[];
  readonly sections: readonly Section[];
}

const twiceFromTheSea: StoryText = {
  slug: 'twice-from-the-sea',
  title: 'Twice from the sea',
  summary: 'Leave Liechtenstein or Uzbekistan in any direction, and the next country has no coast either.',
  readingMinutes: 2,
  countries: ['LIE', 'UZB', 'CHE', 'AUT'],
  facts: [
    { label: 'Doubly landlocked countries', value: '2' },
    { label: 'Borders to cross to reach a coast', value: 'at least 2' },
  ],
  body: [
    paragraph(
      'More than forty countries have no coast. For most of them one neighbour is enough to reach the sea. For two it is not.',
    ),
    heading('A valley and a plain'),
    paragraph(
      'Liechtenstein lies between Switzerland and Austria, and neither has a beach. The Rhine passes by on its way to the North Sea, ' +
        'but ships come up no further than Basel.',
    ),
    paragraph(
      'Uzbekistan has five neighbours: Kazakhstan, Kyrgyzstan, Tajikistan, Afghanistan and Turkmenistan. Two of them touch the Caspian, ' +
        'which is called a sea and has no way out. The ocean stays two borders away.',
    ),
    paragraph(
      'Try it: ',
      link(
        'landlocked countries and their borders',
        '/api/countries?filters[landlocked]=true&populate=borders',
      ),
      '.',
    ),
  ],
  sections: [
    {
      kind: 'spotlight',
      country: 'LIE',
      note: 'Two neighbours, both landlocked, and a few hours on foot from one to the other.',
    },
    { kind: 'spotlight', country: 'UZB', note: 'The larger of the two, by a factor of about 2,800.' },
  ],
};

const countriesInsideACountry: StoryText = {
  slug: 'countries-inside-a-country',
  title: 'Countries inside a country',
  summary:
    'Three states have one neighbour all around them. One of them can be crossed in twenty minutes on foot.',
  readingMinutes: 2,
  countries: ['LSO', 'ZAF', 'SMR', 'VAT', 'ITA'],
  facts: [
    { label: 'States enclosed by a single other', value: '3' },
    { label: 'Smallest of them', value: 'Vatican City, 0.44 km²' },
  ],
  body: [
    paragraph(
      'Lesotho is surrounded by South Africa, San Marino and Vatican City by Italy. There is no fourth case.',
    ),
    heading('Three reasons to stay apart'),
    list(
      'Lesotho kept its mountains: nowhere does it fall below some 1,400 metres, which no other country can say.',
      'San Marino kept its statutes: the republic counts its years from 301.',
      'Vatican City kept its purpose: it has been a state since 1929 so that its head need not be anyone’s subject.',
    ),
    paragraph(
      'In this atlas each of them has exactly one entry under borders, and the neighbour lists it among several.',
    ),
  ],
  sections: [
    { kind: 'quote', text: 'A border is a line that two people have to draw.', source: 'The Atlas desk' },
    {
      kind: 'spotlight',
      country: 'LSO',
      note: 'The only one of the three whose surrounding country is not Italy.',
    },
    { kind: 'fact', label: 'Border of San Marino with Italy', value: 'about 39 km' },
  ],
};

const oneIslandThreeFlags: StoryText = {
  slug: 'one-island-three-flags',
  title: 'One island, three flags',
  summary: 'Borneo is shared by Indonesia, Malaysia and Brunei, and one of the three is in two pieces.',
  readingMinutes: 1,
  countries: ['IDN', 'MYS', 'BRN'],
  facts: [{ label: 'Rank of Borneo among the world’s islands', value: '3rd by area' }],
  body: [
    paragraph(
      'Most islands that are divided are divided once. Borneo carries three flags: Indonesia has the south and most of the area, Malaysia the north.',
    ),
    paragraph(
      'Brunei, the third, is a sultanate on the north coast, cut in two by a strip of Malaysia, the Limbang valley. For most of history ' +
        'the way from one part to the other led across two frontiers or over water; a bridge across Brunei Bay now avoids both.',
    ),
  ],
  sections: [
    {
      kind: 'spotlight',
      country: 'BRN',
      note: 'One neighbour, Malaysia, on every landward side of both parts.',
    },
    { kind: 'fact', label: 'Neighbours of Brunei', value: '1' },
  ],
};

const fourWaysToSaySwitzerland: StoryText = {
  slug: 'four-ways-to-say-switzerland',
  title: 'Four ways to say Switzerland',
  summary:
    'Schweiz, Suisse, Svizzera, Svizra: a country that avoids the choice by writing Latin on its coins.',
  readingMinutes: 2,
  countries: ['CHE', 'DEU', 'FRA', 'ITA'],
  facts: [{ label: 'National languages', value: 'German, French, Italian, Romansh' }],
  body: [
    paragraph(
      'Three of Switzerland’s languages are also those of a larger neighbour. The fourth, Romansh, is at home in the valleys of Graubünden and nowhere else.',
    ),
    heading('Neutral ground'),
    paragraph(
      'Coins and stamps have little room. They say Helvetia, a name that is nobody’s mother tongue, and the country’s two letters, CH, are short for Confoederatio Helvetica.',
    ),
    paragraph(
      'The atlas keeps country names in English, French and German: ask for ',
      link('the French one', '/api/countries?locale=fr&filters[cca3]=CHE'),
      ' or ',
      link('the German one', '/api/countries?locale=de&filters[cca3]=CHE'),
      '.',
    ),
  ],
  sections: [
    {
      kind: 'spotlight',
      country: 'CHE',
      note: 'Five neighbours, and a language in common with each of them.',
    },
    {
      kind: 'quote',
      text: 'Whoever has four names for home needs a fifth for the envelope.',
      source: 'The Atlas desk',
    },
  ],
};

export const STORIES: readonly StoryText[] = [
  twiceFromTheSea,
  countriesInsideACountry,
  oneIslandThreeFlags,
  fourWaysToSaySwitzerland,
];
