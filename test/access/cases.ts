/** Every question of the table with the answer that the rule gives. */
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

/** What is looked at in an answer. */
interface Wanted {
  readonly read: (answer: any) => unknown;
  readonly value: unknown;
}

export interface Case {
  /** What is asked with. */
  readonly about: string;
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  readonly status: number;
  /** What an error says, where that is not what all of its status say. */
  readonly message?: RegExp;
  readonly wanted?: Wanted;
}

/** Whose questions, and about what. */
export interface Table {
  readonly asker: Asker;
  readonly ids: Ids;
  /**
   * Every kind of question in both states, and some of the long ways; otherwise most of them in one state.
   */
  readonly thorough: boolean;
}

/** Refused conditions of two hops and more that are asked of a type. */
const FAR = 10;

const OK = 200;
const BAD = 400;
const FORBIDDEN = 403;

const TEXTS = ['string', 'text', 'email', 'integer', 'password'];

const idOf = (ids: Ids, type: string, n: number): string => ids.documents[type]?.[n] ?? '';

/** Some of a list, evenly. */
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
        throw new Error(`${type}.${keys.slice(0, i + 1).join('.')} leads nowhere`);
    }
  }
  return place;
}

/** A condition at the end of a path that holds in world n alone; null where all worlds have the same. */
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

/** What holds for every document that is read. */
const ANY: Readonly<Record<string, object>> = {
  id: { $gt: 0 },
  documentId: { $ne: 'x' },
  locale: { $eq: 'en' },
};
const anything = (keys: readonly string[]): object => ANY[keys.at(-1) ?? ''] ?? { $notNull: true };

/** Paths to values; of those that every document has, further down only the id. */
const isTold = ({ scalar, keys }: Path): boolean =>
  scalar && !(keys.length > 1 && ALWAYS.slice(1).includes(keys.at(-1) ?? ''));

/** Names of components stand in answers and fragments, but not in the paths of filters and sorts. */
const crossesZone = ({ keys }: Path): boolean => keys.some((key) => COMPONENTS.has(key));
const zoneless = (keys: readonly string[]): readonly string[] => keys.filter((key) => !COMPONENTS.has(key));

const mayCompare = (ask: Ask, path: Path): boolean =>
  path.scalar && !crossesZone(path) && may(ask, path.keys);

/** Where an attribute leads to; nothing for values and media. */
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

/** What has a name under `populate` for anybody. */
const populatable = (of: 'type' | 'component', name: string): [string, AttributeOf][] =>
  Object.entries(attributesOf({ of, name })).filter(
    ([, attribute]) => attribute.private !== true && !TEXTS.includes(attribute.type),
  );

/** Levels below an attribute; other locales of other locales would be the first ones again. */
const deeper = (key: string, depth: number): number => (key === 'localizations' ? 0 : depth - 1);

/** `populate` of everything, whoever may see it. */
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

/** The same as dotted paths. */
const list = (of: 'type' | 'component', name: string, depth: number): string[] =>
  depth === 0
    ? []
    : populatable(of, name).flatMap(([key, attribute]) => {
        const below = targets(attribute).flatMap(([kind, target]) => list(kind, target, deeper(key, depth)));
        return below.length === 0 ? [key] : sorted(below).map((way) => `${key}.${way}`);
      });

const full = (ask: Ask, depth: number): object => tree('type', ask.type, depth) as object;

/** What an answer to a body shows. */
const answered = (ask: Ask, depth: number, sent: object): string[] =>
  shown(ask, depth).filter((path) => echoed(ask, path.split('.')[0] ?? '', sent));

const showing = (ask: Ask, depth: number): Wanted => ({
  read: ({ data }) => sorted(pathsIn(data, 'type', ask.type)),
  // Of most cases nobody asks.
  get value() {
    return sorted(answered(ask, depth, {}));
  },
});

