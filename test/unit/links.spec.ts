/** Lists of a relation after a change, as a table of examples (protocol 11.2–11.17). */
import type { RelationAttribute } from '../../src/content/model/model.ts';
import { applyChange, type Resolver } from '../../src/content/plan/links.ts';
import { OrderedIds } from '../../src/content/plan/ordered-ids.ts';
import { relationInput } from '../../src/content/plan/relation-input.ts';
import type { FoundRow } from '../../src/content/plan/found-targets.ts';
import { buildSchema } from '../../src/content/model/build-schema.ts';
import type { ContentType } from '../../src/content/model/model.ts';
import { CHANGES, type Ids, REFUSALS } from '../fixtures/relation-changes.ts';
import { relations } from '../fixtures/relations.ts';
import { type Planning, refusalOf, valuesOf } from './planning.ts';

const attribute = {
  many: true,
  media: false,
  def: { type: 'relation' },
  targets: [{ attributes: new Map() }],
};
const relation = attribute as unknown as RelationAttribute;
/** Numbers are the ids of documents. */
const resolver: Resolver = {
  find: (reference) => ('id' in reference ? String(reference.id) : reference.documentId),
  require: (references) => references.map((reference) => resolver.find(reference) ?? ''),
  mime: () => undefined,
};
type Item = readonly [number, ('start' | 'end' | readonly ['before' | 'after', number])?];
const change = (
  linked: readonly number[],
  items: readonly Item[],
  { shown = true, ...more }: { readonly shown?: boolean; readonly disconnect?: readonly object[] } = {},
): string => {
  const connect = items.map(([id, position]) => {
    if (position === undefined) return { id };
    return {
      id,
      position: typeof position === 'string' ? { [position]: true } : { [position[0]]: position[1] },
    };
  });
  const input = relationInput(
    { connect, ...more },
    { attribute: relation, at: 'x', types: relation.targets },
  );
  return applyChange(linked.map(String), { input, attribute: relation, shown }, resolver).join(',');
};

describe('re-ordering a relation', () => {
  const EXAMPLES: readonly [string, readonly number[], readonly Item[], string][] = [
    [
      'before a linked one, which then moves',
      [1, 2],
      [
        [1, ['before', 2]],
        [2, 'start'],
        [3, 'end'],
      ],
      '2,1,3',
    ],
    [
      'linked ones after each other',
      [1, 2, 3],
      [
        [1, ['after', 2]],
        [2, ['after', 1]],
      ],
      '1,2,3',
    ],
    [
      'before one that then goes to the end',
      [1, 2, 3],
      [
        [3, ['before', 1]],
        [1, 'end'],
      ],
      '3,2,1',
    ],
    [
      'after one that then goes to the start',
      [1, 2, 3],
      [
        [1, ['after', 3]],
        [3, 'start'],
      ],
      '3,2,1',
    ],
    ['an anchor that is linked later in the list comes first', [1], [[2, ['before', 3]], [3]], '1,2,3'],
    ['a chain of anchors, whatever the order', [], [[1, ['after', 2]], [2, ['after', 3]], [3]], '3,2,1'],
    [
      'both at the start: the later is first',
      [1],
      [
        [2, 'start'],
        [3, 'start'],
      ],
      '3,2,1',
    ],
    ['without a position: at the end, also when linked', [1, 2], [[1], [3]], '2,1,3'],
    [
      'before itself while others move',
      [1, 2, 3],
      [
        [2, ['before', 1]],
        [3, ['before', 2]],
      ],
      '3,2,1',
    ],
    [
      'an unlinked one after one without an anchor',
      [1],
      [
        [2, ['after', 1]],
        [1, 'end'],
      ],
      '2,1',
    ],
  ];
  it.each(EXAMPLES)('11.11 %s', (_, linked, items, expected) => {
    expect(change(linked, items)).toBe(expected);
  });

  it.each<[string, readonly number[], readonly Item[], RegExp]>([
    [
      'two that are anchors of each other',
      [3],
      [
        [1, ['after', 2]],
        [2, ['after', 1]],
      ],
      /circular reference/,
    ],
    ['one that is its own anchor', [3], [[1, ['after', 1]]], /circular reference/],
    [
      'three in a ring',
      [],
      [
        [1, ['after', 2]],
        [2, ['before', 3]],
        [3, ['after', 1]],
      ],
      /circular reference/,
    ],
    ['an unknown anchor', [3], [[1, ['after', 2]]], /needs to be connected first/],
    ['the same twice', [3], [[1], [1]], /already connected/],
  ])('11.15–11.17 rejects %s', (_, linked, items, message) => {
    expect(() => change(linked, items)).toThrow(message);
  });

  const RING: readonly Item[] = [
    [1, ['after', 2]],
    [2, ['after', 1]],
  ];
  it.each<readonly [string, readonly Item[], readonly number[]]>([
    ['an anchor that is linked', [[1, ['before', 3]]], [3, 4]],
    ['an anchor that is not', [[1, ['before', 3]]], [4]],
  ])('accepts %s if the caller cannot read the links', (_, items, linked) => {
    expect(change(linked, items, { shown: false })).toContain('1');
  });
  it.each([[[]], [[1]], [[1, 2]]])(
    'rejects a ring if the caller cannot read the links, which are %j',
    (linked) => {
      expect(() => change(linked, RING, { shown: false })).toThrow(/circular reference/);
    },
  );

  it('11.13 an anchor that is disconnected in the same change is where it was', () => {
    const disconnect = [{ id: 2 }];
    expect(
      change(
        [1, 2, 3],
        [
          [3, ['before', 2]],
          [2, 'end'],
        ],
        { disconnect },
      ),
    ).toBe('1,3,2');
    expect(change([1, 2], [[1, ['after', 2]]], { disconnect })).toBe('1');
    expect(change([1, 2], [[3, ['before', 2]]], { disconnect })).toBe('1,3');
  });

  it('M3: 20,000 positions take little time', () => {
    const ids = Array.from({ length: 20_000 }, (_, i) => i + 1);
    // CPU time of this thread, which does not depend on other processes.
    const start = process.threadCpuUsage().user;
    const items = ids.map((id): Item => [id, id === 20_000 ? 'start' : ['before', id + 1]]);
    expect(change(ids, items)).toBe([20_000, ...ids.slice(0, -1)].join(','));
    expect(change([], items)).toBe(ids.join(','));
    expect((process.threadCpuUsage().user - start) / 1000).toBeLessThan(2000);
  });
});

