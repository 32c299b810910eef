/**
 * Model like the sample application's: countries with a region, languages and borders. Benches only read it.
 */
import { defineCollectionType } from 'nestjs-content-api';

const country = defineCollectionType({
  singularApiId: 'country',
  pluralApiId: 'countries',
  localized: true,
  attributes: {
    name: { type: 'string', required: true, localized: true, index: true },
    cca3: { type: 'string', required: true, unique: true },
    area: { type: 'float' },
    landlocked: { type: 'boolean' },
    region: { type: 'relation', relation: 'manyToOne', target: 'region', inversedBy: 'countries' },
    languages: { type: 'relation', relation: 'manyToMany', target: 'language', inversedBy: 'countries' },
    borders: { type: 'relation', relation: 'manyToMany', target: 'country' },
  },
});

const region = defineCollectionType({
  singularApiId: 'region',
  pluralApiId: 'regions',
  attributes: {
    name: { type: 'string', required: true, unique: true },
    countries: { type: 'relation', relation: 'oneToMany', target: 'country', mappedBy: 'region' },
  },
});

const language = defineCollectionType({
  singularApiId: 'language',
  pluralApiId: 'languages',
  attributes: {
    code: { type: 'string', required: true, unique: true },
    name: { type: 'string', required: true },
    countries: { type: 'relation', relation: 'manyToMany', target: 'country', mappedBy: 'languages' },
  },
});

export const atlas = {
  contentTypes: [country, region, language],
  locales: ['en'],
  defaultLocale: 'en',
  access: { public: { '*': ['find', 'findOne'] } },
};
