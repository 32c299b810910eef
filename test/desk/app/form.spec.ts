/** Values of a form, their merge and their bodies: examples and random documents, without a browser. */
import fc from 'fast-check';
import { bodyOf } from '../../../desk/src/form/body.ts';
import { type Merged, merge as mergeIn } from '../../../desk/src/form/merge.ts';
import { FormStore, placeOf } from '../../../desk/src/form/store.ts';
import {
  finishedValues,
  type Item,
  isItem,
  keyOf,
  type Link,
  newItem,
  newValues,
  readValues,
  same,
  sameValues,
  unfinished,
  unfinishedText,
  type Values,
  withoutIds,
  withStoredKeys,
} from '../../../desk/src/form/values.ts';
import { type Attribute, isToOne, kindOf, type Part } from '../../../desk/src/model/model.ts';
import { ARTICLE, componentOf, editAll, edits, link, MODEL, storedValues } from './model.ts';

interface Sides {
  readonly base: Values;
  readonly mine: Values;
  readonly theirs: Values;
}

const merge = (sides: Sides): Merged => mergeIn(sides, ARTICLE, MODEL);

const quote = (key: string, text: string, id: number | null = null): Item => ({
  ...newItem('part.quote', componentOf('part.quote')),
  key,
  id,
  values: { text, source: [], tags: [] },
});

const created = (values: Values): object =>
  bodyOf(ARTICLE, { base: {}, values }, { model: MODEL, isNew: true });
const changed = (base: Values, values: Values): Record<string, unknown> =>
  bodyOf(ARTICLE, { base, values }, { model: MODEL, isNew: false });

describe('same()', () => {
  const item = quote('i1', 'text', 1);
  it.each<[string, unknown, unknown]>([
    ['no value and an empty text', null, ''],
    ['no value and an unknown one', null, undefined],
    ['links with other titles', [link('a')], [{ ...link('a'), title: 'renamed' }]],
    ['an item before and after it is stored', item, { ...item, id: null }],
    ['JSON with another order of keys', { a: 1, b: [2] }, { b: [2], a: 1 }],
  ])('accepts %s', (_, one, other) => {
    expect(same(one, other)).toBe(true);
    expect(same(other, one)).toBe(true);
  });

  it.each<[string, unknown, unknown]>([
    ['links of another order', [link('a'), link('b')], [link('b'), link('a')]],
    ['links to other types', [link('a')], [link('a', 'author')]],
    ['items with other values', item, quote('i1', 'other', 1)],
    ['0 and no value', 0, null],
    ['false and no value', false, null],
    ['an empty list and no value', [], null],
    ['JSON with an empty text and with null', { a: '' }, { a: null }],
    ['JSON with null and without the key', { a: null }, {}],
    ['JSON with a list and an object', [], {}],
    ['JSON that resembles links', [{ documentId: 'a', n: 1 }], [{ documentId: 'a', n: 2 }]],
    [
      'JSON with the members of links',
      { documentId: 'a', type: 'tag', title: 'one' },
      { documentId: 'a', type: 'tag', title: 'two' },
    ],
    [
      'lists with the members of links',
      [{ documentId: 'a', type: 'tag', title: 'one' }],
      [{ documentId: 'a', type: 'tag', title: 'two' }],
    ],
    [
      'JSON with the members of items',
      { key: 'a', id: 1, component: 'b', values: { c: '' } },
      { key: 'a', id: 1, component: 'b', values: { c: null } },
    ],
    ['JSON that resembles items', { key: 'a', component: 'b', n: 1 }, { key: 'a', component: 'b', n: 2 }],
  ])('distinguishes %s', (_, one, other) => {
    expect(same(one, other)).toBe(false);
    expect(same(other, one)).toBe(false);
  });
});