const schema = buildSchema(relations.contentTypes, relations.components);
const typeOf = (name: string): ContentType => schema.types.get(name) as ContentType;
const LETTERS = [...'abcdefgh'];
const L: Ids = Object.fromEntries(LETTERS.map((documentId, i) => [documentId, { id: i + 1, documentId }]));
const ROWS = LETTERS.map((name, i): FoundRow => [i + 1, name]);
const found = { leaf: ROWS, node: ROWS };

/** Plans a write of one relation. */
const relating = (type: string, name: string, linked: readonly string[], payload: unknown): Planning => ({
  schema,
  type: typeOf(type),
  data: { [name]: payload },
  stored: { [name]: linked },
  found,
});
const listOf = (...request: Parameters<typeof relating>): unknown =>
  (valuesOf(relating(...request))[request[1]] as string[] | undefined)?.join('');

describe.each([
  ['node', 'many'],
  ['node', 'list'],
  ['node', 'leaves'],
  ['node', 'owned'],
  ['node', 'follows'],
  ['leaf', 'nodes'],
])('a to-many relation: %s.%s', (type, name) => {
  const said = (text: string): string => text.replaceAll('api::leaf.leaf', `api::${target}.${target}`);
  const target = type === 'leaf' || name === 'follows' ? 'node' : 'leaf';

  it.each(CHANGES)('%s', (_what, payload, expected) => {
    expect(listOf(type, name, [...'abc'], payload(L)) ?? 'abc').toBe(expected);
  });

  it.each(REFUSALS)('rejects %s', (_what, payload, expected) => {
    const { error } = expected(L, name) as { error: { name: string; message: unknown; details: unknown } };
    const message = typeof error.message === 'string' ? said(error.message) : error.message;
    expect(refusalOf(relating(type, name, [...'abc'], payload(L, name)))).toEqual({
      name: error.name,
      message,
      details: error.details,
    });
  });
});

