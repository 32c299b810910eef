import { defineCollectionType } from 'nestjs-content-api';

/**
 * A guest book for users: whoever is signed in may leave a note and read all of them. The public may do
 * neither.
 */
export const visitorNote = defineCollectionType({
  singularApiId: 'visitor-note',
  pluralApiId: 'visitor-notes',
  owner: 'author',
  attributes: {
    message: { type: 'text', required: true, minLength: 1, maxLength: 2000 },
    email: { type: 'email', private: true },
    /** The user who left the note. Nobody can name another one: an owner is set by the module. */
    author: { type: 'relation', relation: 'manyToOne', target: 'user' },
  },
});
