/** Arbitrary writes: valid documents of the whole model, and faulty variants of them. */
import fc from 'fast-check';
import type {
  AttributeDefinition,
  AttributeDefinitions,
  ContentTypeDefinition,
} from '../../src/content/model/definitions.ts';
import { components, isOpen, openTypes, routeOf } from './body-model.ts';

/** Reference to an existing or a missing document, resolved when the request is sent. */
export interface Ref {
  readonly ref: string;
  readonly n: number;
  readonly as: 'documentId' | 'id' | 'text';
}

/** Reference to a component row of some document, resolved when the request is sent. */
export interface InstanceRef {
  readonly instanceOf: string;
  readonly n: number;
}

/** JSON text that no JavaScript value can express. */
interface Raw {
  readonly raw: string;
}

/** Object as entries, so that keys may be arbitrary and repeated. */
interface Obj {
  readonly entries: readonly (readonly [string, Tree])[];
}

export type Tree = null | boolean | number | string | Ref | InstanceRef | Raw | Obj | readonly Tree[];

/** Scalars that a read must return as they were sent. */
export type Expected = Readonly<Record<string, unknown>>;

export interface BodyRequest {
  readonly type: string;
  readonly method: 'POST' | 'PUT' | 'DELETE';
  /** Document id in the path; null without one. */
  readonly target: Ref | string | null;
  readonly query: string;
  /** Attribute values of the body. */
  readonly data: Tree;
  readonly expected: Expected;
  /** Complete body as text, which replaces `data`. */
  readonly text: string | null;
  readonly contentType: string;
}

const mixed = <T>(...weighted: (readonly [number, fc.Arbitrary<T>])[]): fc.Arbitrary<T> =>
  fc.oneof({ withCrossShrink: true }, ...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary })));
const object = (value: Readonly<Record<string, Tree>>): Obj => ({ entries: Object.entries(value) });
const isObj = (tree: Tree): tree is Obj =>
  typeof tree === 'object' && tree !== null && !Array.isArray(tree) && 'entries' in tree;

// ---------------------------------------------------------------- garbage

const LONG = ['x'.repeat(256), 'x'.repeat(2000), 'x'.repeat(60_000), '🙂'.repeat(130), 'ä'.repeat(36) + 'x'];
const STRINGS = [
  '',
  ' ',
  '0',
  '1',
  '-1',
  '1.5',
  '1e3',
  '1e400',
  '0x10',
  'NaN',
  'Infinity',
  '2147483648',
  '9223372036854775808',
  '99999999999999999999999',
  'true',
  'false',
  'null',
  '{}',
  '[]',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udc00x',
  'a\ud83d',
  '\uffff',
  '\ufeffx',
  'é',
  '\u202e',
  "'",
  '"',
  '\\',
  ';--',
  "' or 1=1 --",
  '$1',
  '%',
  '_',
  'en',
  'fr',
  'draft',
  '2024-01-01',
  '2024-02-30',
  '0000-00-00',
  '10000-01-01',
  '2024-01-01T00:00:00Z',
  '2024-13-01T00:00:00Z',
  '275760-09-13T00:00:00.001Z',
  '-271821-04-20T00:00:00Z',
  '24:00:00',
  '10:00',
  '25:00:00',
  'now',
  'infinity',
  '-infinity',
  'epoch',
  'a@b',
  'x@example.org',
  'ab cd',
  '__proto__',
  'constructor',
  'nope.nope',
  ...LONG,
];
const NUMBERS = [
  0,
  -0,
  1,
  -1,
  1.5,
  0.1,
  1e-320,
  5e-324,
  1e300,
  -1e308,
  2147483647,
  2147483648,
  -2147483649,
  9007199254740991,
  1e21,
  999_999,
  99999999.994,
  99999999.995,
  8.64e15,
  8.64e15 + 1,
];
const RAWS = [
  '9007199254740993',
  '1e400',
  '-1e999',
  '1E5',
  '-0',
  '0.1e1',
  '123456789012345678901234567890',
  '1.0',
  '1e-400',
  '"\\ud83d\\ude42"',
  '"\\u0000"',
  '"\\uD800"',
];
const KEYS = [
  'nope',
  '',
  ' ',
  'id',
  'documentId',
  'createdAt',
  'updatedAt',
  'publishedAt',
  'locale',
  'localizations',
  'createdBy',
  'updatedBy',
  'status',
  '__component',
  '__type',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'set',
  'connect',
  'disconnect',
  'options',
  'position',
  'data',
  'title',
  'name',
  'password',
  'ünï',
  '\u0000',
  '\ud800',
  'a.b',
  '0',
  'x'.repeat(300),
];

