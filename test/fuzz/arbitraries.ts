/**
 * Arbitrary requests: names and values of the schema in every spelling, with invalid parts at every level.
 */
import fc from 'fast-check';
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
import { UNREADABLE } from './model.ts';
import { encode, type Entries, object, type Spelling, spell, type Tree } from './query-text.ts';

/** Request without document ids. */
export interface FuzzRequest {
  /** Path below the API prefix; `{n}` is the position of a document of the type. */
  readonly path: string;
  readonly type: string;
  readonly query: string;
  readonly v4: boolean;
  readonly caller: 'all' | 'reader' | null;
  /** Writes name no existing document or have a body without data, so that no row changes. */
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'PATCH' | 'OPTIONS';
}

/** Document id that does not exist. */
const NOBODY = 'abcdefghijklmnopqrstuvwx';

/** Path and body of a request with document ids. */
export function targetOf(
  { path, type, query, method }: FuzzRequest,
  documents: Readonly<Record<string, readonly string[]>>,
): { readonly path: string; readonly body?: string } {
  const writes = method !== 'GET' && method !== 'HEAD';
  const id = (n: string): string => (writes ? NOBODY : (documents[type]?.[Number(n)] ?? NOBODY));
  const target = `/api/${path.replace(/\{(\d)\}/, (_, n: string) => id(n))}${query === '' ? '' : `?${query}`}`;
  if (!writes) return { path: target };
  return { path: target, body: method === 'PUT' && path.includes('{') ? '{"data":{}}' : '{"data":null}' };
}

const GARBAGE_KEYS = [
  'nope',
  '',
  ' ',
  '*',
  '$',
  '$EQ',
  '$eq',
  '$and',
  '$or',
  '$not',
  '$jsonSupersetOf',
  '$where',
  'where',
  'lookup',
  'join',
  'having',
  'constructor',
  '__proto__',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  't0.title',
  't1.password',
  'title::text',
  'meta->>a',
  'author.name',
  '"title"',
  "title'",
  'title;--',
  'title\u0000',
  '$1',
  'ünï',
  '🙂',
  '\ud83d',
  '0',
  '-1',
  '1e9',
  '99999999999',
  'a[b',
  'a]b',
  '[',
  ']',
  '[[]]',
  '%',
  '%zz',
  '\\',
  'id',
  'documentId',
  'locale',
  'localizations',
  'createdBy',
  'updatedBy',
  'publishedAt',
  'status',
  'populate',
  'filters',
  'sort',
  'fields',
  'on',
  'count',
  'limit',
  'pagination',
  'password',
  'secret',
  'reviewer',
  '__component',
  'a'.repeat(300),
];

const GARBAGE_VALUES = [
  '',
  ' ',
  '0',
  '1',
  '-1',
  '-0',
  '1.5',
  '1e3',
  '1e400',
  '-1e400',
  '0x10',
  'NaN',
  'Infinity',
  '-Infinity',
  '2147483648',
  '9007199254740993',
  '9223372036854775808',
  '99999999999999999999999',
  'true',
  'false',
  't',
  'f',
  'null',
  'undefined',
  '{}',
  '[]',
  '[1,2]',
  '{"a":',
  '{"a":"\\u0000"}',
  '%',
  '_',
  '\\',
  '%_\\',
  "'",
  '"',
  "''",
  "' or 1=1 --",
  ';--',
  '; drop table articles',
  '$1',
  '$2::int',
  '${x}',
  '\u0000',
  'a\u0000b',
  '\ufffd',
  '\ud83d',
  '\udc00',
  '\uffff',
  '🙂',
  'é',
  'e\u0301',
  'ｆｕｌｌ',
  '\u202e',
  'İ',
  'ß',
  '2024-01-01',
  '2024-02-30',
  '0000-01-01',
  '99999-01-01',
  '2024-01-01T25:00:00Z',
  '10:00',
  '25:61:61',
  '24:00:00',
  'infinity',
  'now',
  'epoch',
  '-99999999999999',
  'a,b,,c',
  '*',
  '**',
  'a.b.c',
  '....',
  ':',
  'id:asc',
  'id:ASC:x',
  'title:desc',
  'nope:asc',
  'deep',
  '../../etc',
  'draft',
  'published',
  'all',
  'en',
  'fr',
  'xx',
  'modified',
  'x'.repeat(3000),
  '🙂'.repeat(500),
  '('.repeat(2000),
  '['.repeat(2000),
  'a.'.repeat(500),
  'id,'.repeat(400),
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

const OPERATOR_NAMES = Object.keys(OPERATORS);

const mixed = <T>(...weighted: (readonly [number, fc.Arbitrary<T>])[]): fc.Arbitrary<T> =>
  fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary })));

