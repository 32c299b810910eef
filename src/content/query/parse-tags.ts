/** Parses entity tags in `If-Match` and `If-None-Match` (RFC 9110 8.8.3, 13.1). */

/** Opaque parts of tags, or `*` for any. */
export type Tags = '*' | readonly string[];

const TAG = /(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g;

/**
 * Returns the tags of a header; null without a header. Weak tags match like strong ones, since compressing
 * proxies weaken tags. Invalid tags are ignored, and thus match nothing.
 */
export function parseTags(header: string | readonly string[] | undefined): Tags | null {
  if (header === undefined) return null;
  const text = typeof header === 'string' ? header : header.join(', ');
  return text.trim() === '*' ? '*' : [...text.matchAll(TAG)].map(([, opaque = '']) => opaque);
}
