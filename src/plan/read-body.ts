/** Checks of a body as a whole, before its keys: size, depth, `data`. */
import { invalidKey, noContainer, overLimit, validationError } from '../errors.js';
import { isObject } from '../json.js';
import { typeMessage } from '../schema/print-value.js';

const MAX_DEPTH = 100;

/** Bounds a parsed body before anything else recurses into it. */
export function checkSize(data: unknown, allowed: number): void {
  let nodes = 0;
  const count = (value: unknown, depth: number): void => {
    nodes += 1;
    if (nodes > allowed) throw overLimit('bodyNodes', allowed, 'Too many values in the request body');
    if (depth > MAX_DEPTH) throw overLimit('bodyDepth', MAX_DEPTH, 'The request body is nested too deeply');
    if (typeof value !== 'object' || value === null) return;
    for (const nested of Object.values(value)) count(nested, depth + 1);
  };
  count(data, 0);
}

/** The `data` of a body. Throws a 400 where there is none. */
export function dataOf(body: unknown): Readonly<Record<string, unknown>> {
  if (body === null || (body !== undefined && typeof body !== 'object')) throw noContainer();
  const data = isObject(body) ? body['data'] : undefined;
  if (isObject(data)) return data;
  if (Array.isArray(data))
    throw validationError(typeMessage('this', 'object', { value: null, castFrom: data }));
  throw validationError('Missing "data" payload in the request body');
}

/**
 * A `status` or `locale` there would change nothing, and be missed by whoever sent it: both are parameters.
 */
export function refuseBeside(body: unknown): void {
  const foreign = Object.keys(body as object).find((key) => key !== 'data');
  if (foreign === undefined) return;
  const { message, details } = invalidKey(foreign, { at: '', path: null }, { source: 'body' });
  throw validationError(`${message}: a body has only "data"; parameters belong to the URL`, details);
}