/** Objects or lists nested to a given depth. */
const nested = (depth: number, list: boolean): Raw => ({
  raw: list ? '['.repeat(depth) + ']'.repeat(depth) : '{"a":'.repeat(depth) + '1' + '}'.repeat(depth),
});

const key = mixed([9, fc.constantFrom(...KEYS)], [1, fc.string({ unit: 'binary', maxLength: 6 })]);
const leaf: fc.Arbitrary<Tree> = mixed<Tree>(
  [6, fc.constantFrom(...STRINGS)],
  [4, fc.constantFrom(...NUMBERS)],
  [2, fc.constantFrom(null, true, false)],
  [2, fc.constantFrom(...RAWS).map((raw): Tree => ({ raw }))],
  [
    1,
    fc
      .tuple(fc.constantFrom(5, 50, 99, 101, 300, 5000), fc.boolean())
      .map(([depth, list]): Tree => nested(depth, list)),
  ],
  [1, fc.string({ unit: 'binary', maxLength: 8 })],
  [1, fc.double()],
);

const garbage: fc.Arbitrary<Tree> = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.array(fc.tuple(key, tie('tree')), { maxLength: 3 }).map((entries): Tree => ({ entries })),
  ),
})).tree;

// ---------------------------------------------------------------- valid values

/** JSON that PostgreSQL can store. */
const storable = fc
  .string({ unit: 'grapheme', maxLength: 12 })
  .filter((text) => !text.includes('\u0000') && text.isWellFormed());
const json: fc.Arbitrary<Tree> = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    mixed<Tree>(
      [2, storable],
      [2, fc.integer()],
      [1, fc.double({ noNaN: true, noDefaultInfinity: true })],
      [2, fc.constantFrom<Tree>(null, true, false, '', 0)],
    ),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc
      .uniqueArray(
        fc.tuple(
          mixed(
            [5, storable],
            [1, fc.constantFrom('__proto__', 'constructor', 'id', 'documentId', 'set', 'a.b', '')],
          ),
          tie('tree'),
        ),
        { maxLength: 3, selector: ([name]) => name },
      )
      .map((entries): Tree => ({ entries })),
  ),
})).tree;

const text = (min: number, max: number): fc.Arbitrary<string> =>
  fc
    .string({ unit: 'grapheme', minLength: min, maxLength: max })
    .filter(
      (value) =>
        !value.includes('\u0000') && value.isWellFormed() && value.length >= min && value.length <= max,
    );
const isoDate = fc.date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});

const inline = mixed<Tree>(
  [3, storable.map((value) => object({ type: 'text', text: value }))],
  [1, storable.map((value) => object({ type: 'text', text: value, bold: true, underline: true }))],
  [
    1,
    storable.map((value) =>
      object({
        type: 'link',
        url: 'https://example.org/x',
        children: [object({ type: 'text', text: value })],
      }),
    ),
  ],
);
const inlines = fc.array(inline, { minLength: 1, maxLength: 3 });
const blocks: fc.Arbitrary<Tree> = fc.array(
  mixed<Tree>(
    [3, inlines.map((children) => object({ type: 'paragraph', children }))],
    [
      1,
      fc
        .tuple(inlines, fc.integer({ min: 1, max: 6 }))
        .map(([children, level]) => object({ type: 'heading', level, children })),
    ],
    [1, inlines.map((children) => object({ type: 'quote', children }))],
    [
      1,
      inlines.map((children) =>
        object({ type: 'list', format: 'unordered', children: [object({ type: 'list-item', children })] }),
      ),
    ],
  ),
  { maxLength: 3 },
);

type Scalar = Exclude<
  AttributeDefinition,
  { readonly type: 'relation' | 'media' | 'component' | 'dynamiczone' }
>;

