/**
 * Every way to ask about an attribute: through filters, sort, fields, populate, counts and search, at every
 * depth.
 */
import type { Grants } from 'nestjs-content-api';
import { valueOf } from './content.ts';
import {
  type Attribute,
  type Component,
  type ContentType,
  type Model,
  OPERATORS,
  type ScalarAttribute,
  type Schema,
} from './internals.ts';
import { isSecret, mayDo, mayFind, mayRead } from './leak-worlds.ts';
import { type Entries, object, spell, type Tree, tree } from './query-text.ts';

/**
 * One question. `technique` groups questions of a kind: with nothing hidden, some of each kind must show a
 * difference.
 */
export interface Probe {
  readonly technique: string;
  readonly type: ContentType;
  readonly path: string;
  readonly query: string;
  /** Whether a secret is named at all. */
  readonly secret: boolean;
}

/** A small seeded generator, so that a run can be repeated. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Step {
  readonly attribute: Attribute;
  /** The component of a zone that the way goes through. */
  readonly component?: Component;
}

function below({ attribute, component }: Step): Model | null {
  switch (attribute.kind) {
    case 'scalar':
      return null;
    case 'relation':
      return attribute.target;
    case 'component':
      return attribute.component;
    case 'zone':
      return component ?? null;
  }
}

/** Every way of at most `depth` steps from a model, shorter ones first. */
function* ways(from: Model, depth: number, before: readonly Step[] = []): Generator<readonly Step[]> {
  for (const attribute of from.attributes.values()) {
    const steps: Step[] =
      attribute.kind === 'zone'
        ? attribute.components.map((component) => ({ attribute, component }))
        : [{ attribute }];
    for (const step of steps) {
      const way = [...before, step];
      yield way;
      const model = below(step);
      if (model !== null && way.length < depth) yield* ways(model, depth, way);
    }
  }
}

const names = (way: readonly Step[]): string[] => way.map(({ attribute }) => attribute.name);

/** `filters` along a way. */
const nested = (path: readonly string[], end: Tree): Tree =>
  path.reduceRight<Tree>((inner, name) => object([[name, inner]]), end);

/** `populate` along a way, with `end` as the last item. */
function populated(way: readonly Step[], end: Tree): Tree {
  const [step, ...rest] = way;
  if (step === undefined) return end;
  const item = rest.length === 0 ? end : object([['populate', populated(rest, end)]]);
  const held = step.component === undefined ? item : object([['on', object([[step.component.uid, item]])]]);
  return object([[step.attribute.name, held]]);
}

const WORLDS = ['alpha', 'omega'] as const;

/** Values that hit the secrets of one world and not of the other. */
function operands(attribute: ScalarAttribute, n: number): string[] {
  if (attribute.system) return attribute.def.type === 'integer' ? [String(n + 1), '50'] : ['2024', 'a', 'en'];
  return WORLDS.flatMap((world) => {
    const value = valueOf(attribute, n, world);
    return typeof value === 'string' ? [value] : value === undefined ? [] : [JSON.stringify(value)];
  });
}

const TEXTS = ['alpha', 'omega', 'argon2id', 'ALPHA', '$'];

/** Every operator with operands that tell the worlds apart. */
function* comparisons(attribute: ScalarAttribute, next: () => number): Generator<[string, Tree]> {
  for (const [name, { operand, compares }] of Object.entries(OPERATORS)) {
    const values = [...operands(attribute, Math.floor(next() * 4)), ...(compares === 'text' ? TEXTS : [])];
    const value = values[Math.floor(next() * values.length)] ?? 'alpha';
    if (operand === 'flag') yield [name, object([[name, next() < 0.5 ? 'true' : 'false']])];
    else if (operand === 'pair')
      yield [name, object([[name, [operands(attribute, 0)[0] ?? '', operands(attribute, 9)[0] ?? '']]])];
    else if (operand === 'list')
      yield [name, object([[name, [0, 1, 2, 3].map((n) => operands(attribute, n)[0] ?? '')]])];
    else yield [name, object([[name, value]])];
  }
}

/** How a condition can be wrapped without changing that it is asked. */
const WRAPPERS: Readonly<Record<string, (condition: Tree) => Tree>> = {
  plain: (condition) => condition,
  and: (condition) => object([['$and', [condition]]]),
  or: (condition) => object([['$or', [object([['id', '-1']]), condition]]]),
  not: (condition) => object([['$not', condition]]),
  notOr: (condition) => object([['$not', object([['$or', [object([['id', '-1']]), condition]]])]]),
  andList: (condition) => object([['$and', [[condition]]]]),
  beside: (condition) => object([['id', object([['$notNull', 'true']])], ...(condition as Entries).entries]),
};

