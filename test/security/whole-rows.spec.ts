/**
 * Responses that depend on whole rows reveal no draft and no value that the caller cannot read (8.18, 16.3).
 */
import {
  type AuthStrategy,
  type ContentService,
  type Credentials,
  defineCollectionType,
  defineComponent,
  getContentToken,
  type Grants,
  type Identity,
} from 'nestjs-content-api';
import { PUBLICATION_FILTERS } from '../../src/content/query/query.ts';
import { failure } from '../http/helpers.ts';
import { adaptersFor } from '../support/adapters.ts';
import { createTestApp, type TestApp } from '../support/app.ts';

const lock = defineComponent({
  uid: 'part.lock',
  attributes: {
    label: { type: 'string' },
    code: { type: 'integer', private: true },
    vault: { type: 'relation', relation: 'manyToOne', target: 'vault' },
  },
});
const vault = defineCollectionType({
  singularApiId: 'vault',
  pluralApiId: 'vaults',
  attributes: { name: { type: 'string' } },
});
const letter = defineCollectionType({
  singularApiId: 'letter',
  pluralApiId: 'letters',
  draftAndPublish: true,
  localized: true,
  attributes: {
    title: { type: 'string' },
    pin: { type: 'integer', private: true },
    remark: { type: 'string' },
    lock: { type: 'component', component: 'part.lock' },
    locks: { type: 'component', component: 'part.lock', repeatable: true },
    zone: { type: 'dynamiczone', components: ['part.lock'] },
    vaults: { type: 'relation', relation: 'manyToMany', target: 'vault' },
    reply: { type: 'relation', relation: 'manyToOne', target: 'letter' },
  },
});
/** Type without drafts, with a relation to one with drafts. */
const box = defineCollectionType({
  singularApiId: 'box',
  pluralApiId: 'boxes',
  attributes: { letters: { type: 'relation', relation: 'manyToMany', target: 'letter' } },
});

const READS = {
  actions: ['find', 'findOne'],
  fields: ['title', 'lock', 'locks', 'zone', 'vaults', 'reply'],
} as const;
const ROLES: Readonly<Record<string, Grants>> = {
  public: { letter: ['find', 'findOne'], box: ['find', 'findOne'] },
  writer: { letter: ['find', 'findOne', 'update'] },
  editor: { letter: [READS, 'update', 'readDrafts', 'publish'], box: ['find', 'findOne'] },
  blind: { letter: ['update'] },
};

class Names implements AuthStrategy {
  readonly name = 'names';
  authenticate({ bearer }: Credentials): Identity | null {
    return bearer === null ? null : { kind: 'user', id: '1', roles: [bearer] };
  }
}

const FORBIDDEN = failure(403, 'ForbiddenError', 'Forbidden');
const TELLING = [
  'has-published-version',
  'modified',
  'unmodified',
  'published-without-draft',
  'published-with-draft',
];
const CONTENT = {
  title: 'letter',
  pin: 42,
  remark: 'none',
  lock: { label: 'a', code: 1 },
  locks: [
    { label: 'b', code: 2 },
    { label: 'c', code: 3 },
  ],
  zone: [{ __component: 'part.lock', label: 'd', code: 4 }],
};

