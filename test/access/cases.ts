/** Cases of the access table, each with the response that the access rule requires. */
import type { Action } from 'nestjs-content-api';
import { queryOf } from '../fuzz/query-text.ts';
import {
  type AttributeOf,
  bodyOf,
  COMPONENTS,
  type Ids,
  isSingle,
  routeOf,
  SPARE,
  TYPES,
  valueOf,
} from './model.ts';
import {
  allowed,
  ALWAYS,
  type Ask,
  type Asker,
  attributesOf,
  echoed,
  may,
  mayNameFileRows,
  mayWrite,
  readsStored,
  type Path,
  pathsIn,
  pathsOf,
  scope,
  shown,
  targetsOf,
} from './rule.ts';

/** Part of a response that a case compares. */
interface Wanted {
  readonly read: (answer: any) => unknown;
  readonly value: unknown;
}

export interface Case {
  /** Kind of parameter that the case sends. */
  readonly about: string;
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  readonly status: number;
  /** Error message of this case, if it differs from the common message of its status. */
  readonly message?: RegExp;
  readonly wanted?: Wanted;
}

/** Caller and documents of a table. */
export interface Table {
  readonly asker: Asker;
  readonly ids: Ids;
  /**
   * Generates all kinds of cases in both states, with some long paths. Otherwise most kinds are generated in
   * one state.
   */
  readonly thorough: boolean;
}

/** Number of refused conditions of two or more hops per type. */
const FAR = 10;

const OK = 200;
const BAD = 400;
const FORBIDDEN = 403;

const TEXTS = ['string', 'text', 'email', 'integer', 'password'];

const idOf = (ids: Ids, type: string, n: number): string => ids.documents[type]?.[n] ?? '';

/** Selects `count` evenly spaced items. */
const some = <T>(list: readonly T[], count: number): readonly T[] =>
  list.length <= count
    ? list
    : Array.from({ length: count }, (_, i) => list[Math.floor((i * list.length) / count)] as T);

const chunks = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size));

const sorted = (list: readonly string[]): string[] => [...new Set(list)].sort();

const nest = (keys: readonly string[], end: unknown): object =>
  keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), end) as object;

/** The owner of the attribute at the end of a path. */
function ownerOf(
  type: string,
  keys: readonly string[],
): { readonly of: 'type' | 'component' | 'file'; readonly name: string } {
  let place: { of: 'type' | 'component' | 'file'; name: string } = { of: 'type', name: type };
  for (const [i, key] of keys.slice(0, -1).entries()) {
    if (COMPONENTS.has(key)) place = { of: 'component', name: key };
    else {
      const attribute =
        place.of === 'file' ? undefined : attributesOf({ of: place.of, name: place.name })[key];
      if (attribute?.type === 'relation') place = { of: 'type', name: attribute.target ?? '' };
      else if (attribute?.type === 'component') place = { of: 'component', name: attribute.component ?? '' };
      else if (attribute?.type === 'media') place = { of: 'file', name: 'file' };
      else if (attribute?.type !== 'dynamiczone')
        throw new Error(`${type}.${keys.slice(0, i + 1).join('.')} is not a relation`);
    }
  }
  return place;
}

/**
 * Returns a condition that matches only world n at the end of a path. Returns null if the value is the same
 * in all worlds.
 */
function needle(type: string, keys: readonly string[], n: number): object | null {
  const { of, name } = ownerOf(type, keys);
  const key = keys.at(-1) ?? '';
  if (of === 'file' && key === 'url') return { $eq: `file-${key}-${n}` };
  if (of === 'type' && TYPES.get(name)?.owner === key) return null;
  if (of !== 'file' && TEXTS.includes(attributesOf({ of, name })[key]?.type ?? ''))
    return {
      $eq: keys.at(-2) === 'localizations' && key === 'title' ? `book-title-fr-${n}` : valueOf(name, key, n),
    };
  return null;
}

/** Conditions that match every readable document. */
const ANY: Readonly<Record<string, object>> = {
  id: { $gt: 0 },
  documentId: { $ne: 'x' },
  locale: { $eq: 'en' },
};
const anything = (keys: readonly string[]): object => ANY[keys.at(-1) ?? ''] ?? { $notNull: true };

/**
 * Returns whether cases compare a value path. Of the attributes of all documents, nested paths compare only
 * the id.
 */
