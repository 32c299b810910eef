import { defineCollectionType } from 'nestjs-content-api';

/** Guest book. Signed-in users can leave notes and read all notes; unauthenticated callers can do neither. */
export const visitorNote = defineCollectionType({
  singularApiId: 'visitor-note',
  pluralApiId: 'visitor-notes',
  owner: 'author',
  attributes: {
    message: { type: 'text', required: true, minLength: 1, maxLength: 2000 },
    email: { type: 'email', private: true },
    /** User who left the note. The module sets this owner, so a request cannot name another user. */
    author: { type: 'relation', relation: 'manyToOne', target: 'user' },
  },
});