/** Valid scalar values that a read returns unchanged. */
function scalar(def: Scalar): fc.Arbitrary<Tree> {
  const bound = (value: number | string | undefined, otherwise: number): number =>
    value === undefined ? otherwise : Number(value);
  switch (def.type) {
    case 'string':
      if (def.regex !== undefined) return fc.integer({ min: 1, max: 5 }).map((n) => 'a'.repeat(n));
      return text(def.minLength ?? 0, Math.min(def.maxLength ?? 255, 30));
    case 'text':
    case 'richtext':
      return text(def.minLength ?? 0, 40);
    case 'email':
      return fc.integer({ min: 0, max: 99 }).map((n) => `mail${n}@example.org`);
    case 'password':
      return fc.constant('correct horse');
    case 'uid':
      return fc.string({ unit: fc.constantFrom(...'abcXYZ019-_.~'), minLength: 4, maxLength: 12 });
    case 'enumeration':
      return fc.constantFrom(...(def.enum ?? []));
    case 'integer':
      return fc.integer({ min: bound(def.min, -2147483648), max: bound(def.max, 2147483647) });
    case 'biginteger':
      return fc
        .bigInt({ min: BigInt(def.min ?? -(2n ** 63n)), max: BigInt(def.max ?? 2n ** 63n - 1n) })
        .map(String);
    case 'float':
      return fc
        .double({
          noNaN: true,
          noDefaultInfinity: true,
          min: bound(def.min, -1e300),
          max: bound(def.max, 1e300),
        })
        .map((n) => (Math.abs(n) < 1e-300 ? 0 : n));
    case 'decimal':
      return fc.integer({ min: -9_999_999_999, max: 9_999_999_999 }).map((n) => n / 100);
    case 'boolean':
      return fc.boolean();
    case 'date':
      return isoDate.map((date) => date.toISOString().slice(0, 10));
    case 'time':
      return isoDate.map((date) =>
        date
          .toISOString()
          .slice(11, 23)
          .replace(/\.000$/, ''),
      );
    case 'datetime':
      return isoDate.map((date) => date.toISOString());
    case 'timestamp':
      return isoDate.map((date) => String(date.getTime()));
    case 'array':
      return fc.array(json, { maxLength: 4 });
    case 'blocks':
      return blocks;
    default:
      return json;
  }
}

const ref = (type: string, as: Ref['as'] = 'documentId'): fc.Arbitrary<Ref> =>
  fc.nat({ max: 3 }).map((n) => ({ ref: type, n, as }));

/** Document references in every spelling. */
const reference = (type: string): fc.Arbitrary<Tree> =>
  mixed<Tree>(
    [6, ref(type)],
    [2, ref(type, 'id')],
    [1, ref(type, 'text')],
    [2, ref(type).map((item) => object({ documentId: item }))],
    [1, ref(type, 'id').map((item) => object({ id: item }))],
    [1, ref(type).map((item) => object({ documentId: item, locale: 'fr', status: 'draft' }))],
    [1, fc.tuple(ref(type), garbage).map(([item, name]) => object({ documentId: item, name }))],
  );

const anchored = (type: string): fc.Arbitrary<Tree> => {
  const position = mixed<Tree>(
    [2, fc.constant(object({ start: true }))],
    [1, fc.constant(object({ end: true }))],
    [2, ref(type).map((anchor) => object({ before: anchor }))],
    [2, ref(type, 'id').map((anchor) => object({ after: anchor }))],
    [1, garbage],
  );
  return mixed<Tree>(
    [3, reference(type)],
    [2, fc.tuple(ref(type), position).map(([item, at]) => object({ documentId: item, position: at }))],
  );
};

/** Documents that a relation must return, in this order. */
export interface Links {
  readonly $links: readonly Ref[];
}

/** Lists of documents that a read returns in the same order. */
const plainList = (type: string): fc.Arbitrary<Given> =>
  fc.uniqueArray(fc.nat({ max: 3 }), { maxLength: 4 }).map((ns) => {
    const links = ns.map((n): Ref => ({ ref: type, n, as: 'documentId' }));
    return { tree: links, expected: { $links: links } satisfies Links };
  });

/** Relations in every spelling, valid or nearly valid. */
const relation = (type: string): fc.Arbitrary<Given> =>
  mixed<Given>([3, plainList(type)], [12, spelling(type).map((tree) => ({ tree }))]);

function spelling(type: string): fc.Arbitrary<Tree> {
  const list = fc.array(reference(type), { maxLength: 4 });
  return mixed<Tree>(
    [2, list],
    [2, reference(type)],
    [1, fc.constant(null)],
    [1, fc.constant([])],
    [1, list.map((set) => object({ set }))],
    [3, fc.array(anchored(type), { maxLength: 4 }).map((connect) => object({ connect }))],
    [2, list.map((disconnect) => object({ disconnect }))],
    [
      2,
      fc
        .tuple(fc.array(anchored(type), { maxLength: 3 }), list, fc.boolean())
        .map(([connect, disconnect, strict]) => object({ connect, disconnect, options: object({ strict }) })),
    ],
    [1, fc.tuple(list, list).map(([set, connect]) => object({ set, connect }))],
    [
      1,
      fc.tuple(key, garbage, list).map(([name, value, connect]): Tree => ({
        entries: [
          ['connect', connect],
          [name, value],
        ],
      })),
    ],
    [
      1,
      fc
        .tuple(fc.array(anchored(type), { maxLength: 2 }), garbage)
        .map(([connect, opts]) => object({ connect, options: opts })),
    ],
  );
}

