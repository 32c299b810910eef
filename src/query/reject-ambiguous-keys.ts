/**
 * The raw query string before qs reads it: refused where qs would drop a condition or take it for another
 * one.
 */
import { validationError } from '../errors.js';

/** Parameters whose keys have a meaning. */
const PARAMS = [
  'filters',
  'populate',
  'sort',
  'fields',
  'pagination',
  'locale',
  'fallbackLocale',
  'status',
  '_q',
  'publicationFilter',
];
/** Those whose keys are names of the model. */
const NAMED = ['filters', 'populate', 'sort', 'fields'];

interface Pair {
  readonly key: string;
  /** Null for a key without `=`. */
  readonly value: string | null;
}

/** The first `=` outside brackets ends a key; where brackets do not close, the first of all. */
function pairOf(part: string): Pair {
  const text = part.replace(/%5B/gi, '[').replace(/%5D/gi, ']');
  let depth = 0;
  let at = -1;
  for (let i = 0; i < text.length && at < 0; i += 1) {
    if (text[i] === '[') depth += 1;
    else if (text[i] === ']') depth = Math.max(0, depth - 1);
    else if (text[i] === '=' && depth === 0) at = i;
  }
  if (at < 0) at = text.indexOf('=');
  return at < 0 ? { key: text, value: null } : { key: text.slice(0, at), value: text.slice(at + 1) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const WELL_FORMED = /^(?:[^[\]]+|\[[^[\]]*\])(?:\[[^[\]]*\])*$/;

/** Nobody reads more of a key than this. */
const SHOWN = 200;

function refuse(whole: string, param: string, why: string): Error {
  const key = whole.slice(0, SHOWN);
  return validationError(`Invalid key ${key}${why}`, { key, path: null, source: 'query', param });
}

/** The segments of a key, the parameter first; null for a parameter that means nothing. */
function segmentsOf(raw: string): readonly string[] | null {
  const param = decoded(/^[[\]]*([^[\]]*)/.exec(raw)?.[1] ?? '');
  if (!PARAMS.includes(param)) return null;
  const key = decoded(raw);
  if (!WELL_FORMED.test(raw)) throw refuse(key, param, ': its brackets are not in order');
  const path = [...raw.matchAll(/\[([^[\]]*)\]|([^[\]]+)/g)].map(([, inside, root]) =>
    decoded(inside ?? root ?? ''),
  );
  if (NAMED.includes(param) && path.includes('__proto__')) throw refuse('__proto__', param, '');
  return path;
}

/**
 * Entries of lists have no place of their own: what is below two `[]` would be one thing, or two that must
 * both hold.
 */
function checkEntries(path: readonly string[], key: string): void {
  const [param = ''] = path;
  const empty = path.indexOf('', 1);
  if (empty > 0 && empty < path.length - 1) throw refuse(key, param, ': give the entries of a list indexes');
}

/** A value, and keys below it, at one place: one of them would be lost. */
function checkPlaces(paths: ReadonlyMap<string, readonly string[]>): void {
  for (const [key, path] of paths) {
    for (let length = path.length - 1; length > 0; length -= 1) {
      const above = path.slice(0, length).join('\u0000');
      if (paths.has(above))
        throw refuse(path[length - 1] ?? key, path[0] ?? '', ': it has a value and keys of its own');
    }
  }
}

/** Whether a path leads to conditions. */
const isCondition = (path: readonly string[]): boolean => path.includes('filters');

/**
 * A text that qs reads as it stands. Throws a ValidationError where it could not. Keys of more levels than
 * `depth` are left for qs to refuse.
 */
export function rejectAmbiguousKeys(text: string, depth: number): string {
  const paths = new Map<string, readonly string[]>();
  let changed = false;
  const parts = text.split('&').map((part) => {
    const { key, value } = pairOf(part);
    const path = key === '' ? null : segmentsOf(key);
    if (path !== null && path.length <= depth + 1 && isCondition(path)) {
      checkEntries(path, decoded(key));
      paths.set(path.join('\u0000'), path);
    }
    if (value === null || !value.includes('=')) return part;
    // qs would end the key at the last of them.
    changed = true;
    return `${key}=${value.replaceAll('=', '%3D')}`;
  });
  checkPlaces(paths);
  return changed ? parts.join('&') : text;
}
