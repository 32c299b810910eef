/** From the raw query string to nested plain values, by this module's own `qs`, whatever the host has set. */
import qs from 'qs';
import { ContentError, overLimit, validationError } from '../errors.js';
import type { ContentLimits, ContentSettings } from '../settings.js';
import { rejectAmbiguousKeys } from './reject-ambiguous-keys.js';

/** A parsed query string: nested objects, arrays, strings, and null for a name without `=`. */
export type RawQuery = Readonly<Record<string, unknown>>;

/** A query with what it means where it does not say so. */
export type QueryDefaults = (raw: RawQuery, settings: ContentSettings) => RawQuery;

/**
 * Parses a query string within the budgets. Names such as `__proto__` never become keys.
 * Throws a ValidationError that names the exceeded limit.
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
      // Names like `toString` are keys like any other, on objects without a prototype.
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