const garbageKey = mixed<string>(
  [12, fc.constantFrom(...GARBAGE_KEYS)],
  [1, fc.string({ unit: 'binary', maxLength: 12 })],
);
const garbageValue = mixed<string>(
  [12, fc.constantFrom(...GARBAGE_VALUES)],
  [1, fc.string({ unit: 'binary', maxLength: 20 })],
);

/** Invalid trees, which replace valid ones. */
const garbageTree: fc.Arbitrary<Tree> = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    mixed<Tree>([6, garbageValue], [1, fc.constant(null)]),
    fc.array(fc.option(tie('tree'), { nil: undefined, freq: 4 }), { maxLength: 3 }),
    fc.array(fc.tuple(garbageKey, tie('tree')), { maxLength: 3 }).map(object),
  ),
})).tree;

const orGarbage = (arbitrary: fc.Arbitrary<Tree>, per = 40): fc.Arbitrary<Tree> =>
  mixed([per - 1, arbitrary], [1, garbageTree]);

const of = (model: Model, kinds: readonly Attribute['kind'][]): Attribute[] =>
  [...model.attributes.values()].filter(({ kind }) => kinds.includes(kind));

const isHidden = (attribute: Attribute): boolean =>
  attribute.private || (attribute.kind === 'scalar' && !attribute.type.readable);

/** Readable attributes, and rarely a hidden one. */
const pick = (model: Model, kinds: readonly Attribute['kind'][]): fc.Arbitrary<Attribute> | null => {
  const open = of(model, kinds).filter((attribute) => !isHidden(attribute));
  const closed = of(model, kinds).filter(isHidden);
  if (open.length === 0) return null;
  return closed.length === 0
    ? fc.constantFrom(...open)
    : mixed([60, fc.constantFrom(...open)], [1, fc.constantFrom(...closed)]);
};

const modelOf = (attribute: Attribute): Model =>
  attribute.kind === 'relation' ? attribute.target : (attribute as { component: Component }).component;

/** Operands of conditions on a scalar attribute. */
function operand(attribute: ScalarAttribute): fc.Arbitrary<string> {
  const known = fc.nat({ max: 5 }).map((n): string => {
    const value = attribute.system ? n + 1 : valueOf(attribute, n);
    return typeof value === 'string' ? value : JSON.stringify(value ?? 'null');
  });
  const partial = fc
    .tuple(known, fc.nat({ max: 4 }))
    .map(([text, start]) => (attribute.type.textual ? text.slice(start, start + 5) : text));
  return mixed([20, known], [attribute.type.textual ? 10 : 1, partial], [1, garbageValue]);
}

function comparison(attribute: ScalarAttribute): fc.Arbitrary<Tree> {
  const value = operand(attribute);
  const one = fc.tuple(fc.constantFrom(...OPERATOR_NAMES), value).map(([name, text]): Tree => {
    if (name === '$between') return object([[name, [text, text]]]);
    return object([[name, name === '$null' || name === '$notNull' ? String(text.length % 2 === 0) : text]]);
  });
  const list = fc
    .tuple(
      fc.constantFrom('$in', '$notIn', '$between', '$eq', '$gt', '$contains'),
      fc.array(fc.option(value, { nil: undefined, freq: 8 }), { maxLength: 4 }),
    )
    .map(([name, values]): Tree => object([[name, values]]));
  const several = fc
    .array(one, { minLength: 1, maxLength: 3 })
    .map((all): Tree => object(all.flatMap((map) => (map as Entries).entries)));
  const negated = one.map((map): Tree => object([['$not', map]]));
  return mixed<Tree>([4, value], [1, fc.constant(null)], [6, one], [2, list], [1, several], [1, negated]);
}