describe('merge()', () => {
  const empty = newValues(ARTICLE);
  const [one, two, three] = [quote('i1', 'one', 1), quote('i2', 'two', 2), quote('i3', 'three', 3)];
  const sections = (...items: readonly Item[]): Values => ({ ...empty, sections: items });
  const tags = (...names: readonly string[]): Values => ({ ...empty, tags: names.map((name) => link(name)) });
  const author = (name: string): Values => ({ ...empty, author: [link(name, 'author')] });
  const title = (text: string): Values => ({ ...empty, title: text });

  it.each<[string, Values, Values, Values, Values]>([
    [
      'values of different attributes',
      empty,
      title('x'),
      { ...empty, lead: 'y' },
      { ...title('x'), lead: 'y' },
    ],
    ['links added by both', tags('a'), tags('a', 'b'), tags('a', 'c'), tags('a', 'b', 'c')],
    ['a link added and another removed', tags('a', 'b'), tags('b'), tags('a', 'b', 'c'), tags('b', 'c')],
    ['an order and an addition', tags('a', 'b'), tags('b', 'a'), tags('a', 'b', 'c'), tags('b', 'c', 'a')],
    [
      'items added by both',
      sections(one),
      sections(one, two),
      sections(three, one),
      sections(three, one, two),
    ],
    [
      'two attributes of one item',
      sections(one),
      sections(quote('i1', 'mine', 1)),
      sections({ ...one, values: { ...one.values, source: [link('x', 'author')] } }),
      sections({ ...one, values: { ...one.values, text: 'mine', source: [link('x', 'author')] } }),
    ],
  ])('merges %s', (_, base, mine, theirs, expected) => {
    const { values, conflicts } = merge({ base, mine, theirs });
    expect(conflicts).toEqual([]);
    expect(values).toEqual(expected);
  });

  it.each<[string, Values, Values, Values, string]>([
    ['one text changed by both', empty, title('x'), title('y'), 'title'],
    ['one link replaced by both', author('a'), author('b'), author('c'), 'author'],
    ['one link set by both', empty, author('b'), author('c'), 'author'],
    ['one link removed and replaced', author('a'), empty, author('c'), 'author'],
    ['an order by both', tags('a', 'b', 'c'), tags('b', 'a', 'c'), tags('a', 'c', 'b'), 'tags'],
    ['an item removed and changed', sections(one), sections(), sections(quote('i1', 'x', 1)), 'sections'],
    [
      'one text of an item changed by both',
      sections(one),
      sections(quote('i1', 'x', 1)),
      sections(quote('i1', 'y', 1)),
      'sections/#i1/text',
    ],
    [
      'one link of an item replaced by both',
      sections(one),
      sections({ ...one, values: { ...one.values, source: [link('x', 'author')] } }),
      sections({ ...one, values: { ...one.values, source: [link('y', 'author')] } }),
      'sections/#i1/source',
    ],
  ])('reports %s', (_, base, mine, theirs, path) => {
    const { values, conflicts } = merge({ base, mine, theirs });
    expect(conflicts.map((conflict) => conflict.path)).toEqual([path]);
    expect(sameValues(values, mine)).toBe(true);
  });

  it('keeps the ids of items that were stored while the editor changed them', () => {
    const table = (caption: string, id: number | null): Item => {
      const made = newItem('part.table', componentOf('part.table'));
      const row = {
        ...newItem('part.row', componentOf('part.row')),
        key: 'r',
        id: id === null ? null : id + 1,
      };
      return { ...made, key: 'n1', id, values: { caption, rows: [row] } };
    };
    const { values, conflicts } = merge({
      base: sections(table('sent', null)),
      mine: sections(table('typed since', null)),
      theirs: sections(table('sent', 7)),
    });
    expect(conflicts).toEqual([]);
    expect(values).toEqual(sections({ ...table('typed since', 7) }));
  });

  const triples = fc.tuple(edits, edits, edits).map(([stored, ours, others]) => {
    const [, base] = storedValues(stored, created);
    return { base, mine: editAll(base, ours), theirs: editAll(base, others) };
  });
  const sample = { numRuns: 1500 };

  it('takes the changes of the only side that has any', () =>
    fc.assert(
      fc.property(triples, ({ base, mine, theirs }) => {
        const [ours, others, both] = [
          merge({ base, mine, theirs: base }),
          merge({ base, mine: base, theirs }),
          merge({ base, mine, theirs: mine }),
        ];
        expect([ours, others, both].flatMap(({ conflicts }) => conflicts)).toEqual([]);
        expect(sameValues(ours.values, mine) && sameValues(both.values, mine)).toBe(true);
        expect(others.values).toEqual(theirs);
      }),
      sample,
    ));

  it('loses no change of either side without a conflict', () =>
    fc.assert(
      fc.property(triples, (sides) => {
        const merged = merge(sides);
        const paths = new Set(merged.conflicts.map(({ path }) => path));
        expect(paths.size).toBe(merged.conflicts.length);
        expect(lost({ ...sides, result: merged.values }, ARTICLE, { at: '', paths })).toEqual([]);
      }),
      sample,
    ));

  it('finds the same conflicts for both sides', () =>
    fc.assert(
      fc.property(triples, ({ base, mine, theirs }) => {
        const paths = (sides: Sides): string[] => merge(sides).conflicts.map(({ path }) => path);
        expect(paths({ base, mine: theirs, theirs: mine }).sort()).toEqual(
          paths({ base, mine, theirs }).sort(),
        );
      }),
      sample,
    ));
});