/** Value of an attribute, and the part of it that a read must return. */
interface Given {
  readonly tree: Tree;
  readonly expected?: unknown;
}

/** Component instances, with optional row ids. */
const instance = (uid: string, zone: boolean): fc.Arbitrary<Given> => {
  const component = components.get(uid);
  const ids: fc.Arbitrary<readonly (readonly [string, Tree])[]> = mixed<readonly (readonly [string, Tree])[]>(
    [12, fc.constant([])],
    [
      2,
      fc
        .tuple(fc.nat({ max: 3 }), fc.constantFrom(...openTypes))
        .map(([n, { singularApiId }]) => [['id', { instanceOf: singularApiId, n }]] as const),
    ],
    [1, garbage.map((id) => [['id', id]] as const)],
  );
  return fc.tuple(attributes(component?.attributes ?? {}), ids).map(([{ entries, expected }, more]) => ({
    tree: { entries: [...(zone ? [['__component', uid] as const] : []), ...more, ...entries] },
    expected: { ...(zone ? { __component: uid } : {}), ...expected },
  }));
};

function valid(def: AttributeDefinition): fc.Arbitrary<Given> {
  switch (def.type) {
    case 'media':
      return relation('file');
    case 'relation':
      return 'target' in def ? relation(def.target) : fc.constant({ tree: null, expected: null });
    case 'component':
      if (def.repeatable === true) return instances(instance(def.component, false), def);
      return mixed<Given>(
        [4, instance(def.component, false)],
        [1, fc.constant({ tree: null, expected: null })],
      );
    case 'dynamiczone':
      return instances(
        fc.constantFrom(...def.components).chain((uid) => instance(uid, true)),
        def,
      );
    default: {
      const kept = scalar(def).map((tree): Given =>
        def.type === 'password' || def.private === true ? { tree } : { tree, expected: plain(tree) },
      );
      return def.required === true
        ? kept
        : mixed<Given>(
            [8, kept],
            [
              1,
              fc.constant({
                tree: null,
                ...(def.private === true || def.type === 'password' ? {} : { expected: null }),
              }),
            ],
          );
    }
  }
}

const instances = (
  item: fc.Arbitrary<Given>,
  { min = 0, max = 3 }: { readonly min?: number; readonly max?: number },
): fc.Arbitrary<Given> =>
  fc
    .array(item, { minLength: min, maxLength: Math.max(min, Math.min(max, 3)) })
    .map((list) => ({ tree: list.map(({ tree }) => tree), expected: list.map(({ expected }) => expected) }));

/** Some attributes of a model in any order, including all required ones. */
function attributes(
  defs: AttributeDefinitions,
): fc.Arbitrary<{ readonly entries: readonly (readonly [string, Tree])[]; readonly expected: Expected }> {
  const usable = Object.entries(defs).filter(
    ([, def]) =>
      def.writable !== false && !(def.type === 'relation' && 'target' in def && !isOpen(def.target)),
  );
  const required = usable.filter(([, def]) => def.required === true);
  const optional = usable.filter(([, def]) => def.required !== true);
  return fc.subarray(optional, { maxLength: Math.min(optional.length, 6) }).chain((some) => {
    const chosen = [...required, ...some];
    return fc.tuple(...chosen.map(([, def]) => valid(def))).map((values) => ({
      entries: values.map(({ tree }, i) => [chosen[i]?.[0] ?? '', tree] as const),
      expected: Object.fromEntries(
        values.flatMap(({ expected }, i) =>
          expected === undefined || chosen[i]?.[1].private === true ? [] : [[chosen[i]?.[0] ?? '', expected]],
        ),
      ),
    }));
  });
}

// ---------------------------------------------------------------- mutations

interface Mutation {
  readonly at: number;
  readonly kind: 'replace' | 'add' | 'drop' | 'wrap' | 'rename' | 'twice';
  readonly key: string;
  readonly value: Tree;
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat({ max: 60 }),
  kind: fc.constantFrom('replace', 'replace', 'replace', 'add', 'add', 'drop', 'wrap', 'rename', 'twice'),
  key,
  value: garbage,
});