/** Arbitraries of a schema, created on demand and cached per model and depth. */
class Queries {
  private readonly made = new Map<string, fc.Arbitrary<unknown>>();
  private readonly schema: Schema;

  constructor(schema: Schema) {
    this.schema = schema;
  }

  private once<T>(key: string, make: () => fc.Arbitrary<T>): fc.Arbitrary<T> {
    const known = this.made.get(key) ?? make();
    this.made.set(key, known);
    return known as fc.Arbitrary<T>;
  }

  private condition(attribute: Attribute, depth: number): fc.Arbitrary<Tree> {
    if (attribute.kind === 'scalar') return comparison(attribute);
    if (attribute.kind === 'zone') return garbageTree;
    const shorthand = mixed<Tree>(
      [3, fc.nat({ max: 9 }).map(String)],
      [1, fc.constant(null)],
      [2, fc.boolean().map((yes) => object([['$null', String(yes)]]))],
    );
    return depth <= 0 ? shorthand : mixed([1, shorthand], [4, this.filters(modelOf(attribute), depth - 1)]);
  }

  filters(model: Model, depth: number): fc.Arbitrary<Tree> {
    return this.once(`filters ${model.model} ${model.uid} ${depth}`, () => {
      const named = (
        pick(model, ['scalar', 'scalar', 'relation', 'component', 'zone']) as fc.Arbitrary<Attribute>
      ).chain((attribute) =>
        fc.tuple(fc.constant<string>(attribute.name), orGarbage(this.condition(attribute, depth), 100)),
      );
      const inner = depth <= 0 ? named.map((entry) => object([entry])) : this.filters(model, depth - 1);
      const group = fc.tuple(
        fc.constantFrom('$and', '$or'),
        fc.array(fc.option(inner, { nil: undefined, freq: 12 }), { maxLength: 3 }).map((all): Tree => all),
      );
      const not = inner.map((tree): [string, Tree] => ['$not', tree]);
      const strange = fc.tuple(garbageKey, garbageTree);
      const entry = mixed<[string, Tree]>([60, named], [8, group], [4, not], [1, strange]);
      return fc.array(entry, { minLength: 1, maxLength: 3 }).map(object);
    });
  }

  private path(model: Model, depth: number): fc.Arbitrary<string[]> {
    return this.once(`path ${model.model} ${model.uid} ${depth}`, () => {
      const scalar = (pick(model, ['scalar']) as fc.Arbitrary<Attribute>).map((attribute) => [
        attribute.name as string,
      ]);
      const hops = depth <= 0 ? null : pick(model, ['relation', 'component']);
      if (hops === null) return scalar;
      return mixed(
        [3, scalar],
        [1, hops.chain((hop) => this.path(modelOf(hop), depth - 1).map((rest) => [hop.name, ...rest]))],
      );
    });
  }

  sort(model: Model): fc.Arbitrary<Tree> {
    return this.once(`sort ${model.model} ${model.uid}`, () => {
      const key = fc.tuple(
        this.path(model, 2),
        fc.constantFrom('', ':asc', ':desc', ':ASC', ':DESC', ':Desc:x'),
      );
      const text = key.map(([path, order]) => path.join('.') + order);
      const nested = key.map(([path, order]): Tree =>
        path.reduceRight<Tree>(
          (below, name) => object([[name, below]]),
          order === '' ? '' : (order.split(':')[1] ?? ''),
        ),
      );
      const list = fc.array(fc.option(mixed<Tree>([4, text], [1, nested]), { nil: undefined, freq: 10 }), {
        minLength: 1,
        maxLength: 3,
      });
      return orGarbage(
        mixed<Tree>(
          [4, text],
          [2, nested],
          [2, list],
          [1, fc.array(text, { maxLength: 3 }).map((all) => all.join(','))],
        ),
      );
    });
  }

