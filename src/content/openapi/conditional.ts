/** Conditional requests (RFC 9110 13). */
import type { Describing } from './describing.js';
import { type Reference, type Response, TEXT } from './document.js';
import { markedBy, timingHeaders } from './headers.js';

/** Header of responses with a document or a cacheable list. */
export const ETAG_HEADER: NonNullable<Response['headers']> = {
  ETag: { description: 'Entity tag of the response, for `If-None-Match` and `If-Match`.', schema: TEXT },
};

export const notModified = (describing: Describing): Readonly<Record<string, Reference>> => ({
  304: describing.components.ref('responses', { key: 'not modified', name: 'NotModified' }, () => ({
    description: 'Not modified: the client has the current response. No body.',
    headers: { ...ETAG_HEADER, ...timingHeaders(describing), ...markedBy(describing) },
  })),
});
