import { ContentError, noContainer } from '../errors.js';
import type { HttpRequest } from './request-state.js';

/** The part of Node's request that says what its body is. */
interface Declared {
  readonly method: string;
  readonly headers: Record<string, string | undefined>;
}

/** Methods whose bodies nobody reads. */
const READS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

const JSON_TYPE = /^\s*application\/(?:[^\s;,/]+\+)?json\s*(?:;|$)/i;

const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i;

/** The one encoding that JSON has (RFC 8259 8.1), by its names, and the part of it that is older. */
const UTF_8: readonly string[] = ['', 'utf-8', 'utf8', 'us-ascii'];

/** A type that every framework takes, and none takes for JSON. */
export const TEXT = 'text/plain';

/** HTTP/1.1 announces a body with one of two headers. */
export const hasBody = ({ headers }: Pick<HttpRequest, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * Makes a body readable for the parser of the host, with its limits. JSON by another name
 * (`application/vnd.api+json`) is JSON; in another encoding than its own it is none. Clients send a content
 * type with every request: without a body, or where nobody reads it, there is nothing to parse.
 */
export function declareBody(request: Declared): void {
  const { headers, method } = request;
  const type = headers['content-type'];
  if (type === undefined) return;
  if (READS.includes(method) || !hasBody(request)) delete headers['content-type'];
  else if (JSON_TYPE.test(type)) headers['content-type'] = isUtf8(type) ? 'application/json' : TEXT;
}

const isUtf8 = (type: string): boolean => UTF_8.includes((CHARSET.exec(type)?.[1] ?? '').toLowerCase());

/**
 * Refuses a body that does not say that it is JSON: other sites can have a visitor's browser send forms,
 * plain text and bodies of no type with the visitor's cookies; JSON only after the browser has asked this
 * server. Throws UnsupportedMediaTypeError, and SyntaxError for JSON that is neither object nor list.
 */
export function requireJson(request: HttpRequest): void {
  if (READS.includes(request.method) || !hasBody(request)) return;
  if (!JSON_TYPE.test(String(request.headers['content-type'] ?? '')))
    throw new ContentError('UnsupportedMediaTypeError', 'The body must be JSON');
  const { body } = request;
  if (body === null || !['object', 'undefined'].includes(typeof body)) throw noContainer();
}
