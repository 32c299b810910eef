/** Requests about an attribute: filters, sort, `fields`, `populate`, counts and search, at every depth. */
import { randomFrom } from '../support/random.ts';
import type { Grants } from 'nestjs-content-api';
import { valueOf } from './content.ts';
import {
  type Attribute,
  type ContentType,
  type Model,
  OPERATORS,
  type ScalarAttribute,
  type Schema,
} from './internals.ts';
import { isSecret, mayDo, mayFind, mayRead, mayReadFiles } from './leak-worlds.ts';
import { type Entries, object, spell, type Tree, tree } from './query-text.ts';

/**
 * Request about an attribute. `technique` groups requests of a kind. Without hidden data, some of each kind
 * must detect a difference.
 */
export interface Probe {
  readonly technique: string;
  readonly type: ContentType;
  readonly path: string;
  readonly query: string;
  /** First hidden attribute on the path, as `model.attribute`; null without one. */
  readonly secret: string | null;
}

interface Step {
  readonly attribute: Attribute;
  /** Model of the items on the path, if an attribute has several. */
  readonly kind?: Model;
}

function below({ attribute, kind }: Step): Model | null {
  switch (attribute.kind) {
    case 'scalar':
      return null;
    case 'relation':
      return attribute.target;
    case 'component':
      return attribute.component;
    case 'zone':
    case 'morph':
      return kind ?? null;
  }
}

/** Models of the items of an attribute, if items name their type. */
function kindsOf(attribute: Attribute): readonly Model[] {
  if (attribute.kind === 'zone') return attribute.components;
  return attribute.kind === 'morph' ? attribute.targets : [];
}

/** Generates all paths of at most `depth` steps from a model, shorter ones first. */
function* ways(from: Model, depth: number, before: readonly Step[] = []): Generator<readonly Step[]> {
  for (const attribute of from.attributes.values()) {
    const kinds = kindsOf(attribute);
    const steps: Step[] = kinds.length === 0 ? [{ attribute }] : kinds.map((kind) => ({ attribute, kind }));
    for (const step of steps) {
      const way = [...before, step];
      yield way;
      const model = below(step);
      if (model !== null && way.length < depth) yield* ways(model, depth, way);
    }
  }
}

const names = (way: readonly Step[]): string[] => way.map(({ attribute }) => attribute.name);

/** `filters` along a path. */
const nested = (path: readonly string[], end: Tree): Tree =>
  path.reduceRight<Tree>((inner, name) => object([[name, inner]]), end);

/** `populate` along a path, with `end` as the last item. */
function populated(way: readonly Step[], end: Tree): Tree {
  const [step, ...rest] = way;
  if (step === undefined) return end;
  const item = rest.length === 0 ? end : object([['populate', populated(rest, end)]]);
  const { kind } = step;
  if (kind === undefined) return object([[step.attribute.name, item]]);
  const name = kind.model === 'type' ? `api::${kind.uid}.${kind.uid}` : kind.uid;
  const held = object([['on', object([[name, item]])]]);
  return object([[step.attribute.name, held]]);
}

const WORLDS = ['alpha', 'omega'] as const;

/** Operands that match the hidden values of one world only. */
function operands(attribute: ScalarAttribute, n: number): string[] {
  if (attribute.system) return attribute.def.type === 'integer' ? [String(n + 1), '50'] : ['2024', 'a', 'en'];
  return WORLDS.flatMap((world) => {
    const value = valueOf(attribute, n, world);
    return typeof value === 'string' ? [value] : value === undefined ? [] : [JSON.stringify(value)];
  });
}

const TEXTS = ['alpha', 'omega', 'argon2id', 'ALPHA', '$'];

/** Generates all operators with operands that distinguish the worlds. */
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

/** Wrappers of a condition that do not change its result. */
const WRAPPERS: Readonly<Record<string, (condition: Tree) => Tree>> = {
  plain: (condition) => condition,
  and: (condition) => object([['$and', [condition]]]),
  or: (condition) => object([['$or', [object([['id', '-1']]), condition]]]),
  not: (condition) => object([['$not', condition]]),
  notOr: (condition) => object([['$not', object([['$or', [object([['id', '-1']]), condition]]])]]),
  andList: (condition) => object([['$and', [[condition]]]]),
  beside: (condition) => object([['id', object([['$notNull', 'true']])], ...(condition as Entries).entries]),
};

/** Query string that is spelled on demand. */
type Query = () => string;

const q =
  (...parameters: (readonly [string, Tree])[]): Query =>
  () =>
    spell(object(parameters));

