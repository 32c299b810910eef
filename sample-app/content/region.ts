import { defineCollectionType, type DocumentOf } from 'nestjs-content-api';

export const region = defineCollectionType({
  singularApiId: 'region',
  pluralApiId: 'regions',
  attributes: {
    name: { type: 'string', required: true, unique: true },
    countries: { type: 'relation', relation: 'oneToMany', target: 'country', mappedBy: 'region' },
  },
});

export type Region = DocumentOf<typeof region>;