interface Checked extends Sides {
  readonly result: Values;
}

interface Found {
  readonly at: string;
  readonly paths: ReadonlySet<string>;
}

/** Returns the places whose result lacks a change. It shares no code with the merge. */
function lost(all: Checked, { attributes }: Part, { at, paths }: Found): string[] {
  return attributes.flatMap((one) => {
    const path = `${at}${one.name}`;
    const [base, mine, theirs, result] = [all.base, all.mine, all.theirs, all.result].map(
      (values) => values[one.name],
    );
    if (paths.has(path)) return same(result, mine) ? [] : [`${path}: not the value of the form`];
    if (same(mine, base)) return same(result, theirs) ? [] : [`${path}: not theirs`];
    if (same(theirs, base)) return same(result, mine) ? [] : [`${path}: not mine`];
    if (same(mine, theirs)) return same(result, mine) ? [] : [`${path}: not the value of both`];
    return lostInside([base, mine, theirs, result], one, { at: path, paths });
  });
}

type Lists = [base: unknown, mine: unknown, theirs: unknown, result: unknown];

function lostInside(lists: Lists, one: Attribute, { at, paths }: Found): string[] {
  const kind = kindOf(one);
  if (kind === 'value' || (kind === 'links' && isToOne(one))) return [`${at}: both changed it`];
  const entries = lists.map((list) => [list ?? []].flat() as (Item | Link)[]);
  const [base, mine, theirs, result] = entries.map((list) => list.map(keyOf)) as [
    string[],
    string[],
    string[],
    string[],
  ];
  const added = [...mine, ...theirs].filter((key) => !base.includes(key));
  const removed = base.filter((key) => !mine.includes(key) || !theirs.includes(key));
  if (kind === 'item' && added.length + removed.length > 0) return [`${at}: both replaced it`];
  return [
    ...added.filter((key) => !result.includes(key)).map((key) => `${at}: added ${key}`),
    ...removed.filter((key) => result.includes(key)).map((key) => `${at}: removed ${key}`),
    ...(new Set(result).size === result.length ? [] : [`${at}: an entry twice`]),
    ...result.flatMap((key) => {
      const [was, ours, other, now] = entries.map((list) => list.find((entry) => keyOf(entry) === key));
      if (!isItem(was) || !isItem(ours) || !isItem(other) || !isItem(now)) return [];
      if (now.id !== other.id) return [`${at}: ${key} has another id`];
      const inner = { base: was.values, mine: ours.values, theirs: other.values, result: now.values };
      const place = kind === 'item' ? `${at}/` : `${at}/#${key}/`;
      return lost(inner, componentOf(now.component), { at: place, paths });
    }),
  ];
}

