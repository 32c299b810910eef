/**
 * Templates of query strings, as tables of examples: the values that become parameters, and the remaining
 * text.
 */
import { Permissions } from 'nestjs-content-api';
import { shapeOf, valueIn } from '../../src/content/query/text-shape.ts';
import { type RawQuery, readRaw } from '../../src/content/query/read-raw.ts';
import { ContentError } from '../../src/kernel/errors.ts';
import { buildSchema, KeptPlans, resolveSettings } from '../fuzz/internals.ts';

describe('the template of a query string', () => {
  it.each<[string, string, string[]]>([
    ['', '', []],
    ['sort=title&pagination[page]=2', 'sort=title&pagination[page]=2', []],
    ['filters[title]=a', 'filters[title]=?', ['a']],
    ['filters[title][$eq]=a&sort=id', 'filters[title][$eq]=?&sort=id', ['a']],
    ['filters%5Btitle%5D%5B%24eq%5d=a', 'filters%5Btitle%5D%5B%24eq%5d=?', ['a']],
    ['filters[id][$in][]=1&filters[id][$in][]=2', 'filters[id][$in][]=?&filters[id][$in][]=?', ['1', '2']],
    ['filters[title]=a=b%26c', 'filters[title]=?', ['a=b%26c']],
    ['filters[title]=?', 'filters[title]=?', ['?']],
    // No values, or values of other parameters.
    ['filters[title]=', 'filters[title]=', []],
    ['filters[title]', 'filters[title]', []],
    ['filters=a', 'filters=a', []],
    ['xfilters[title]=a', 'xfilters[title]=a', []],
    ['populate[author][filters][name]=a', 'populate[author][filters][name]=a', []],
    // Unusual spelling.
    ['filters[ti%74le]=a', 'filters[ti%74le]=a', []],
    ['filters[a[b]]=a', 'filters[a[b]]=a', []],
    ['filters[title]x=a', 'filters[title]x=a', []],
  ])('%s', (text, shape, values) => expect(shapeOf(text)).toEqual({ text: shape, values }));

  it.each<[string, string | null]>([
    ['a', 'a'],
    ['a+b', 'a b'],
    ['%41', 'A'],
    ['a%2Bb', 'a+b'],
    ['%26%3D%5B', '&=['],
    ['a=b', 'a=b'],
    ['a]=b', 'a]=b'],
    ['[]', '[]'],
    ['%F0%9F%99%82', '🙂'],
    // Invalid encoding, which qs handles in its own way.
    ['%E0%A4', null],
    ['%zz', null],
    ['%', null],
  ])('the value of %s is that of the query', (encoded, value) => {
    const { filters } = readRaw(`filters[title]=${encoded}`, resolveSettings({}).limits);
    expect(valueIn(encoded)).toBe(value);
    expect((filters as { readonly title: string }).title).toBe(value ?? encoded);
  });
});

const schema = buildSchema(
  [
    {
      kind: 'collectionType',
      singularApiId: 'note',
      pluralApiId: 'notes',
      attributes: {
        title: { type: 'string' },
        rank: { type: 'integer' },
        hot: { type: 'boolean' },
        day: { type: 'date' },
        extra: { type: 'json' },
        writer: { type: 'relation', relation: 'manyToOne', target: 'writer' },
        seo: { type: 'component', component: 'a.seo', index: true },
      },
    },
    {
      kind: 'collectionType',
      singularApiId: 'writer',
      pluralApiId: 'writers',
      attributes: { name: { type: 'string' } },
    },
  ],
  [{ uid: 'a.seo', attributes: { weight: { type: 'integer' }, text: { type: 'string' } } }],
);
const NOTES = { schema, permissions: Permissions.ALL, type: 'note' };

/** Plans the queries in turn and counts how often a plan was made. */
function asked(
  limits: object,
  ...queries: readonly (string | RawQuery)[]
): { readonly made: number; readonly got: unknown[] } {
  const plans = new KeptPlans(resolveSettings(limits));
  const got = queries.map((query): unknown => {
    try {
      return plans.statementOf(query, NOTES);
    } catch (error) {
      return (error as ContentError).message;
    }
  });
  return { made: plans.made, got };
}

const eachAnew = (...queries: readonly (string | RawQuery)[]): unknown[] =>
  asked({ maxCachedPlans: 0 }, ...queries).got;
const objectOf = (text: string): RawQuery => readRaw(text, resolveSettings({}).limits);

