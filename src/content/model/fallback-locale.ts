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

const isByLocale = (fallback: FallbackLocale): fallback is Readonly<Record<string, Chain>> =>
  isObject(fallback);

export function fallbackRules(fallback: FallbackLocale = false): FallbackRules {
  if (!isByLocale(fallback)) return Object.freeze({ byLocale: new Map(), otherwise: listOf(fallback) });
  const { [DEFAULT]: otherwise = false, ...rest } = fallback;
  const byLocale = new Map(Object.entries(rest).map(([code, chain]) => [code, listOf(chain)]));
  return Object.freeze({ byLocale, otherwise: listOf(otherwise) });
}

export const chainFor = ({ byLocale, otherwise }: FallbackRules, locale: string): readonly string[] =>
  (byLocale.get(locale) ?? otherwise).filter((code) => code !== locale);

export const selfFallbacks = (fallback: FallbackLocale): string[] =>
  [...fallbackRules(fallback).byLocale]
    .filter(([code, chain]) => chain.includes(code))
    .map(([code]) => `fallbackLocale.${code}: a locale cannot be its own fallback`);

export function unknownFallbacks(
  { byLocale, otherwise }: FallbackRules,
  locales: readonly string[],
): string[] {
  const named = [...[...byLocale].flatMap(([code, chain]) => [code, ...chain]), ...otherwise];
  return [...new Set(named)].filter((code) => !locales.includes(code));
}