const isTold = ({ scalar, keys }: Path): boolean =>
  scalar && !(keys.length > 1 && ALWAYS.slice(1).includes(keys.at(-1) ?? ''));

/**
 * Returns whether a path contains a component name. Responses and fragments contain such names, but paths of
 * filters and sorts do not.
 */
const crossesZone = ({ keys }: Path): boolean => keys.some((key) => COMPONENTS.has(key));
const zoneless = (keys: readonly string[]): readonly string[] => keys.filter((key) => !COMPONENTS.has(key));

const mayCompare = (ask: Ask, path: Path): boolean =>
  path.scalar && !crossesZone(path) && may(ask, path.keys);

/** Returns the types and components that an attribute references; an empty list for scalars and media. */
function targets({
  type,
  target,
  component,
  components,
}: AttributeOf): [of: 'type' | 'component', name: string][] {
  if (type === 'relation') return [['type', target ?? '']];
  return [...(component === undefined ? [] : [component]), ...(components ?? [])].map((uid) => [
    'component',
    uid,
  ]);
}

/** Attributes that `populate` accepts, for any caller. */
const populatable = (of: 'type' | 'component', name: string): [string, AttributeOf][] =>
  Object.entries(attributesOf({ of, name })).filter(
    ([, attribute]) => attribute.private !== true && !TEXTS.includes(attribute.type),
  );

/** Levels below an attribute. Nested `localizations` would only repeat the first ones. */
const deeper = (key: string, depth: number): number => (key === 'localizations' ? 0 : depth - 1);

/** Builds a `populate` of all attributes, without regard to the grants of the caller. */
function tree(of: 'type' | 'component', name: string, depth: number): object | 'true' {
  if (depth === 0) return 'true';
  const items = populatable(of, name).map(([key, attribute]): [string, unknown] => {
    const below = targets(attribute).map(([kind, target]): [string, unknown] => [
      target,
      tree(kind, target, deeper(key, depth)),
    ]);
    return [
      key,
      attribute.type === 'dynamiczone' ? { on: Object.fromEntries(below) } : (below[0]?.[1] ?? 'true'),
    ];
  });
  return { populate: Object.fromEntries(items) };
}

/** Lists the same attributes as dotted paths. */
const list = (of: 'type' | 'component', name: string, depth: number): string[] =>
  depth === 0
    ? []
    : populatable(of, name).flatMap(([key, attribute]) => {
        const below = targets(attribute).flatMap(([kind, target]) => list(kind, target, deeper(key, depth)));
        return below.length === 0 ? [key] : sorted(below).map((way) => `${key}.${way}`);
      });

const full = (ask: Ask, depth: number): object => tree('type', ask.type, depth) as object;

/** Paths that the response to a write contains. */
const answered = (ask: Ask, depth: number, sent: object): string[] =>
  shown(ask, depth).filter((path) => echoed(ask, path.split('.')[0] ?? '', sent));

const showing = (ask: Ask, depth: number): Wanted => ({
  read: ({ data }) => sorted(pathsIn(data, 'type', ask.type)),
  // Computed on demand, because most cases do not need it.
  get value() {
    return sorted(answered(ask, depth, {}));
  },
});

const total = (count: number): Wanted => ({
  read: ({ data, meta }) => meta?.pagination?.total ?? (data === null ? 0 : 1),
  value: count,
});

/** Returns whether a request is allowed before its parameters are checked. */
const opens = (ask: Ask): boolean => scope(ask) !== 'none';

/** Makes a case of a query. */
type CaseOf = (about: string, query: object, status: number, wanted?: Wanted) => Case;

/** Generates cases of default attributes, and of `populate` in every spelling to three levels. */
function* populates(ask: Ask, one: CaseOf): Generator<Case> {
  const { type } = ask;
  yield one('plain', {}, OK, showing(ask, 0));
  yield one('populate *', { populate: '*' }, OK, showing(ask, 1));
  yield one('populate list', { populate: list('type', type, 2) }, OK, showing(ask, 2));
  yield one('populate tree', full(ask, 3), OK, showing(ask, 3));
  for (const [key, { type: kind, private: hidden }] of ask.draft
    ? []
    : Object.entries(attributesOf({ of: 'type', name: type }))) {
    if (hidden === true || TEXTS.includes(kind))
      yield one('populate hidden', { populate: { [key]: true } }, BAD);
  }
}