  fields(model: Model): fc.Arbitrary<Tree> {
    return this.once(`fields ${model.model} ${model.uid}`, () => {
      const name = (pick(model, ['scalar']) as fc.Arbitrary<Attribute>).map(
        (attribute): string => attribute.name,
      );
      const list = fc.array(fc.option(name, { nil: undefined, freq: 10 }), { maxLength: 4 });
      return orGarbage(
        mixed<Tree>(
          [3, list],
          [1, name],
          [1, fc.constant('*')],
          [1, list.map((names) => names.filter((n) => n !== undefined).join(','))],
        ),
      );
    });
  }

  private populated(attribute: Attribute, depth: number): fc.Arbitrary<Tree> {
    if (attribute.kind === 'zone') {
      const fragments = fc
        .subarray([...attribute.components])
        .chain((components) =>
          fc
            .tuple(
              ...components.map((component) =>
                fc.tuple(fc.constant(component.uid), this.item(component, depth)),
              ),
            )
            .map((all) => object([['on', object(all)]])),
        );
      return mixed<Tree>(
        [2, fc.constant('true')],
        [3, fragments],
        [1, fc.constant(object([['populate', '*']]))],
        [1, fc.constant(object([['count', 'true']]))],
      );
    }
    return this.item(modelOf(attribute), depth);
  }

  private item(model: Model, depth: number): fc.Arbitrary<Tree> {
    return this.once(`item ${model.model} ${model.uid} ${depth}`, () => {
      const parts: fc.Arbitrary<[string, Tree]>[] = [
        this.fields(model).map((tree) => ['fields', tree]),
        this.sort(model).map((tree) => ['sort', tree]),
        this.filters(model, 1).map((tree) => ['filters', tree]),
        fc.constant(['count', 'true']),
        ...(depth <= 0
          ? []
          : [this.populate(model, depth - 1).map((tree): [string, Tree] => ['populate', tree])]),
      ];
      const strange = fc.tuple(garbageKey, garbageTree);
      const objects = fc
        .array(mixed<[string, Tree]>([60, fc.oneof(...parts)], [1, strange]), { maxLength: 3 })
        .map(object);
      return orGarbage(
        mixed<Tree>(
          [2, fc.constantFrom('true', '1', 't', '*')],
          [1, fc.constantFrom('false', 'f', '0')],
          [6, objects],
        ),
        60,
      );
    });
  }

  populate(model: Model, depth: number): fc.Arbitrary<Tree> {
    return this.once(`populate ${model.model} ${model.uid} ${depth}`, () => {
      const hops = pick(model, ['relation', 'component', 'zone']);
      if (hops === null) return mixed<Tree>([5, fc.constant('*')], [1, garbageTree]);
      const name = hops.map((attribute): string => attribute.name);
      const dotted = hops.chain((attribute) => {
        const below =
          attribute.kind === 'zone' ? null : pick(modelOf(attribute), ['relation', 'component', 'zone']);
        return below === null
          ? fc.constant(attribute.name)
          : below.map((last) => `${attribute.name}.${last.name}`);
      });
      const list = fc.array(fc.option(mixed([3, name], [1, dotted]), { nil: undefined, freq: 10 }), {
        maxLength: 4,
      });
      const objects = fc
        .array(
          hops.chain((attribute) =>
            fc.tuple(fc.constant<string>(attribute.name), this.populated(attribute, depth)),
          ),
          { maxLength: 3 },
        )
        .map(object);
      return orGarbage(
        mixed<Tree>(
          [2, fc.constant('*')],
          [1, name],
          [2, list],
          [1, list.map((all) => all.filter((n) => n !== undefined).join(','))],
          [6, objects],
        ),
        60,
      );
    });
  }

  private pagination(): fc.Arbitrary<Tree> {
    const number = mixed<Tree>([8, fc.integer({ min: -1, max: 8 }).map(String)], [1, garbageValue]);
    const pages = fc.record(
      { page: number, pageSize: number, withCount: fc.constantFrom('true', 'false', '0', '1', 't') },
      { requiredKeys: [] },
    );
    const offsets = fc.record(
      { start: number, limit: number, withCount: fc.constantFrom('true', 'false') },
      { requiredKeys: [] },
    );
    return orGarbage(
      fc.oneof(pages, offsets).map((all) => object(Object.entries(all))),
      20,
    );
  }

