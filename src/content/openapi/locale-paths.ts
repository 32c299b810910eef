/** Path `/api/i18n/locales` for callers with the grant (protocol 9.14). */
import type { Describe } from './describing.js';
import { json, list, open, TEXT, TIME } from './document.js';
import { ALWAYS, errorAnswers } from './error-answers.js';
import { needsGrant } from './operation-texts.js';

const MEMBERS = {
  id: { type: 'integer' },
  documentId: TEXT,
  name: TEXT,
  code: TEXT,
  createdAt: TIME,
  updatedAt: TIME,
  publishedAt: TIME,
  isDefault: { type: 'boolean' },
};

export const localePaths: Describe = ({ base, caller, components }) => {
  if (!caller.permissions.allows('locale', 'find')) return {};
  const locale = components.ref('schemas', { key: 'a locale', name: 'Locale' }, () =>
    open(MEMBERS, Object.keys(MEMBERS)),
  );
  const operation = {
    operationId: 'Locales_find',
    tags: ['i18n'],
    summary: 'List the locales',
    description: needsGrant('find', 'locale'),
    responses: {
      200: { description: 'Success.', content: json(list(locale)) },
      ...errorAnswers(ALWAYS, components),
    },
  };
  return { [`${base}/i18n/locales`]: { get: operation } };
};
