/** Query strings and their parsed form, as tables of examples (protocol sections 3 to 7). */
import { parseFields, parseSort } from '../../src/content/query/parse-fields.ts';
import { mentions, parseFilters } from '../../src/content/query/parse-filters.ts';
import { parsePopulate } from '../../src/content/query/parse-populate.ts';
import { parsePagination, parseQuery } from '../../src/content/query/parse-query.ts';
import type { Filter, Populate, SortKey } from '../../src/content/query/query.ts';
import { readRaw } from '../../src/content/query/read-raw.ts';
import { resolveSettings } from '../../src/kernel/settings.ts';

const settings = resolveSettings({ limits: { populateDepth: 3, populateEntries: 4, conditions: 4 } });
const raw = (query: string, name: string): unknown => readRaw(query, settings.limits)[name];
const source = { source: 'query', param: 'sort' } as const;
const refusal = (work: () => unknown): string => {
  try {
    return JSON.stringify(work());
  } catch (error) {
    return (error as Error).message;
  }
};

describe('fields', () => {
  it.each<[string, unknown]>([
    ['', null],
    ['fields=title', ['title']],
    ['fields=title, views', ['title', 'views']], // 3.2
    ['fields[0]=title&fields[1]=views', ['title', 'views']],
    ['fields[]=title', ['title']],
    ['fields=*', '*'], // 3.3
    ['fields[]', '*'],
    ['fields[0]=*&fields[1]=title', ['*', 'title']], // 3.4: the names are still checked
    ['fields=', ['']],
  ])('%s', (query, expected) => expect(parseFields(raw(query, 'fields'))).toEqual(expected));

  it.each(['fields[title]=1', 'fields[0][a]=1', 'fields[a][]=1'])('3.7 rejects %s', (query) =>
    expect(refusal(() => parseFields(raw(query, 'fields')))).toBe(
      'Invalid fields parameter. Expected a string or an array of strings',
    ),
  );
});

describe('sort', () => {
  const show = (keys: readonly SortKey[]): string =>
    keys.map(({ path, descending }) => `${descending ? '-' : ''}${path.join('.')}`).join(' ');

  it.each([
    ['sort=title', 'title'],
    ['sort=title:asc', 'title'],
    ['sort=title:DESC', '-title'], // 7.1
    ['sort=title:desc:asc', '-title'],
    ['sort=title, views:desc', 'title -views'], // 7.2
    ['sort[0]=views:desc&sort[1]=title', '-views title'],
    ['sort[views]=desc&sort[title]=asc', '-views title'],
    ['sort[0][views]=desc&sort[1][title]=asc', '-views title'],
    ['sort[author][name]=desc', '-author.name'], // 7.8
    ['sort=author.name:desc', '-author.name'],
    ['sort[author.name]=desc', '-author.name'],
    ['sort[views]=', 'views'],
    ['sort[views]', 'views'],
    ['sort=', ''], // 7.6
    ['sort', ''],
    ['sort[]', ''],
    ['sort=:desc', ''],
    ['sort=,', ''],
  ])('%s', (query, expected) => expect(show(parseSort(raw(query, 'sort'), source))).toBe(expected));

  it.each(['sort=title:up', 'sort=title:', 'sort[title]=up', 'sort[title][0]=asc'])(
    '7.3 rejects %s',
    (query) =>
      expect(refusal(() => parseSort(raw(query, 'sort'), source))).toBe(
        'Invalid order. order can only be one of asc|desc|ASC|DESC',
      ),
  );

  it('rejects nested lists', () =>
    expect(refusal(() => parseSort([['title']], source))).toMatch(/^Invalid sort parameter/));
});

