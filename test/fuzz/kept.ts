/** Cached plans: a query string must compile to the same statement with and without cached plans. */
import { isDeepStrictEqual } from 'node:util';
import type { FuzzRequest } from './arbitraries.ts';
import { ContentError, KeptPlans, type Request, resolveSettings } from './internals.ts';
import { model } from './model.ts';
import { PERMISSIONS, schema } from './pure.ts';

/** Other operands of a filter, as query text. */
const OTHERS = [
  '1',
  'true',
  'x%20y',
  '2024-02-03',
  '12:30',
  '',
  'null',
  'a+b',
  '{}',
  '%25',
  '%zz',
  'f',
  '-7.5',
];

const settings = resolveSettings({ locales: model.locales });
const kept = new KeptPlans(settings);
const anew = new KeptPlans({ ...settings, maxCachedPlans: 0 });

type Asked = Omit<Request, 'settings'>;

function outcome(plans: KeptPlans, query: string, asked: Asked): unknown {
  try {
    return plans.statementOf(query, asked);
  } catch (error) {
    if (!(error instanceof ContentError)) throw error;
    const { name, message, details } = error;
    return { name, message, details };
  }
}

/** Replaces the filter values of a query. */
const about = (query: string, first: number): string => {
  let n = first;
  return query.replace(
    /((?:^|&)filters[^=&]*=)[^&]*/g,
    (_all, key: string) => key + OTHERS[n++ % OTHERS.length],
  );
};

/**
 * Compiles a query, variants with other values, and the query again. Throws if a result differs from the
 * result without cached plans.
 */
export function checkKept({ type, path, query, v4, caller }: FuzzRequest): void {
  const one = path.includes('{') ? { documentId: 'abcdefghijklmnopqrstuvwx' } : {};
  const permissions = PERMISSIONS[caller ?? 'reader'];
  const asked: Asked = { schema, permissions, type, format: v4 ? 'v4' : 'flat', ...one };
  const texts = [query, ...[0, 5, 9].map((first) => about(query, first)), query];
  for (const text of texts)
    if (!isDeepStrictEqual(outcome(kept, text, asked), outcome(anew, text, asked)))
      throw new Error(`Cached plans change the result of ${text} after ${texts.join(' and ')}`);
}
