import { ContentError, noContainer } from '../../kernel/errors.js';
import { checkSize } from '../plan/read-body.js';
import { type HttpRequest, rawOf, stateOf } from './request-state.js';

interface RequestHead {
  readonly method: string;
  readonly headers: Record<string, string | undefined>;
}

const READS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

const JSON_TYPE = /^\s*application\/(?:[^\s;,/]+\+)?json\s*(?:;|$)/i;

const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i;

/** Encodings of JSON (RFC 8259 8.1): UTF-8 and its subset ASCII. */
const UTF_8: readonly string[] = ['', 'utf-8', 'utf8', 'us-ascii'];

/** Content type that every framework accepts and none parses as JSON. */
export const TEXT = 'text/plain';

/** Request of HTTP/2: a body follows unless its stream ends with the headers. */
interface StreamedRequest {
  readonly stream?: { readonly endAfterHeaders?: boolean };
}

/**
 * HTTP/1.1 announces a body with one of two headers. HTTP/2 needs neither: then a body is one with a type,
 * because clients also end their stream after the headers.
 */
export function hasBody(request: Pick<HttpRequest, 'headers' | 'raw'>): boolean {
  const { 'content-length': length, 'content-type': type, 'transfer-encoding': coding } = request.headers;
  if (coding !== undefined || length !== undefined) return coding !== undefined || Number(length) > 0;
  const { stream }: StreamedRequest = rawOf(request);
  return stream?.endAfterHeaders === false && type !== undefined;
}

/**
 * Normalizes the content type for the application's parser. JSON under another name
 * (`application/vnd.api+json`) becomes JSON; JSON in another encoding does not. Clients send a content type
 * even without a body: it is removed then.
 */
export function declareBody(request: RequestHead): void {
  const { headers, method } = request;
  const type = headers['content-type'];
  if (type === undefined) return;
  if (READS.includes(method) || !hasBody(request)) delete headers['content-type'];
  else if (JSON_TYPE.test(type)) {
    const isParsed = isUtf8(type);
    headers['content-type'] = isParsed ? 'application/json' : TEXT;
    if (!isParsed) stateOf(request).isUnparsed = true;
  }
}

const isUtf8 = (type: string): boolean => UTF_8.includes((CHARSET.exec(type)?.[1] ?? '').toLowerCase());

/**
 * Refuses a body that is not declared as JSON. Other sites can send forms, plain text and untyped bodies with
 * a user's cookies; JSON requires a preflight request. Throws UnsupportedMediaTypeError, and SyntaxError for
 * JSON that is neither an object nor a list. JSON that is nested too deeply for later code is a 400.
 */
export function requireJson(request: HttpRequest): void {
  if (READS.includes(request.method) || !hasBody(request)) return;
  if (!isJson(request)) throw new ContentError('UnsupportedMediaTypeError', 'The body must be JSON');
  requireContainer(request);
  checkSize(request.body);
}

/** Refuses JSON that is neither an object nor a list, as the parser of Express does (protocol 1.13). */
export function requireContainer(request: HttpRequest): void {
  if (READS.includes(request.method) || !hasBody(request) || !isJson(request)) return;
  const { body } = request;
  if (body === null || !['object', 'undefined'].includes(typeof body)) throw noContainer();
}

const isJson = ({ headers }: HttpRequest): boolean => JSON_TYPE.test(String(headers['content-type'] ?? ''));
