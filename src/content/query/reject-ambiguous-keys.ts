/** Rejects query strings that qs would parse with a lost or changed condition. */
import { validationError } from '../../kernel/errors.js';
import { PARAMETERS } from './parameters.js';

interface Pair {
  readonly key: string;
  /** Null for a key without `=`. */
  readonly value: string | null;
}

/** Splits at the first `=` outside brackets; with unbalanced brackets at the first `=`. */
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

function decodeKey(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const WELL_FORMED = /^(?:[^[\]]+|\[[^[\]]*\])(?:\[[^[\]]*\])*$/;

/** Maximum length of a key in a message. */
const MOST_KEY_CHARACTERS = 200;

function refuse(whole: string, param: string, why: string): Error {
  const key = whole.slice(0, MOST_KEY_CHARACTERS);
  return validationError(`Invalid key ${key}${why}`, { key, path: null, source: 'query', param });
}

/** Returns the segments of a key, the parameter first; null if the keys of the parameter do not matter. */
function segmentsOf(raw: string): readonly string[] | null {
  const param = decodeKey(/^[[\]]*([^[\]]*)/.exec(raw)?.[1] ?? '');
  const keys = PARAMETERS.get(param) ?? 'any';
  if (keys === 'any') return null;
  const key = decodeKey(raw);
  if (!WELL_FORMED.test(raw)) throw refuse(key, param, ': unbalanced brackets');
  const path = [...raw.matchAll(/\[([^[\]]*)\]|([^[\]]+)/g)].map(([, inside, root]) =>
    decodeKey(inside ?? root ?? ''),
  );
  if (keys === 'names' && path.includes('__proto__')) throw refuse('__proto__', param, '');
  return path;
}

/** Refuses keys below two `[]`: they could be one entry, or two that must both match. */
function checkEntries(path: readonly string[], key: string): void {
  const [param = ''] = path;
  const empty = path.indexOf('', 1);
  if (empty > 0 && empty < path.length - 1)
    throw refuse(key, param, ': number the entries of a list, as in [0]');
}

/** Refuses a path that has both a value and keys below it, since qs would drop one of them. */
function checkPlaces(paths: ReadonlyMap<string, readonly string[]>): void {
  for (const [key, path] of paths) {
    for (let length = path.length - 1; length > 0; length -= 1) {
      const above = path.slice(0, length).join('\u0000');
      if (paths.has(above))
        throw refuse(path[length - 1] ?? key, path[0] ?? '', ': it has both a value and nested keys');
    }
  }
}

const isCondition = (path: readonly string[]): boolean => path.includes('filters');

/**
 * Returns a text that qs parses without loss. Throws a ValidationError if there is none. Keys deeper than
 * `depth` are left for qs to refuse.
 */
export function rejectAmbiguousKeys(text: string, depth: number): string {
  const paths = new Map<string, readonly string[]>();
  let changed = false;
  const parts = text.split('&').map((part) => {
    const { key, value } = pairOf(part);
    const path = key === '' ? null : segmentsOf(key);
    if (path !== null && path.length <= depth + 1 && isCondition(path)) {
      checkEntries(path, decodeKey(key));
      paths.set(path.join('\u0000'), path);
    }
    if (value === null || !value.includes('=')) return part;
    // qs would end the key at the last `=`.
    changed = true;
    return `${key}=${value.replaceAll('=', '%3D')}`;
  });
  checkPlaces(paths);
  return changed ? parts.join('&') : text;
}