/** Generates cases of counts. World 0 has one book that exists only as a draft. */
function* counts(ask: Ask, one: CaseOf): Generator<Case> {
  const counted = (of: 'type' | 'component', name: string): string[] =>
    Object.entries(attributesOf({ of, name })).flatMap(([key, { type, repeatable, ...rest }]) =>
      rest.private !== true && (type === 'relation' || repeatable === true) ? [key] : [],
    );
  const inWorld0 = (keys: readonly string[]): number =>
    ask.draft &&
    keys.at(-1) === 'books' &&
    ['author', 'tag'].includes(ownerOf(ask.type, keys).name) &&
    ask.type !== 'home'
      ? 2
      : 1;
  for (const key of counted('type', ask.type)) {
    const seen = may(ask, [key]);
    yield one('populate count', { populate: { [key]: { count: true } } }, OK, {
      read: ({ data }) => first(data)?.[key],
      value: seen ? { count: inWorld0([key]) } : undefined,
    });
    const { type, target } = attributesOf({ of: 'type', name: ask.type })[key] ?? { type: '' };
    if (type !== 'relation' || key === 'localizations' || ask.action === 'find') continue;
    for (const below of counted('type', target ?? '')) {
      const value = !seen ? undefined : may(ask, [key, below]) ? { count: inWorld0([key, below]) } : null;
      const read = (data: any): unknown =>
        data?.[key] === undefined ? undefined : ([data[key]].flat()[0]?.[below] ?? null);
      yield one('populate count', { populate: { [key]: { populate: { [below]: { count: true } } } } }, OK, {
        read: ({ data }) => read(first(data)),
        value,
      });
    }
  }
}

const first = (data: any): any => (Array.isArray(data) ? data[0] : data);

/** Generates cases of `fields` with every attribute. */
function* selections(ask: Ask, one: CaseOf): Generator<Case> {
  for (const {
    keys: [key = ''],
    scalar,
  } of pathsOf(ask, 1).filter(({ keys }) => keys.length === 1)) {
    const ok = scalar && may(ask, [key]);
    yield one(
      'fields',
      { fields: [key] },
      ok ? OK : BAD,
      ok
        ? {
            read: ({ data }) => sorted(pathsIn(data, 'type', ask.type)),
            value: sorted(['id', 'documentId', key]),
          }
        : undefined,
    );
  }
  yield one('fields', { fields: '*' }, OK, showing(ask, 0));
}

/**
 * Generates filters and sorts along every path. Refused paths get one case each; allowed paths are tested
 * one by one and all together.
 */
function* conditions(ask: Ask, one: CaseOf, far: boolean): Generator<Case> {
  const { type, action, draft } = ask;
  const listing = action === 'find' && !isSingle(type);
  const paths = pathsOf(ask, far ? 2 : 1).filter(isTold);
  const open = paths.filter((path) => mayCompare(ask, path));
  // Drafts differ only in the targets of relations.
  const closed = paths.filter((path) => !mayCompare(ask, path) && (!draft || path.hops > 0));
  for (const { keys } of [
    ...closed.filter(({ hops }) => hops < 2),
    ...some(
      closed.filter(({ hops }) => hops > 1),
      FAR,
    ),
  ]) {
    yield one('sort', { sort: `${zoneless(keys).join('.')}:desc` }, BAD);
    yield one('filters', { filters: nest(zoneless(keys), needle(type, keys, 1) ?? anything(keys)) }, BAD);
  }
  for (const { keys } of listing && !draft ? open.filter(({ hops }) => hops < 2) : []) {
    const condition = needle(type, keys, 1);
    yield one(
      'filters',
      { filters: nest(keys, condition ?? anything(keys)) },
      OK,
      condition === null ? undefined : total(1),
    );
  }
  for (const part of chunks(open, 40)) {
    const all = part
      .filter(({ keys }) => keys.at(-1) !== 'publishedAt')
      .map(({ keys }) => nest(keys, needle(type, keys, 1) ?? anything(keys)));
    const some = part.some(({ keys }) => needle(type, keys, 1) !== null);
    yield one('filters', { filters: { $and: all } }, OK, some && listing ? total(1) : undefined);
    yield* chunks(part, 20).map((keys) => one('sort', { sort: keys.map((path) => path.keys.join('.')) }, OK));
  }
}