describe('plans that are cached by template', () => {
  it.each([
    ['filters[title]=a', 'filters[title]=b'],
    ['filters[title]=a', 'filters[title]=%26%3D'],
    ['filters[title][$containsi]=a', 'filters[title][$containsi]=50%25_'],
    ['filters[rank][$gt]=1', 'filters[rank][$gt]=2.0'],
    ['filters[hot]=true', 'filters[hot]=0'],
    ['filters[day][$lt]=2024-02-03', 'filters[day][$lt]=2025-01-01T10:00'],
    ['filters[extra][$jsonSupersetOf]={"a":1}', 'filters[extra][$jsonSupersetOf]=[]'],
    ['filters[id][$in][0]=1&filters[id][$in][1]=2', 'filters[id][$in][0]=3&filters[id][$in][1]=3'],
    [
      'filters[rank][$between][]=1&filters[rank][$between][]=2',
      'filters[rank][$between][]=3&filters[rank][$between][]=4',
    ],
    ['filters[title]=a&filters[title]=b', 'filters[title]=c&filters[title]=d'],
    ['filters[writer][documentId]=a', 'filters[writer][documentId]=b'],
    [
      'filters[$or][0][rank]=1&filters[$or][1][writer][name][$not]=x',
      'filters[$or][0][rank]=2&filters[$or][1][writer][name][$not]=y',
    ],
    ['filters[seo][weight]=1&filters[seo][text]=a', 'filters[seo][weight]=2&filters[seo][text]=b'],
    [
      'filters[seo][weight]=1&filters[rank]=2&filters[seo][text]=3',
      'filters[seo][weight]=4&filters[rank]=5&filters[seo][text]=6',
    ],
    ['filters[locale]=en&sort=title', 'filters[locale]=de&sort=title'],
  ])('%s shares its plan with %s', (one, other) => {
    const { made, got } = asked({}, one, other, one);
    expect(made).toBe(1);
    expect(got).toEqual(eachAnew(one, other, one));
    expect(got[0]).not.toEqual(got[1]);
    expect(asked({}, ...[one, other, one].map(objectOf))).toEqual({ made, got });
  });

  it.each([
    // Operators that change the statement.
    ['filters[title][$null]=true', 'filters[title][$null]=false'],
    ['filters[title][$notNull]=', 'filters[title][$notNull]=1'],
    ['filters[title][$eq]', 'filters[title][$eq]=null'],
    ['filters[hot]=', 'filters[hot]=true'],
    ['filters[id][$in][]=1', 'filters[id][$in][]=1&filters[id][$in][]=2'],
    ['_q=a&filters[title]=a', '_q=1&filters[title]=a'],
    ['pagination[start]=0&filters[title]=a', 'pagination[start]=1&filters[title]=a'],
    ['locale=en&filters[title]=a', 'locale=*&filters[title]=a'],
    // Invalid and valid values.
    ['filters[rank]=x', 'filters[rank]=1'],
    ['filters[rank]=1', 'filters[rank]=x'],
    ['filters[day][$lt]=2024-02-03', 'filters[day][$lt]=soon'],
    ['filters[title]=a', 'filters[title]=%00'],
    ['filters[title]=%zz', 'filters[title]=a'],
    ['filters[nope]=a', 'filters[nope]=b'],
    ['filters[rank]=x&sort=nope', 'filters[rank]=1&sort=nope'],
    ['filters[rank][$between][]=1', 'filters[rank][$between][]=x'],
    ['filters[title][$eq][x]=a', 'filters[title][$eq][x]=b'],
    ['filters[writer][$null]=true&filters[rank]=1', 'filters[writer][$null]=false&filters[rank]=1'],
  ])('%s and %s have separate plans', (one, other) => {
    for (const texts of [
      [one, other, one],
      [other, one, other],
    ]) {
      expect(asked({}, ...texts).got).toEqual(eachAnew(...texts));
      const objects = texts.map(objectOf);
      expect(asked({}, ...objects).got).toEqual(eachAnew(...objects));
    }
  });

  it('are not searched for query strings that are too long', () => {
    const texts = ['filters[title]=a', `filters[title]=${'a'.repeat(90)}`];
    const { got } = asked({ limits: { queryLength: 100 } }, ...texts);
    expect(got[1]).toMatch(/too long/);
  });
});

describe('plans of query objects', () => {
  const at = new Date(0);

  it.each<[string, RawQuery, RawQuery]>([
    ['numbers', { filters: { rank: 1 } }, { filters: { rank: 2 } }],
    ['a number and a text', { filters: { rank: 1 } }, { filters: { rank: '1' } }],
    ['null and a text', { filters: { title: null } }, { filters: { title: 'null' } }],
    ['an empty text', { filters: { title: '' } }, { filters: { title: 'a' } }],
    ['a date and a text', { filters: { day: at } }, { filters: { day: at.toISOString() } }],
    ['a text that looks like a placeholder', { filters: { title: '1' } }, { filters: { title: '%31' } }],
    ['half a surrogate pair', { filters: { title: '\ud800' } }, { filters: { title: '\ufffd' } }],
    ['an infinite number', { filters: { rank: Infinity } }, { filters: { rank: null } }],
    ['an undefined value', { filters: { title: undefined } }, { filters: {} }],
    ['a text and a query string', { sort: 'title' }, { sort: 'title:desc' }],
    ['a list', { filters: { rank: { $in: [1, 2] } } }, { filters: { rank: { $in: [1] } } }],
  ])('%s: each query has its own values', (_name, one, other) => {
    for (const queries of [
      [one, other, one],
      [other, one, other],
    ])
      expect(asked({}, ...queries).got).toEqual(eachAnew(...queries));
  });

  it('are shared by objects with other texts in their filters', () => {
    const of = (title: string): RawQuery => ({ filters: { $and: [{ title }, { rank: { $gt: 1 } }] } });
    const { made, got } = asked({}, of('a'), of('b & c'), of('a'));
    expect(made).toBe(1);
    expect(got).toEqual(eachAnew(of('a'), of('b & c'), of('a')));
  });

  it('are not plans of query strings with the text of an object', () => {
    const query = { filters: { title: 'a' } };
    const { made, got } = asked({}, query, JSON.stringify(query));
    expect([made, got]).toEqual([2, eachAnew(query, JSON.stringify(query))]);
  });

  it('contain no array that changes later', () => {
    const ranks = [1, 2];
    const plans = new KeptPlans(resolveSettings({}));
    const ask = (): unknown => plans.statementOf({ filters: { rank: { $in: ranks } } }, NOTES);
    const first = ask();
    ranks.push(3);
    expect(ask()).not.toEqual(first);
    ranks.pop();
    expect(ask()).toEqual(first);
  });
});
