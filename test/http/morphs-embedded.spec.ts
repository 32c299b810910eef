/** Polymorphic relations inside components (D33): writes, responses and errors. */
import { ContentService, getContentToken } from 'nestjs-content-api';
import { morphs } from '../fixtures/morphs.ts';
import { adaptersFor } from '../support/adapters.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { badKey, badType, failure } from './helpers.ts';

interface Row {
  readonly id: number;
  readonly documentId: string;
  readonly [key: string]: unknown;
}

const ARTICLE = 'api::article.article';
const TAG = 'api::tag.tag';
const VAULT = 'api::vault.vault';
/** Types with routes that the public may read. */
const ROUTED = ['article', 'tag', 'comment', 'review', 'board', 'wall'].map((name) => `api::${name}.${name}`);

const badPopulate = (key: string, at: string) =>
  failure(400, 'ValidationError', `Invalid key ${key} at ${at}`, {
    key,
    path: at,
    source: 'query',
    param: 'populate',
  });

describe.each(adaptersFor('express'))('polymorphic relations inside components on %s', (adapter) => {
  let test: TestApp;
  let A: Row, B: Row, T: Row, U: Row, V: Row;

  const make = async (plural: string, data: object, query = ''): Promise<Row> =>
    (await test.http.post(`/api/${plural}?${query}`).send({ data }).expect(201)).body.data;
  const send = (row: Row, data: object, plural = 'boards') =>
    test.http.put(`/api/${plural}/${row.documentId}`).send({ data });
  const get = async (row: Row, query: string, plural = 'boards'): Promise<any> =>
    (await test.http.get(`/api/${plural}/${row.documentId}?${query}`).expect(200)).body.data;
  const refused = async (query: string): Promise<unknown> =>
    (await test.http.get(`/api/boards?${query}`).expect(400)).body;
  const article = ({ documentId }: Row) => ({ __type: ARTICLE, documentId });
  const tag = ({ documentId }: Row) => ({ __type: TAG, documentId });
  /** Returns the `slot` component of a board. */
  const shown = async (row: Row, query = 'populate[slot][populate]=*', plural = 'boards'): Promise<any> =>
    (await get(row, query, plural)).slot;
  const names = (list: Row[]): string => list.map(({ title, name }) => title ?? name).join('');

  beforeAll(async () => {
    test = await createTestApp(morphs, adapter);
    [A, B] = [
      await make('articles', { title: 'a', rank: 1 }),
      await make('articles', { title: 'b', rank: 2 }),
    ];
    [T, U] = [await make('tags', { name: 't', secret: 's' }), await make('tags', { name: 'u' })];
    const service = test.app.get<ContentService<Row>>(getContentToken('vault'));
    V = await service.create({ name: 'v' });
  });
  afterAll(() => test.close());

  describe('responses', () => {
    it('D33, 4.34 items carry __type beside their default fields, in their order', async () => {
      const row = await make('boards', {
        slot: { one: tag(T), many: [tag(U), article(A), tag(T), article(B)] },
      });
      const { one, many } = await shown(row);
      expect(one).toEqual({
        id: T.id,
        documentId: T.documentId,
        name: 't',
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
        publishedAt: expect.any(String),
        locale: 'en',
        __type: TAG,
      });
      expect(names(many)).toBe('uatb');
      expect(many.map((item: Row) => item['__type'])).toEqual([TAG, ARTICLE, TAG, ARTICLE]);
    });

    it('4.17 an empty relation is null or []', async () => {
      const row = await make('boards', { slot: { label: 'x' } });
      expect(await shown(row)).toMatchObject({ one: null, many: [] });
    });

    it('1.20 absent unless populated; D33 populated by true, * and a dot path', async () => {
      const row = await make('boards', { slot: { one: tag(T), many: [article(A)] } });
      expect(await shown(row, 'populate=slot')).not.toHaveProperty('one');
      for (const query of [
        'populate=slot.one',
        'populate[slot][populate][one]=true',
        'populate[slot][populate]=*',
      ])
        expect((await shown(row, query)).one.name).toBe('t');
      const { many } = await shown(row, 'populate=slot.many.tags');
      expect(many[0].tags).toEqual([]);
    });

    it('4.20, 4.21, 4.22 `on` keeps the named types, each with its fields, filter and populate', async () => {
      const tagged = await make('articles', { title: 'c', rank: 9, tags: [T.documentId] });
      const row = await make('boards', { slot: { many: [tag(U), article(A), tag(T), article(tagged)] } });
      const on = 'populate[slot][populate][many][on]';
      const only = await shown(row, `${on}[${ARTICLE}][fields]=title`);
      expect(only.many).toEqual([
        { id: A.id, documentId: A.documentId, title: 'a', __type: ARTICLE },
        { id: tagged.id, documentId: tagged.documentId, title: 'c', __type: ARTICLE },
      ]);
      const both = await shown(
        row,
        `${on}[${ARTICLE}][filters][rank][$gt]=5&${on}[${ARTICLE}][populate]=tags&${on}[${TAG}]=true`,
      );
      expect(names(both.many)).toBe('utc');
      expect(both.many[2].tags[0].name).toBe('t');
      expect((await shown(row, `${on}=`)).many).toEqual([]); // 4.26
      expect((await shown(row, `populate[slot][populate][one][on]=`)).one).toBeNull();
    });

    it('D33, 4.12 counts items', async () => {
      const row = await make('boards', { slot: { one: tag(T), many: [tag(U), article(A), tag(T)] } });
      const counts = 'populate[slot][populate][many][count]=true';
      expect((await shown(row, counts)).many).toEqual({ count: 3 });
      const of = `${counts}&populate[slot][populate][many][on][${TAG}][filters][name]=t`;
      expect((await shown(row, of)).many).toEqual({ count: 1 });
    });

    it('17.3 has the v4 format', async () => {
      const row = await make('boards', { slot: { one: tag(T), many: [tag(U)] } });
      const { body } = await test.http
        .get(
          `/api/boards/${row.documentId}?populate[slot][populate][many][fields]=name&populate[slot][populate][one][on][${TAG}][fields]=name`,
        )
        .set('Strapi-Response-Format', 'v4');
      // A zone accepts no `fields`, and neither does a relation to several types.
      expect(body.error.message).toMatch(/^Invalid nested populate for m\.slot\.many \(m\.slot\)/);
      const fine = await test.http
        .get(`/api/boards/${row.documentId}?populate[slot][populate]=one&populate[slot][populate]=many`)
        .set('Strapi-Response-Format', 'v4')
        .expect(200);
      expect(fine.body.data.attributes.slot).toMatchObject({
        one: { data: { id: T.id, documentId: T.documentId, attributes: { name: 't', __type: TAG } } },
        many: { data: [{ id: U.id, attributes: { name: 'u', __type: TAG } }] },
      });
    });
  });

  describe('invalid queries', () => {
    it.each([
      [
        'populate[slot][populate][one][on][api::nope.nope]=true',
        'api::nope.nope',
        'slot.one.on.api::nope.nope',
      ],
      ['populate[slot][populate][one][on]=tag', 'on', 'slot.one'],
      [`populate[slot][populate][one][on][${TAG}][fields]=secret`, 'secret', ''],
      [`populate[slot][populate][one][on][${TAG}][limit]=1`, 'limit', `slot.one.on.${TAG}`],
      ['populate[slot][populate][one][populate][0]=tags', 'populate', 'slot.one'],
      ['populate[slot][populate][many][count]=maybe', 'count', 'slot.many'],
      ['populate=slot.many.nope', 'nope', 'slot.many.nope'],
    ])('4.23, 4.24 %s', async (query, key, at) => {
      expect(await refused(query)).toMatchObject(
        at === '' ? { error: { message: `Invalid key ${key}` } } : badPopulate(key, at),
      );
    });

    it('ignores a type that the relation does not target, and returns nothing of it', async () => {
      const row = await make('boards', { slot: { many: [tag(T)] } });
      const query = 'populate[slot][populate][many][on][api::board.board]=true';
      expect((await shown(row, query)).many).toEqual([]);
    });

    it.each([
      'filters[slot][one][documentId]=x',
      'filters[slot][many][$null]=true',
      'sort=slot.one.name',
      'sort=slot.many',
    ])('5.7, 7.5 %s', async (query) => {
      const { error } = (await refused(query)) as { error: { message: string } };
      expect(error.message).toMatch(/^Invalid key (one|many) at slot\.(one|many)$/);
    });
  });

  describe('writes', () => {
    let row: Row;
    beforeEach(async () => {
      row = await make('boards', { slot: { one: tag(T), many: [article(A), tag(T)] } });
    });
    const write = async (slot: object): Promise<any> => {
      const { id } = await shown(row);
      await send(row, { slot: { id, ...slot } }).expect(200);
      return shown(row);
    };

    it.each<[string, () => unknown, string | null]>([
      ['a document id', () => article(A), 'a'],
      ['a row id', () => ({ __type: TAG, id: U.id }), 'u'],
      ['a list: the last', () => [article(A), tag(U)], 'u'],
      ['null', () => null, null],
      ['connect', () => ({ connect: [article(B)] }), 'b'],
      ['disconnect', () => ({ disconnect: [tag(T)] }), null],
      ['disconnect another', () => ({ disconnect: [tag(U)] }), 't'],
      ['nothing', () => ({ connect: [] }), 't'],
    ])('11.1, 11.30 to one: %s', async (_what, value, expected) => {
      const { one } = await write({ one: value() });
      expect(one === null ? null : (one.title ?? one.name)).toBe(expected);
    });

    it.each<[string, () => unknown, string]>([
      ['a list', () => [tag(U), article(B)], 'ub'],
      ['set', () => ({ set: [tag(U), article(B), tag(U)] }), 'ub'],
      ['connect', () => ({ connect: [tag(U)] }), 'atu'],
      ['connect what is linked', () => ({ connect: [article(A)] }), 'ta'],
      ['disconnect', () => ({ disconnect: [article(A)] }), 't'],
      ['start', () => ({ connect: [{ ...tag(U), position: { start: true } }] }), 'uat'],
      [
        'before one of its type',
        () => ({ connect: [{ ...tag(U), position: { before: T.documentId } }] }),
        'aut',
      ],
      [
        'before one of another type',
        () => ({ connect: [{ ...tag(U), position: { before: A.documentId, __type: ARTICLE } }] }),
        'uat',
      ],
      ['an empty list', () => [], ''],
    ])('11.2–11.11, 11.30 to many: %s', async (_what, value, expected) => {
      expect(names((await write({ many: value() })).many)).toBe(expected);
    });

    it('1.25 accepts its own response as input', async () => {
      const slot = await shown(row);
      await send(row, { slot }).expect(200);
      expect(await shown(row)).toEqual(slot);
    });

    it('11.25 removes a deleted target', async () => {
      const [gone, gone2] = [await make('tags', { name: 'x' }), await make('articles', { title: 'y' })];
      await write({ one: tag(gone), many: [tag(gone), article(gone2), article(A)] });
      await test.http.delete(`/api/tags/${gone.documentId}`).expect(204);
      await test.http.delete(`/api/articles/${gone2.documentId}`).expect(204);
      const { one, many } = await shown(row);
      expect([one, names(many)]).toEqual([null, 'a']);
    });

    it('12.16 in repeatable components and zones', async () => {
      await send(row, {
        slots: [{ many: [tag(T), article(A)] }, { one: article(B) }],
        zone: [{ __component: 'm.slot', many: [article(B), tag(U)] }],
      }).expect(200);
      const { slots, zone } = await get(row, 'populate=slots.many,slots.one,zone.many');
      expect([names(slots[0].many), slots[1].one.title, names(zone[0].many)]).toEqual(['ta', 'b', 'bu']);
    });

    it.each<[string, () => object, () => unknown]>([
      ['11.30 a bare id', () => ({ one: T.documentId }), () => badKey('one', 'slot.one', 'slot.one')],
      ['11.30 a bare row id', () => ({ many: [T.id] }), () => badKey('many', 'slot.many', 'slot.many')],
      [
        '11.30 no __type in connect',
        () => ({ many: { connect: [{ documentId: T.documentId }] } }),
        () => badKey('many', 'slot.many', 'slot.many'),
      ],
      [
        '11.30 no __type in disconnect',
        () => ({ many: { disconnect: [T.documentId] } }),
        () => badKey('many', 'slot.many', 'slot.many'),
      ],
      [
        'an unknown type',
        () => ({ one: { __type: 'api::nope.nope', documentId: 'x' } }),
        () => badType('slot.one', ROUTED),
      ],
      [
        'a type without routes, where none is named',
        () => ({ one: { __type: 'api::note.note', documentId: 'x' } }),
        () => badType('slot.one', ROUTED),
      ],
      [
        'a type that is not a target',
        () => ({ many: [{ __type: 'api::board.board', documentId: 'x' }] }),
        () => badType('slot.many', [ARTICLE, TAG]),
      ],
      [
        'a type that is not a string',
        () => ({ one: { __type: 1, id: 1 } }),
        () => badType('slot.one', ROUTED),
      ],
      [
        '11.20 a foreign key',
        () => ({ one: { ...tag(T), title: 'x' } }),
        () => badKey('title', 'slot.one', 'slot.one'),
      ],
      [
        '11.28, D16 a type that the caller cannot read',
        () => ({ many: [{ __type: VAULT, documentId: V.documentId }] }),
        () => badKey('many', 'slot.many', 'slot.many'),
      ],
      [
        '11.28 a relation without readable target types',
        () => ({ locked: null }),
        () => badKey('locked', 'slot.locked', 'slot.locked'),
      ],
      [
        '11.18 an unknown document',
        () => ({ many: [tag(T), { __type: ARTICLE, documentId: 'nope' }] }),
        () =>
          failure(
            400,
            'ValidationError',
            'Document with id "nope", locale "en" not found',
            expect.anything(),
          ),
      ],
      [
        "11.18 another type's document",
        () => ({ one: { __type: ARTICLE, documentId: T.documentId } }),
        () =>
          failure(
            400,
            'ValidationError',
            `Document with id "${T.documentId}", locale "en" not found`,
            expect.anything(),
          ),
      ],
      [
        '11.19 an unknown row',
        () => ({ many: [{ __type: TAG, id: 99_999 }] }),
        () =>
          failure(
            400,
            'ValidationError',
            '1 relation(s) of type api::tag.tag associated with this entity do not exist',
            expect.anything(),
          ),
      ],
      [
        '11.15 one twice',
        () => ({ many: { connect: [tag(T), tag(T)] } }),
        () =>
          failure(400, 'ValidationError', expect.stringMatching(/is already connected/), expect.anything()),
      ],
    ])('rejects %s', async (_what, slot, expected) => {
      const { body } = await send(row, { slot: slot() }).expect(400);
      expect(body).toEqual(expected());
      expect(names((await shown(row)).many)).toBe('at');
    });
  });

  describe('without permission to find a target', () => {
    it('D16, D33, 4.27 excludes it from items and counts, and omits a relation without other target types', async () => {
      const row = await make('boards', { slot: { many: [tag(T)] } });
      const service = test.app.get<ContentService<Row>>(getContentToken('board'));
      const vault = { __type: VAULT, documentId: V.documentId };
      await service.update(row.documentId, {
        slot: { one: vault, many: [vault, tag(T), vault], locked: vault },
      });
      const { one, many, ...slot } = await shown(row);
      expect([one, names(many)]).toEqual([null, 't']);
      expect(slot).not.toHaveProperty('locked');
      const on = 'populate[slot][populate][many]';
      expect((await shown(row, `${on}[count]=true`)).many).toEqual({ count: 1 });
      expect((await shown(row, `${on}[on][${VAULT}][fields]=name`)).many).toEqual([]);
      expect((await shown(row, `${on}[on][${VAULT}][filters][name]=v&${on}[count]=1`)).many).toEqual({
        count: 0,
      });
      expect(await shown(row, 'populate[slot][populate][locked][count]=true')).not.toHaveProperty('locked');
    });
  });

  describe('states and locales', () => {
    it('8.9, 9.11, D13 the request selects the version; a target without one is omitted until it has one', async () => {
      const draft = await make('articles', { title: 'draft' }, 'status=draft');
      const many = [article(A), article(draft), tag(T)];
      const wall = await make('walls', { slot: { one: article(draft), many }, slots: [{ many }] });
      const at = (query: string) => get(wall, `populate=slot.one,slot.many,slots.many&${query}`, 'walls');
      expect((await at('')).slot).toMatchObject({ one: null, many: [{ title: 'a' }, { name: 't' }] });
      expect(names((await at('status=draft')).slot.many)).toBe('adraftt');
      await test.http
        .put(`/api/walls/${wall.documentId}?locale=fr`)
        .send({ data: { slot: { many } } })
        .expect(200);
      expect(names((await at('locale=fr')).slot.many)).toBe('t');
      await test.http
        .put(`/api/articles/${A.documentId}?locale=fr`)
        .send({ data: { title: 'fa' } })
        .expect(200);
      const french = await at('locale=fr');
      expect([names(french.slot.many), names(french.slots[0].many)]).toEqual(['fat', 'fat']);
      await test.http.put(`/api/articles/${draft.documentId}`).send({ data: {} }).expect(200);
      expect((await at('')).slot.one.title).toBe('draft');
    });
  });
});
