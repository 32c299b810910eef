/** `fallbackLocale`: which locales stand in for the one that is asked for (protocol 9.18–9.21). */
import { validationError } from '../errors.js';
import { toBoolean } from '../schema/formats.js';
import { chainFor } from '../schema/fallback-locale.js';
import type { ContentType } from '../schema/model.js';
import type { ContentSettings } from '../settings.js';
import type { LocalePick, Version } from './plan.js';

const refuse = (message: string): Error =>
  validationError(message, {
    key: 'fallbackLocale',
    path: null,
    source: 'query',
    param: 'fallbackLocale',
  });

/** Whether a request says that nothing stands in. */
const isOff = (raw: unknown): boolean => raw === 'none' || toBoolean(raw) === false;

/** A locale, a comma list or a list. Throws a 400 for what is none of the locales. */
function codesOf(raw: unknown, locales: readonly string[]): readonly string[] {
  const given: readonly unknown[] = typeof raw === 'string' ? raw.split(',') : [raw].flat();
  const codes = given.map((code) => (typeof code === 'string' ? code.trim() : code));
  const isLocale = (code: unknown): code is string => locales.includes(code as string);
  if (!codes.every(isLocale))
    throw refuse(`Invalid fallbackLocale parameter. Expected false, or some of: ${locales.join(', ')}`);
  return [...new Set(codes)];
}

/**
 * The chain that a request asks for: empty where it wants none, null where it leaves that to the types.
 * Throws a 400 for anything that is no chain, and for one beside several locales, each of which is shown as
 * it is.
 */
export function pickFallback(
  raw: unknown,
  pick: LocalePick,
  { locales }: ContentSettings,
): readonly string[] | null {
  if (raw === undefined || raw === null || raw === '') return null;
  if (!locales.includes(raw as string) && isOff(raw)) return [];
  const codes = codesOf(raw, locales);
  if (pick.kind !== 'one' && codes.length > 0)
    throw refuse('Invalid fallbackLocale parameter. Only one locale can fall back to others');
  return codes;
}

/**
 * The locales in which documents of a type are shown at the root of a read or below it, best first; null
 * where nothing stands in for the one asked for.
 */
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
