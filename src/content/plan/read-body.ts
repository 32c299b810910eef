/** Checks a body before its keys: size, depth, `data`. */
import { invalidKey, noContainer, overLimit, validationError } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json.js';
import { typeMessage } from '../model/print-value.js';

const MAX_DEPTH = 100;

/** Limits the depth and the values of a parsed body, before other code recurses into it. */
export function checkSize(data: unknown, allowed = Infinity): void {
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

/** Returns the `data` of a body. Throws a 400 without it. */
export function dataOf(body: unknown): Readonly<Record<string, unknown>> {
  if (body === null || (body !== undefined && typeof body !== 'object')) throw noContainer();
  const data = isObject(body) ? body['data'] : undefined;
  if (isObject(data)) return data;
  if (Array.isArray(data))
    throw validationError(typeMessage('this', 'object', { value: null, castFrom: data }));
  throw validationError('Missing "data" payload in the request body');
}

/** Throws a 400 for keys next to `data`. A `status` or `locale` there would silently have no effect. */
export function refuseKeysNextToData(body: object): void {
  const foreign = Object.keys(body).find((key) => key !== 'data');
  if (foreign === undefined) return;
  const { message, details } = invalidKey(foreign, { at: '', path: null }, { source: 'body' });
  throw validationError(`${message}: a body has only "data"; parameters belong to the URL`, details);
}
