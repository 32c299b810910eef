/** The list of a relation after a change, as a table of examples (protocol 11.2–11.17). */
import type { RelationAttribute } from '../../src/schema/model.ts';
import { applyChange, type Resolver } from '../../src/plan/links.ts';
import { relationInput } from '../../src/plan/relation-input.ts';

const attribute = { many: true, media: false, def: { type: 'relation' }, target: { attributes: new Map() } };
const relation = attribute as unknown as RelationAttribute;
/** Documents are called by their numbers. */
const resolver: Resolver = {
  find: (reference) => ('id' in reference ? String(reference.id) : reference.documentId),
  require: (references) => references.map((reference) => resolver.find(reference) ?? ''),
  mime: () => undefined,
};
type Item = readonly [number, ('start' | 'end' | readonly ['before' | 'after', number])?];
const change = (linked: readonly number[], items: readonly Item[], more: object = {}): string => {
  const connect = items.map(([id, position]) => {
    if (position === undefined) return { id };
    return {
      id,
      position: typeof position === 'string' ? { [position]: true } : { [position[0]]: position[1] },
    };
  });
  const input = relationInput({ connect, ...more }, relation, 'x');
  return applyChange(linked.map(String), { input, attribute: relation }, resolver).join(',');
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
    ['without a place: at the end, also when linked', [1, 2], [[1], [3]], '2,1,3'],
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
      'an unlinked one after one that waits for nothing',
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
      'two that wait for each other',
      [3],
      [
        [1, ['after', 2]],
        [2, ['after', 1]],
      ],
      /circular reference/,
    ],
    ['one that waits for itself', [3], [[1, ['after', 1]]], /circular reference/],
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
    ['an anchor that is not there', [3], [[1, ['after', 2]]], /needs to be connected first/],
    ['the same twice', [3], [[1], [1]], /already connected/],
  ])('11.15–11.17 %s is refused', (_, linked, items, message) => {
    expect(() => change(linked, items)).toThrow(message);
  });

  it('11.16 an anchor that is disconnected in the same change is not linked', () => {
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
    expect(() => change([1, 2], [[1, ['after', 2]]], { disconnect })).toThrow(/needs to be connected first/);
  });

  it('M3: 20,000 places take no time that matters', () => {
    const ids = Array.from({ length: 20_000 }, (_, i) => i + 1);
    // The processor's time, which others on the machine do not lengthen.
    const start = process.threadCpuUsage().user;
    const items = ids.map((id): Item => [id, id === 20_000 ? 'start' : ['before', id + 1]]);
    expect(change(ids, items)).toBe([20_000, ...ids.slice(0, -1)].join(','));
    expect(change([], items)).toBe(ids.join(','));
    expect((process.threadCpuUsage().user - start) / 1000).toBeLessThan(2000);
  });
});