describe('filters', () => {
  const parse = (value: unknown): Filter | null =>
    parseFilters(value, { source: { source: 'query', param: 'filters' }, budget: { left: 4, allowed: 4 } });
  const show = (filter: Filter | null): string => {
    if (filter === null) return 'none';
    if (filter.kind === 'group') return `${filter.op}(${filter.parts.map(show).join(' ')})`;
    if (filter.kind === 'not') return `$not(${show(filter.of)})`;
    if (filter.kind === 'member') return `${filter.key}.${show(filter.of)}`;
    return `${filter.op}=${JSON.stringify(filter.operand)}`;
  };

  it.each([
    ['', 'none'],
    ['filters[a]=1', 'a.$eq="1"'], // 5.1
    ['filters[a]=1&filters[a]=2', 'a.$in=["1","2"]'],
    ['filters[a][]=1&filters[a][]=2', 'a.$in=["1","2"]'],
    ['filters[a]', 'a.$null=true'], // 5.2
    ['filters[a]=', 'a.$eq=""'],
    ['filters[a]=1&filters[b]=2', '$and(a.$eq="1" b.$eq="2")'], // 5.3
    ['filters[a][$gt]=1&filters[a][$lt]=2', 'a.$and($gt="1" $lt="2")'],
    ['filters[$or][0][a]=1&filters[$or][1][b]=2', '$or(a.$eq="1" b.$eq="2")'], // 5.4
    ['filters[$or][0][0][a]=1&filters[$or][0][1][b]=2', '$or($and(a.$eq="1" b.$eq="2"))'],
    ['filters[$not][a]=1', '$not(a.$eq="1")'],
    ['filters[a][$not]=1', 'a.$not($eq="1")'], // 5.25
    ['filters[a][$not][$gt]=1', 'a.$not($gt="1")'],
    ['filters[a][b][$eq]=1', 'a.b.$eq="1"'], // 5.32
    ['filters[a][$in]=1,2', 'a.$in="1,2"'], // 5.17
    ['filters[a][$foo]=1', 'a.$foo.$eq="1"'], // 5.5: an attribute name that does not exist
    ['filters[$or][]', '$or()'],
  ])('%s', (query, expected) => {
    if (expected === '$or()') expect(refusal(() => parse(raw(query, 'filters')))).toMatch(/^Invalid \$or/);
    else expect(show(parse(raw(query, 'filters')))).toBe(expected);
  });

  // 5.11
  it.each([
    [{}, '$and()'],
    [{ a: {} }, 'a.$and()'],
    [{ $or: [{}] }, '$or($and())'],
    [{ $not: {} }, '$not($and())'],
  ])('no condition: %j', (value, expected) => expect(show(parse(value))).toBe(expected));

  it.each([
    ['filters=', 'The filters parameter must be an object or an array'], // 5.9
    ['filters=x', 'The filters parameter must be an object or an array'],
    ['filters[0]=x', 'Invalid key 0'],
    ['filters[$or]=x', 'Invalid key $or'], // 5.10
    ['filters[$or][a]=x', 'Invalid key $or'],
    ['filters[a][$and]=x', 'Invalid key $and at a'],
    ['filters[$not]=x', 'Invalid key $not'],
    ['filters[$and][0]=x', 'Invalid $and: expected a list of condition objects'],
    ['filters[a][0][b]=x', 'Invalid key 0 at a'],
    ['filters[a]=1&filters[b]=1&filters[c]=1&filters[d]=1&filters[e]=1', 'Too many conditions in the query'],
  ])('rejects %s', (query, message) =>
    expect(refusal(() => parse(raw(query, 'filters')))).toContain(message),
  );

  it.each([
    ['filters[publishedAt]=1', true],
    ['filters[$or][0][$not][publishedAt]=1', true],
    ['filters[author][publishedAt]=1', false],
    ['filters[a]=publishedAt', false],
    ['', false],
  ])('%s reports a key at the root: %s', (query, expected) =>
    expect(mentions(parse(raw(query, 'filters')), 'publishedAt')).toBe(expected),
  );
});

describe('populate', () => {
  const parse = (value: unknown): Populate =>
    parsePopulate(value, { limits: settings.limits, conditions: { left: 9, allowed: 9 }, depth: 1 });
  const show = (populate: Populate): string => {
    if (populate.kind !== 'items') return populate.kind;
    return populate.items
      .map(({ key, off, text, count, unknown, on, sort, filters, fields, populate: below }) =>
        [
          off ? `!${key}` : key,
          text === null ? '' : `=${text}`,
          count ? '#' : '',
          unknown.map((name) => `?${name}`).join(''),
          fields === null ? '' : `<${String(fields)}>`,
          filters === null ? '' : '~',
          sort.length === 0 ? '' : '^',
          below.kind === 'none' ? '' : `(${show(below)})`,
          on === null ? '' : `[${show({ kind: 'items', items: on })}]`,
        ].join(''),
      )
      .join(' ');
  };

  it.each([
    ['', 'none'],
    ['populate=', 'none'], // 4.5
    ['populate', 'none'],
    ['populate=*', 'all'], // 4.1
    ['populate=a', 'a'],
    ['populate=a, b', 'a b'], // 4.2
    ['populate[0]=a&populate[1]=b', 'a b'],
    ['populate[]=a', 'a'],
    ['populate[a]=true', 'a'], // 4.3
    ['populate[a]=*', 'a'],
    ['populate[a]', 'a'],
    ['populate[a]=F', '!a'],
    ['populate[a]=foo', 'a=foo'], // 4.4
    ['populate[0]=*', '*'], // 4.7: an attribute name that does not exist
    ['populate=a.b,a.c', 'a(b c)'], // 4.8
    ['populate[a][populate][b][populate]=*', 'a(b(all))'],
    ['populate=.a.', 'a'],
    ['populate[a][limit]=1&populate[a][page]=2', 'a?limit?page'], // 4.11
    ['populate[a][count]=t', 'a#'], // 4.12
    ['populate[a][fields]=x,y&populate[a][filters][x]=1&populate[a][sort]=x', 'a<x,y>~^'], // 4.13
    ['populate[a][sort]=', 'a'], // 4.16
    ['populate[z][on][c.one]=true&populate[z][on][c.two][populate]=*', 'z[c.one c.two(all)]'], // 4.20
    ['populate[z][on]=', 'z[]'], // 4.26
    ['populate[a][]=b', 'a?0'],
  ])('%s', (query, expected) => expect(show(parse(raw(query, 'populate')))).toBe(expected));

  it.each([
    ['populate[a][count]=maybe', 'Invalid key count at a'], // 4.12
    ['populate[z][on]=x', 'Invalid key on at z'], // 4.23
    ['populate[0][a]=b', 'Invalid populate parameter'],
    ['populate=a.b.c.d', 'limit "populateDepth": 3'], // 4.31
    ['populate[a][populate][b][populate][c][populate][d]=true', 'limit "populateDepth": 3'],
    ['populate=a,b,c,d,e', 'Too many populate entries (5)'], // 4.32
    ['populate[a][filters]=x', 'The filters parameter must be'],
  ])('rejects %s', (query, message) =>
    expect(refusal(() => parse(raw(query, 'populate')))).toContain(message),
  );
});

