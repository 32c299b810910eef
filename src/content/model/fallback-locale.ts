/** Fallback locales of a type: the option, its checks, and the resulting chains. */
import { isObject } from '../../kernel/json.js';

type Chain = string | readonly string[] | false;

/**
 * One chain for all locales, or chains by locale with `default` for the rest. Chains are not transitive, so
 * they cannot form a cycle.
 */
export type FallbackLocale = Chain | Readonly<Record<string, Chain>>;

/** Key of the chain for all other locales; no locale has such a code. */
const DEFAULT = 'default';

export interface FallbackRules {
  readonly byLocale: ReadonlyMap<string, readonly string[]>;
  readonly otherwise: readonly string[];
}

export interface FallsBack {
  readonly fallback: FallbackRules;
}

const isCode = (value: unknown): boolean => typeof value === 'string' && value !== '';

function isChain(value: unknown): boolean {
  if (value === false || isCode(value)) return true;
  return Array.isArray(value) && value.every(isCode) && new Set(value).size === value.length;
}

/** Whether a value has the form of a {@link FallbackLocale}. Does not check that its locales exist. */
export const isFallbackLocale = (value: unknown): boolean =>
  isChain(value) || (isObject(value) && Object.values(value).every(isChain));

const listOf = (chain: Chain): readonly string[] => (chain === false ? [] : [chain].flat());

const isByLocale = (given: FallbackLocale): given is Readonly<Record<string, Chain>> => isObject(given);

export function fallbackRules(given: FallbackLocale = false): FallbackRules {
  if (!isByLocale(given)) return Object.freeze({ byLocale: new Map(), otherwise: listOf(given) });
  const { [DEFAULT]: otherwise = false, ...rest } = given;
  const byLocale = new Map(Object.entries(rest).map(([code, chain]) => [code, listOf(chain)]));
  return Object.freeze({ byLocale, otherwise: listOf(otherwise) });
}

export const chainFor = ({ byLocale, otherwise }: FallbackRules, locale: string): readonly string[] =>
  (byLocale.get(locale) ?? otherwise).filter((code) => code !== locale);

export const selfFallbacks = (given: FallbackLocale): string[] =>
  [...fallbackRules(given).byLocale]
    .filter(([code, chain]) => chain.includes(code))
    .map(([code]) => `fallbackLocale.${code}: a locale cannot be its own fallback`);

export function unknownFallbacks(
  { byLocale, otherwise }: FallbackRules,
  locales: readonly string[],
): string[] {
  const named = [...[...byLocale].flatMap(([code, chain]) => [code, ...chain]), ...otherwise];
  return [...new Set(named)].filter((code) => !locales.includes(code));
}