const total = (count: number): Wanted => ({
  read: ({ data, meta }) => meta?.pagination?.total ?? (data === null ? 0 : 1),
  value: count,
});

/** Whether a request is not refused before its parameters matter. */
const opens = (ask: Ask): boolean => scope(ask) !== 'none';

/** Makes a case of a query. */
type CaseOf = (about: string, query: object, status: number, wanted?: Wanted) => Case;

/** Default attributes, and populate in every spelling to three levels. */
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

/** How many there are: world 0 of book has one that is a draft only. */
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

/** `fields`: everything by name. */
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
 * Filters and sorts along every way: each that must be refused, and those that may be asked one by one and
 * together.
 */
function* conditions(ask: Ask, one: CaseOf, far: boolean): Generator<Case> {
  const { type, action, draft } = ask;
  const listing = action === 'find' && !isSingle(type);
  const paths = pathsOf(ask, far ? 2 : 1).filter(isTold);
  const open = paths.filter((path) => mayCompare(ask, path));
  // Drafts differ in where relations lead.
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

/** `_q` finds world 1 by each readable attribute and by no other. */
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
 * Filters, sorts and fields inside populate. World 1 is read and world 0 asked for, so that nothing is left.
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
      // What is left out is left out with its parameters.
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

/** All questions of a caller that change nothing. */
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

/** Every spelling of a relation in a body. */
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
 * Whether this is an answer to what was asked: nothing more is shown than may be, and what is there in full.
 */
function answering(ask: Ask, depth: number, sent: object): Wanted {
  const missing = ({ data }: any): string[] => {
    const all = answered(ask, depth, sent);
    const there = new Set(pathsIn(data, 'type', ask.type));
    const extra = [...there].filter((path) => !all.includes(path)).map((path) => `+${path}`);
    // Below an empty relation nothing can be seen.
    const reached = (path: string): boolean =>
      !path.includes('.') || [...there].some((other) => other.startsWith(`${parentOf(path)}.`));
    return [...extra, ...all.filter((path) => !there.has(path) && reached(path)).map((path) => `-${path}`)];
  };
  return { read: missing, value: [] };
}

/** The object that a path ends in; the name of a component belongs to that of its zone. */
const parentOf = (path: string): string => path.replace(/(\.part)?\.\w+$/, '');

/** Writes that the rule refuses: nothing may change. */
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

/** Documents of somebody else, for those who may act on their own: world 0. */
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

/** A file that does not exist, and each that the caller must not name by its row: the error is the same. */
const NO_FILE = /^1 relation\(s\) of type plugin::upload.file associated with this entity do not exist$/;
const NO_ROW = 2_000_000_000;

/** Every spelling of a file in a body that names its row. */
const rowSpellings = (row: number): unknown[] => [
  row,
  [row],
  String(row),
  { id: row },
  { connect: [row] },
  { set: [{ id: row }] },
];

/** Bodies that name a file by its row, in an attribute itself and in the components that it holds. */
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

/** The rows of files that a body may not name: of world 0, which the document does not hold, and none at all. */
const closedRows = (ask: Ask, { files }: Ids): number[] =>
  mayNameFileRows(ask) ? [NO_ROW] : [files[0] ?? 0, NO_ROW];

/** Files by their rows that a body may name; the document holds that of its own world already. */
function openRows(ask: Ask, key: string, ids: Ids): object[] {
  const bodies = rowBodies(ask.type, key, ids.files[isSingle(ask.type) ? 1 : SPARE] ?? 0);
  if (mayNameFileRows(ask)) return bodies;
  return ask.action === 'update' && isMedia(ask.type, key) && readsStored(ask, key) ? bodies : [];
}

/** Links to what may not be found, in components that may be written. */
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

/** Writes that the rule allows, with answers that show what may be seen. */
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
        // A change of nothing shows all of a document whose ways are all there. World 0 has a note of
        // somebody else.
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

/** Requests without rights to anything: every route of every type. */
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