describe('pages', () => {
  const pages = (query: string): unknown => {
    const { kind, start, limit, page, withCount } = parsePagination(raw(query, 'pagination'), settings);
    return [kind, kind === 'page' ? page : start, limit, withCount];
  };

  it.each([
    ['', ['page', 1, 25, true]], // 7.13
    ['pagination[page]=3&pagination[pageSize]=10', ['page', 3, 10, true]], // 7.14
    ['pagination[start]=10&pagination[limit]=5', ['offset', 10, 5, true]], // 7.15
    ['pagination[withCount]=f', ['page', 1, 25, false]], // 7.18
    ['pagination[page]=0&pagination[pageSize]=-2', ['page', 1, 1, true]], // 7.19
    ['pagination[start]=-1&pagination[limit]=0', ['offset', 0, 1, true]],
    ['pagination[limit]=-1', ['offset', 0, 1, true]], // D31
    ['pagination[pageSize]=1000', ['page', 1, 100, true]], // 7.20
    ['pagination[page]=0x2', ['page', 2, 25, true]],
    ['pagination[page]=', ['page', 1, 25, true]],
    ['pagination[foo]=1', ['page', 1, 25, true]],
    ['pagination=1', ['page', 1, 25, true]],
  ])('%s', (query, expected) => expect(pages(query)).toEqual(expected));

  it.each([
    ['pagination[page]=1&pagination[limit]=5', 'Cannot use both page & offset pagination'], // 7.16
    ['pagination[page]=abc', 'Invalid pagination.page: expected an integer'], // 7.21
    ['pagination[limit]=1.5', 'Invalid pagination.limit: expected an integer'],
    ['pagination[start]=99999999999999999999', 'Invalid pagination.start: expected an integer'],
    ['pagination[page][0]=1', 'Invalid pagination.page: expected an integer'],
    ['pagination[withCount]=maybe', 'Invalid withCount parameter'],
  ])('rejects %s', (query, message) => expect(refusal(() => pages(query))).toContain(message));
});

describe('a whole query', () => {
  const parse = (query: string, more = {}) => {
    const own = resolveSettings(more);
    return parseQuery(readRaw(query, own.limits), own);
  };

  it.each([
    ['page=2', 'The page parameters are incorrect and must be in the pagination object'], // 7.17
    ['_q[a]=1', 'Invalid _q parameter. Expected a string'],
    ['publicationFilter=x', "Invalid value for 'publicationFilter'"], // 8.18
    ['hasPublishedVersion=x', "Invalid value for 'hasPublishedVersion'"],
    ['withState=x', "Invalid value for 'withState'"], // 8.34
  ])('rejects %s', (query, message) => expect(refusal(() => parse(query))).toContain(message));

  it.each([
    ['hasPublishedVersion=true', 'has-published-version-document'], // 8.19
    ['hasPublishedVersion=0', 'never-published-document'],
    ['publicationFilter=modified&hasPublishedVersion=true', 'modified'],
    ['', null],
  ])('%s selects %s', (query, expected) => expect(parse(query).publication).toBe(expected));

  it.each([
    ['_q=', null], // 6.5
    ['_q', null],
    ['_q=10', '10'],
  ])('%s searches for %j', (query, expected) => expect(parse(query).search).toBe(expected));

  it.each([
    ['nothing=1', 'Invalid key nothing'], // 5.42
    ['locale=not a code', 'Invalid locale parameter'], // 9.17
    ['locale[]=en&locale[]=x', 'Invalid locale parameter'],
    [`locale=en-${'a'.repeat(33)}`, 'Invalid locale parameter'],
  ])('rejects %s only with strictParams', (query, message) => {
    expect(refusal(() => parse(query, { strictParams: true }))).toContain(message);
    expect(refusal(() => parse(query))).not.toContain('Invalid');
  });

  it.each(['', 'locale=*', 'locale=fr', 'locale=zh-Hans-CN', 'sort=a&count=true'])(
    'accepts %s with strictParams',
    (query) => expect(() => parse(query, { strictParams: true })).not.toThrow(),
  );
});