  /** Complete query strings as a tree. */
  tree(type: ContentType): fc.Arbitrary<Entries> {
    return this.once(`tree ${type.uid}`, () => {
      const parameter = mixed<[string, Tree]>(
        [8, this.filters(type, 2).map((tree): [string, Tree] => ['filters', tree])],
        [6, this.populate(type, 2).map((tree): [string, Tree] => ['populate', tree])],
        [3, this.sort(type).map((tree): [string, Tree] => ['sort', tree])],
        [3, this.fields(type).map((tree): [string, Tree] => ['fields', tree])],
        [3, this.pagination().map((tree): [string, Tree] => ['pagination', tree])],
        [2, orGarbage(fc.constantFrom('draft', 'published')).map((tree): [string, Tree] => ['status', tree])],
        [
          2,
          orGarbage(fc.constantFrom<Tree>('en', 'fr', '*', ['en', 'fr'], '')).map((tree): [string, Tree] => [
            'locale',
            tree,
          ]),
        ],
        [
          1,
          orGarbage(fc.constantFrom<Tree>('en', 'fr,en', ['de', 'en'], 'false', '')).map(
            (tree): [string, Tree] => ['fallbackLocale', tree],
          ),
        ],
        [
          1,
          mixed<Tree>([5, fc.constantFrom('alpha', 'A', '1', '%', '_')], [1, garbageTree]).map(
            (tree): [string, Tree] => ['_q', tree],
          ),
        ],
        [
          1,
          orGarbage(fc.constantFrom(...PUBLICATION), 10).map((tree): [string, Tree] => [
            'publicationFilter',
            tree,
          ]),
        ],
        [
          1,
          orGarbage(fc.constantFrom('true', 'false'), 10).map((tree): [string, Tree] => [
            'hasPublishedVersion',
            tree,
          ]),
        ],
        [1, orGarbage(fc.constantFrom('true', '0'), 10).map((tree): [string, Tree] => ['withState', tree])],
        [
          1,
          fc.tuple(
            mixed(
              [3, garbageKey],
              [
                1,
                fc.constantFrom(
                  'filters',
                  'populate',
                  'sort',
                  'fields',
                  'pagination',
                  'page',
                  'pageSize',
                  'start',
                  'limit',
                  'count',
                  'ordering',
                ),
              ],
            ),
            garbageTree,
          ),
        ],
      );
      return fc.array(parameter, { minLength: 1, maxLength: 4 }).map(object);
    });
  }

  readonly spelling: fc.Arbitrary<Spelling> = fc.record({
    raw: fc.boolean(),
    indexes: mixed([4, fc.constant(true)], [1, fc.constant(false)]),
    verbose: mixed([9, fc.constant(false)], [1, fc.constant(true)]),
  });

  /**
   * Query strings that no tree can express: truncated, duplicated, or with invalid characters in the middle.
   */
  private broken(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
    const junk = fc.constantFrom(
      '%',
      '%zz',
      '%00',
      '%ed%a0%bd',
      '%c3',
      '%ff',
      '[',
      ']',
      '[]',
      '[[',
      ']]',
      '&',
      '&&',
      '=',
      '==',
      '?',
      '#',
      '+',
      "'",
      '"',
      ';',
      '--',
      '\\',
      '/',
      '$1',
      '\u00ff',
      '\u0080',
      '%5B%5D',
      '[__proto__]',
      '[constructor][prototype]',
      '.',
      ',',
      ':',
      '*',
    );
    return fc
      .tuple(
        text,
        fc.array(
          fc.tuple(
            fc.double({ min: 0, max: 1, noNaN: true }),
            fc.constantFrom('insert', 'cut', 'double'),
            junk,
          ),
          { minLength: 1, maxLength: 3 },
        ),
      )
      .map(([start, changes]) =>
        changes.reduce((before, [where, what, piece]) => {
          const at = Math.floor(where * before.length);
          if (what === 'insert') return before.slice(0, at) + piece + before.slice(at);
          return what === 'cut' ? before.slice(0, at) : `${before}&${before.slice(at)}`;
        }, start),
      );
  }

