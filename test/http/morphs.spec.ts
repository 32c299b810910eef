/** Polymorphic relations (D33): both sides, in every action, state and locale. */
import { ContentService, getContentToken } from 'nestjs-content-api';
import { morphs } from '../fixtures/morphs.ts';
import { adaptersFor } from '../support/adapters.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { badKey, badType, failure } from './helpers.ts';

interface Row {
  readonly id: number;
  readonly documentId: string;
  readonly updatedAt: string;
  readonly [key: string]: unknown;
}

const ARTICLE = 'api::article.article';
const TAG = 'api::tag.tag';
const VAULT = 'api::vault.vault';
const COMMENT = 'api::comment.comment';

describe.each(adaptersFor('fastify'))('polymorphic relations on %s', (adapter) => {
  let test: TestApp;

  const make = async (plural: string, data: object, query = ''): Promise<Row> =>
    (await test.http.post(`/api/${plural}?${query}`).send({ data }).expect(201)).body.data;
  const article = (title: string, query = ''): Promise<Row> => make('articles', { title, rank: 1 }, query);
  const tag = (name: string): Promise<Row> => make('tags', { name });
  const put = (plural: string, row: Row, data: object, query = '') =>
    test.http.put(`/api/${plural}/${row.documentId}?${query}`).send({ data });
  const change = async (plural: string, row: Row, data: object, query = ''): Promise<Row> =>
    (await put(plural, row, data, query).expect(200)).body.data;
  const get = async (plural: string, row: Row, query: string): Promise<any> =>
    (await test.http.get(`/api/${plural}/${row.documentId}?${query}`).expect(200)).body.data;
  const remove = (plural: string, row: Row, query = '') =>
    test.http.delete(`/api/${plural}/${row.documentId}?${query}`).expect(204);
  const service = (name: string) => test.app.get<ContentService<any>>(getContentToken(name));

  const isArticle = ({ documentId }: Row) => ({ __type: ARTICLE, documentId });
  const isTag = ({ documentId }: Row) => ({ __type: TAG, documentId });
  const nameOf = (row: any): string | null => (row === null ? null : String(row.title ?? row.name));
  const named = (value: any): string | null =>
    Array.isArray(value) ? value.map(nameOf).join('') : nameOf(value);
  /** Returns the names of the items of an attribute. */
  const shows = async (plural: string, row: Row, key: string, query = ''): Promise<string | null> =>
    named((await get(plural, row, `populate=${key}&${query}`))[key]);

  const isModified = async ({ documentId }: Row): Promise<boolean> => {
    const query = `publicationFilter=modified&status=draft&filters[documentId]=${documentId}`;
    return (await test.http.get(`/api/reviews?${query}`).expect(200)).body.data.length === 1;
  };

  beforeAll(async () => {
    test = await createTestApp(morphs, adapter);
  });
  afterAll(() => test.close());

  describe('the owning side', () => {
    let A: Row, B: Row, T: Row, U: Row;
    let row: Row;
    beforeAll(async () => {
      [A, B, T, U] = [await article('a'), await article('b'), await tag('t'), await tag('u')];
    });
    beforeEach(async () => {
      row = await make('comments', { subject: isTag(T), about: [isArticle(A), isTag(T)] });
    });

    it('D33, 4.34 items carry __type, in the stored order; 1.20 absent unless populated', async () => {
      expect(row).not.toHaveProperty('subject');
      const { subject, about } = await get('comments', row, 'populate=*');
      expect(subject).toMatchObject({ id: T.id, documentId: T.documentId, name: 't', __type: TAG });
      expect(about).toMatchObject([
        { title: 'a', __type: ARTICLE },
        { name: 't', __type: TAG },
      ]);
      expect(await get('comments', await make('comments', {}), 'populate=*')).toMatchObject({
        subject: null,
        about: [],
        replies: [],
      });
    });

    it('4.20, 4.21, D33 by `on`, counted, and in lists', async () => {
      const on = `populate[about][on][${ARTICLE}]`;
      expect((await get('comments', row, `${on}[fields]=title`)).about).toEqual([
        { id: A.id, documentId: A.documentId, title: 'a', __type: ARTICLE },
      ]);
      expect((await get('comments', row, `${on}[filters][title]=z`)).about).toEqual([]);
      expect((await get('comments', row, `${on}[populate]=comments`)).about[0].comments).toEqual([]);
      expect((await get('comments', row, 'populate[about][count]=true')).about).toEqual({ count: 2 });
      expect((await get('comments', row, 'populate[subject][count]=true')).subject).toEqual({ count: 1 });
      const list = `/api/comments?populate=subject&filters[documentId]=${row.documentId}`;
      expect((await test.http.get(list).expect(200)).body.data[0].subject.name).toBe('t');
    });

    it('4.15, 4.25 rejects conditions, fields and orders with a count', async () => {
      for (const option of ['[filters][title]=a', '[filters][absent]=a', '[fields]=title', '[sort]=title'])
        for (const rest of ['[count]=true', '[populate]=*']) {
          const query = `populate[about]${rest}&populate[about]${option}`;
          const { error } = (await test.http.get(`/api/comments?${query}`).expect(400)).body;
          expect(error.details).toMatchObject({ key: 'about', path: 'about', param: 'populate' });
        }
    });

    it('5.7, 7.5 rejects filters and sorts by either side', async () => {
      for (const [plural, query, key] of [
        ['comments', 'filters[subject][documentId]=x', 'subject'],
        ['comments', 'filters[$or][0][about][$null]=true', 'about'],
        ['comments', 'sort=subject.name', 'subject.name'],
        ['comments', 'sort=about', 'about'],
        ['comments', 'filters[subject][name]=t', 'subject'],
        ['articles', 'filters[comments][name]=t', 'comments'],
        ['articles', 'filters[pinnedBy][$null]=true', 'pinnedBy'],
        ['articles', 'sort=pinnedBy.name', 'pinnedBy'],
        ['articles', 'filters[tags][comments][name]=t', 'tags.comments'],
      ]) {
        const { error } = (await test.http.get(`/api/${plural}?${query}`).expect(400)).body;
        expect(error.message).toMatch(/^Invalid key /);
        expect(error.details.path ?? '').toContain(String(key).split('.')[0]);
      }
      const nested = `populate[comments][populate][subject][on][${TAG}][filters][comments][name]=x`;
      await test.http.get(`/api/articles?${nested}`).expect(400);
    });

    it.each<[string, () => unknown, string | null]>([
      ['11.1 an item', () => isArticle(B), 'b'],
      ['11.1 a row id', () => ({ __type: TAG, id: U.id }), 'u'],
      ['11.1 a list: the last', () => [isTag(U), isArticle(B)], 'b'],
      ['11.1 null', () => null, null],
      ['11.3 connect', () => ({ connect: [isArticle(B)] }), 'b'],
      ['11.3 set', () => ({ set: [isArticle(B)] }), 'b'],
      ['11.3 disconnect', () => ({ disconnect: [isTag(T)] }), null],
      ['11.8 disconnect another', () => ({ disconnect: [isArticle(A)] }), 't'],
      ['11.9 nothing', () => ({}), 't'],
    ])('to one: %s', async (_what, value, expected) => {
      await change('comments', row, { subject: value() });
      expect(await shows('comments', row, 'subject')).toBe(expected);
    });

    it.each<[string, () => unknown, string]>([
      ['11.2 a list', () => [isTag(U), isArticle(B)], 'ub'],
      ['11.2 nothing', () => [], ''],
      ['11.3 set', () => ({ set: [isArticle(B), isTag(T)] }), 'bt'],
      ['11.5 connect', () => ({ connect: [isTag(U), isArticle(B)] }), 'atub'],
      ['11.6 connect what is linked', () => ({ connect: [isArticle(A)] }), 'ta'],
      ['11.5 disconnect', () => ({ disconnect: [isArticle(A)] }), 't'],
      ['11.7 both', () => ({ connect: [isTag(T)], disconnect: [isTag(T), isArticle(A)] }), 't'],
      ['11.11 start', () => ({ connect: [{ ...isTag(U), position: { start: true } }] }), 'uat'],
      [
        '11.11 before an item of its type',
        () => ({ connect: [{ ...isTag(U), position: { before: T.documentId } }] }),
        'aut',
      ],
      [
        '11.11 after an item of another type',
        () => ({ connect: [{ ...isTag(U), position: { after: A.documentId, __type: ARTICLE } }] }),
        'aut',
      ],
    ])('to many: %s', async (_what, value, expected) => {
      await change('comments', row, { about: value() });
      expect(await shows('comments', row, 'about')).toBe(expected);
    });

    it('11.17 returns 400 for an anchor that is not linked, or appends without strict', async () => {
      const connect = [{ ...isTag(U), position: { before: B.documentId, __type: ARTICLE } }];
      await put('comments', row, { about: { connect } }).expect(400);
      await change('comments', row, { about: { connect, options: { strict: false } } });
      expect(await shows('comments', row, 'about')).toBe('atu');
      const { body } = await put('comments', row, { about: { connect, options: { strict: 1 } } }).expect(400);
      expect(body).toEqual(badKey('options', 'about', 'about'));
      for (const options of [{ strict: false, unknown: 1 }, { stric: false }, [], 'strict', null])
        for (const value of [
          { connect, options },
          { set: [], options },
        ])
          expect((await put('comments', row, { about: value }).expect(400)).body).toEqual(
            badKey('options', 'about', 'about'),
          );
    });

    it.each([
      ['an unknown key', { middle: true }],
      ['a text', 'end'],
      ['a flag that is a text', { start: 'true' }],
      ['two places', { start: true, end: true }],
      ['two anchors', { before: 'a', after: 'b' }],
    ])('11.11 returns 400 for a position with %s', async (_what, position) => {
      const connect = [{ ...isTag(U), position }];
      expect((await put('comments', row, { about: { connect } }).expect(400)).body).toEqual(
        badKey('position', 'about', 'about'),
      );
    });

    it('11.30, 11.28 returns 400 for a missing type or a type that is not a target', async () => {
      for (const [subject, response] of [
        [T.documentId, badKey('subject', '', 'subject')],
        [[T.id], badKey('subject', '', 'subject')],
        [{ documentId: T.documentId }, badKey('subject', '', 'subject')],
        [{ __type: 'api::note.note', documentId: 'x' }, badType('subject', [ARTICLE, TAG, COMMENT])],
        [{ __type: 'tag', documentId: T.documentId }, badType('subject', [ARTICLE, TAG, COMMENT])],
        [{ __type: VAULT, documentId: 'x' }, badKey('subject', '', 'subject')],
        [
          isArticle(T),
          failure(400, 'ValidationError', `Document with id "${T.documentId}", locale "en" not found`, {
            key: 'subject',
            path: 'subject',
            source: 'body',
          }),
        ],
      ])
        expect((await put('comments', row, { subject }).expect(400)).body).toEqual(response);
      expect(await shows('comments', row, 'subject')).toBe('t');
    });

    it('11.27, 1.25 keeps an omitted relation, and accepts its own response as input', async () => {
      await change('comments', row, { name: 'x' });
      const shown = await get('comments', row, 'populate=*');
      expect([named(shown.subject), named(shown.about)]).toEqual(['t', 'at']);
      const { subject, about } = shown;
      await change('comments', row, { subject, about });
      expect(await get('comments', row, 'populate=*')).toMatchObject({ subject, about });
    });

    it('11.25 deleting a target of any type removes its links; 11.26 deleting the owner keeps the targets', async () => {
      const [x, y] = [await article('x'), await tag('y')];
      const own = await make('comments', {
        subject: isTag(y),
        about: [isTag(y), isArticle(A), isArticle(x)],
      });
      await remove('tags', y);
      await remove('articles', x);
      const { subject, about } = await get('comments', own, 'populate=*');
      expect([subject, named(about)]).toEqual([null, 'a']);
      const links = 'select count(*)::int as n from comments_about_links where target_document_id = any($1)';
      expect(await test.sql(links, [[x.documentId, y.documentId]])).toEqual([{ n: 0 }]);
      await remove('comments', own);
      await get('articles', A, '');
      const left = 'select count(*)::int as n from comments_about_links where owner_document_id = $1';
      expect(await test.sql(left, [own.documentId])).toEqual([{ n: 0 }]);
    });

    it('11.31 a document may link itself', async () => {
      const own = await make('comments', { name: 'self' });
      await change('comments', own, { subject: { __type: COMMENT, documentId: own.documentId } });
      expect([await shows('comments', own, 'subject'), await shows('comments', own, 'replies')]).toEqual([
        'self',
        'self',
      ]);
    });

    it('11.32 hundreds of links in one write, of several types', async () => {
      const ids = await test.sql(
        `insert into tags (document_id, locale, published, created_at, updated_at, published_at, name)
         select 'many' || n, 'en', true, now(), now(), now(), n from generate_series(1, 500) n returning document_id as id`,
      );
      const about = [
        isArticle(A),
        ...ids.map(({ id }) => ({ __type: TAG, documentId: String(id) })),
        isArticle(B),
      ];
      const own = await make('comments', { about });
      expect(
        (await get('comments', own, 'populate=about')).about.map((item: Row) => item.documentId),
      ).toEqual(about.map(({ documentId }) => documentId));
      await change('comments', own, { about: about.toReversed() });
      expect((await get('comments', own, 'populate[about][count]=true')).about).toEqual({ count: 502 });
      expect((await get('comments', own, 'populate=about')).about[0].title).toBe('b');
    });
  });

  describe('the inverse side', () => {
    it('11.24 returns the links of the owning side and vice versa; D24 each side has its own order', async () => {
      const [A, T] = [await article('a'), await tag('t')];
      const own: Row[] = [];
      for (const name of ['1', '2', '3']) own.push(await make('comments', { name, subject: isArticle(A) }));
      const [one, two, three] = own as [Row, Row, Row];
      expect(await shows('articles', A, 'comments')).toBe('123');
      await change('articles', A, { comments: [three.documentId, one.documentId] });
      expect(await shows('articles', A, 'comments')).toBe('31');
      expect(await shows('comments', two, 'subject')).toBeNull();
      await change('tags', T, { comments: { connect: [one.documentId, two.documentId] } });
      expect([await shows('articles', A, 'comments'), await shows('tags', T, 'comments')]).toEqual([
        '3',
        '12',
      ]);
      expect(await shows('comments', one, 'subject')).toBe('t');
      await change('comments', three, { subject: isTag(T) });
      expect([await shows('articles', A, 'comments'), await shows('tags', T, 'comments')]).toEqual([
        '',
        '123',
      ]);
      await change('tags', T, {
        comments: { connect: [{ documentId: three.documentId, position: { start: true } }] },
      });
      expect(await shows('tags', T, 'comments')).toBe('312');
      await change('tags', T, { comments: { disconnect: [one.documentId] } });
      expect([await shows('tags', T, 'comments'), await shows('comments', one, 'subject')]).toEqual([
        '32',
        null,
      ]);
    });

    it('11.24 of a to-many owner: a link from the inverse side comes last on the owning side', async () => {
      const [A, T] = [await article('a'), await tag('t')];
      const one = await make('comments', { name: '1', about: [isTag(T)] });
      const two = await make('comments', { name: '2', about: [isTag(T)] });
      await change('articles', A, { mentions: [two.documentId, one.documentId] });
      expect([await shows('comments', one, 'about'), await shows('comments', two, 'about')]).toEqual([
        'ta',
        'ta',
      ]);
      expect(await shows('articles', A, 'mentions')).toBe('21');
      await change('comments', one, { about: [isArticle(A), isTag(T)] });
      expect([await shows('articles', A, 'mentions'), await shows('comments', one, 'about')]).toEqual([
        '21',
        'at',
      ]);
      await change('articles', A, { mentions: [] });
      expect([await shows('comments', one, 'about'), await shows('comments', two, 'about')]).toEqual([
        't',
        't',
      ]);
    });

    it('4.13, 4.12 accepts filters, sorts and fields in its populate, and counts', async () => {
      const A = await article('a');
      for (const name of ['1', '2', '3']) await make('comments', { name, subject: isArticle(A) });
      const at = (rest: string) => get('articles', A, `populate[comments]${rest}`);
      expect(named((await at('[sort]=name:desc')).comments)).toBe('321');
      expect(named((await at('[filters][name][$gt]=1')).comments)).toBe('23');
      expect((await at('[count]=true')).comments).toEqual({ count: 3 });
      expect((await at('[populate]=subject')).comments[0].subject).toMatchObject({
        title: 'a',
        __type: ARTICLE,
      });
      await test.http.get(`/api/articles?populate[comments][on][${TAG}]=true`).expect(400); // 4.23
    });

    it('11.30 its items have one type and need no __type', async () => {
      const A = await article('a');
      const one = await make('comments', { name: '1' });
      await change('articles', A, { comments: [one.id] });
      expect(await shows('articles', A, 'comments')).toBe('1');
      await change('articles', A, { comments: [{ __type: COMMENT, documentId: one.documentId }] });
      expect(await shows('articles', A, 'comments')).toBe('1');
    });

    it('11.22, D23 a type with morphOne has at most one owner, from either side; others have any number', async () => {
      const [A, T] = [await article('a'), await tag('t')];
      const one = await make('reviews', { name: '1', pin: isArticle(A) });
      const two = await make('reviews', { name: '2', pin: isArticle(A) });
      expect(await shows('articles', A, 'pinnedBy')).toBe('2');
      expect([await shows('reviews', one, 'pin'), await shows('reviews', two, 'pin')]).toEqual([null, 'a']);
      await change('articles', A, { pinnedBy: one.documentId });
      expect([await shows('reviews', one, 'pin'), await shows('reviews', two, 'pin')]).toEqual(['a', null]);
      for (const row of [one, two]) await change('reviews', row, { pin: isTag(T) });
      expect([await shows('tags', T, 'pins'), await shows('articles', A, 'pinnedBy')]).toEqual(['12', null]);
    });

    it('11.23, D21, D23 a target taken from a list keeps the others there, and needs no publish', async () => {
      const [A, B, T] = [await article('a'), await article('b'), await tag('t')];
      const one = await make('reviews', { name: '1', tops: [isTag(T), isArticle(A), isArticle(B)] });
      const two = await make('reviews', { name: '2', tops: [isArticle(B)] });
      await change('articles', A, { topOf: two.documentId });
      expect([await shows('reviews', one, 'tops'), await shows('reviews', two, 'tops')]).toEqual(['t', 'ba']);
      expect([await shows('articles', A, 'topOf'), await shows('articles', B, 'topOf')]).toEqual(['2', '2']);
      expect((await get('reviews', one, '')).updatedAt > one.updatedAt).toBe(true);
      await remove('articles', B);
      expect(await shows('reviews', two, 'tops')).toBe('a');
      for (const row of [one, two]) expect(await isModified(row)).toBe(false);
      await change('reviews', one, { tops: [isArticle(A), isTag(T)] }, 'status=draft');
      expect(await isModified(one)).toBe(true);
      expect([
        await shows('reviews', one, 'tops'),
        await shows('reviews', two, 'tops', 'status=draft'),
      ]).toEqual(['t', '']);
      await change('reviews', one, {});
      expect([await shows('reviews', one, 'tops'), await shows('reviews', two, 'tops')]).toEqual(['at', '']);
      for (const row of [one, two]) expect(await isModified(row)).toBe(false);
    });

    it('4.27, 11.28 is absent and rejected if the caller cannot find the owners', async () => {
      const A = await article('a');
      await service('vault').create({ name: 'v', subject: isArticle(A) });
      expect(await get('articles', A, 'populate=*')).not.toHaveProperty('hidden');
      expect(await get('articles', A, 'populate[hidden][count]=true')).not.toHaveProperty('hidden');
      const { body } = await put('articles', A, { hidden: [] }).expect(400);
      expect(body).toEqual(badKey('hidden', '', 'hidden'));
    });
  });

  describe('without permission to find a target', () => {
    it('D16, D33 excludes it from items, counts and names, at every position of a list', async () => {
      const vault: Row = await service('vault').create({ name: 'v' });
      const hidden = { __type: VAULT, documentId: vault.documentId };
      const T = await tag('t');
      const row: Row = await service('comment').create({
        name: 'c',
        subject: hidden,
        about: [hidden, isTag(T)],
      });
      const { subject, about } = await get('comments', row, 'populate=*');
      expect([subject, named(about)]).toEqual([null, 't']);
      expect((await get('comments', row, 'populate[about][count]=1')).about).toEqual({ count: 1 });
      expect((await get('comments', row, 'populate[subject][count]=1')).subject).toEqual({ count: 0 });
      expect((await get('comments', row, `populate[about][on][${VAULT}]=true`)).about).toEqual([]);
      const anchored = { connect: [{ ...isTag(T), position: { before: vault.documentId, __type: VAULT } }] };
      expect((await put('comments', row, { about: anchored }).expect(400)).body).toEqual(
        badKey('about', '', 'about'),
      );
      const full = await service('comment').findOne(row.documentId, { populate: '*' });
      expect(named((full as Row)['about'])).toBe('vt');
    });

    it('11.30 keeps links to it, at their positions, in a list that replaces the others', async () => {
      const vault: Row = await service('vault').create({ name: 'v' });
      const hidden = { __type: VAULT, documentId: vault.documentId };
      const [T, U] = [await tag('t'), await tag('u')];
      const data = { name: 'c', subject: hidden, about: [isTag(T), hidden, isTag(U)] };
      const row: Row = await service('comment').create(data);
      const stored = async (): Promise<unknown[]> => {
        const { subject, about }: any = await service('comment').findOne(row.documentId, { populate: '*' });
        return [named(subject), named(about)];
      };
      const { subject, about } = await get('comments', row, 'populate=*');
      await change('comments', row, { subject, about });
      expect(await stored()).toEqual(['v', 'tvu']);
      await change('comments', row, { subject: null, about: [isTag(U)] });
      expect(await stored()).toEqual(['v', 'uv']);
      await change('comments', row, { subject: isTag(T), about: { set: [] } });
      expect(await stored()).toEqual(['t', 'v']);
    });
  });

  describe('states', () => {
    it('8.9, 8.5, 8.15, D13 drafts and published versions have separate lists', async () => {
      const [A, T] = [await article('a'), await tag('t')];
      const draft = await article('d', 'status=draft');
      const row = await make('reviews', {
        about: [isArticle(A), isArticle(draft)],
        subject: isArticle(draft),
      });
      expect([await shows('reviews', row, 'about'), await shows('reviews', row, 'subject')]).toEqual([
        'a',
        null,
      ]);
      expect(await shows('reviews', row, 'about', 'status=draft')).toBe('ad');
      await change('reviews', row, { about: [isTag(T)], subject: isTag(T) }, 'status=draft');
      expect([
        await shows('reviews', row, 'about'),
        await shows('reviews', row, 'about', 'status=draft'),
      ]).toEqual(['a', 't']);
      await change('reviews', row, {});
      expect([await shows('reviews', row, 'about'), await shows('reviews', row, 'subject')]).toEqual([
        't',
        't',
      ]);
      await change('reviews', row, { about: [isArticle(draft)] });
      expect(await shows('reviews', row, 'about')).toBe('');
      await change('articles', draft, {});
      expect(await shows('reviews', row, 'about')).toBe('d');
    });

    it('D22 both sides are equal after a service unpublishes, discards and publishes', async () => {
      const [A, B] = [await article('a'), await article('b')];
      const row = await make('reviews', { name: 'r', about: [isArticle(A)], subject: isArticle(A) });
      await change(
        'reviews',
        row,
        { about: [isArticle(B), isArticle(A)], subject: isArticle(B) },
        'status=draft',
      );
      expect([
        await shows('articles', B, 'reviews'),
        await shows('articles', B, 'reviews', 'status=draft'),
      ]).toEqual(['', 'r']);
      await service('review').discardDraft(row.documentId);
      expect([
        await shows('reviews', row, 'about', 'status=draft'),
        await shows('reviews', row, 'subject', 'status=draft'),
      ]).toEqual(['a', 'a']);
      expect(await shows('articles', B, 'reviews', 'status=draft')).toBe('');
      await service('review').unpublish(row.documentId);
      expect([
        await shows('articles', A, 'reviews'),
        await shows('articles', A, 'reviews', 'status=draft'),
      ]).toEqual(['', 'r']);
      await service('review').publish(row.documentId);
      expect(await shows('articles', A, 'reviews')).toBe('r');
    });

    it('D22 publishes links that the inverse side wrote in a draft', async () => {
      const A = await article('a');
      const [one, two] = [await make('reviews', { name: '1' }), await make('reviews', { name: '2' })];
      await change('articles', A, { reviews: [two.documentId, one.documentId] }, 'status=draft');
      expect([
        await shows('articles', A, 'reviews'),
        await shows('articles', A, 'reviews', 'status=draft'),
      ]).toEqual(['', '21']);
      expect([
        await shows('reviews', one, 'about'),
        await shows('reviews', one, 'about', 'status=draft'),
      ]).toEqual(['', 'a']);
      await change('articles', A, {});
      expect([await shows('articles', A, 'reviews'), await shows('reviews', one, 'about')]).toEqual([
        '21',
        'a',
      ]);
    });

    it('D23 publishing takes an exclusive target from the published version that has it', async () => {
      const A = await article('a');
      const one = await make('reviews', { name: '1', pin: isArticle(A) });
      const two = await make('reviews', { name: '2' });
      await change('reviews', two, { pin: isArticle(A) }, 'status=draft');
      expect([
        await shows('articles', A, 'pinnedBy'),
        await shows('articles', A, 'pinnedBy', 'status=draft'),
      ]).toEqual(['1', '2']);
      await change('reviews', two, {});
      expect([await shows('articles', A, 'pinnedBy'), await shows('reviews', one, 'pin')]).toEqual([
        '2',
        null,
      ]);
    });

    it('D21 a linked document does not change; the owner of the links changes from either side', async () => {
      const A = await article('a');
      const row = await make('reviews', { name: 'r' });
      await new Promise((resolve) => setTimeout(resolve, 5));
      await change('reviews', row, { about: [isArticle(A)] });
      expect((await get('articles', A, '')).updatedAt).toBe(A.updatedAt);
      const before = await get('reviews', row, '');
      await new Promise((resolve) => setTimeout(resolve, 5));
      await change('articles', A, { reviews: [] });
      expect((await get('reviews', row, '')).updatedAt > before.updatedAt).toBe(true);
    });

    it('8.18 a draft with other links is modified', async () => {
      const A = await article('a');
      const row = await make('reviews', { name: 'r', about: [isArticle(A)] });
      expect(await isModified(row)).toBe(false);
      await change('reviews', row, { about: [] }, 'status=draft');
      expect(await isModified(row)).toBe(true);
      await change('reviews', row, { about: [isArticle(A)] }, 'status=draft');
      expect(await isModified(row)).toBe(false);
    });
  });

  describe('locales', () => {
    it('D20 shared links are one list in all locales; localized ones are separate', async () => {
      const [A, T] = [await article('a'), await tag('t')];
      await change('articles', A, { title: 'A' }, 'locale=fr');
      const row = await make('reviews', {
        about: [isArticle(A)],
        subject: isTag(T),
        localAbout: [isArticle(A)],
        localSubject: isTag(T),
      });
      await change('reviews', row, { localAbout: [isTag(T), isArticle(A)] }, 'locale=fr');
      const of = async (locale: string) => {
        const shown = await get('reviews', row, `populate=*&locale=${locale}`);
        return ['about', 'subject', 'localAbout', 'localSubject'].map((key) => named(shown[key]));
      };
      expect([await of('en'), await of('fr')]).toEqual([
        ['a', 't', 'a', 't'],
        ['A', 't', 'tA', null],
      ]);
      await change('reviews', row, { about: [isTag(T), isArticle(A)], subject: isArticle(A) }, 'locale=fr');
      expect([await of('en'), await of('fr')]).toEqual([
        ['ta', 'a', 'a', 't'],
        ['tA', 'A', 'tA', null],
      ]);
      await remove('reviews', row, 'locale=fr');
      expect(await of('en')).toEqual(['ta', 'a', 'a', 't']);
    });

    it('D25 a link to or from a document without a version in the locale shows after that version exists', async () => {
      const A = await article('a');
      const row = await make('reviews', { name: 'r' });
      await change('articles', A, { title: 'A' }, 'locale=fr');
      await change('articles', A, { localReviews: [row.documentId] }, 'locale=fr');
      expect(await shows('articles', A, 'localReviews', 'locale=fr')).toBe('');
      await change('reviews', row, { name: 'R' }, 'locale=fr');
      expect([
        await shows('articles', A, 'localReviews', 'locale=fr'),
        await shows('articles', A, 'localReviews'),
        await shows('reviews', row, 'localAbout', 'locale=fr'),
        await shows('reviews', row, 'localAbout'),
      ]).toEqual(['R', '', 'A', '']);
    });

    it('9.4 with a fallback locale items have the best version that exists', async () => {
      const [A, B] = [await article('a'), await article('b')];
      await change('articles', B, { title: 'B' }, 'locale=fr');
      const row = await make('reviews', { about: [isArticle(A), isArticle(B)] });
      await change('reviews', row, { name: 'R' }, 'locale=fr');
      expect(await shows('reviews', row, 'about', 'locale=fr')).toBe('B');
      expect(await shows('reviews', row, 'about', 'locale=fr&fallbackLocale=en')).toBe('aB');
    });

    it('D23 a localized exclusive target is taken in its locale only', async () => {
      const A = await article('a');
      await change('articles', A, { title: 'A' }, 'locale=fr');
      const [one, two] = [
        await make('reviews', { name: '1', localSubject: isArticle(A) }),
        await make('reviews', { name: '2' }),
      ];
      await change('reviews', one, { localSubject: isArticle(A) }, 'locale=fr');
      await change('reviews', two, { localSubject: isArticle(A) }, 'locale=fr');
      const of = (row: Row, locale: string) => shows('reviews', row, 'localSubject', `locale=${locale}`);
      expect([await of(one, 'en'), await of(one, 'fr'), await of(two, 'fr')]).toEqual(['a', null, 'A']);
      expect([
        await shows('articles', A, 'localReview'),
        await shows('articles', A, 'localReview', 'locale=fr'),
      ]).toEqual(['1', '2']);
    });
  });
});