const q = (...parameters: (readonly [string, Tree])[]): string => spell(object(parameters));

/** The questions about one way. */
function* questions(way: readonly Step[], next: () => number): Generator<[technique: string, query: string]> {
  const path = names(way);
  const last = way.at(-1) as Step;
  const hops = way.slice(0, -1);
  const dotted = path.join('.');
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  const wrap = (): [string, (condition: Tree) => Tree] => pick(Object.entries(WRAPPERS));
  const filterAt = (end: Tree): Generator<[string, string]> => everywhere(end);
  /** A condition at the root, and in every populate on the way. */
  function* everywhere(end: Tree): Generator<[string, string]> {
    const [wrapper, make] = wrap();
    yield [`filters ${wrapper}`, q(['filters', make(nested(path, end))])];
    for (let i = 1; i <= hops.length; i += 1) {
      const [inner, makeInner] = wrap();
      const condition = makeInner(nested(path.slice(i), end));
      yield [
        `populate filters ${inner}`,
        q(['populate', populated(way.slice(0, i), object([['filters', condition]]))]),
      ];
      if (i === 1)
        yield [
          'populate count filters',
          q([
            'populate',
            populated(
              way.slice(0, i),
              object([
                ['count', 'true'],
                ['filters', condition],
              ]),
            ),
          ]),
        ];
    }
  }

  if (last.attribute.kind === 'scalar') {
    const { attribute } = last;
    for (const [operator, condition] of comparisons(attribute, next))
      for (const [technique, query] of filterAt(condition)) yield [`${technique} ${operator}`, query];
    const [some] = operands(attribute, 0);
    yield* filterAt(some ?? '');
    yield* filterAt(null);
    yield* filterAt(object([['$not', object([['$eq', some ?? '']])]]));
    for (const key of [
      dotted,
      `t0.${attribute.name}`,
      `t1.${attribute.name}`,
      `${attribute.name}::text`,
      attribute.column,
    ]) {
      yield ['filters alias', q(['filters', object([[key, object([['$startsWithi', pick(TEXTS)]])]])])];
      yield ['sort alias', q(['sort', `${key}:${pick(['asc', 'desc'])}`])];
    }
    for (const order of ['asc', 'desc']) {
      yield ['sort', q(['sort', `${dotted}:${order}`])];
      yield [
        'sort page',
        q(
          ['sort', [`${dotted}:${order}`]],
          ['pagination', tree({ pageSize: 1, page: 1 + Math.floor(next() * 3) })],
        ),
      ];
    }
    yield ['sort object', q(['sort', nested(path, 'desc')])];
    for (let i = 1; i <= hops.length; i += 1)
      yield [
        'populate sort',
        q([
          'populate',
          populated(
            way.slice(0, i),
            object([['sort', `${path.slice(i).join('.')}:${pick(['asc', 'desc'])}`]]),
          ),
        ]),
      ];
    if (hops.length === 0) yield ['fields', q(['fields', [attribute.name]])];
    else yield ['populate fields', q(['populate', populated(hops, object([['fields', [attribute.name]]]))])];
    yield ['populate scalar', q(['populate', dotted])];
    for (const key of ['where', 'lookup', 'having', 'select', 'join', 'orderBy', 'groupBy']) {
      yield [`parameter ${key}`, q([key, nested(path, object([['$startsWith', pick(TEXTS)]]))])];
      yield [`filters ${key}`, q(['filters', object([[key, nested(path, pick(TEXTS))]])])];
    }
    return;
  }

  for (const end of [
    tree({ id: { $gt: 3 } }),
    tree({ id: { $lt: 100_000 } }),
    tree({ id: { $notNull: true } }),
    tree({ documentId: { $startsWithi: pick(['a', 'f', 'k', 'm']) } }),
    tree({ $null: true }),
    tree({ $null: false }),
    tree({ $notNull: true }),
    null,
    '3',
  ] as Tree[]) {
    yield* filterAt(end);
  }
  yield ['populate dotted', q(['populate', dotted])];
  yield ['populate list', q(['populate', [dotted, '*'].slice(0, 1 + Math.floor(next() * 2))])];
  for (const [technique, item] of Object.entries<object | string>({
    true: 'true',
    star: { populate: '*' },
    count: { count: true },
    'count filters': { count: true, filters: { id: { $gt: 3 } } },
    filters: { filters: { id: { $gt: 3 } } },
    sort: { sort: 'id:desc' },
    fields: { fields: ['id'] },
    off: 'false',
  })) {
    yield [`populate ${technique}`, q(['populate', populated(way, tree(item))])];
  }
  for (const field of ['id', 'documentId', 'createdAt', 'updatedAt']) {
    yield ['sort related', q(['sort', `${dotted}.${field}:${pick(['asc', 'desc'])}`])];
    for (let i = 1; i <= hops.length; i += 1)
      yield [
        'populate sort related',
        q([
          'populate',
          populated(way.slice(0, i), object([['sort', `${path.slice(i).join('.')}.${field}:desc`]])),
        ]),
      ];
  }
  yield ['sort bare', q(['sort', dotted])];
  yield ['fields bare', q(['fields', [dotted]])];
}