describe.each(adaptersFor('fastify'))('responses that depend on whole rows, on %s', (adapter) => {
  let test: TestApp;
  let letters: ContentService;
  let vaultId: string;

  beforeAll(async () => {
    const { public: everyone = {}, ...roles } = ROLES;
    test = await createTestApp(
      {
        contentTypes: [vault, letter, box],
        components: [lock],
        locales: ['en', 'fr'],
        access: { public: everyone, roles },
        auth: { strategies: [new Names()] },
      },
      adapter,
    );
    letters = test.app.get(getContentToken('letter'), { strict: false });
    const vaults: ContentService = test.app.get(getContentToken('vault'), { strict: false });
    vaultId = ((await vaults.create({ name: 'v' })) as { documentId: string }).documentId;
  });
  afterAll(() => test.close());

  const as = (role: string): Record<string, string> =>
    role === 'public' ? {} : { Authorization: `Bearer ${role}` };
  const make = async (data: object = {}): Promise<string> =>
    ((await letters.create({ ...CONTENT, ...data })) as { documentId: string }).documentId;
  const get = (role: string, path: string) => test.http.get(`/api/${path}`).set(as(role));
  const put = (role: string, path: string, data: object, headers: Record<string, string> = {}) =>
    test.http.put(`/api/letters/${path}`).set(as(role)).set(headers).send({ data });
  const found = async (role: string, id: string, query: string): Promise<number> =>
    (await get(role, `letters?filters[documentId]=${id}&${query}`).expect(200)).body.data.length;
  /** State that an editor gets, which must be the same in a list and in the document. */
  const statusOf = async (id: string, query = ''): Promise<string> => {
    const one = await get('editor', `letters/${id}?withState=true&${query}`).expect(200);
    const all = await get('editor', `letters?withState=true&filters[documentId]=${id}&${query}`).expect(200);
    expect(all.body.data[0].__state).toEqual(one.body.data.__state);
    return one.body.data.__state.status;
  };

  it.each(PUBLICATION_FILTERS)('8.18, D17 %s needs readDrafts if it reveals drafts', async (filter) => {
    const id = await make();
    const refused = TELLING.includes(filter);
    for (const role of ['public', 'writer']) {
      const { status, body } = await get(role, `letters?publicationFilter=${filter}`);
      expect([status, refused ? body : null]).toEqual(refused ? [403, FORBIDDEN] : [200, null]);
      await get(role, `letters/${id}?publicationFilter=${filter}&status=draft`).expect(403);
    }
    await get('editor', `letters?publicationFilter=${filter}`).expect(200);
  });

  it('8.19 hasPublishedVersion reveals no draft', async () => {
    for (const value of ['true', 'false'])
      await get('public', `letters?hasPublishedVersion=${value}`).expect(200);
  });

  it('8.19, D17 populate under such a filter also needs readDrafts', async () => {
    const id = await make();
    const boxes: ContentService = test.app.get(getContentToken('box'), { strict: false });
    await boxes.create({ letters: [id] });
    const query = 'boxes?populate=letters&publicationFilter=unmodified';
    expect((await get('public', query).expect(200)).body.data[0]).not.toHaveProperty('letters');
    expect((await get('editor', query).expect(200)).body.data[0].letters).toHaveLength(1);
    await get('public', 'boxes?filters[letters][title]=letter&publicationFilter=unmodified').expect(400);
    await get('public', 'boxes?filters[letters][title]=letter').expect(200);
  });

  /** Changes a draft; components keep their stored ids. */
  const change = async (id: string, changed: (stored: any) => object): Promise<void> => {
    const stored = await letters.findOne(id, { status: 'draft', populate: '*' });
    await letters.update(id, changed(stored), { status: 'draft' });
  };

  const hidden: Readonly<Record<string, (stored: any) => object>> = {
    'a private attribute': () => ({ pin: 43 }),
    'an attribute that is not granted': () => ({ remark: 'guess' }),
    'a member of a component': ({ lock: { id } }) => ({ lock: { id, code: 43 } }),
    'a member of a repeatable component': ({ locks: [first, { id }] }) => ({
      locks: [{ id: first.id }, { id, code: 43 }],
    }),
    'a member of a zone': ({ zone: [{ __component, id }] }) => ({ zone: [{ __component, id, code: 43 }] }),
    'a relation to a type that the caller cannot find': () => ({ vaults: [vaultId] }),
    'such a relation in a component': ({ lock: { id } }) => ({ lock: { id, vault: vaultId } }),
  };
  it.each(Object.entries(hidden))('16.3 modified and withState do not compare %s', async (_name, changed) => {
    const id = await make();
    await change(id, changed);
    for (const status of ['draft', 'published']) {
      expect(await found('editor', id, `status=${status}&publicationFilter=modified`)).toBe(0);
      expect(await found('editor', id, `status=${status}&publicationFilter=unmodified`)).toBe(1);
      expect(await statusOf(id, `status=${status}`)).toBe('published');
    }
    // The application compares all attributes.
    const query = { filters: { documentId: id }, publicationFilter: 'modified' };
    expect((await letters.find(query)).data).toHaveLength(1);
  });

  const visible: Readonly<Record<string, (stored: any) => object>> = {
    'a value': () => ({ title: 'changed' }),
    'a member of a component': ({ lock: { id } }) => ({ lock: { id, label: 'changed' } }),
    'a member of a repeatable component': ({ locks: [first, { id }] }) => ({
      locks: [{ id: first.id }, { id, label: 'changed' }],
    }),
    'the order of a component': ({ locks: [first, second] }) => ({
      locks: [{ id: second.id }, { id: first.id }],
    }),
    'a member of a zone': ({ zone: [{ __component, id }] }) => ({ zone: [{ __component, id, label: 'e' }] }),
    'an emptied zone': () => ({ zone: [] }),
  };
  it.each(Object.entries(visible))('D21 modified and withState compare %s', async (_name, changed) => {
    const id = await make();
    await change(id, changed);
    expect(await found('editor', id, 'publicationFilter=modified')).toBe(1);
    expect(await found('editor', id, 'publicationFilter=unmodified')).toBe(0);
    expect(await statusOf(id)).toBe('modified');
  });

  it('D21 modified compares relations that the caller can read', async () => {
    const [id, other] = [await make(), await make()];
    await letters.update(id, { reply: other }, { status: 'draft' });
    expect(await found('editor', id, 'publicationFilter=modified')).toBe(1);
  });

  it('16.3 guesses about a draft get equal responses, for any query of the caller', async () => {
    const id = await make();
    const answers: unknown[] = [];
    for (const pin of [41, 42, 43]) {
      await put('editor', `${id}?status=draft`, { pin }).expect(200);
      answers.push(await found('editor', id, 'publicationFilter=unmodified'));
      const { headers } = await get('editor', `letters/${id}`).expect(200);
      const tag = String(headers['etag']);
      answers.push((await put('editor', `${id}?status=draft`, {}, { 'If-Match': tag })).status);
      answers.push((await put('editor', `${id}?status=draft`, {}, { 'If-None-Match': tag })).status);
    }
    expect(answers).toEqual([1, 200, 412, 1, 200, 412, 1, 200, 412]);
  });

  it('1.17 a publicationFilter on a write has no effect', async () => {
    const id = await make();
    for (const filter of PUBLICATION_FILTERS)
      for (const pin of [42, 43])
        await put('blind', `${id}?status=draft&publicationFilter=${filter}`, { pin }).expect(200);
  });

  it('If-Match fails if the draft differs in an attribute that the caller can read', async () => {
    const id = await make();
    const tag = String((await get('writer', `letters/${id}`).expect(200)).headers['etag']);
    await letters.update(id, { title: 'changed' }, { status: 'draft' });
    await put('writer', id, { remark: 'late' }, { 'If-Match': tag }).expect(412);
  });

  it('OpenAPI describes the values that the caller may use', async () => {
    const described = async (role: string): Promise<unknown> => {
      const { body } = await test.http.get('/api/openapi.json').set(as(role)).expect(200);
      const refs: { $ref?: string; name?: string }[] = body.paths['/api/letters'].get.parameters;
      const all = refs.map(({ $ref, ...one }) => ($ref === undefined ? one : at(body, $ref)));
      return (all.find(({ name }) => name === 'publicationFilter') as any).schema.enum;
    };
    const at = (body: any, ref: string): { name?: string } =>
      ref
        .slice(2)
        .split('/')
        .reduce((object, key) => object[key], body);
    expect(await described('editor')).toEqual(PUBLICATION_FILTERS);
    expect(await described('public')).toEqual(PUBLICATION_FILTERS.filter((one) => !TELLING.includes(one)));
  });
});

