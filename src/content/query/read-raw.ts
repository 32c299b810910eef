/**
 * Parses the raw query string to nested plain values. Uses its own `qs`, regardless of the host's query
 * parser.
 */
import qs from 'qs';
import { ContentError, overLimit, validationError } from '../../kernel/errors.js';
import type { ContentLimits, ContentSettings } from '../../kernel/settings.js';
import { rejectAmbiguousKeys } from './reject-ambiguous-keys.js';

/** Parsed query string: nested objects, arrays, strings, and null for a name without `=`. */
export type RawQuery = Readonly<Record<string, unknown>>;

/** Adds default parameters to a query. */
export type QueryDefaults = (raw: RawQuery, settings: ContentSettings) => RawQuery;

/** Defaults the status to draft: an action that leaves a draft responds with it. */
export const withDraftByDefault = (query: RawQuery): RawQuery => ({
  ...query,
  status: query['status'] ?? 'draft',
});

/**
 * Parses a query string within the limits. Names such as `__proto__` never become keys. Throws a
 * ValidationError that names the exceeded limit.
 */
export function readRaw(text: string, limits: ContentLimits): RawQuery {
  if (text === '') return {};
  if (text.length > limits.queryLength) {
    throw new ContentError(
      'UriTooLongError',
      `The query string is too long (limit "queryLength": ${limits.queryLength})`,
      {
        limit: 'queryLength',
        allowed: limits.queryLength,
      },
    );
  }
  const prepared = rejectAmbiguousKeys(text, limits.depth);
  try {
    return qs.parse(prepared, {
      depth: limits.depth,
      strictDepth: true,
      arrayLimit: limits.arrayLength,
      parameterLimit: limits.parameters,
      strictNullHandling: true,
      throwOnLimitExceeded: true,
      // Objects without a prototype allow names such as `toString`.
      plainObjects: true,
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    if (error.message.startsWith('Array'))
      throw overLimit('arrayLength', limits.arrayLength, 'Too many entries in one list of the query');
    if (error.message.startsWith('Parameter'))
      throw overLimit('parameters', limits.parameters, 'Too many query parameters');
    if (error.message.startsWith('Input depth'))
      throw overLimit('depth', limits.depth, 'Too many levels of brackets in the query');
    throw validationError(error.message);
  }
}
