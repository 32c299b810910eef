/** Types with `stages`: moves, the stages that publishing requires, and the rights to them. */
import {
  type ContentService,
  type Credentials,
  defineCollectionType,
  defineSingleType,
  getContentToken,
  type Grants,
  type Identity,
} from 'nestjs-content-api';
import { HistoryModule } from 'nestjs-content-api/history';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';
import { snapshot } from '../http/helpers.ts';

const stages = {
  draft: { to: ['review'] },
  review: { to: ['draft', 'ready'] },
  ready: { to: ['review'], publish: true },
} as const;
const story = defineCollectionType({
  singularApiId: 'story',
  pluralApiId: 'stories',
  draftAndPublish: true,
  localized: true,
  actions: true,
  owner: 'writer',
  history: true,
  stages,
  attributes: {
    title: { type: 'string', localized: true, required: true },
    desk: { type: 'string' },
    writer: { type: 'string' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'tag' },
  },
});
/** Any stage can be published. */
const memo = defineCollectionType({
  singularApiId: 'memo',
  pluralApiId: 'memos',
  draftAndPublish: true,
  stages: { open: { to: ['done'] }, done: { to: [] } },
  attributes: { title: { type: 'string' } },
});
const home = defineSingleType({
  singularApiId: 'home',
  draftAndPublish: true,
  stages,
  attributes: { title: { type: 'string' } },
});
const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  attributes: { name: { type: 'string' } },
});

const EDIT = ['find', 'findOne', 'readDrafts', 'create', 'update', 'publish'] as const;
const move = (...names: string[]) => ({ actions: ['move'], stages: names }) as const;
const ROLES: Readonly<Record<string, Grants>> = {
  writer: { story: [...EDIT, move('draft', 'review')], home: [...EDIT, move('review')], tag: ['find'] },
  /** Has no grant of `move`. */
  plain: { story: [...EDIT], tag: ['find'] },
  chief: { story: '*', memo: '*', home: '*', tag: '*' },
  /** Moves documents of one desk to `ready`, and all others to `review` only. */
  sports: {
    story: [...EDIT, move('review'), { ...move('ready'), where: { desk: 'sports', stage: 'review' } }],
  },
  owner: { story: [...EDIT, { ...move('review'), own: true }] },
  /** Moves documents of one desk only. */
  limited: { story: [...EDIT, { ...move('review'), where: { desk: 'sports' } }] },
  /** Writes nothing but the stage. */
  reviewer: {
    story: ['findOne', 'readDrafts', { actions: ['update'], fields: ['stage'] }, move('draft', 'ready')],
  },
  /** Writes nothing but titles. */
  titler: {
    story: ['find', 'findOne', 'readDrafts', 'delete', { actions: ['create', 'update'], fields: ['title'] }],
  },
  /** Cannot read. */
  sender: { story: ['create', { actions: ['update'], fields: ['title'] }] },
};

const byHeader = {
  name: 'by-header',
  authenticate: ({ headers }: Credentials): Identity | null => {
    const [role, id = 'ann'] = String(headers['x-who'] ?? '').split(' ');
    return role ? { kind: 'user', id, roles: [role] } : null;
  },
};

interface Row {
  readonly documentId: string;
  readonly title: string;
  readonly stage: string | null;
}

const wrong = (message: string, value?: string) => ({
  data: null,
  error: {
    status: 400,
    name: 'ValidationError',
    message,
    details: {
      errors: [
        { path: ['stage'], message, name: 'ValidationError', ...(value === undefined ? {} : { value }) },
      ],
    },
  },
});
const NOT_READY = 'stage must be "ready" to publish';
const NO_MOVE = 'stage cannot change to this value from the current one';