/** Generates searches: `_q` finds world 1 by each readable attribute and by no other one. */
function* searches(ask: Ask, one: CaseOf): Generator<Case> {
  for (const [key, { type }] of Object.entries(TYPES.get(ask.type)?.attributes ?? {})) {
    if (!TEXTS.includes(type) || TYPES.get(ask.type)?.owner === key) continue;
    const found = may(ask, [key]);
    const query = { _q: String(valueOf(ask.type, key, 1)) };
    const listing = ask.action === 'find' && !isSingle(ask.type);
    yield one('_q', query, found || listing ? OK : 404, listing ? total(found ? 1 : 0) : undefined);
  }
}

/**
 * Generates filters, sorts and `fields` inside `populate`. World 1 is read with conditions on world 0, so
 * that no row matches.
 */
function* nested(ask: Ask, one: CaseOf, far: boolean): Generator<Case> {
  const ways = new Map<string, Path[]>();
  for (const path of pathsOf(ask, far ? 2 : 1).filter(isTold)) {
    const [key = '', uid = ''] = path.keys;
    const attribute = attributesOf({ of: 'type', name: ask.type })[key];
    if (path.hops === 0 || attribute?.private === true) continue;
    const way = attribute?.type === 'dynamiczone' ? `${key} ${uid}` : key;
    ways.set(way, [...(ways.get(way) ?? []), path]);
  }
  const single = ask.action === 'findOne' || isSingle(ask.type);
  for (const [name, paths] of ways) {
    const way = name.split(' ');
    const [key = '', uid] = way;
    const on = (item: object): object => ({
      populate: { [key]: uid === undefined ? item : { on: { [uid]: item } } },
    });
    const left = ({ data }: any): unknown =>
      data[key] === undefined ? 'absent' : [data[key]].flat().filter((item: unknown) => item !== null).length;
    const wanted = (value: unknown): Wanted | undefined => (single ? { read: left, value } : undefined);
    if (!may(ask, way)) {
      // Parameters of an omitted relation are omitted as well.
      for (const item of [{ filters: { id: { $gt: 0 } } }, { sort: 'id' }, { fields: ['id'] }])
        yield one('populate left out', on(item), OK, wanted('absent'));
      continue;
    }
    const below = paths.map((path) => ({ ...path, keys: path.keys.slice(way.length), whole: path.keys }));
    const open = below.filter((path) => may(ask, path.whole) && !crossesZone(path));
    const closed = below.filter((path) => !open.includes(path));
    for (const { keys, whole } of [
      ...closed.filter(({ hops }) => hops < 2),
      ...some(
        closed.filter(({ hops }) => hops > 1),
        FAR,
      ),
    ]) {
      const names = zoneless(keys);
      yield one(
        'populate filters',
        on({ filters: nest(names, needle(ask.type, whole, 0) ?? anything(names)) }),
        BAD,
      );
      yield one('populate sort', on({ sort: `${names.join('.')}:asc` }), BAD);
      if (names.length === 1) yield one('populate fields', on({ fields: names }), BAD);
    }
    const told = open.filter(({ whole }) => needle(ask.type, whole, 0) !== null);
    if (told.length > 0)
      yield one(
        'populate filters',
        on({ filters: { $or: told.map(({ keys, whole }) => nest(keys, needle(ask.type, whole, 0))) } }),
        OK,
        wanted(0),
      );
    yield one(
      'populate sort',
      on({ sort: open.slice(0, 20).map(({ keys }) => keys.join('.')) }),
      OK,
      wanted(1),
    );
    yield one(
      'populate fields',
      on({ fields: open.filter(({ keys }) => keys.length === 1).map(({ keys }) => keys[0]) }),
      OK,
      wanted(1),
    );
  }
}

const GETS = ['find', 'findOne'] as const;