const STATES = [
  '',
  '',
  '',
  '&status=draft',
  '&locale=fr',
  '&locale=*',
  '&status=draft&locale=*',
  '&pagination[pageSize]=2',
  '&pagination[withCount]=false',
  '&populate[localizations]=true',
];

const PUBLICATION = [
  'never-published',
  'has-published-version',
  'modified',
  'unmodified',
  'never-published-document',
  'has-published-version-document',
  'published-without-draft',
  'published-with-draft',
];

/** What can be asked of a type without naming an attribute. */
function* general(type: ContentType): Generator<[string, string]> {
  for (const text of [...TEXTS, '100', '600', '9000000000000000', '10.25', 'true', '2024', 'a', '%', '1'])
    yield ['_q', q(['_q', text])];
  yield ['populate star', q(['populate', '*'])];
  for (const filter of PUBLICATION) {
    yield ['publicationFilter', q(['publicationFilter', filter], ['populate', '*'])];
    yield ['publicationFilter draft', q(['publicationFilter', filter], ['status', 'draft'])];
  }
  for (const yes of ['true', 'false'])
    yield ['hasPublishedVersion', q(['hasPublishedVersion', yes], ['populate', '*'])];
  yield ['status', q(['status', 'draft'])];
  yield ['list', q(['pagination', tree({ pageSize: 100 })])];
  if (type.localized) yield ['localizations', q(['populate', 'localizations'], ['locale', '*'])];
}

/** Which questions to ask; ways of one step are few, ways of three very many. */
export interface Asking {
  readonly schema: Schema;
  readonly grants: Grants;
  /** Steps of the longest ways. */
  readonly depth: number;
  readonly seed: number;
  /** The part of the ways with this many steps, from 0 to 1. */
  readonly share: (steps: number) => number;
  /** Questions about each way with this many steps. */
  readonly perWay: (steps: number) => number;
  /** For requests that name a document. */
  readonly documents: ReadonlyMap<string, readonly string[]>;
}

function some<T>(items: readonly T[], count: number, next: () => number): readonly T[] {
  if (count >= items.length) return items;
  const rest = [...items];
  return Array.from({ length: count }, () => rest.splice(Math.floor(next() * rest.length), 1)[0] as T);
}

/** Questions about every type, along every way through the schema. */
export function* probes({ schema, grants, depth, seed, share, perWay, documents }: Asking): Generator<Probe> {
  const next = random(seed);
  for (const type of schema.types.values()) {
    if (type.internal) continue;
    const known = documents.get(type.singularApiId) ?? [];
    const closed = !mayRead(grants, type);
    const lists =
      closed || mayFind(grants, type.singularApiId)
        ? mayDo(grants, type.singularApiId, 'findOne')
          ? 0.8
          : 0.97
        : 0.03;
    const place = (): { readonly path: string; readonly action: 'find' | 'findOne' } => {
      if (type.kind === 'singleType' || next() < lists) return { path: type.route, action: 'find' };
      return { path: `${type.route}/${known[Math.floor(next() * known.length)] ?? 'x'}`, action: 'findOne' };
    };
    /**
     * Whether a question along a way names a secret: at the root by the action of the route, further down by
     * `find`.
     */
    const isClosed = (way: readonly Step[], action: 'find' | 'findOne'): boolean => {
      let model: Model = type;
      return way.some((step, i) => {
        const secret = isSecret(step.attribute, model, grants, [i === 0 ? action : 'find']);
        model = below(step) ?? model;
        return secret;
      });
    };
    for (const [technique, query] of general(type))
      yield { technique, type, path: place().path, query, secret: closed };
    for (const way of ways(type, closed ? 1 : depth)) {
      // Every type that is closed answers 403 to everything: its first level will do.
      if (next() >= share(way.length)) continue;
      for (const [technique, query] of some([...questions(way, next)], perWay(way.length), next)) {
        const state = STATES[Math.floor(next() * STATES.length)] ?? '';
        const { path, action } = place();
        yield { technique, type, path, query: query + state, secret: closed || isClosed(way, action) };
      }
    }
  }
}