describe.each(ADAPTERS)('stages on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp(
      {
        contentTypes: [story, memo, home, tag],
        locales: ['fr'],
        access: { roles: ROLES },
        auth: { strategies: [byHeader] },
        imports: [HistoryModule.forRoot()],
      },
      adapter,
    );
  });
  afterAll(() => test.close());

  const stories = () => test.app.get<ContentService<Row>>(getContentToken('story'), { strict: false });
  const send = (method: 'get' | 'post' | 'put', path: string, who: string, data?: object) => {
    const sent = test.http[method](`/api/${path}`).set('x-who', who);
    return data === undefined ? sent : sent.send({ data });
  };
  const put = (id: string, who: string, data: object) => send('put', `stories/${id}?status=draft`, who, data);
  /** Makes a draft in a stage. */
  const make = async (stage: keyof typeof stages = 'draft', data: object = {}): Promise<string> => {
    const { documentId } = await stories().create({ title: 'first', ...data }, { status: 'draft' });
    for (const next of { draft: [], review: ['review'], ready: ['review', 'ready'] }[stage])
      await stories().update(documentId, { stage: next }, { status: 'draft' });
    return documentId;
  };
  const stageOf = async (id: string, status: 'draft' | 'published' = 'draft', locale = 'en') =>
    (await stories().findOne(id, { status, locale }))?.stage ?? null;

  it('8.36 a new draft has the initial stage, or one that the body names and that can follow it', async () => {
    const made = await send('post', 'stories?status=draft', 'writer', { title: 'new' }).expect(201);
    expect(made.body.data).toMatchObject({ title: 'new', stage: 'draft' });
    const sent = await send('post', 'stories?status=draft', 'writer', { title: 'new', stage: 'review' });
    expect(sent.body.data.stage).toBe('review');
    const before = await snapshot(test);
    const skipped = await send('post', 'stories?status=draft', 'chief', { title: 'new', stage: 'ready' });
    expect([skipped.status, skipped.body]).toEqual([400, wrong(NO_MOVE, 'ready')]);
    expect(await snapshot(test)).toEqual(before);
  });

  it('8.36 a PUT moves a draft along the stages, and null is the initial one', async () => {
    const id = await make();
    const before = await snapshot(test);
    const skipped = await put(id, 'chief', { stage: 'ready', title: 'x' });
    expect([skipped.status, skipped.body]).toEqual([400, wrong(NO_MOVE, 'ready')]);
    const unknown = await put(id, 'chief', { stage: 'done' }).expect(400);
    expect(unknown.body.error.details.errors[0].path).toEqual(['stage']);
    expect(await snapshot(test)).toEqual(before);
    for (const stage of ['review', 'ready', 'ready', 'review'])
      expect((await put(id, 'chief', { stage }).expect(200)).body.data.stage).toBe(stage);
    expect((await put(id, 'chief', { stage: null }).expect(200)).body.data.stage).toBe('draft');
  });

  it('8.36 each locale has its stage, which filters and sorts know', async () => {
    const id = await make('ready');
    await send('put', `stories/${id}?locale=fr&status=draft`, 'writer', { title: 'un' }).expect(200);
    expect([await stageOf(id), await stageOf(id, 'draft', 'fr')]).toEqual(['ready', 'draft']);
    const query = `status=draft&filters[stage]=ready&filters[documentId]=${id}&sort=stage`;
    const found = await send('get', `stories?${query}`, 'plain').expect(200);
    expect(found.body.data).toMatchObject([{ documentId: id, stage: 'ready' }]);
    await send('get', 'stories?filters[stage][$eq]=1&status=draft', 'plain').expect(200);
  });

  it('8.37 a move needs the grant of its stage, and a stage that stays needs none', async () => {
    const id = await make('review');
    const before = await snapshot(test);
    const refused = await put(id, 'writer', { stage: 'ready', title: 'x' }).expect(400);
    expect(refused.body.error).toEqual({
      status: 400,
      name: 'ValidationError',
      message: 'Invalid key stage',
      details: { key: 'stage', path: 'stage', source: 'body', grant: 'story.move' },
    });
    await put(id, 'plain', { stage: 'draft' }).expect(400);
    await send('post', 'stories?status=draft', 'plain', { title: 'x', stage: 'review' }).expect(400);
    expect(await snapshot(test)).toEqual(before);
    await put(id, 'plain', { stage: 'review', title: 'second' }).expect(200);
    await put(id, 'writer', { stage: 'draft' }).expect(200);
    await put(id, 'sender', { stage: 'review' }).expect(400);
  });

  it('8.37 a reviewer with `update` on the stage changes nothing else', async () => {
    const id = await make('review');
    await put(id, 'reviewer', { stage: 'ready', title: 'x' }).expect(400);
    expect((await put(id, 'reviewer', { stage: 'ready' }).expect(200)).body.data).toMatchObject({
      title: 'first',
      stage: 'ready',
    });
  });

  it('8.37 a condition of `move` is about the version before the move', async () => {
    const [theirs, other] = [await make('review', { desk: 'sports' }), await make('review', { desk: 'art' })];
    await put(other, 'sports', { stage: 'ready' }).expect(400);
    // The draft of the body is not in the condition yet.
    await put(other, 'sports', { stage: 'ready', desk: 'sports' }).expect(400);
    await put(theirs, 'sports', { stage: 'ready', desk: 'art' }).expect(200);
    expect([await stageOf(theirs), await stageOf(other)]).toEqual(['ready', 'review']);
    await put(theirs, 'sports', { stage: 'review' }).expect(200);
  });

  it('8.37 `own` covers documents of the caller, new ones included; a filter covers no new one', async () => {
    const made = await send('post', 'stories?status=draft', 'owner ben', { title: 'x', stage: 'review' });
    expect(made.status).toBe(201);
    const { documentId } = made.body.data;
    await put(documentId, 'chief', { stage: 'draft' }).expect(200);
    await put(documentId, 'owner cleo', { stage: 'review' }).expect(400);
    await put(documentId, 'owner ben', { stage: 'review' }).expect(200);
    const data = { title: 'x', desk: 'sports', stage: 'review' };
    await send('post', 'stories?status=draft', 'limited', data).expect(400);
    const id = await make('draft', { desk: 'sports' });
    await send('put', `stories/${id}?locale=fr&status=draft`, 'limited', data).expect(400);
    await put(id, 'limited', data).expect(200);
  });

  it('8.38 publishing requires a stage with `publish`, for all routes and for services', async () => {
    const id = await make('review');
    await stories().update(id, { title: 'zwei' }, { locale: 'fr', status: 'draft' });
    const before = await snapshot(test);
    const tries = [
      send('post', `stories/${id}/actions/publish`, 'chief'),
      send('put', `stories/${id}`, 'chief', {}),
      send('put', `stories/${id}`, 'chief', { title: 'x' }),
      send('post', 'stories', 'chief', { title: 'x' }),
      test.http
        .post('/api/stories/bulk')
        .set('x-who', 'chief')
        .send({ data: [{ action: 'publish', documentId: id }] }),
    ];
    for (const { status, body } of await Promise.all(tries)) {
      expect(status).toBe(400);
      expect(JSON.stringify(body)).toContain(JSON.stringify(NOT_READY).slice(1, -1));
    }
    const every = await send('post', `stories/${id}/actions/publish?locale=*`, 'chief').expect(400);
    expect(every.body.error.details).toMatchObject({ errors: [{ path: ['stage'] }], locale: 'en' });
    await expect(stories().publish(id)).rejects.toMatchObject({ status: 400, message: NOT_READY });
    expect(await snapshot(test)).toEqual(before);
  });

  it('8.38 a draft in such a stage is published, also by the PUT that moves it there', async () => {
    const id = await make('ready');
    expect((await send('post', `stories/${id}/actions/publish`, 'plain').expect(200)).body.data.stage).toBe(
      'ready',
    );
    expect([await stageOf(id), await stageOf(id, 'published')]).toEqual(['ready', 'ready']);
    const other = await make('review');
    await send('put', `stories/${other}`, 'chief', { stage: 'ready', title: 'x' }).expect(200);
    expect(await stageOf(other, 'published')).toBe('ready');
    await send('post', 'memos', 'chief', { title: 'any stage' }).expect(201);
  });

  it('8.38 `locale=*` publishes all locales, each of which needs its stage', async () => {
    const id = await make('ready');
    await stories().update(id, { title: 'deux' }, { locale: 'fr', status: 'draft' });
    const refused = await send('post', `stories/${id}/actions/publish?locale=*`, 'chief').expect(400);
    expect(refused.body.error.details.locale).toBe('fr');
    for (const stage of ['review', 'ready'])
      await stories().update(id, { stage }, { locale: 'fr', status: 'draft' });
    await send('post', `stories/${id}/actions/publish?locale=*`, 'plain').expect(200);
    expect(await stageOf(id, 'published', 'fr')).toBe('ready');
  });

  it('8.39 an edit without the right to the stage takes a draft that could be published to the start', async () => {
    const id = await make('ready');
    await send('post', `stories/${id}/actions/publish`, 'chief').expect(200);
    expect((await put(id, 'chief', { title: 'by the chief' }).expect(200)).body.data.stage).toBe('ready');
    const before = await snapshot(test);
    await send('put', `stories/${id}`, 'writer', { title: 'x' }).expect(400, wrong(NOT_READY));
    expect(await snapshot(test)).toEqual(before);
    const edited = await put(id, 'writer', { title: 'edited', stage: 'ready' }).expect(200);
    expect(edited.body.data).toMatchObject({ title: 'edited', stage: 'draft' });
    expect(await stageOf(id, 'published')).toBe('ready');
    const linked = await make('ready');
    await put(linked, 'plain', { tags: [] }).expect(200);
    expect(await stageOf(linked)).toBe('draft');
  });

  it('8.39 an edit in another stage moves nothing', async () => {
    const id = await make('review');
    await put(id, 'plain', { title: 'edited' }).expect(200);
    expect(await stageOf(id)).toBe('review');
  });

  it('8.40 discarding a draft takes the stage of the published version', async () => {
    const id = await make('ready');
    await send('post', `stories/${id}/actions/publish`, 'chief').expect(200);
    await put(id, 'writer', { title: 'edited' }).expect(200);
    await send('post', `stories/${id}/actions/discard`, 'writer').expect(200);
    expect(await stageOf(id)).toBe('ready');
    await send('post', `stories/${id}/actions/unpublish`, 'writer').expect(200);
    expect(await stageOf(id)).toBe('ready');
  });

  it('8.40 restoring a version keeps the stage, and is an edit of it', async () => {
    const id = await make('ready');
    await put(id, 'chief', { title: 'second' }).expect(200);
    const listed = await send('get', `stories/${id}/versions`, 'chief').expect(200);
    const first = listed.body.data.at(-1).id;
    const restore = (who: string) =>
      test.http.post(`/api/stories/${id}/versions/${first}/actions/restore`).set('x-who', who);
    expect((await restore('chief').expect(200)).body.data).toMatchObject({ title: 'first', stage: 'ready' });
    expect((await restore('plain').expect(200)).body.data).toMatchObject({ title: 'first', stage: 'draft' });
  });

  it('8.40 a deleted document is restored with the stages of its versions', async () => {
    const id = await make('ready');
    await stories().publish(id);
    await stories().update(id, { stage: 'review', title: 'next' }, { status: 'draft' });
    await stories().delete(id);
    await test.http.post(`/api/stories/${id}/actions/restore`).set('x-who', 'plain').expect(200);
    expect([await stageOf(id), await stageOf(id, 'published')]).toEqual(['review', 'ready']);
  });

  it('8.40 a deleted document that lacks values comes back as a draft of the initial stage', async () => {
    const id = await make('ready', { desk: 'sports' });
    await stories().publish(id);
    await stories().update(id, { title: 'premier' }, { locale: 'fr', status: 'draft' });
    await stories().delete(id, { locale: '*' });
    await send('post', `stories/${id}/actions/restore`, 'titler').expect(200);
    expect(await stories().findOne(id)).toBeNull();
    expect([await stageOf(id), await stageOf(id, 'draft', 'fr')]).toEqual(['draft', 'draft']);
  });

  it('8.38 a single type has stages', async () => {
    await send('put', 'home', 'chief', { title: 'x' }).expect(400, wrong(NOT_READY));
    await send('put', 'home?status=draft', 'writer', { title: 'x', stage: 'review' }).expect(200);
    await send('put', 'home?status=draft', 'writer', { stage: 'ready' }).expect(400);
    await send('put', 'home', 'chief', { stage: 'ready' }).expect(200);
  });

  it('8.36 a value that no stage has any more counts as the initial one', async () => {
    const id = await make('review');
    await test.sql('update stories set stage = null where document_id = $1', [id]);
    await put(id, 'writer', { title: 'x' }).expect(200);
    expect(await stageOf(id)).toBe('draft');
  });
});
