import { defineCollectionType, type DocumentOf } from 'nestjs-content-api';

/** A letter box: anybody may drop a note in, nobody may read them over HTTP. */
export const visitorNote = defineCollectionType({
  singularApiId: 'visitor-note',
  pluralApiId: 'visitor-notes',
  attributes: {
    message: { type: 'text', required: true, minLength: 1, maxLength: 2000 },
    email: { type: 'email', private: true },
  },
});

export type VisitorNote = DocumentOf<typeof visitorNote>;
