/** Parses `populate` in every spelling (protocol section 4). */
import { invalidKey, placed, validationError } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json.js';
import { toBoolean } from '../model/formats.js';
import type { ContentLimits } from '../../kernel/settings.js';
import { parseFields, parseSort } from './parse-fields.js';
import { type FilterContext, parseFilters } from './parse-filters.js';
import { NO_POPULATE, type Populate, type PopulateItem } from './query.js';

export const POPULATE_SOURCE = Object.freeze({ source: 'query', param: 'populate' } as const);

export interface PopulateContext {
  readonly limits: ContentLimits;
  readonly conditions: FilterContext['budget'];
  readonly depth: number;
}

const SHAPES = 'Invalid populate parameter. Expected a string, an array of strings, a populate object';
const KEYS = ['populate', 'fields', 'filters', 'sort', 'count', 'on'];

const item = (key: string, at: string, rest: Partial<PopulateItem> = {}): PopulateItem => ({
  key,
  at,
  off: false,
  text: null,
  unknown: [],
  fields: null,
  filters: null,
  sort: [],
  populate: NO_POPULATE,
  count: false,
  on: null,
  dotted: false,
  raw: true,
  ...rest,
});

const joinPath = (prefix: string, key: string): string => (prefix === '' ? key : `${prefix}.${key}`);

/** Tree of path segments. */
interface PathTree {
  readonly below: Map<string, PathTree>;
}

function fromTree(tree: PathTree, prefix: string): Populate {
  if (tree.below.size === 0) return NO_POPULATE;
  return {
    kind: 'items',
    items: [...tree.below].map(([key, below]) =>
      item(key, joinPath(prefix, key), {
        populate: fromTree(below, joinPath(prefix, key)),
        dotted: prefix !== '',
      }),
    ),
  };
}

function fromPaths(paths: readonly string[], context: PopulateContext): Populate {
  const root: PathTree = { below: new Map() };
  for (const path of paths) {
    const segments = path
      .split('.')
      .map((part) => part.trim())
      .filter((part) => part !== '');
    if (segments.length > context.limits.populateDepth) throw tooDeep(context.limits);
    segments.reduce<PathTree>((node, segment) => {
      const next: PathTree = node.below.get(segment) ?? { below: new Map() };
      node.below.set(segment, next);
      return next;
    }, root);
  }
  return fromTree(root, '');
}

const tooDeep = (limits: ContentLimits): Error =>
  validationError(`Populate is nested too deeply (limit "populateDepth": ${limits.populateDepth})`, {
    limit: 'populateDepth',
    allowed: limits.populateDepth,
    ...POPULATE_SOURCE,
  });

function tooMany(count: number, limits: ContentLimits): void {
  if (count <= limits.populateEntries) return;
  throw validationError(
    `Too many populate entries (${count}). The maximum number of populate entries is ${limits.populateEntries}.`,
    { limit: 'populateEntries', allowed: limits.populateEntries, ...POPULATE_SOURCE },
  );
}

function count(raw: unknown, at: string): boolean {
  const counts = raw === undefined ? false : toBoolean(raw);
  if (counts === undefined) throw invalidKey('count', { at, path: at }, POPULATE_SOURCE);
  return counts;
}

function fragments(raw: unknown, at: string, context: PopulateContext): readonly PopulateItem[] | null {
  if (raw === undefined) return null;
  if (raw === null || raw === '') return [];
  if (!isObject(raw)) throw invalidKey('on', { at, path: at }, POPULATE_SOURCE);
  return Object.entries(raw).map(([uid, value]) =>
    parseItem({ key: uid, at: joinPath(joinPath(at, 'on'), uid) }, value, context),
  );
}

type ItemName = Pick<PopulateItem, 'key' | 'at'>;

/** Adds the place of the parameter to the details of an error: only top-level parameters have none (D11). */
function parsed<T>({ key, at }: ItemName, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw placed(error, { key, path: at, ...POPULATE_SOURCE });
  }
}

function parseItem({ key, at }: ItemName, raw: unknown, context: PopulateContext): PopulateItem {
  const on = raw === null || raw === '*' ? true : toBoolean(raw);
  if (on !== undefined) return item(key, at, { off: !on, raw });
  if (typeof raw === 'string') return item(key, at, { text: raw, raw });
  if (Array.isArray(raw)) return item(key, at, { unknown: ['0'], raw });
  if (!isObject(raw)) throw validationError(SHAPES, { ...POPULATE_SOURCE });
  return item(key, at, {
    raw,
    unknown: Object.keys(raw).filter((name) => !KEYS.includes(name)),
    fields: parsed({ key: 'fields', at }, () => parseFields(raw['fields'])),
    filters: parsed({ key: 'filters', at }, () =>
      parseFilters(raw['filters'], { source: POPULATE_SOURCE, budget: context.conditions }),
    ),
    sort: parsed({ key: 'sort', at }, () => parseSort(raw['sort'], POPULATE_SOURCE)),
    populate: parsed({ key: 'populate', at }, () =>
      parsePopulate(raw['populate'], { ...context, depth: context.depth + 1 }, at),
    ),
    count: count(raw['count'], at),
    on: fragments(raw['on'], at, context),
  });
}

/**
 * Parses `populate`. Paths in lists and texts are relative to their level; the object form prefixes its path.
 */
export function parsePopulate(raw: unknown, context: PopulateContext, prefix = ''): Populate {
  if (raw === undefined || raw === null || raw === '') return NO_POPULATE;
  if (context.depth > context.limits.populateDepth) throw tooDeep(context.limits);
  if (raw === '*') return { kind: 'all' };
  if (typeof raw === 'string') return fromPaths(checkPaths(raw.split(','), context), context);
  if (Array.isArray(raw)) {
    const paths = raw.filter((path) => path !== null);
    if (!paths.every((path) => typeof path === 'string'))
      throw validationError(SHAPES, { ...POPULATE_SOURCE });
    return fromPaths(checkPaths(paths, context), context);
  }
  if (!isObject(raw)) throw validationError(SHAPES, { ...POPULATE_SOURCE });
  tooMany(Object.keys(raw).length, context.limits);
  const items = Object.entries(raw).map(([key, value]) =>
    parseItem({ key, at: joinPath(prefix, key) }, value, context),
  );
  return items.length === 0 ? NO_POPULATE : { kind: 'items', items };
}

function checkPaths(paths: string[], context: PopulateContext): string[] {
  tooMany(paths.length, context.limits);
  return paths;
}