/** Generates all cases of a caller that change no row. */
export function* reads({ asker, ids, thorough }: Table): Generator<Case> {
  for (const type of TYPES.keys()) {
    for (const action of isSingle(type) ? (['find'] as const) : GETS) {
      for (const draft of [false, true]) {
        const ask = { ...asker, type, action, draft };
        const route = routeOf(type, action === 'find' ? undefined : idOf(ids, type, 1));
        const to =
          (where: string): CaseOf =>
          (about, query, status, wanted) => {
            const text = queryOf({ ...query, ...(draft ? { status: 'draft' } : {}) });
            return {
              about,
              method: 'GET',
              path: `${where}?${text}`,
              status,
              ...(wanted === undefined ? {} : { wanted }),
            };
          };
        const one = to(route);
        if (!opens(ask)) {
          yield* [{}, { populate: '*', filters: { nothing: 1 } }].map((query) =>
            one('route', query, FORBIDDEN),
          );
          yield { about: 'route', method: 'HEAD', path: one('', {}, 0).path, status: FORBIDDEN };
          continue;
        }
        yield { about: 'route', method: 'HEAD', path: one('', {}, 0).path, status: OK };
        yield* populates(ask, one);
        if (!draft) yield* selections(ask, one);
        if (!draft) yield* searches(ask, one);
        if (thorough || (action === 'find' && !draft))
          yield* conditions(ask, one, thorough && action === 'find' && !draft);
        if (!thorough) continue;
        yield* counts(
          ask,
          to(action === 'find' || type === 'note' ? route : routeOf(type, idOf(ids, type, 0))),
        );
        if (!draft || action === 'findOne') yield* nested(ask, one, action === 'findOne' && !draft);
      }
    }
  }
}

const VERBS = { create: 'POST', update: 'PUT' } as const;

/** Lists every spelling of a relation in a body. */
const spellings = (target: unknown): unknown[] => [
  target,
  [target].flat(),
  { documentId: [target].flat()[0] },
  { connect: [target].flat() },
  { disconnect: [target].flat() },
  { set: [] },
  null,
  {},
];

/**
 * Compares a response with the permissions of the caller: it has no other path, and every visible object is
 * complete.
 */
function answering(ask: Ask, depth: number, sent: object): Wanted {
  const missing = ({ data }: any): string[] => {
    const all = answered(ask, depth, sent);
    const there = new Set(pathsIn(data, 'type', ask.type));
    const extra = [...there].filter((path) => !all.includes(path)).map((path) => `+${path}`);
    // An empty relation hides the paths below it.
    const reached = (path: string): boolean =>
      !path.includes('.') || [...there].some((other) => other.startsWith(`${parentOf(path)}.`));
    return [...extra, ...all.filter((path) => !there.has(path) && reached(path)).map((path) => `-${path}`)];
  };
  return { read: missing, value: [] };
}

/** Parent path. The name of a component belongs to the path of its zone. */
const parentOf = (path: string): string => path.replace(/(\.part)?\.\w+$/, '');

/** Generates writes that the rule refuses; they must change no row. */
export function* refusals({ asker, ids }: Table): Generator<Case> {
  for (const type of TYPES.keys()) {
    for (const action of isSingle(type) ? (['update'] as const) : (['create', 'update'] as const)) {
      const ask = { ...asker, type, action, draft: false };
      const method = VERBS[action];
      const n = isSingle(type) ? 1 : SPARE;
      const path = routeOf(type, action === 'create' ? undefined : idOf(ids, type, n));
      const send = (about: string, data: object, status: number, query = ''): Case => ({
        about,
        method,
        path: `${path}${query}`,
        body: { data },
        status,
      });
      if (!opens(ask)) {
        yield* ['', '?status=draft'].map((query) => send('route', {}, FORBIDDEN, query));
        continue;
      }
      for (const [key, { type: kind }] of Object.entries(attributesOf({ of: 'type', name: type }))) {
        if (key === 'localizations' || !mayWrite(ask, key)) {
          const value = key === 'localizations' ? [idOf(ids, type, SPARE)] : bodyOf(type, key, n, ids);
          const refused = kind === 'relation' ? spellings(value) : [value];
          for (const one of refused)
            yield send(kind === 'relation' ? 'body relation' : 'body', { [key]: one }, BAD);
          yield send('body', { [key]: refused[0] }, BAD, '?status=draft');
        }
        yield* refusedParts(ask, key, ids).map((data) => send('body part', data, BAD));
        if (!mayWrite(ask, key)) continue;
        for (const row of closedRows(ask, ids))
          for (const data of rowBodies(type, key, row))
            yield { ...send('body file', data, BAD), message: NO_FILE };
      }
      for (const { keys, scalar } of pathsOf(ask, 1)) {
        if (keys.length === 1 && !(scalar && may(ask, keys)))
          yield send('fields of an answer', {}, BAD, `?${queryOf({ fields: keys })}`);
        if (!scalar || mayCompare(ask, { keys, scalar, hops: 1 })) continue;
        yield send('sort of an answer', {}, BAD, `?${queryOf({ sort: zoneless(keys).join('.') })}`);
        yield send(
          'filters of an answer',
          {},
          BAD,
          `?${queryOf({ filters: nest(zoneless(keys), anything(['id'])) })}`,
        );
      }
    }
    if (!opens({ ...asker, type, action: 'delete', draft: false }))
      yield { about: 'route', method: 'DELETE', path: routeOf(type, idOf(ids, type, 1)), status: FORBIDDEN };
  }
}

