import { defineCollectionType, type DocumentOf } from 'nestjs-content-api';

export const currency = defineCollectionType({
  singularApiId: 'currency',
  pluralApiId: 'currencies',
  desk: { title: 'name' },
  attributes: {
    /** ISO 4217. */
    code: { type: 'string', required: true, unique: true, minLength: 3, maxLength: 3 },
    name: { type: 'string', required: true },
    symbol: { type: 'string' },
    countries: { type: 'relation', relation: 'manyToMany', target: 'country', mappedBy: 'currencies' },
  },
});

export type Currency = DocumentOf<typeof currency>;
