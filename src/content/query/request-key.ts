/** The `Idempotency-Key` header of writes (IETF draft-ietf-httpapi-idempotency-key-header). */
import { ContentError } from '../../kernel/errors.js';

export const REQUEST_KEY_HEADER = 'Idempotency-Key';

/** Marks a response that was stored by an earlier request with the same key. */
export const REPLAYED_HEADER = 'Idempotency-Replayed';

/** Maximum length of a key. */
const MAX_LENGTH = 255;
const QUOTED_KEY = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
const BARE_KEY = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/**
 * Returns the key in a header, null without one. The draft's quoted string and the bare text that most
 * clients send are the same key. Throws BadRequestError for other values.
 */
export function parseRequestKey(header: string | readonly string[] | undefined): string | null {
  if (header === undefined) return null;
  const text = typeof header === 'string' ? header.trim() : header.join(', ');
  const key = BARE_KEY.test(text) ? text : QUOTED_KEY.exec(text)?.[1]?.replaceAll(/\\(.)/g, '$1');
  if (key === undefined || key === '' || key.length > MAX_LENGTH)
    throw new ContentError(
      'BadRequestError',
      `${REQUEST_KEY_HEADER} must be 1 to ${MAX_LENGTH} printable ASCII characters`,
      { key: REQUEST_KEY_HEADER },
    );
  return key;
}
