/** The whole model, as `ContentModule.forRoot` takes it, and who may do what with it. */
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

export const CONTENT_TYPES = [
  region,
  language,
  currency,
  country,
  theme,
  story,
  homepage,
  visitorNote,
  apiTokenType,
  ...userTypes(),
];

export const COMPONENTS = [point, city, byline, quote, fact, spotlight, hero, link];

/** The first one is the default. */
export const LOCALES = ['en', 'fr', 'de'] as const;

const READ = ['find', 'findOne'] as const;

/** What everybody may do. Nothing is said about notes: asking for them answers 403. */
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
 * What a user who has signed in may do. A role has its own grants alone, so those of the public are among
 * them. Of other users nothing can be read but the name, be it as the author of a note or in `/api/users`.
 */
export const AUTHENTICATED_GRANTS: Grants = {
  ...PUBLIC_GRANTS,
  'visitor-note': [...READ, 'create', { actions: ['update', 'delete'], own: true }],
  user: [{ actions: ['find'], fields: ['username'] }],
};
