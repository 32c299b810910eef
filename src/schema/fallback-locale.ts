/** Which locales stand in for one that a document lacks: what a type may say, and what that comes to. */
import { isObject } from '../json.js';

/** A locale, or several: the first of them that a document has is shown. False: none. */
type Chain = string | readonly string[] | false;

/**
 * For all locales alike, or by locale, with `default` for those that are not named. A list is the whole
 * chain: the locales in it do not lead on to their own, so that no chain can be a circle.
 */
export type FallbackLocale = Chain | Readonly<Record<string, Chain>>;

/** The key of a chain that is for every other locale; no locale has such a code. */
const DEFAULT = 'default';

/** What a type says of its locales: chains by locale, and one for every other. */
export interface FallbackRules {
  readonly byLocale: ReadonlyMap<string, readonly string[]>;
  readonly otherwise: readonly string[];
}

/** What has such rules. */
export interface FallsBack {
  readonly fallback: FallbackRules;
}

const isCode = (value: unknown): boolean => typeof value === 'string' && value !== '';

function isChain(value: unknown): boolean {
  if (value === false || isCode(value)) return true;
  return Array.isArray(value) && value.every(isCode) && new Set(value).size === value.length;
}

/** Whether a value can be a {@link FallbackLocale}, whatever locales there are. */
export const isFallbackLocale = (value: unknown): boolean =>
  isChain(value) || (isObject(value) && Object.values(value).every(isChain));

const listOf = (chain: Chain): readonly string[] => (chain === false ? [] : [chain].flat());

const isByLocale = (given: FallbackLocale): given is Readonly<Record<string, Chain>> => isObject(given);

/** The chains of a definition; none where it says nothing. */
export function fallbackRules(given: FallbackLocale = false): FallbackRules {
  if (!isByLocale(given)) return Object.freeze({ byLocale: new Map(), otherwise: listOf(given) });
  const { [DEFAULT]: otherwise = false, ...rest } = given;
  const byLocale = new Map(Object.entries(rest).map(([code, chain]) => [code, listOf(chain)]));
  return Object.freeze({ byLocale, otherwise: listOf(otherwise) });
}

/** The locales that stand in for one, best first; none of them is itself. */
export const chainFor = ({ byLocale, otherwise }: FallbackRules, locale: string): readonly string[] =>
  (byLocale.get(locale) ?? otherwise).filter((code) => code !== locale);

/** What is wrong with a definition's chains: a locale that would stand in for itself. */
export const selfFallbacks = (given: FallbackLocale): string[] =>
  [...fallbackRules(given).byLocale]
    .filter(([code, chain]) => chain.includes(code))
    .map(([code]) => `fallbackLocale.${code}: a locale cannot stand in for itself`);

/** The codes that a definition names and that are none of the application's locales. */
export function unknownFallbacks(
  { byLocale, otherwise }: FallbackRules,
  locales: readonly string[],
): string[] {
  const named = [...[...byLocale].flatMap(([code, chain]) => [code, ...chain]), ...otherwise];
  return [...new Set(named)].filter((code) => !locales.includes(code));
}