describe.each(adaptersFor('fastify'))('components that contain themselves, on %s', (adapter) => {
  const item = defineComponent({
    uid: 'menu.item',
    attributes: {
      label: { type: 'string' },
      note: { type: 'string', private: true },
      items: { type: 'component', component: 'menu.item', repeatable: true },
    },
  });
  const step = defineComponent({
    uid: 'menu.step',
    attributes: { label: { type: 'string' }, next: { type: 'component', component: 'menu.step' } },
  });
  const menu = defineCollectionType({
    singularApiId: 'menu',
    pluralApiId: 'menus',
    draftAndPublish: true,
    attributes: {
      title: { type: 'string' },
      secret: { type: 'string', private: true },
      items: { type: 'component', component: 'menu.item', repeatable: true },
      step: { type: 'component', component: 'menu.step' },
    },
  });
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp(
      { contentTypes: [menu], components: [item, step], access: { public: { menu: '*' } } },
      adapter,
    );
  });
  afterAll(() => test.close());

  const nested = (label: string, note: string): object => ({
    label: 'one',
    items: [{ label: 'two', items: [{ label, note }] }],
  });
  const steps = (depth: number, label: string): object =>
    depth === 1 ? { label } : { label: 'above', next: steps(depth - 1, label) };
  const ITEMS = 'populate[items][populate][items][populate][items]=true';
  /** Returns the items of a response with their ids, and another note in the deepest one. */
  const withNote = (items: any[]): object[] =>
    items.map(({ items: below = [], ...rest }) =>
      below.length === 0 ? { ...rest, note: 'b' } : { ...rest, items: withNote(below) },
    );
  const isModified = async (change: (items: any[]) => object): Promise<boolean> => {
    const data = { title: 'menu', items: [nested('three', 'a')], step: steps(12, 'deep') };
    const { body } = await test.http.post('/api/menus').send({ data }).expect(201);
    const at = `/api/menus/${body.data.documentId}`;
    const { body: stored } = await test.http.get(`${at}?${ITEMS}`).expect(200);
    const draft = change(stored.data.items);
    await test.http.put(`${at}?status=draft`).send({ data: draft }).expect(200);
    const { body: shown } = await test.http
      .get(`/api/menus?publicationFilter=modified&filters[documentId]=${body.data.documentId}`)
      .expect(200);
    await test.http.delete(at).expect(204);
    return shown.data.length > 0;
  };

  it('8.18 modified compares the readable values of nested instances', async () => {
    expect(await isModified(() => ({ items: [nested('other', 'a')] }))).toBe(true);
    expect(await isModified(() => ({ step: steps(12, 'other') }))).toBe(true);
  });

  it('16.3 modified does not compare their private values', async () => {
    expect(await isModified((items) => ({ items: withNote(items), secret: 'b' }))).toBe(false);
  });
});