/** Generates writes of other users' documents (world 0), for callers with grants on their own documents. */
export function* foreign({ asker, ids }: Table): Generator<Case> {
  const [theirs, own] = [idOf(ids, 'note', 0), idOf(ids, 'note', 1)];
  const path = routeOf('note', theirs);
  const seen = allowed(asker, 'note', 'findOne');
  for (const draft of [false, true]) {
    const query = draft ? '?status=draft' : '';
    const of = (action: Action): 'all' | 'own' | 'none' => scope({ ...asker, type: 'note', action, draft });
    const listed = {
      read: ({ data }: any) =>
        [theirs, own].map((id) => data.some(({ documentId }: any) => documentId === id)),
      value: [of('find') === 'all', true],
    };
    if (of('find') !== 'none')
      yield { about: 'own', method: 'GET', path: `${routeOf('note')}${query}`, status: OK, wanted: listed };
    if (of('findOne') !== 'none')
      yield {
        about: 'own',
        method: 'GET',
        path: `${path}${query}`,
        status: of('findOne') === 'all' ? OK : 404,
      };
    if (of('update') === 'own')
      yield {
        about: 'own',
        method: 'PUT',
        path: `${path}${query}`,
        body: { data: {} },
        status: seen ? FORBIDDEN : 404,
      };
  }
  if (scope({ ...asker, type: 'note', action: 'delete', draft: false }) === 'own')
    yield { about: 'own', method: 'DELETE', path, status: seen ? FORBIDDEN : 204 };
}

/** Error for a missing file, and for a file that the caller must not name by its row id. */
const NO_FILE = /^1 relation\(s\) of type plugin::upload.file associated with this entity do not exist$/;
const NO_ROW = 2_000_000_000;

/** Lists every spelling of a file that a body names by its row id. */
const rowSpellings = (row: number): unknown[] => [
  row,
  [row],
  String(row),
  { id: row },
  { connect: [row] },
  { set: [{ id: row }] },
];

/** Bodies that name a file by its row id, in an attribute or in its components. */
function rowBodies(type: string, key: string, row: number): object[] {
  const def = attributesOf({ of: 'type', name: type })[key];
  if (def?.type === 'media') return rowSpellings(row).map((value) => ({ [key]: value }));
  const uids = def?.component === undefined ? (def?.components ?? []) : [def.component];
  return uids.flatMap((uid) =>
    Object.entries(COMPONENTS.get(uid)?.attributes ?? {}).flatMap(([name, part]) => {
      if (part.type !== 'media') return [];
      const instance = { ...(def?.components === undefined ? {} : { __component: uid }), [name]: row };
      return [{ [key]: def?.components !== undefined || def?.repeatable === true ? [instance] : instance }];
    }),
  );
}

const isMedia = (type: string, key: string): boolean =>
  attributesOf({ of: 'type', name: type })[key]?.type === 'media';

/**
 * Row ids of files that a body may not name: a file of world 0, which the document does not link, and a
 * missing row.
 */
const closedRows = (ask: Ask, { files }: Ids): number[] =>
  mayNameFileRows(ask) ? [NO_ROW] : [files[0] ?? 0, NO_ROW];

/**
 * Bodies with files that the caller may name by row id. The document already links the file of its own
 * world.
 */
function openRows(ask: Ask, key: string, ids: Ids): object[] {
  const bodies = rowBodies(ask.type, key, ids.files[isSingle(ask.type) ? 1 : SPARE] ?? 0);
  if (mayNameFileRows(ask)) return bodies;
  return ask.action === 'update' && isMedia(ask.type, key) && readsStored(ask, key) ? bodies : [];
}

