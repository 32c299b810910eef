import { ContentError } from '../errors.js';
import type { HttpRequest } from './request-state.js';

/** Methods whose bodies nobody reads. */
const READS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

const JSON_TYPE = /^application\/(?:[^\s;,/]+\+)?json\s*(?:;|$)/i;

/** HTTP/1.1 announces a body with one of two headers. */
const hasBody = ({ headers }: HttpRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * Refuses a body that does not say that it is JSON: other sites can have a visitor's browser send forms,
 * plain text and bodies of no type with the visitor's cookies; JSON only after the browser has asked this
 * server. Throws UnsupportedMediaTypeError.
 */
export function requireJson(request: HttpRequest): void {
  if (READS.includes(request.method) || !hasBody(request)) return;
  if (!JSON_TYPE.test(String(request.headers['content-type'] ?? '')))
    throw new ContentError('UnsupportedMediaTypeError', 'The body must be JSON');
}
