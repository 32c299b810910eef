/** The whole model, as `ContentModule.forRoot` takes it, and who may do what with it. */
import type { Grants } from 'nestjs-content-api';
import { byline, city, fact, hero, link, point, quote, spotlight } from './components.js';
import { country } from './country.js';
import { currency } from './currency.js';
import { homepage } from './homepage.js';
import { language } from './language.js';
import { region } from './region.js';
import { story } from './story.js';
import { visitorNote } from './visitor-note.js';

export const CONTENT_TYPES = [region, language, currency, country, story, homepage, visitorNote];

export const COMPONENTS = [point, city, byline, quote, fact, spotlight, hero, link];

/** The first one is the default. */
export const LOCALES = ['en', 'fr', 'de'] as const;

const READ = ['find', 'findOne'] as const;

/** Notes may be left but not read: reading them answers 403. */
export const PUBLIC_GRANTS: Grants = {
  region: READ,
  language: READ,
  currency: READ,
  country: READ,
  story: READ,
  homepage: ['find'],
  'visitor-note': ['create'],
};