const count = (tree: Tree): number => {
  if (Array.isArray(tree)) return 1 + tree.reduce<number>((sum, item: Tree) => sum + count(item), 0);
  return isObj(tree) ? 1 + tree.entries.reduce((sum, [, value]) => sum + count(value), 0) : 1;
};

function change(tree: Tree, { kind, key: name, value }: Mutation): Tree {
  switch (kind) {
    case 'add':
      return isObj(tree)
        ? { entries: [...tree.entries, [name, value]] }
        : Array.isArray(tree)
          ? [...(tree as Tree[]), value]
          : value;
    case 'drop':
      return isObj(tree)
        ? { entries: tree.entries.slice(1) }
        : Array.isArray(tree)
          ? (tree as Tree[]).slice(1)
          : null;
    case 'wrap':
      return Array.isArray(tree) ? object({ a: tree }) : [tree];
    case 'rename':
      return isObj(tree) && tree.entries[0] !== undefined
        ? { entries: [[name, tree.entries[0][1]], ...tree.entries.slice(1)] }
        : value;
    case 'twice':
      return isObj(tree)
        ? { entries: [...tree.entries, ...tree.entries.map(([again]) => [again, value] as const)] }
        : [tree, tree];
    default:
      return value;
  }
}

/** Changes the n-th node of a tree, counted from the root. */
function mutate(tree: Tree, n: number, how: Mutation): Tree {
  if (n === 0) return change(tree, how);
  let left = n - 1;
  const step = (item: Tree): Tree => {
    const size = count(item);
    const here = left >= 0 && left < size;
    const result = here ? mutate(item, left, how) : item;
    left = here ? -1 : left - size;
    return result;
  };
  if (Array.isArray(tree)) return (tree as Tree[]).map(step);
  return isObj(tree) ? { entries: tree.entries.map(([name, value]) => [name, step(value)] as const) } : tree;
}