  /** Query strings near and far beyond the limits. */
  private huge(type: ContentType): fc.Arbitrary<string> {
    const times = fc.constantFrom(20, 99, 100, 101, 150, 999, 1000, 1001, 1999, 2000, 2001, 4000);
    const [relation = 'localizations'] = of(type, ['relation'])
      .filter((attribute) => !isHidden(attribute))
      .map(({ name }) => name);
    const many = fc
      .tuple(
        times,
        fc.constantFrom<(i: number) => string>(
          (i) => `filters[id][$in][${i}]=${i}`,
          () => 'filters[id][$in][]=1',
          () => 'filters[id]=1',
          (i) => `filters[$or][${i}][id]=${i}`,
          (i) => `filters[$and][${i}][$or][0][id][$gt]=${-i}`,
          (i) => `filters[$or][${i}][${relation}][id][$ne]=${i}`,
          (i) => `filters[$or][${i}][${relation}][id][$null]=true`,
          (i) => `filters[$not][$or][${i}][documentId][$containsi]=x${i}`,
          (i) => `filters[${relation}][id][$notIn][${i}]=${i}`,
          (i) => `filters[x${i}]=1`,
          (i) => `populate[${i}]=${relation}`,
          (i) => `populate[x${i}]=true`,
          (i) => `populate[${i}]=${relation}.${relation}`,
          (i) => `fields[${i}]=id`,
          () => 'fields=id',
          (i) => `sort[${i}]=id`,
          (i) => `sort[id${i}]=asc`,
          (i) => `populate[${relation}][filters][$or][${i}][id]=${i}`,
          (i) => `populate[${relation}][sort][${i}]=id:desc`,
          (i) => `populate[${relation}][fields][${i}]=id`,
          (i) => `locale[${i}]=x${i}`,
          (i) => `status[${i}]=draft`,
          (i) => `pagination[x${i}]=1`,
          (i) => `x${i}=1`,
          (i) => `x[${'a'.repeat(i % 20)}][${i}]=1`,
          () => '&',
          () => 'a[]',
          (i) => `a[${i * 1000}]=1`,
          (i) => `filters[a${'][b'.repeat(i % 30)}]=1`,
          (i) => `filters[$and][${i}][$and][${i}][id]=1`,
        ),
      )
      .map(([n, part]) => Array.from({ length: n }, (_, i) => part(i)).join('&'));
    const deep = fc
      .tuple(
        fc.constantFrom(5, 10, 18, 19, 20, 21, 22, 50, 500, 3000),
        fc.constantFrom<(n: number) => string>(
          (n) => `filters${'[$and][0]'.repeat(n)}[id]=1`,
          (n) => `filters${'[$not]'.repeat(n)}[id]=1`,
          (n) => `filters${'[$or][0]'.repeat(Math.ceil(n / 2))}[id]=1`,
          (n) => `filters${`[${relation}]`.repeat(n)}[id]=1`,
          (n) => `populate${`[${relation}][populate]`.repeat(Math.ceil(n / 2))}=*`,
          (n) => `populate${`[${relation}][populate]`.repeat(n)}[${relation}]=true`,
          (n) => `populate=${`${relation}.`.repeat(n)}${relation}`,
          (n) => `sort=${`${relation}.`.repeat(n)}id`,
          (n) => `sort${`[${relation}]`.repeat(n)}[id]=asc`,
          (n) => `filters${'['.repeat(n)}`,
          (n) => `filters${'[]'.repeat(n)}=1`,
          (n) => `${'['.repeat(n)}a${']'.repeat(n)}=1`,
          (n) => `filters${'[a'.repeat(n)}${']'.repeat(n)}=1`,
          (n) => `filters${'[0]'.repeat(n)}=1`,
          (n) => `fields${'[0]'.repeat(n)}=id`,
          (n) => `pagination${'[page]'.repeat(n)}=1`,
          (n) => `_q${'[a]'.repeat(n)}=1`,
          (n) => `status${'[a]'.repeat(n)}=1`,
        ),
      )
      .map(([n, make]) => make(n));
    const long = fc
      .tuple(
        fc.constantFrom(10_000, 30_000, 60_000),
        fc.constantFrom('a', '%00', '%25', "'", '%F0%9F%99%82', ',', '.', '%2C', ':', '*'),
        fc.constantFrom(
          'filters[id]=',
          'filters[documentId][$containsi]=',
          'filters[documentId][$eqi]=',
          'sort=',
          'fields=',
          'populate=',
          '_q=',
          'locale=',
          'fallbackLocale=',
          'status=',
          'pagination[page]=',
          'filters[',
          'publicationFilter=',
          'x=',
          `filters[${relation}][documentId][$startsWithi]=`,
        ),
      )
      .map(([length, unit, start]) => start + unit.repeat(Math.floor(length / unit.length)));
    return fc.oneof(many, deep, long);
  }