/** Bodies whose components are writable but reference unreadable documents. */
function refusedParts(ask: Ask, key: string, ids: Ids): object[] {
  if (!opens(ask)) return [];
  const { component, components, repeatable } = attributesOf({ of: 'type', name: ask.type })[key] ?? {
    type: '',
  };
  const uids = component === undefined ? (components ?? []) : [component];
  return uids.flatMap((uid) =>
    Object.keys(COMPONENTS.get(uid)?.attributes ?? {}).flatMap((name) => {
      const targets = targetsOf('component', uid, name);
      if (targets.every((target) => allowed(ask, target, 'find'))) return [];
      const instance = {
        ...(components === undefined ? {} : { __component: uid }),
        [name]: bodyOf(uid, name, SPARE, ids),
      };
      return [{ [key]: components !== undefined || repeatable === true ? [instance] : instance }];
    }),
  );
}

/** Generates writes that the rule allows, and compares their responses. */
export function* writes({ asker, ids }: Table): Generator<Case> {
  for (const type of TYPES.keys()) {
    for (const action of isSingle(type) ? (['update'] as const) : (['create', 'update'] as const)) {
      for (const draft of [false, true]) {
        const ask: Ask = { ...asker, type, action, draft };
        if (!opens(ask)) continue;
        const method = VERBS[action];
        const status = action === 'create' ? 201 : OK;
        const n = isSingle(type) ? 1 : SPARE;
        const path = (world: number): string =>
          routeOf(type, action === 'create' ? undefined : idOf(ids, type, world));
        const send = (about: string, world: number, data: object, query: object, wanted: Wanted): Case => ({
          about,
          method,
          path: `${path(world)}?${queryOf({ ...query, ...(draft ? { status: 'draft' } : {}) })}`,
          body: { data },
          status,
          wanted,
        });
        const mine = Object.keys(TYPES.get(type)?.attributes ?? {}).filter((key) => mayWrite(ask, key));
        if (!draft)
          for (const key of mine) {
            const sent = { [key]: bodyOf(type, key, n, ids) };
            yield send('body', n, sent, {}, answering(ask, 0, sent));
            for (const body of isMedia(type, key) ? openRows(ask, key, ids) : [])
              yield send('body file', n, body, {}, answering(ask, 0, body));
          }
        const everything = Object.fromEntries(mine.map((key) => [key, bodyOf(type, key, n, ids)]));
        yield send('answer', n, everything, full(ask, 3), answering(ask, 3, everything));
        // An update without data returns the whole document, if all of its relations have targets. The note
        // of world 0 belongs to another user.
        const worlds =
          action === 'create'
            ? []
            : scope(ask) === 'all' && TYPES.get(type)?.owner !== undefined
              ? [0, 1]
              : [1];
        for (const world of worlds)
          yield send('answer', world, {}, full(ask, 3), showing({ ...ask, foreign: world === 0 }, 3));
        for (const { keys, scalar } of draft ? [] : pathsOf(ask, 0))
          if (scalar && may(ask, keys))
            yield send(
              'fields of an answer',
              n,
              {},
              { fields: keys },
              {
                read: ({ data }) => Object.keys(data),
                value: [...new Set(['id', 'documentId', ...keys])].filter((key) => echoed(ask, key, {})),
              },
            );
      }
    }
    if (opens({ ...asker, type, action: 'delete', draft: false }))
      yield { about: 'route', method: 'DELETE', path: routeOf(type, 'nobody'), status: 204 };
  }
}

/** Generates one request per route and type, for callers without grants. */
export function* everyRoute(ids: Ids | null, status: number): Generator<Case> {
  for (const type of TYPES.keys()) {
    const one = routeOf(type, ids === null ? 'x' : idOf(ids, type, 1));
    const methods: [Case['method'], string][] = [
      ['GET', routeOf(type)],
      ['HEAD', routeOf(type)],
      ['GET', one],
      ['PUT', one],
      ['DELETE', one],
      ...(isSingle(type) ? [] : [['POST', routeOf(type)] as [Case['method'], string]]),
    ];
    for (const [method, path] of methods)
      for (const query of ['', '?populate=*', '?status=draft', '?filters[nothing]=1']) {
        yield {
          about: 'route',
          method,
          path: `${path}${query}`,
          status,
          ...(method === 'PUT' || method === 'POST' ? { body: { data: {} } } : {}),
        };
      }
  }
}