describe('bodyOf()', () => {
  const empty = newValues(ARTICLE);
  const seo = newItem('part.seo', componentOf('part.seo'));
  const base: Values = {
    ...empty,
    tags: ['a', 'b', 'c'].map((name) => link(name)),
    seo: { ...seo, key: 'i9', id: 9, values: { metaTitle: 'm', about: 'n' } },
    sections: [quote('i1', 'one', 1), quote('i2', 'two', 2)],
  };
  const tags = (...names: readonly string[]): Values => ({ ...base, tags: names.map((name) => link(name)) });

  it.each<[string, Values, object]>([
    ['nothing', base, {}],
    ['an emptied text', { ...base, title: '' }, {}],
    ['one value', { ...base, title: 'x' }, { title: 'x' }],
    ['a new link', tags('a', 'b', 'c', 'd'), { tags: { disconnect: [], connect: [{ documentId: 'd' }] } }],
    ['a removed link', tags('a', 'c'), { tags: { disconnect: [{ documentId: 'b' }], connect: [] } }],
    [
      'a moved link',
      tags('a', 'c', 'b'),
      {
        tags: {
          disconnect: [],
          connect: [
            { documentId: 'c', position: { after: 'a' } },
            { documentId: 'b', position: { after: 'c' } },
          ],
        },
      },
    ],
    [
      'one text of an item',
      { ...base, sections: [quote('i1', 'one', 1), quote('i2', 'new', 2)] },
      {
        sections: [
          { __component: 'part.quote', id: 1 },
          { __component: 'part.quote', id: 2, text: 'new' },
        ],
      },
    ],
    [
      'another component in the place of the stored one',
      {
        ...base,
        seo: { ...seo, values: { metaTitle: 'x', about: null } },
      },
      { seo: { metaTitle: 'x' } },
    ],
  ])('sends %s', (_, values, expected) => expect(changed(base, values)).toEqual(expected));

  it('sends an emptied value of a new document, which the server would set to the default', () => {
    expect(created({ ...empty, kind: null })).toMatchObject({ kind: null });
    const row = newItem('part.row', componentOf('part.row'));
    const table = newItem('part.table', componentOf('part.table'));
    const rows = [{ ...row, values: { heading: null, colour: null } }];
    expect(created({ ...empty, sections: [{ ...table, values: { caption: null, rows } }] })).toMatchObject({
      sections: [{ rows: [{ colour: null }] }],
    });
  });

  it('stores what the form shows, in a new document and in a stored one', () =>
    fc.assert(
      fc.property(fc.tuple(edits, fc.array(edits, { minLength: 1, maxLength: 3 })), ([stored, saves]) => {
        const [server, first] = storedValues(stored, created);
        let values = first;
        for (const steps of saves) {
          const next = editAll(values, steps);
          server.write(changed(values, next));
          values = server.read(next);
          expect(sameValues(values, next)).toBe(true);
          expect(changed(values, next)).toEqual({});
        }
      }),
      { numRuns: 1500 },
    ));

  it('stores the whole form again as a new document', () =>
    fc.assert(
      fc.property(edits, (steps) => {
        const [, values] = storedValues(steps, created);
        const [again] = storedValues([], () => created(withoutIds(values)));
        expect(sameValues(withoutKeys(again.read(null)), withoutKeys(values))).toBe(true);
      }),
    ));
});

/** Values whose items have their places as keys. */
const withoutKeys = (values: Values): Values =>
  JSON.parse(JSON.stringify(withoutIds(values), (name, value: unknown) => (name === 'key' ? 'k' : value)));

describe('readValues()', () => {
  it('gives items of a page the same keys when they are read again, also after they have moved', () =>
    fc.assert(
      fc.property(edits, edits, (stored, steps) => {
        const [server, base] = storedValues(stored, created);
        server.write(changed(base, editAll(base, steps)));
        const read = server.read(base);
        expect(server.read(read)).toEqual(read);
        // Another page reads the same keys as one that knows the document since its first form.
        expect(withStoredKeys(server.read(editAll(base, steps)))).toEqual(server.read(null));
      }),
    ));
});

describe('items of different components with the same id', () => {
  const read = (text: string, caption: string, former: Values | null = null): Values =>
    readValues(
      {
        sections: [
          { __component: 'part.quote', id: 1, text },
          { __component: 'part.table', id: 1, caption },
        ],
      },
      ARTICLE,
      { model: MODEL, former },
    );
  const base = read('one', 'two');
  const keys = (values: Values): readonly string[] => (values['sections'] as readonly Item[]).map(keyOf);
  const set = (values: Values, place: string, value: string): Values => {
    const store = new FormStore(values);
    store.set(place, value);
    return store.values;
  };
  const [quoteKey = '', tableKey = ''] = keys(base);

  it('have different keys, which they keep when they are read again', () => {
    expect(quoteKey).not.toBe(tableKey);
    expect(keys(read('one', 'new', base))).toEqual([quoteKey, tableKey]);
    expect(keys(withStoredKeys(base))).toEqual([quoteKey, tableKey]);
  });

  it('are changed and sent each for itself', () => {
    const values = set(base, `sections/#${tableKey}/caption`, 'new');
    expect(values['sections']).toMatchObject([
      { values: { text: 'one' } },
      { component: 'part.table', values: { caption: 'new' } },
    ]);
    expect(changed(base, values)).toEqual({
      sections: [
        { __component: 'part.quote', id: 1 },
        { __component: 'part.table', id: 1, caption: 'new' },
      ],
    });
  });

  it('are merged each for itself', () => {
    const mine = set(base, `sections/#${tableKey}/caption`, 'mine');
    const { values, conflicts } = merge({ base, mine, theirs: read('theirs', 'two', base) });
    expect(conflicts).toEqual([]);
    expect(values['sections']).toMatchObject([
      { values: { text: 'theirs' } },
      { values: { caption: 'mine' } },
    ]);
  });
});