  query(type: ContentType): fc.Arbitrary<string> {
    return this.once(`query ${type.uid}`, () => {
      const spelled = fc
        .tuple(this.tree(type), this.spelling)
        .map(([tree, spelling]) => spell(tree, spelling));
      const noise = fc.string({ unit: 'binary', maxLength: 200 }).map(encode);
      const raw = fc.string({
        unit: fc.integer({ min: 0x21, max: 0xff }).map((code) => String.fromCharCode(code)),
        maxLength: 60,
      });
      return mixed(
        [70, spelled],
        [15, this.broken(spelled)],
        [6, this.huge(type)],
        [1, noise],
        [1, raw],
        [1, fc.constant('')],
      );
    });
  }

  request(): fc.Arbitrary<FuzzRequest> {
    const types = [...this.schema.types.values()].filter((type) => !type.internal);
    const closed = types.filter(({ singularApiId }) => UNREADABLE.includes(singularApiId));
    const strange = fc
      .constantFrom(
        'nope',
        'shared.seo',
        '%zz',
        '%00',
        '..',
        '.',
        '',
        'articles/',
        'articles//',
        'ARTICLES',
        'articles/a/b',
        'article',
        'homepages',
        'homepage/x',
        'articles%2f1',
        '%61rticles',
        'articles;x',
        "articles'",
        '__proto__',
        'constructor',
        'files',
        'file',
        'upload/files',
        'i18n/locales',
        'users',
        'articles/%zz',
        'articles/%00',
        'articles/%E0%80',
        'articles/\u00ff',
        "articles/' or 1=1--",
        'articles/1',
        'articles/$1',
        'articles/null',
        `articles/${'x'.repeat(300)}`,
        'articles/🙂',
      )
      .map((path) => path.replace(/[^\u0021-\u00ff]/gu, encode));
    return mixed(
      [40, fc.constantFrom(...types.filter((type) => !closed.includes(type)))],
      [1, fc.constantFrom(...closed)],
    ).chain((type) => {
      const one =
        type.kind === 'singleType'
          ? fc.constant(type.route)
          : fc.nat({ max: 6 }).map((n) => `${type.route}/{${n}}`);
      return fc
        .record({
          path: mixed([12, fc.constant(type.route)], [5, one], [1, strange]),
          type: fc.constant(type.singularApiId),
          query: this.query(type),
          v4: mixed([4, fc.constant(false)], [1, fc.constant(true)]),
          caller: fc.constantFrom('all', 'reader', null),
          // The document of a single type must not change. The HTTP parser answers invalid requests with a
          // body, even for HEAD.
          method: mixed<FuzzRequest['method']>(
            [40, fc.constant('GET')],
            [1, fc.constantFrom('HEAD', 'POST', 'PATCH', 'OPTIONS')],
            [type.kind === 'singleType' ? 0 : 1, fc.constantFrom('PUT', 'DELETE')],
          ),
        })
        .map((request): FuzzRequest =>
          request.method === 'HEAD' && /[^\x21-\x7e]/.test(request.path + request.query)
            ? { ...request, method: 'GET' }
            : request,
        );
    });
  }
}

export const requests = (schema: Schema): fc.Arbitrary<FuzzRequest> => new Queries(schema).request();

/** Valid filters without garbage, for tests that need a successful response. */
export const filtersOf = (schema: Schema, type: ContentType, depth: number): fc.Arbitrary<Tree> =>
  new Queries(schema).filters(type, depth);
