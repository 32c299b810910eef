/** Model for `ContentModule.forRoot`, and the grants on it. */
import type { Grants } from 'nestjs-content-api';
import { apiTokenType, userTypes } from 'nestjs-content-api/accounts';
import { byline, city, fact, hero, link, point, quote, spotlight } from './components.js';
import { country } from './country.js';
import { currency } from './currency.js';
import { homepage } from './homepage.js';
import { language } from './language.js';
import { region } from './region.js';
import { story } from './story.js';
import { theme } from './theme.js';
import { visitorNote } from './visitor-note.js';

/** Content types in the order of the desk's menu. */
export const CONTENT_TYPES = [
  story,
  theme,
  homepage,
  country,
  region,
  language,
  currency,
  visitorNote,
  apiTokenType,
  ...userTypes(),
];

export const COMPONENTS = [point, city, byline, quote, fact, spotlight, hero, link];

/** The first locale is the default. */
export const LOCALES = ['en', 'fr', 'de'] as const;

const READ = ['find', 'findOne'] as const;

/** Grants of unauthenticated callers. Notes are not listed, so a request for them returns 403. */
export const PUBLIC_GRANTS: Grants = {
  region: READ,
  language: READ,
  currency: READ,
  country: READ,
  theme: READ,
  story: READ,
  homepage: ['find'],
  file: READ,
};

/**
 * Grants of signed-in users. A role has only its own grants, so these include the public ones. Of other
 * users, only the name is readable: as the author of a note, or in `/api/users`.
 */
export const AUTHENTICATED_GRANTS: Grants = {
  ...PUBLIC_GRANTS,
  'visitor-note': [...READ, 'create', { actions: ['update', 'delete'], own: true }],
  user: [{ actions: ['find'], fields: ['username'] }],
};

/** Grants of editors: all actions on content and files, in the desk and through the API. */
export const EDITOR_GRANTS: Grants = {
  desk: ['open'],
  audit: ['open'],
  releases: ['open'],
  locale: ['find'],
  region: '*',
  language: '*',
  currency: '*',
  country: '*',
  theme: '*',
  story: '*',
  homepage: '*',
  'visitor-note': '*',
  file: '*',
  user: [{ actions: ['find'], fields: ['username'] }],
};
