import { defineCollectionType, type DocumentOf } from 'nestjs-content-api';

/** Country. Locales have their own names and share everything else, relations included. */
export const country = defineCollectionType({
  singularApiId: 'country',
  pluralApiId: 'countries',
  localized: true,
  desk: { title: 'name', list: ['name', 'flagPicture', 'region', 'area'] },
  attributes: {
    name: { type: 'string', required: true, localized: true, index: true },
    officialName: { type: 'string', localized: true },
    /** ISO 3166-1: two letters, three letters, three digits. Kosovo has no digits yet. */
    cca2: {
      type: 'string',
      required: true,
      unique: true,
      minLength: 2,
      maxLength: 2,
      desk: { label: 'Code of two letters', width: 4 },
    },
    cca3: {
      type: 'string',
      required: true,
      unique: true,
      minLength: 3,
      maxLength: 3,
      desk: { label: 'Code of three letters', width: 4 },
    },
    ccn3: { type: 'string', minLength: 3, maxLength: 3, desk: { label: 'Code of digits', width: 4 } },
    flag: { type: 'string' },
    /** Uploaded at the first start. */
    flagPicture: { type: 'media', allowedTypes: ['images'] },
    independent: { type: 'boolean' },
    unMember: { type: 'boolean', desk: { label: 'Member of the United Nations' } },
    landlocked: { type: 'boolean' },
    /** Square kilometres. */
    area: { type: 'float', min: 0, desk: { label: 'Area in km²' } },
    subregion: { type: 'string' },
    capitals: { type: 'component', component: 'geo.city', repeatable: true },
    coordinates: { type: 'component', component: 'geo.point' },
    region: { type: 'relation', relation: 'manyToOne', target: 'region', inversedBy: 'countries' },
    languages: { type: 'relation', relation: 'manyToMany', target: 'language', inversedBy: 'countries' },
    currencies: { type: 'relation', relation: 'manyToMany', target: 'currency', inversedBy: 'countries' },
    /** One-way relation: each country has its own ordered list. */
    borders: { type: 'relation', relation: 'manyToMany', target: 'country' },
    stories: { type: 'relation', relation: 'manyToMany', target: 'story', mappedBy: 'countries' },
  },
});

export type Country = DocumentOf<typeof country>;
