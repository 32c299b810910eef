import { defineCollectionType, type DocumentOf } from 'nestjs-content-api';

export const language = defineCollectionType({
  singularApiId: 'language',
  pluralApiId: 'languages',
  desk: { title: 'name' },
  attributes: {
    /** ISO 639-3. */
    code: { type: 'string', required: true, unique: true, minLength: 3, maxLength: 3 },
    name: { type: 'string', required: true },
    countries: { type: 'relation', relation: 'manyToMany', target: 'country', mappedBy: 'languages' },
  },
});

export type Language = DocumentOf<typeof language>;