/** Request bodies that are invalid JSON or not an object. */
const TEXTS = [
  '',
  ' ',
  '{',
  '{"data":',
  '{"data":{}',
  '{"data":{}}}',
  '{data:{}}',
  "{'data':{}}",
  '{"data":NaN}',
  '{"data":{"title":undefined}}',
  '{"data":{},}',
  '[]',
  '[{}]',
  'null',
  '1',
  '"x"',
  'true',
  '{"data":null}',
  '{"data":[]}',
  '{"data":"x"}',
  '{"data":5}',
  '{"data":[{"title":"abc"}]}',
  '{}',
  '{"title":"abc"}',
  '\ufeff{"data":{}}',
  '{"data":{}}\u0000',
  '{"data":{"__proto__":{"polluted":1}}}',
  '{"__proto__":{"data":{"title":"abc"}}}',
  '{"constructor":{"prototype":{"polluted":1}},"data":{"title":"abc","constructor":{"prototype":{"polluted":1}}}}',
  '{"data":{"title":"\ud800"}}',
  'data[title]=abc',
  '<a/>',
  `{"data":${'['.repeat(20_000)}`,
  `{"data":${'{"a":'.repeat(20_000)}`,
  `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
  `{"data":{"title":"${'x'.repeat(99_000)}"}}`,
  `{"data":{"title":"${'x'.repeat(2_000_000)}"}}`,
  `{"data":{${Array.from({ length: 5000 }, (_, i) => `"k${i}":1`).join()}}}`,
  `{"data":{"sections":[${'{},'.repeat(3000)}{}]}}`,
  `{"data":{"categories":[${'1,'.repeat(20_000)}1]}}`,
];

const GOOD_QUERIES = [
  '',
  '',
  '',
  'status=draft',
  'status=published',
  'locale=fr',
  'locale=de',
  'status=draft&locale=fr',
  'populate=*',
  'populate=*&status=draft',
  'populate=*&locale=fr',
  'populate=*&locale=fr&fallbackLocale=en',
  'fields=documentId',
];
const BAD_QUERIES = [
  'locale=xx',
  'locale=*',
  'locale=',
  'locale=%00',
  'fallbackLocale=xx',
  'status=nope',
  'status[]=draft',
  'populate[nope]=*',
  'fields=nope',
  'sort=id',
  'pagination[page]=2',
  'filters[id]=1',
  'filters[nope]=1',
  'nope=1',
  '__proto__[x]=1',
  'status=draft&status=published',
];

const CONTENT_TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json; charset=utf-16',
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/vnd.api+json',
  'application/octet-stream',
  '',
];

const target = (type: ContentTypeDefinition, method: string): fc.Arbitrary<Ref | string | null> => {
  if (type.kind === 'singleType' || method === 'POST') return fc.constant(null);
  return mixed<Ref | string | null>(
    [12, ref(type.singularApiId)],
    [1, ref(type.singularApiId, 'id')],
    [
      1,
      fc.constantFrom(
        'abcdefghijklmnopqrstuvwx',
        '1',
        'x%00',
        '%F0%9F%99%82',
        'undefined',
        "'",
        'x'.repeat(500),
      ),
    ],
  );
};

const methodOf = (type: ContentTypeDefinition): fc.Arbitrary<BodyRequest['method']> =>
  type.kind === 'singleType'
    ? mixed<BodyRequest['method']>([6, fc.constant('PUT')], [1, fc.constant('DELETE')])
    : mixed<BodyRequest['method']>(
        [6, fc.constant('POST')],
        [8, fc.constant('PUT')],
        [1, fc.constant('DELETE')],
      );

/** Content types, weighted by the number of their attributes. */
const anyType = fc.oneof(
  ...openTypes.map((type) => ({
    weight: Object.keys(type.attributes).length > 1 ? 6 : 1,
    arbitrary: fc.constant(type),
  })),
);

/** Writes of any type: valid, valid with up to three changes, or arbitrary text. */
export const bodies: fc.Arbitrary<BodyRequest> = anyType.chain((type) =>
  methodOf(type).chain((method) =>
    fc
      .record({
        target: target(type, method),
        query: mixed([12, fc.constantFrom(...GOOD_QUERIES)], [1, fc.constantFrom(...BAD_QUERIES)]),
        body: attributes(type.attributes),
        changes: mixed<Mutation[]>(
          [6, fc.constant([])],
          [4, fc.array(mutation, { minLength: 1, maxLength: 1 })],
          [2, fc.array(mutation, { minLength: 2, maxLength: 3 })],
        ),
        text: mixed<string | null>([15, fc.constant(null)], [1, fc.constantFrom(...TEXTS)]),
        contentType: mixed([20, fc.constant('application/json')], [1, fc.constantFrom(...CONTENT_TYPES)]),
      })
      .map(({ target: at, query, body, changes, text: instead, contentType }): BodyRequest => {
        const whole: Tree = { entries: body.entries };
        const data = changes.reduce<Tree>((tree, how) => mutate(tree, how.at % count(tree), how), whole);
        return {
          type: type.singularApiId,
          method,
          target: at,
          query,
          data,
          expected: changes.length === 0 && instead === null ? body.expected : {},
          text: instead,
          contentType,
        };
      }),
  ),
);

/** Valid documents of a type, which the tests create before they send requests. */
export const validBody = (type: ContentTypeDefinition): fc.Arbitrary<Tree> =>
  attributes(type.attributes).map(({ entries }) => ({ entries }));

/** Parses a tree without references. */
function plain(tree: Tree): unknown {
  return JSON.parse(print(tree, () => 'null')) as unknown;
}

/** JSON text of a tree; `resolve` prints references. */
export function print(tree: Tree, resolve: (item: Ref | InstanceRef) => string): string {
  if (tree === null || typeof tree === 'boolean' || typeof tree === 'string') return JSON.stringify(tree);
  if (typeof tree === 'number') return Number.isFinite(tree) ? JSON.stringify(tree) : '1e999';
  if (Array.isArray(tree)) return `[${(tree as Tree[]).map((item) => print(item, resolve)).join()}]`;
  const item = tree as Exclude<Tree, null | boolean | number | string | readonly Tree[]>;
  if ('raw' in item) return item.raw;
  if ('entries' in item)
    return `{${item.entries.map(([name, value]) => `${JSON.stringify(name)}:${print(value, resolve)}`).join()}}`;
  return resolve(item);
}

/** Path below the API prefix. */
export function pathOf(
  { type, target: at, query }: BodyRequest,
  resolve: (item: Ref | InstanceRef) => string,
): string {
  const route = routeOf(
    openTypes.find(({ singularApiId }) => singularApiId === type) as ContentTypeDefinition,
  );
  const id =
    at === null
      ? ''
      : `/${typeof at === 'string' ? at : encodeURIComponent(String(JSON.parse(resolve(at))))}`;
  return `${route}${id}${query === '' ? '' : `?${query}`}`;
}