describe('polymorphic relations and permissions', () => {
  let test: TestApp;
  const send = (plural: string, row: Row, data: object, query = '') =>
    test.http.put(`/api/${plural}/${row.documentId}?${query}`).send({ data });
  const service = (name: string) => test.app.get<ContentService<any>>(getContentToken(name));
  let A: Row, B: Row, one: Row, review: Row;

  beforeAll(async () => {
    const read = ['find', 'findOne'] as const;
    const access = {
      public: {
        article: ['find', 'findOne', 'update', 'publish'],
        comment: read,
        review: ['find', 'findOne', { actions: ['update'], fields: ['name', 'about'] }],
        tag: '*',
      },
    } as const;
    test = await createTestApp({ ...morphs, access });
    [A, B] = [
      await service('article').create({ title: 'a' }),
      await service('article').create({ title: 'b' }),
    ];
    one = await service('comment').create({
      name: '1',
      subject: { __type: ARTICLE, documentId: A.documentId },
    });
    const about = [{ __type: ARTICLE, documentId: A.documentId }];
    review = await service('review').create({ name: 'r', about, pin: about });
  });
  afterAll(() => test.close());

  it('D26 writing the inverse side requires `update` on the owners, for the attribute that contains the links', async () => {
    for (const [key, value, type] of [
      ['comments', [], 'comment'],
      ['comments', { connect: [one.documentId] }, 'comment'],
      ['pinnedBy', null, 'review'],
    ] as const) {
      const { body } = await send('articles', A, { [key]: value }).expect(400);
      expect(body.error).toMatchObject({
        message: `Invalid key ${key}`,
        details: { grant: `${type}.update` },
      });
    }
    await send('articles', B, { reviews: { connect: [review.documentId] } }).expect(200);
    const shown = await test.http
      .get(`/api/reviews/${review.documentId}?populate=about&populate=pin`)
      .expect(200);
    expect(shown.body.data.about.map(({ title }: Row) => title)).toEqual(['a', 'b']);
  });

  it('D26 linking requires `find` on the target, and drafts of each type require `readDrafts` there', async () => {
    const draft: Row = await service('article').create({ title: 'd' }, { status: 'draft' });
    const item = { __type: ARTICLE, documentId: draft.documentId };
    const { body } = await send('reviews', review, { about: [item] }).expect(400);
    expect(body.error.message).toBe(`Document with id "${draft.documentId}", locale "en" not found`);
    await send('reviews', review, { about: [{ ...item, documentId: B.documentId }] }).expect(200);
    await send('reviews', review, { pin: null }).expect(400);
  });
});