/** Generates the requests about a path. */
function* questions(way: readonly Step[], next: () => number): Generator<[technique: string, query: Query]> {
  const path = names(way);
  const last = way.at(-1) as Step;
  const hops = way.slice(0, -1);
  const dotted = path.join('.');
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  const wrap = (): [string, (condition: Tree) => Tree] => pick(Object.entries(WRAPPERS));
  const filterAt = (end: Tree): Generator<[string, Query]> => everywhere(end);
  /** Adds a condition at the root and in every `populate` on the path. */
  function* everywhere(end: Tree): Generator<[string, Query]> {
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
  '&locale=fr&fallbackLocale=en',
  '&locale=*',
  '&status=draft&locale=*',
  '&pagination[pageSize]=2',
  '&pagination[withCount]=false',
  '&populate[localizations]=true',
  '&withState=true',
  '&withState=true&status=draft&locale=*',
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

/** Generates requests about a type that name no attribute. */
function* general(type: ContentType): Generator<[string, Query]> {
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
  yield ['withState', q(['withState', 'true'], ['locale', '*'])];
  yield ['withState draft', q(['withState', 'true'], ['status', 'draft'], ['populate', '*'])];
  yield ['list', q(['pagination', tree({ pageSize: 100 })])];
  if (type.localized) yield ['localizations', q(['populate', 'localizations'], ['locale', '*'])];
}

/** Selection of requests. There are few paths of one step and very many of three steps. */
export interface Asking {
  readonly schema: Schema;
  readonly grants: Grants;
  /** Maximum number of steps of a path. */
  readonly depth: number;
  readonly seed: number;
  /** Share of the paths with this many steps, from 0 to 1. */
  readonly share: (steps: number) => number;
  /** Number of requests per path with this many steps. */
  readonly perWay: (steps: number) => number;
  /** Document ids, for requests that name a document. */
  readonly documents: ReadonlyMap<string, readonly string[]>;
}

function some<T>(items: readonly T[], count: number, next: () => number): readonly T[] {
  if (count >= items.length) return items;
  const rest = [...items];
  return Array.from({ length: count }, () => rest.splice(Math.floor(next() * rest.length), 1)[0] as T);
}

/** Path through the schema from the route of a type. */
interface Path {
  readonly type: ContentType;
  readonly way: readonly Step[];
}

const nameOf = (of: Model): string => (of.model === 'type' ? of.singularApiId : of.uid);

/** Generates the requests of a caller, by route and path. */
class Asker {
  readonly next: () => number;
  private readonly grants: Grants;
  private readonly documents: Asking['documents'];

  constructor({ grants, documents, seed }: Asking) {
    this.grants = grants;
    this.documents = documents;
    this.next = randomFrom(seed);
  }

  isClosed(type: ContentType): boolean {
    return isFile(type) ? !mayReadFiles(this.grants) : !mayRead(this.grants, type);
  }

  /** Selects a route of the media library. */
  private filePlace(): { readonly path: string; readonly action: 'find' | 'findOne' } {
    const { next } = this;
    const listed = mayDo(this.grants, 'file', 'find') || !mayDo(this.grants, 'file', 'findOne');
    if (next() < (listed ? 0.7 : 0.05))
      return { path: next() < 0.6 ? 'upload/files' : 'upload/files/page', action: 'find' };
    const known = this.documents.get('file') ?? [];
    const row = String(1 + Math.floor(next() * (known.length + 1)));
    const one = next() < 0.5 ? row : (known[Math.floor(next() * known.length)] ?? row);
    return { path: `upload/files/${one}`, action: 'findOne' };
  }

  private place(type: ContentType): { readonly path: string; readonly action: 'find' | 'findOne' } {
    if (isFile(type)) return this.filePlace();
    const { grants, next } = this;
    const known = this.documents.get(type.singularApiId) ?? [];
    const byOne = mayDo(grants, type.singularApiId, 'findOne') ? 0.8 : 0.97;
    const lists = this.isClosed(type) || mayFind(grants, type.singularApiId) ? byOne : 0.03;
    if (type.kind === 'singleType' || next() < lists) return { path: type.route, action: 'find' };
    return {
      path: `${type.route}/${known[Math.floor(next() * known.length)] ?? 'x'}`,
      action: 'findOne',
    };
  }

  /**
   * Returns the first hidden attribute of a path. The action of the route decides at the root, and `find`
   * below it.
   */
  private secretOf({ type, way }: Path, action: 'find' | 'findOne'): string | null {
    let model: Model = type;
    for (const [i, step] of way.entries()) {
      if (isSecret(step.attribute, model, this.grants, [i === 0 ? action : 'find']))
        return `${nameOf(model)}.${step.attribute.name}`;
      if (step.attribute.kind === 'morph' && step.kind !== undefined && !mayFind(this.grants, step.kind.uid))
        return `${nameOf(model)}.${step.attribute.name}.${step.kind.uid}`;
      model = below(step) ?? model;
    }
    return this.isClosed(type) ? type.singularApiId : null;
  }

  *general(type: ContentType): Generator<Probe> {
    const secret = this.isClosed(type) ? type.singularApiId : null;
    for (const [technique, query] of general(type))
      yield { technique, type, path: this.place(type).path, query: query(), secret };
    if (!isFile(type)) return;
    for (const query of [
      '',
      'folder=%2F',
      'folder=%2Fomega',
      'populate=related',
      'populate[related][count]=true',
    ])
      for (const path of ['upload/folders', 'upload/files', 'upload/files/page'])
        yield { technique: `files ${path}`, type, path, query, secret };
  }

  *along({ type, way }: Path, count: number): Generator<Probe> {
    const { next } = this;
    for (const [technique, query] of some([...questions(way, next)], count, next)) {
      const state = STATES[Math.floor(next() * STATES.length)] ?? '';
      const { path, action } = this.place(type);
      const secret = this.secretOf({ type, way }, action);
      yield { technique, type, path, query: query() + state, secret };
    }
  }
}

const isFile = ({ singularApiId }: ContentType): boolean => singularApiId === 'file';

/** Types with routes; the routes of files are those of the media library. */
const routed = (schema: Schema): ContentType[] =>
  [...schema.types.values()].filter((type) => !type.internal || isFile(type));

/** Generates requests about every type and every path through the schema. */
export function* probes(asking: Asking): Generator<Probe> {
  const asker = new Asker(asking);
  for (const type of routed(asking.schema)) {
    yield* asker.general(type);
    // A type without grants answers every request with 403, so its first level is sufficient.
    for (const way of ways(type, asker.isClosed(type) ? 1 : asking.depth)) {
      if (asker.next() >= asking.share(way.length)) continue;
      yield* asker.along({ type, way }, asking.perWay(way.length));
    }
  }
}

/** Fisher–Yates shuffle. */
function shuffled<T>(items: readonly T[], next: () => number): T[] {
  const list = [...items];
  for (let i = list.length - 1; i > 0; i -= 1) {
    const j = Math.floor(next() * (i + 1));
    [list[i], list[j]] = [list[j] as T, list[i] as T];
  }
  return list;
}

const QUESTIONS_PER_TURN = 2;

/**
 * Generates the same requests endlessly, in an order in which every part of the run is a representative
 * sample. Paths of all lengths take turns, together with requests that name no attribute. Paths with hidden
 * attributes occur three times as often.
 */
export function* endless(asking: Asking): Generator<Probe> {
  const asker = new Asker(asking);
  const types = routed(asking.schema);
  const paths = types.flatMap((type): Path[] =>
    [...ways(type, asker.isClosed(type) ? 1 : asking.depth)].map((way) => ({ type, way })),
  );
  for (;;) {
    const turns: (Path | Probe)[] = [...paths, ...types.flatMap((type) => [...asker.general(type)])];
    for (const turn of shuffled(turns, asker.next))
      if ('query' in turn) yield turn;
      else
        for (const probe of asker.along(turn, QUESTIONS_PER_TURN))
          if (probe.secret !== null || asker.next() < 1 / 3) yield probe;
  }
}

/** Counts the different requests about all paths, without wrappers and states. */
export function countQuestions(asking: Asking): number {
  const asker = new Asker(asking);
  const counts = new Map<string, number>();
  let total = 0;
  for (const type of routed(asking.schema)) {
    total += [...general(type)].length;
    for (const way of ways(type, asker.isClosed(type) ? 1 : asking.depth)) {
      // Estimated as the number of requests about another path of this length and kind.
      const kind = `${way.at(-1)?.attribute.kind} ${way.length}`;
      const count = counts.get(kind) ?? [...questions(way, asker.next)].length;
      counts.set(kind, count);
      total += count;
    }
  }
  return total;
}

/** Wrapper and operator in the name of a technique. */
export const partsOf = (technique: string): { readonly wrapper?: string; readonly operator?: string } => {
  const words = technique.split(' ');
  const wrapper = words.find((word) => Object.hasOwn(WRAPPERS, word));
  const operator = words.find((word) => Object.hasOwn(OPERATORS, word));
  return { ...(wrapper === undefined ? {} : { wrapper }), ...(operator === undefined ? {} : { operator }) };
};

export const ALL_PARTS = { wrappers: Object.keys(WRAPPERS), operators: Object.keys(OPERATORS) };
