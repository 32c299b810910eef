import { validationError } from '../errors.js';
import type { ReadPlan } from '../plan/plan.js';
import { notOneLocale } from '../plan/plan-read.js';
import type { ContentSettings } from '../settings.js';

const SOURCE = { key: 'locale', path: null, source: 'query', param: 'locale' } as const;

/**
 * The one locale that a write is about. An unknown code is a 400, except where there is only something to
 * delete (D19).
 */
export function writeLocaleOf(
  { type, version }: ReadPlan,
  settings: ContentSettings,
  anyCode = false,
): string {
  const { defaultLocale, locales } = settings;
  if (!type.localized) return defaultLocale;
  if (version.locale.kind !== 'one') throw notOneLocale(version.locale);
  const { code } = version.locale;
  if (!anyCode && !locales.includes(code)) {
    throw validationError(`Invalid locale "${code}". Expected one of: ${locales.join(', ')}`, SOURCE);
  }
  return code;
}