describe('11.29 a relation inside a component', () => {
  it.each(CHANGES)('%s', (_what, payload, expected) => {
    const stored = { box: { id: 9, documentId: 'box', links: [...'abc'] } };
    const data = { box: { id: 9, links: payload(L) } };
    const { box } = valuesOf({ schema, type: typeOf('node'), data, stored, found });
    expect(box).toEqual({ id: 9, documentId: 'box', ...(expected === '' ? {} : { links: [...expected] }) });
  });
});

describe.each(['one', 'single', 'toOne', 'needed'])('a to-one relation: %s', (name) => {
  it.each<[string, unknown, string]>([
    ['11.1 a document id', 'b', 'b'],
    ['11.1 a row id', 2, 'b'],
    ['11.1 the digits of a row id', '2', 'b'],
    ['11.1 { id }', { id: 2 }, 'b'],
    ['11.1 { documentId }', { documentId: 'b' }, 'b'],
    ['11.1 a list of one', ['b'], 'b'],
    ['11.1 a list of several: the last', ['b', 'c'], 'c'],
    ['11.1 null clears', null, ''],
    ['11.2 an empty list clears', [], ''],
    ['11.3 set', { set: ['b'] }, 'b'],
    ['11.3 an empty set clears', { set: [] }, ''],
    ['11.3 connect replaces', { connect: ['b'] }, 'b'],
    ['11.10 of several in connect the last', { connect: ['b', 'c'] }, 'c'],
    ['11.3 disconnect', { disconnect: ['a'] }, ''],
    ['11.8 disconnecting another one', { disconnect: ['b'] }, 'a'],
    ['11.7 connect and disconnect', { connect: ['b'], disconnect: ['a'] }, 'b'],
    ['11.9 nothing to connect', { connect: [] }, 'a'],
    ['11.9 an empty object', {}, 'a'],
    ['a position next to itself has no effect', { connect: [{ id: 2, position: { after: 2 } }] }, 'b'],
    ['a position has no effect', { connect: [{ documentId: 'b', position: { before: 'c' } }] }, 'b'],
  ])('%s', (_what, payload, expected) => {
    expect(listOf('node', name, ['a'], payload) ?? 'a').toBe(expected);
  });

  it.each<[string, unknown, string]>([
    ['an unknown document', 'nope', 'Document with id "nope", locale "null" not found'],
    [
      'an unknown row id',
      999_999,
      '1 relation(s) of type api::leaf.leaf associated with this entity do not exist',
    ],
    ['a foreign key', { documentId: 'x', foo: 1 }, `Invalid key foo at ${name}`],
    ['a boolean', false, 'Invalid relations'],
  ])('rejects %s', (_what, payload, message) => {
    expect(refusalOf(relating('node', name, ['a'], payload))).toMatchObject({
      message,
      details: { path: name },
    });
  });
});

describe('an ordered list of ids', () => {
  it.each<[string, (list: OrderedIds) => void, string]>([
    ['in the given order', () => undefined, 'abc'],
    ['a new one to the start', (list) => list.toStart('d'), 'dabc'],
    ['a new one to the end', (list) => list.toEnd('d'), 'abcd'],
    ['the first to the end', (list) => list.toEnd('a'), 'bca'],
    ['the last to the start', (list) => list.toStart('c'), 'cab'],
    ['the first to the start', (list) => list.toStart('a'), 'abc'],
    ['the last to the end', (list) => list.toEnd('c'), 'abc'],
    ['before another', (list) => list.toBefore('c', 'b'), 'acb'],
    ['after another', (list) => list.toAfter('a', 'b'), 'bac'],
    ['before its present successor', (list) => list.toBefore('a', 'b'), 'abc'],
    ['after its present predecessor', (list) => list.toAfter('b', 'a'), 'abc'],
    ['a new one before the first', (list) => list.toBefore('d', 'a'), 'dabc'],
    ['a new one after the last', (list) => list.toAfter('d', 'c'), 'abcd'],
  ])('%s', (_what, move, expected) => {
    const list = new OrderedIds([...'abc']);
    move(list);
    expect(list.ids().join('')).toBe(expected);
    expect([...expected].every((id) => list.has(id))).toBe(true);
    expect(list.has('z')).toBe(false);
  });

  it('uses the last position of an id that is given twice', () => {
    expect(new OrderedIds([...'aba']).ids().join('')).toBe('ba');
  });
});
