/** Parses `fallbackLocale`: the locales that replace a missing one (protocol 9.18–9.21). */
import { validationError } from '../../kernel/errors.js';
import { isText } from '../../kernel/json.js';
import { toBoolean } from '../model/formats.js';
import { chainFor } from '../model/fallback-locale.js';
import type { ContentType } from '../model/model.js';
import type { ContentSettings } from '../../kernel/settings.js';
import type { LocalePick, Version } from './plan.js';

const refuse = (message: string): Error =>
  validationError(message, {
    key: 'fallbackLocale',
    path: null,
    source: 'query',
    param: 'fallbackLocale',
  });

const isOff = (raw: unknown): boolean => raw === 'none' || toBoolean(raw) === false;

/** Parses a locale, a comma list or a list. Throws a 400 for unknown locales. */
function codesOf(raw: unknown, locales: readonly string[]): readonly string[] {
  const given: readonly unknown[] = typeof raw === 'string' ? raw.split(',') : [raw].flat();
  const codes = given.map((code) => (typeof code === 'string' ? code.trim() : code));
  const isLocale = (code: unknown): code is string => isText(code) && locales.includes(code);
  if (!codes.every(isLocale))
    throw refuse(`Invalid fallbackLocale parameter. Expected false, or some of: ${locales.join(', ')}`);
  return [...new Set(codes)];
}

/**
 * Returns the requested chain: empty for no fallback, null for the fallback of each type. Throws a 400 for
 * other values, and for a chain together with several locales.
 */
export function pickFallback(
  raw: unknown,
  pick: LocalePick,
  { locales }: ContentSettings,
): readonly string[] | null {
  if (raw === undefined || raw === null || raw === '') return null;
  if (!(isText(raw) && locales.includes(raw)) && isOff(raw)) return [];
  const codes = codesOf(raw, locales);
  if (pick.kind !== 'one' && codes.length > 0)
    throw refuse('Invalid fallbackLocale parameter. Only one locale can fall back to others');
  return codes;
}

export function localeChain(
  type: ContentType,
  { locale, fallback }: Version,
  atRoot: boolean,
): readonly string[] | null {
  if (fallback === undefined || locale.kind !== 'one' || !type.localized) return null;
  if (atRoot && !fallback.atRoot) return null;
  const { code } = locale;
  const chain = fallback.chain?.filter((other) => other !== code) ?? chainFor(type.fallback, code);
  return chain.length === 0 ? null : [code, ...chain];
}
