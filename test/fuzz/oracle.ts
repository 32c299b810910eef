/** Conditions that every response to a GET must satisfy. */
import { ERRORS } from './internals.ts';
import type { Reply } from './apps.ts';

/** Maximum duration of a request, in milliseconds. */
export const SLOW = 2000;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const hasKeys = (value: unknown, keys: readonly string[]): value is Record<string, unknown> =>
  isObject(value) && Object.keys(value).join() === keys.join();

/**
 * Detects phrases of PostgreSQL and of stack traces. Messages may contain names and values of the request.
 */
const isInternal = (message: string): boolean =>
  /syntax error at|does not exist|invalid input syntax|violates|invalid byte sequence|node_modules|\n\s+at .*:\d+:\d+/i.test(
    message,
  );

const FROM_PARSER = [
  '',
  '{"error":"Bad Request","message":"Client Error","statusCode":400}',
  '{"error":"Request Header Fields Too Large","message":"Exceeded maximum allowed HTTP header size","statusCode":431}',
];

/** Detects responses to invalid HTTP by the parser of Node or by Fastify, which precede any request. */
export const isFromNode = ({ status, body }: Pick<Reply, 'status' | 'body'>): boolean =>
  (status === 400 || status === 431) && FROM_PARSER.includes(body);

/** Returns the fault of a response, or null. */
export function problemOf(reply: Pick<Reply, 'status' | 'headers' | 'body'>, method = 'GET'): string | null {
  const { status, headers, body } = reply;
  if (isFromNode(reply)) return null;
  if (method === 'HEAD')
    return body === '' && (status === 200 || (status >= 400 && status <= 499))
      ? null
      : `status ${status} with ${body.length} bytes for HEAD`;
  if ((method === 'DELETE' || method === 'OPTIONS') && status === 204)
    return body === '' ? null : 'a body with 204';
  if (status !== 200 && (status < 400 || status > 499)) return `status ${status}: ${body.slice(0, 300)}`;
  if (!String(headers['content-type']).startsWith('application/json'))
    return `content type ${String(headers['content-type'])} with status ${status}`;
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return `not JSON: ${body.slice(0, 300)}`;
  }
  if (status === 200) {
    if (!hasKeys(json, ['data', 'meta'])) return `envelope ${body.slice(0, 200)}`;
    return typeof json['data'] === 'object' && json['data'] !== null
      ? null
      : `data is ${typeof json['data']}`;
  }
  if (!hasKeys(json, ['data', 'error']) || json['data'] !== null) return `envelope ${body.slice(0, 200)}`;
  const { error } = json;
  if (!hasKeys(error, ['status', 'name', 'message', 'details'])) return `error shape ${body.slice(0, 200)}`;
  const name = String(error['name']);
  if (error['status'] !== status) return `error.status ${String(error['status'])} with status ${status}`;
  if (!Object.hasOwn(ERRORS, name) || ERRORS[name as keyof typeof ERRORS] !== status)
    return `name ${name} with status ${status}`;
  if (typeof error['message'] !== 'string' || error['message'] === '') return 'no message';
  if (!isObject(error['details'])) return `details ${JSON.stringify(error['details'])}`;
  return isInternal(error['message']) ? `message shows internals: ${error['message'].slice(0, 200)}` : null;
}
