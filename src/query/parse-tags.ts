/** Entity tags as `If-Match` and `If-None-Match` list them (RFC 9110 8.8.3, 13.1). */

/** The opaque parts of tags, or `*`: whatever there is. */
export type Tags = '*' | readonly string[];

const TAG = /(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g;

/**
 * The tags of a header; null where there is none. Weak ones count like strong ones, because proxies that
 * compress make them weak; what is no tag is left out, so that it names nothing.
 */
export function parseTags(header: string | readonly string[] | undefined): Tags | null {
  if (header === undefined) return null;
  const text = typeof header === 'string' ? header : header.join(', ');
  return text.trim() === '*' ? '*' : [...text.matchAll(TAG)].map(([, opaque = '']) => opaque);
}