describe('placeOf()', () => {
  const values: Values = {
    ...newValues(ARTICLE),
    tags: [link('a')],
    extra: [{ a: 1 }],
    sections: [quote('i1', 'one', 1), quote('n2-x', 'two')],
    data: 'an attribute may have this name',
  };
  it.each<[(string | number)[], string]>([
    [[], ''],
    [['title'], 'title'],
    [['data'], 'data'],
    [['sections', 1, 'text'], 'sections/#n2-x/text'],
    [['sections', '0', 'source'], 'sections/#i1/source'],
    [['sections', 7, 'text'], 'sections'],
    [['tags', 0], 'tags'],
    [['tags', 'connect', 0, 'documentId'], 'tags'],
    [['extra', 0, 'a'], 'extra'],
  ])('finds the place of %j', (path, place) => expect(placeOf(values, path)).toBe(place));
});

describe('FormStore', () => {
  const base = { ...newValues(ARTICLE), extra: { a: null }, sections: [quote('i1', 'one', 1)] };

  it('tells listeners of the place, of places above it and below it, and no other', () => {
    const store = new FormStore(base);
    const told: string[] = [];
    for (const path of ['', 'title', 'sections', 'sections/#i1', 'sections/#i1/text', 'sections/#i1/source'])
      store.subscribe(path, () => told.push(path));
    store.set('sections/#i1/text', 'new');
    expect(told).toEqual(['', 'sections', 'sections/#i1', 'sections/#i1/text']);
    expect(store.get('sections/#i1/text')).toBe('new');
    expect(base.sections[0]?.values['text']).toBe('one');
  });

  it('is changed by an empty text inside of JSON, and not by one in place of no value', () => {
    const store = new FormStore(base);
    store.set('title', '');
    expect(store.isChanged).toBe(false);
    store.set('extra', { a: '' });
    expect(store.isChanged).toBe(true);
  });

  it('calls no listener when no problem was found', () => {
    const store = new FormStore(base);
    let told = 0;
    store.subscribe('', () => (told += 1));
    expect(store.addProblems([])).toBe(false);
    expect(told).toBe(0);
    expect(store.addProblems([['title', 'Too long']])).toBe(true);
    expect(told).toBe(1);
  });

  it('forgets the problems of an entry with the entry, and notes none of one that was removed before', () => {
    const store = new FormStore(base);
    const problem = ['sections/#i1/text', 'Required'] as const;
    store.addProblems([problem, ['title', 'Too long']]);
    store.set('sections', []);
    expect(store.problemPaths).toEqual(['title']);
    store.addProblems([problem]);
    expect(store.problemPaths).toEqual(['title']);
    store.rebase(base, base);
    store.addProblems([problem]);
    store.rebase(base, { ...base, sections: [] });
    expect(store.problemPaths).toEqual(['title']);
  });
});

describe('JSON that is not finished', () => {
  const base = { ...newValues(ARTICLE), extra: { a: 1 }, title: 'Old' };
  const half = unfinished('{ "a": ');

  it('is a change, and is not sent', () => {
    expect(unfinishedText(half)).toBe('{ "a": ');
    expect(unfinishedText({ a: 1 })).toBeNull();
    const values = { ...base, extra: half, title: 'New' };
    expect(sameValues(base, values)).toBe(false);
    const sent = finishedValues(values, base);
    expect(changed(base, sent)).toEqual({ title: 'New' });
    // After the save, the text is still in the form.
    const stored = { ...base, title: 'New' };
    expect(merge({ base: { ...base, title: 'New' }, mine: values, theirs: stored }).values['extra']).toBe(
      half,
    );
  });

  it('inside an item leaves the rest of the item', () => {
    const item = (values: Values): Values => ({ ...base, sections: [{ ...quote('i1', 'text', 1), values }] });
    const before = item({ text: 'old', note: { a: 1 } });
    expect(finishedValues(item({ text: 'new', note: half }), before)).toEqual(
      item({ text: 'new', note: { a: 1 } }),
    );
    expect(finishedValues(item({ note: half }), base)).toEqual(item({ note: null }));
  });
});
