import { embedding, RULES } from '../fixtures/components.ts';
import { adaptersFor } from '../support/adapters.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { badKey, failure, problem, snapshot } from './helpers.ts';

const ID = { id: expect.any(Number), documentId: expect.stringMatching(/^[a-z][a-z0-9]{23}$/) };
const FOREIGN = (name: string) =>
  failure(
    400,
    'ApplicationError',
    `Some of the provided components in ${name} are not related to the entity`,
  );
const typeError = (label: string, type: string, shown: string): string =>
  `${label} must be a \`${type}\` type, but the final value was: \`${shown}\`.`;

/** All embedded components, at every level. */
const DEEP = [
  ...['one', 'other', 'many'].flatMap((name) =>
    ['link', 'links', 'picture', 'pictures', 'inner.core', 'inner.cores', 'inners.core', 'inners.cores'].map(
      (path) => `${name}.${path}`,
    ),
  ),
  'zone.link',
  'zone.links',
  'zone.picture',
  'zone.inner.core',
  'zone.inner.cores',
  'zone.inners.cores',
  'zone.core',
  'zone.cores',
]
  .map((path, i) => `populate[${i}]=${path}`)
  .join('&');

describe.each(adaptersFor('express'))('components and zones on %s', (adapter) => {
  let test: TestApp;
  let leaf: { id: number; documentId: string };

  const create = async (plural: string, data: object, query = DEEP): Promise<any> =>
    (await test.http.post(`/api/${plural}?${query}`).send({ data }).expect(201)).body.data;
  const put = (plural: string, { documentId }: { documentId: string }, data: object, query = DEEP) =>
    test.http.put(`/api/${plural}/${documentId}?${query}`).send({ data });
  const update = async (
    plural: string,
    row: { documentId: string },
    data: object,
    query = DEEP,
  ): Promise<any> => (await put(plural, row, data, query).expect(200)).body.data;
  const get = async (plural: string, { documentId }: { documentId: string }, query = DEEP): Promise<any> =>
    (await test.http.get(`/api/${plural}/${documentId}?${query}`).expect(200)).body.data;

  beforeAll(async () => {
    test = await createTestApp(embedding, adapter);
    leaf = await create('things', { title: 'leaf' });
  });
  afterAll(() => test.close());

  describe('section 12: responses', () => {
    it('12.1, D2 single: an object with id and documentId; repeatable: a list in order; null and [] when empty', async () => {
      const made = await create('things', { one: { name: 'aa' }, many: [{ name: 'bb' }, { name: 'cc' }] });
      const scalars = { note: null, on: true, big: null, day: null, data: null };
      const nested = { inner: null, inners: [], link: null, links: [], picture: null, pictures: [] };
      expect(made.one).toEqual({ ...ID, name: 'aa', ...scalars, ...nested });
      expect(made.many).toEqual([
        { ...ID, name: 'bb', ...scalars, ...nested },
        { ...ID, name: 'cc', ...scalars, ...nested },
      ]);
      expect(made).toMatchObject({ other: null, zone: [] });
      expect(await get('things', made, 'populate=one')).toMatchObject({
        one: { ...ID, name: 'aa', ...scalars },
      });
      expect((await get('things', made, 'populate=one')).one).not.toHaveProperty('inner'); // 4.18
      expect(await get('things', made, '')).not.toHaveProperty('one'); // 1.20
    });

    it('values of every kind have the same form as in a document', async () => {
      const made = await create('things', {
        one: {
          name: 'aa',
          big: 9007199254740991,
          day: '2024-05-06T10:00:00Z',
          data: 'text',
          on: 'false',
          inner: { label: 'x', core: { value: '5', when: 1704164645678 } },
        },
      });
      expect(made.one).toMatchObject({
        big: '9007199254740991',
        day: '2024-05-06',
        data: 'text',
        on: false,
        inner: { ...ID, label: 'x', core: { ...ID, value: 5, when: '2024-01-02T03:04:05.678Z' }, cores: [] },
      });
      expect((await get('things', made)).one).toEqual(made.one);
    });

    it('13.1 a zone keeps the order of mixed items, each with __component', async () => {
      const made = await create('things', {
        zone: [
          { __component: 'c.text', text: 'one' },
          { __component: 'c.item', name: 'two' },
          { __component: 'c.text', text: 'three' },
          { __component: 'c.inner', label: 'four' },
        ],
      });
      expect(made.zone).toMatchObject([
        { ...ID, __component: 'c.text', text: 'one' },
        { ...ID, __component: 'c.item', name: 'two' },
        { ...ID, __component: 'c.text', text: 'three' },
        { ...ID, __component: 'c.inner', label: 'four' },
      ]);
    });

    it('12.16, 13.8 returns nested components, relations and media at every level', async () => {
      const [file] = await test.sql(
        `insert into content_files (document_id, locale, published, created_at, updated_at, published_at, name, hash, mime, size, url, provider)
        values ($1, 'en', true, now(), now(), now(), 'p.png', 'h', 'image/png', 1, '/p.png', 'local') returning id, document_id`,
        [`f${adapter}`.padEnd(24, 'x')],
      );
      const full = {
        name: 'full',
        inner: { label: 'i', core: { value: 1 }, cores: [{ value: 2 }, { value: 3 }] },
        inners: [{ label: 'j', cores: [{ value: 4 }] }, { label: 'k' }],
        link: leaf.documentId,
        links: [leaf.id],
        picture: file!['id'],
        pictures: [file!['document_id']],
      };
      const made = await create('things', {
        one: full,
        many: [full],
        zone: [{ __component: 'c.item', ...full }],
      });
      const shown = {
        ...full,
        inner: { label: 'i', core: { value: 1 }, cores: [{ value: 2 }, { value: 3 }] },
        link: { title: 'leaf' },
        links: [{ title: 'leaf' }],
        picture: { url: '/p.png' },
        pictures: [{ name: 'p.png' }],
      };
      const { pictures: _p, inners: _i, ...inZone } = shown;
      expect(made).toMatchObject({ one: shown, many: [shown], zone: [inZone] });
      const ids = [made.one, ...made.many, ...made.zone].flatMap((item: any) => [
        item,
        item.inner,
        item.inner.core,
        ...item.inner.cores,
        ...item.inners,
      ]);
      expect(new Set(ids.map(({ id }: any) => id)).size).toBe(ids.length);
      expect(new Set(ids.map(({ documentId }: any) => documentId)).size).toBe(ids.length);
    });

    it('12.15 keeps attributes and types that share a component apart', async () => {
      const [first, second] = [
        await create('things', { one: { name: 'aa' }, other: { name: 'bb' } }),
        await create('papers', { one: { name: 'cc' } }),
      ];
      await update('things', first, { other: null });
      expect([
        (await get('things', first)).one.name,
        (await get('things', first)).other,
        (await get('papers', second)).one.name,
      ]).toEqual(['aa', null, 'cc']);
    });

    it('16.1 a private attribute is written, stored, and never returned', async () => {
      const made = await create('things', {
        one: { name: 'aa', secret: 'psst' },
        zone: [{ __component: 'c.item', name: 'bb', secret: 'psst' }],
      });
      expect(JSON.stringify(made)).not.toMatch(/"psst|secret/);
      await update('things', made, { one: { id: made.one.id, name: 'AA' } });
      expect(
        await test.sql(`select one->>'secret' as s, one->>'name' as n from things where document_id = $1`, [
          made.documentId,
        ]),
      ).toEqual([{ s: 'psst', n: 'AA' }]);
    });

    it('applies defaults to new instances only', async () => {
      const made = await create('things', { one: { name: 'aa', on: null } });
      expect(made.one.on).toBeNull();
      expect((await update('things', made, { one: { id: made.one.id, note: 'x' } })).one).toMatchObject({
        on: null,
        note: 'x',
      });
      expect((await update('things', made, { one: { name: 'bb' } })).one.on).toBe(true);
    });
  });

  describe.each(['things', 'papers'])('updates of %s', (plural) => {
    const start = () =>
      create(plural, {
        title: 't',
        one: { name: 'aa', note: 'n', inner: { label: 'i', core: { value: 1 } } },
        many: [
          { name: 'm1', note: '1' },
          { name: 'm2', note: '2' },
          { name: 'm3', note: '3' },
        ],
        zone: [
          { __component: 'c.item', name: 'z1', note: 'z' },
          { __component: 'c.text', text: 'zz2' },
        ],
      });

    it('12.7 an id updates in place, no id creates a new instance, missing ones are removed, the list sets the order', async () => {
      const made = await start();
      const [m1, , m3] = made.many;
      const { many } = await update(plural, made, {
        many: [{ id: m3.id, note: 'three' }, { name: 'new' }, { id: String(m1.id) }],
      });
      expect(many).toMatchObject([
        { id: m3.id, documentId: m3.documentId, name: 'm3', note: 'three' },
        { name: 'new', note: null },
        { id: m1.id, documentId: m1.documentId, name: 'm1', note: '1' },
      ]);
      expect(made.many.map(({ id }: any) => id)).not.toContain(many[1].id);
      expect((await get(plural, made)).many).toEqual(many);
    });

    it('12.7 the same id twice means one instance', async () => {
      const made = await start();
      const { many } = await update(plural, made, {
        many: [{ id: made.many[0].id }, { id: made.many[0].id, note: 'last' }],
      });
      expect(many).toMatchObject([{ id: made.many[0].id, note: 'last' }]);
    });

    it('12.9 replaces a single one without id, and merges one with its id', async () => {
      const made = await start();
      const merged = await update(plural, made, { one: { id: made.one.id, note: 'changed' } });
      expect(merged.one).toMatchObject({
        id: made.one.id,
        documentId: made.one.documentId,
        name: 'aa',
        note: 'changed',
        inner: { id: made.one.inner.id, core: { id: made.one.inner.core.id, value: 1 } },
      });
      const replaced = await update(plural, made, { one: { name: 'bb' } });
      expect(replaced.one).toMatchObject({ name: 'bb', note: null, inner: null });
      expect(replaced.one.id).not.toBe(made.one.id);
      expect(replaced.one.documentId).not.toBe(made.one.documentId);
    });

    it('nested instances: merges by id, replaces without', async () => {
      const made = await start();
      const { id, inner } = made.one;
      const merged = await update(plural, made, {
        one: { id, inner: { id: inner.id, core: { id: inner.core.id, value: 2 }, cores: [{ value: 9 }] } },
      });
      expect(merged.one).toMatchObject({
        name: 'aa',
        inner: { id: inner.id, label: 'i', core: { id: inner.core.id, value: 2 }, cores: [{ value: 9 }] },
      });
      const replaced = await update(plural, made, { one: { id, inner: { label: 'new' } } });
      expect(replaced.one.inner).toMatchObject({ label: 'new', core: null, cores: [] });
      expect(replaced.one.inner.id).not.toBe(inner.id);
    });

    it('12.10 null clears a single one, [] a repeatable one and a zone', async () => {
      expect(await update(plural, await start(), { one: null, many: [], zone: [] })).toMatchObject({
        one: null,
        many: [],
        zone: [],
      });
    });

    it('12.3 keeps omitted components', async () => {
      const made = await start();
      const { one, many, zone } = await update(plural, made, { title: 'other' });
      expect({ one, many, zone }).toEqual({ one: made.one, many: made.many, zone: made.zone });
    });

    it('13.7 replaces a zone as a whole; updates items with their id, also in another order', async () => {
      const made = await start();
      const [item, text] = made.zone;
      const { zone } = await update(plural, made, {
        zone: [
          { __component: 'c.text', id: text.id },
          { __component: 'c.inner', label: 'new' },
          { __component: 'c.item', id: item.id, name: 'zz' },
        ],
      });
      expect(zone).toMatchObject([
        { id: text.id, text: 'zz2' },
        { __component: 'c.inner', label: 'new' },
        { id: item.id, documentId: item.documentId, name: 'zz', note: 'z' },
      ]);
    });

    it('1.25 a populated GET can be sent back and changes nothing', async () => {
      const made = await create(plural, {
        one: {
          name: 'aa',
          secret: 's',
          link: leaf.documentId,
          links: [leaf.documentId],
          inner: { label: 'i', core: { value: 1 }, cores: [{ value: 2 }] },
          inners: [{ label: 'j' }],
        },
        many: [{ name: 'bb' }],
        zone: [
          { __component: 'c.text', text: 'txt' },
          { __component: 'c.item', name: 'cc', link: leaf.documentId },
        ],
      });
      for (const query of plural === 'papers' ? [DEEP, `${DEEP}&status=draft`] : [DEEP]) {
        const {
          id: _i,
          documentId: _d,
          createdAt: _c,
          updatedAt: _u,
          ...body
        } = await get(plural, made, query);
        const { one, many, zone } = await update(plural, made, body);
        expect({ one, many, zone }).toEqual({ one: made.one, many: made.many, zone: made.zone });
      }
      expect(
        await test.sql(`select distinct one->>'secret' as s from ${plural} where document_id = $1`, [
          made.documentId,
        ]),
      ).toEqual([{ s: 's' }]);
    });

    it.each<[string, (made: any, foreign: any) => object, string]>([
      ['a single one with an unknown id', () => ({ one: { id: 999_999, name: 'xx' } }), 'one'],
      ['a single one with an id that is not a number', () => ({ one: { id: 'abc', name: 'xx' } }), 'one'],
      [
        'a single one with an id of another document',
        (_m, foreign) => ({ one: { id: foreign.one.id, name: 'xx' } }),
        'one',
      ],
      ['a single one with the id of another attribute', (made) => ({ one: { id: made.many[0].id } }), 'one'],
      ['a repeatable one with an unknown id', () => ({ many: [{ id: 999_999, name: 'xx' }] }), 'many'],
      [
        'a repeatable one with an id of another document',
        (made, foreign) => ({ many: [{ id: made.many[0].id }, { id: foreign.many[0].id }] }),
        'many',
      ],
      [
        'a zone with an id of another document',
        (_m, foreign) => ({ zone: [{ __component: 'c.item', id: foreign.zone[0].id, name: 'xx' }] }),
        'zone',
      ],
      [
        'a zone with the id of an item of another component',
        (made) => ({ zone: [{ __component: 'c.item', id: made.zone[1].id, name: 'xx' }] }),
        'zone',
      ],
      [
        'a nested one with an id of another instance',
        (made, foreign) => ({ one: { id: made.one.id, inner: { id: foreign.one.inner.id, label: 'x' } } }),
        'inner',
      ],
      ['an id that is an object', () => ({ one: { id: { $gt: 0 }, name: 'xx' } }), 'one'],
    ])('12.8 rejects %s', async (_what, payload, name) => {
      const [made, foreign] = [await start(), await start()];
      const before = await snapshot(test);
      expect(
        (await put(plural, made, { title: 'changed', ...payload(made, foreign) }).expect(400)).body,
      ).toEqual(FOREIGN(name));
      expect(await snapshot(test)).toEqual(before);
    });

    it('ignores an id given on create', async () => {
      const foreign = await start();
      const copy = await create(plural, {
        one: { id: foreign.one.id, documentId: foreign.one.documentId, name: 'copy' },
      });
      expect(copy.one).toMatchObject({ name: 'copy', note: null });
      expect(copy.one.id).not.toBe(foreign.one.id);
      expect(copy.one.documentId).not.toBe(foreign.one.documentId);
    });

    it('12.13 a failed write leaves the former ones intact', async () => {
      const made = await start();
      const before = await snapshot(test);
      await put(plural, made, { one: { name: 'ok' }, many: [{ name: 'ok' }, { name: 'x' }] }).expect(400);
      await put(plural, made, { zone: [], one: { name: 'ok', link: 'nope' } }).expect(400);
      expect(await snapshot(test)).toEqual(before);
    });
  });

  describe('D2, D18: ids across drafts and publishing', () => {
    it('8.16 the published version has the ids of the draft, and publishing again keeps them (peers 5)', async () => {
      const made = await create('papers', {
        one: { name: 'aa', inner: { label: 'i' } },
        many: [{ name: 'bb' }],
        zone: [{ __component: 'c.text', text: 'txt' }],
      });
      const draft = await get('papers', made, `${DEEP}&status=draft`);
      expect([draft.one, draft.many, draft.zone]).toEqual([made.one, made.many, made.zone]);
      for (let i = 0; i < 3; i += 1) {
        const { one, many, zone } = await update('papers', made, {});
        expect([one, many, zone]).toEqual([made.one, made.many, made.zone]);
      }
    });

    it('keeps ids of an unpublished draft through its first publish', async () => {
      const draft = await create('papers', { one: { name: 'aa' } }, `${DEEP}&status=draft`);
      expect((await update('papers', draft, {})).one).toEqual(draft.one);
    });

    it('accepts an id that only the published version has, and restores its values', async () => {
      const made = await create('papers', { many: [{ name: 'm1', note: 'one' }, { name: 'm2' }] });
      await update('papers', made, { many: [{ id: made.many[1].id }] }, 'status=draft');
      const { many } = await update('papers', made, {
        many: [{ id: made.many[1].id }, { id: made.many[0].id, name: 'M1' }],
      });
      expect(many).toMatchObject([{ id: made.many[1].id }, { id: made.many[0].id, name: 'M1', note: 'one' }]);
    });

    it('D21 an empty list inside a component that is sent back modifies nothing', async () => {
      const made = await create('papers', { one: { name: 'aa', inner: { label: 'i' } } });
      expect(made.one.inner.cores).toEqual([]);
      const { id, inner } = made.one;
      const sent = { id, inner: { id: inner.id, label: 'i', cores: [] } };
      await update('papers', made, { one: sent }, 'status=draft');
      const found = `filters[documentId]=${made.documentId}&publicationFilter`;
      const { body } = await test.http.get(`/api/papers?status=draft&${found}=modified`).expect(200);
      expect(body.data).toEqual([]);
    });

    it('shows a draft edit of an instance only after publishing', async () => {
      const made = await create('papers', { one: { name: 'aa' } });
      await update('papers', made, { one: { id: made.one.id, name: 'AA' } }, 'status=draft');
      expect((await get('papers', made)).one.name).toBe('aa');
      expect((await update('papers', made, {})).one).toMatchObject({ id: made.one.id, name: 'AA' });
    });
  });

  describe('12.2–12.6, 13.4, 13.6: valid and invalid values', () => {
    const INSTANCE = { __component: 'c.core', value: 1 };
    const items = (rule: string, n: number): object[] =>
      Array.from({ length: n }, () => (rule.startsWith('zone') ? INSTANCE : { value: 1 }));
    const count = (n: number, min?: number, max?: number): string =>
      max !== undefined && n > max
        ? `field field must have less than or equal to ${max} items`
        : `field field must have at least ${min ?? 0} items`;

    const CASES: readonly [keyof typeof RULES, unknown, string | null][] = [
      ['single', undefined, null],
      ['single', null, null],
      ['single', { value: 1 }, null],
      ['single', {}, null],
      ['single', [], typeError('field', 'object', '[]')],
      ['single', 'x', typeError('field', 'object', '"x"')],
      ['single', 1, typeError('field', 'object', '1')],
      ['single', true, typeError('field', 'object', 'true')],
      ['single-required', undefined, 'field must be defined.'],
      ['single-required', null, typeError('field', 'object', 'null')],
      ['single-required', { value: 1 }, null],
      ['many', undefined, null],
      ['many', [], null],
      ['many', items('many', 3), null],
      ['many', {}, typeError('field', 'array', '{}')],
      ['many', 'x', typeError('field', 'array', '"x"')],
      ['many', 0, typeError('field', 'array', '0')],
      ['many', false, typeError('field', 'array', 'false')],
      ['many', null, typeError('field', 'array', 'null')],
      ['many-required', undefined, 'field must be defined.'],
      ['many-required', [], null],
      ['many-required', null, typeError('field', 'array', 'null')],
      ['many-min', undefined, null],
      ['many-min', [], null],
      ['many-min', items('many', 1), count(1, 2)],
      ['many-min', items('many', 2), null],
      ['many-min-required', undefined, 'field must be defined.'],
      ['many-min-required', [], count(0, 2)],
      ['many-min-required', items('many', 1), count(1, 2)],
      ['many-min-required', items('many', 2), null],
      ['many-bounds', [], null],
      ['many-bounds', items('many', 1), null],
      ['many-bounds', items('many', 2), null],
      ['many-bounds', items('many', 3), count(3, 1, 2)],
      ['zone', undefined, null],
      ['zone', [], null],
      ['zone', {}, typeError('field', 'array', '{}')],
      ['zone', 'x', typeError('field', 'array', '"x"')],
      ['zone', false, typeError('field', 'array', 'false')],
      ['zone', null, typeError('field', 'array', 'null')],
      ['zone-required', undefined, 'field must be defined.'],
      ['zone-required', [], null],
      ['zone-required', items('zone', 1), null],
      ['zone-bounds', [], null],
      ['zone-bounds', items('zone', 1), count(1, 2, 3)],
      ['zone-bounds', items('zone', 3), null],
      ['zone-bounds', items('zone', 4), count(4, 2, 3)],
    ];

    it.each(CASES)('%s given %j: %s', async (rule, value, message) => {
      const data = value === undefined ? {} : { field: value };
      const response = await test.http.post(`/api/${rule}s?populate=field`).send({ data });
      if (message !== null)
        return void expect(response.body).toMatchObject({
          data: null,
          error: {
            status: 400,
            name: 'ValidationError',
            message,
            details: { errors: [{ path: ['field'], message }] },
          },
        });
      expect(response.status).toBe(201);
      const empty = rule.startsWith('single') ? null : [];
      expect(response.body.data.field).toEqual(
        value === undefined || value === null
          ? empty
          : Array.isArray(value)
            ? value.map((item) => expect.objectContaining(item as object))
            : expect.objectContaining(value),
      );
    });

    it.each(CASES.filter(([, value]) => value !== undefined))(
      'PUT %s given %j: %s',
      async (rule, value, message) => {
        const valid = rule.startsWith('single') ? { value: 7 } : items(rule, 2);
        const { documentId } = (
          await test.http
            .post(`/api/${rule}s`)
            .send({ data: { field: valid } })
            .expect(201)
        ).body.data;
        const response = await test.http.put(`/api/${rule}s/${documentId}`).send({ data: { field: value } });
        expect([response.status, response.body.error?.message ?? null]).toEqual([
          message === null ? 200 : 400,
          message,
        ]);
        await test.http.put(`/api/${rule}s/${documentId}`).send({ data: {} }).expect(200); // 12.3
      },
    );

    it.each<[keyof typeof RULES, unknown]>([
      ['single-required', undefined],
      ['many-required', undefined],
      ['many-min-required', []],
      ['many-bounds', items('many', 3)],
      ['zone-bounds', items('zone', 1)],
    ])('8.11 a draft of %s given %j', async (rule, value) => {
      const data = value === undefined ? {} : { field: value };
      const draft = await test.http.post(`/api/draft-${rule}s?status=draft`).send({ data });
      expect(draft.status).toBe(rule === 'many-bounds' ? 400 : 201); // `max` also applies to drafts.
      if (draft.status === 400) return;
      const published = await test.http
        .put(`/api/draft-${rule}s/${draft.body.data.documentId}`)
        .send({ data: {} });
      // A list that was never sent is stored as an empty list.
      expect(published.status).toBe(rule === 'many-required' ? 200 : 400);
    });

    it('rejects a published create without a required list, also in types with drafts', async () => {
      expect(
        (await test.http.post('/api/draft-many-requireds').send({ data: {} }).expect(400)).body.error.details
          .errors[0].path,
      ).toEqual(['field']);
      expect(
        (await test.http.post('/api/draft-single-requireds').send({ data: {} }).expect(400)).body,
      ).toEqual(problem(['field'], typeError('field', 'object', 'null'), null));
    });
  });

  describe('12.11, 12.12, 13.2–13.5: problems inside components', () => {
    it.each<[string, object, string, string[]]>([
      ['a required value that is missing', { one: {} }, 'one.name must be defined.', ['one', 'name']],
      [
        'a required value that is null',
        { one: { name: null } },
        typeError('one.name', 'string', 'null'),
        ['one', 'name'],
      ],
      [
        'a value in a list',
        { many: [{ name: 'ok' }, { name: 'x' }] },
        'many[1].name must be at least 2 characters',
        ['many', '1', 'name'],
      ],
      ['a missing value in a list', { many: [{}] }, 'many[0].name must be defined.', ['many', '0', 'name']],
      [
        'a nested value',
        { one: { name: 'ok', inner: { label: 'l', core: { value: 0 } } } },
        'one.inner.core.value must be greater than or equal to 1',
        ['one', 'inner', 'core', 'value'],
      ],
      [
        'a nested list',
        { many: [{ name: 'ok', inners: [{ label: 'l', cores: [{ value: 1 }, { value: 'x' }] }] }] },
        'many[0].inners[0].cores[1].value must be a `number` type, but the final value was: `NaN` (cast from the value `"x"`).',
        ['many', '0', 'inners', '0', 'cores', '1', 'value'],
      ],
      [
        'a nested list that is too long',
        { one: { name: 'ok', inner: { label: 'l', cores: [{}, {}, {}] } } },
        'one.inner.cores field must have less than or equal to 2 items',
        ['one', 'inner', 'cores'],
      ],
      [
        'a nested required value',
        { one: { name: 'ok', inner: {} } },
        'one.inner.label must be defined.',
        ['one', 'inner', 'label'],
      ],
      [
        'a null slot',
        { many: [null] },
        'many[0] must be a `object` type, but the final value was: `null`.',
        ['many', '0'],
      ],
      [
        'a slot of another type',
        { many: ['x'] },
        'many[0] must be a `object` type, but the final value was: `null` (cast from the value `"x"`).',
        ['many', '0'],
      ],
      [
        '13.4 a null slot of a zone',
        { zone: [null] },
        'zone[0] must be a `object` type, but the final value was: `null`.',
        ['zone', '0'],
      ],
      [
        '13.5 a value in a zone',
        { zone: [{ __component: 'c.text', text: 'xx' }] },
        'zone[0].text must be at least 3 characters',
        ['zone', '0', 'text'],
      ],
      [
        '13.5 a missing value in a zone',
        { zone: [{ __component: 'c.text' }] },
        'zone[0].text must be defined.',
        ['zone', '0', 'text'],
      ],
      [
        '12.2 a nested component of another type',
        { one: { name: 'ok', inner: 'x' } },
        typeError('one.inner', 'object', '"x"'),
        ['one', 'inner'],
      ],
      [
        '12.4 a nested list of another type',
        { one: { name: 'ok', inners: {} } },
        typeError('one.inners', 'array', '{}'),
        ['one', 'inners'],
      ],
    ])('%s', async (_what, data, message, path) => {
      const { body } = await test.http.post('/api/things').send({ data }).expect(400);
      expect(body.error).toMatchObject({
        status: 400,
        name: 'ValidationError',
        message,
        details: { errors: [{ path, message, name: 'ValidationError' }] },
      });
    });

    it('8.12 in a type with drafts a missing value is null', async () => {
      expect(
        (
          await test.http
            .post('/api/papers')
            .send({ data: { one: {} } })
            .expect(400)
        ).body,
      ).toEqual(problem(['one', 'name'], typeError('one.name', 'string', 'null'), null));
      await test.http
        .post('/api/papers?status=draft')
        .send({ data: { one: {} } })
        .expect(201);
    });

    it('8.12 publishing validates the stored draft and reports the path', async () => {
      const { documentId } = (
        await test.http
          .post('/api/papers?status=draft')
          .send({ data: { many: [{ name: 'ok' }, { note: 'x' }], zone: [{ __component: 'c.text' }] } })
          .expect(201)
      ).body.data;
      const { body } = await test.http.put(`/api/papers/${documentId}`).send({ data: {} }).expect(400);
      expect(body.error.details.errors.map(({ path }: any) => path.join('.'))).toEqual([
        'many.1.name',
        'zone.0.text',
      ]);
    });

    it('validates a new instance in an update as on create', async () => {
      const { documentId } = (
        await test.http
          .post('/api/things')
          .send({ data: { one: { name: 'ok' } } })
          .expect(201)
      ).body.data;
      expect(
        (
          await test.http
            .put(`/api/things/${documentId}`)
            .send({ data: { one: { note: 'x' } } })
            .expect(400)
        ).body.error.message,
      ).toBe('one.name must be defined.');
    });

    it('reports all problems with their paths in one response', async () => {
      const { body } = await test.http
        .post('/api/things')
        .send({
          data: {
            title: 5,
            one: { name: 'x' },
            many: [{ name: 'ok', on: 'maybe' }],
            zone: [{ __component: 'c.text', text: 'x' }],
          },
        })
        .expect(400);
      expect(body.error.message).toBe('4 errors occurred');
      expect(body.error.details.errors.map(({ path }: any) => path.join('.'))).toEqual([
        'title',
        'one.name',
        'many.0.on',
        'zone.0.text',
      ]);
    });

    it('13.2 rejects an item without __component', async () => {
      const { body } = await test.http
        .post('/api/things')
        .send({ data: { zone: [{ text: 'abc' }] } })
        .expect(400);
      expect(body.error.details.errors).toContainEqual(
        expect.objectContaining({
          path: ['zone', '0', '__component'],
          message: 'zone[0].__component is a required field',
        }),
      );
    });

    it.each(['c.nope', 'c.core', 'thing', '__proto__', 5])(
      '13.3 rejects __component %j, which the zone does not allow',
      async (uid) => {
        const { body } = await test.http
          .post('/api/things')
          .send({
            data: {
              zone: [
                { __component: 'c.text', text: 'abc' },
                { __component: uid, text: 'abc' },
              ],
            },
          })
          .expect(400);
        expect(body.error.details.errors).toContainEqual(
          expect.objectContaining({
            path: ['zone', '1', '__component'],
            message: expect.stringContaining('c.item, c.text, c.inner'),
          }),
        );
      },
    );

    it.each<[string, object, unknown]>([
      ['a single one', { one: { name: 'ok', nope: 1 } }, badKey('nope', 'one', 'one')],
      ['a repeatable one', { many: [{ name: 'ok', nope: 1 }] }, badKey('nope', 'many', 'many')],
      [
        'a nested one',
        { one: { name: 'ok', inner: { label: 'l', nope: 1 } } },
        badKey('nope', 'one.inner', 'one.inner'),
      ],
      ['a zone', { zone: [{ __component: 'c.text', text: 'abc', nope: 1 }] }, badKey('nope', 'zone', 'zone')],
      [
        '__component outside of a zone',
        { one: { __component: 'c.item', name: 'ok' } },
        badKey('__component', 'one', 'one'),
      ],
      ['times in a component', { one: { name: 'ok', createdAt: 'x' } }, badKey('createdAt', 'one', 'one')],
    ])('12.12 rejects an unknown key in %s', async (_what, data, expected) => {
      expect((await test.http.post('/api/things').send({ data }).expect(400)).body).toEqual(expected);
    });

    it('accepts documentId in a component and ignores it', async () => {
      const made = await create('things', { one: { name: 'ok', documentId: 'x'.repeat(24) } });
      expect(made.one.documentId).not.toBe('x'.repeat(24));
      expect(
        (await update('things', made, { one: { id: made.one.id, documentId: 'y'.repeat(24) } })).one
          .documentId,
      ).toBe(made.one.documentId);
    });
  });

  it('12.14 deleting a document removes all of its components', async () => {
    const made = await create('papers', {
      one: { name: 'gone', links: [leaf.documentId] },
      many: [{ name: 'gone' }],
    });
    await test.http.delete(`/api/papers/${made.documentId}`).expect(204);
    expect(await test.sql('select 1 from papers where document_id = $1', [made.documentId])).toEqual([]);
  });
});
