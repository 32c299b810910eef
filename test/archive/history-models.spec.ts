/** Stored versions in archives for applications with another model: versions show what this model has. */
import { Readable, Writable } from 'node:stream';
import { ContentArchive, defineCollectionType, defineComponent } from 'nestjs-content-api';
import { HistoryModule } from 'nestjs-content-api/history';
import { createTestApp, type TestApp } from '../support/app.ts';

type Attributes = Parameters<typeof defineCollectionType>[0]['attributes'];

const text = { type: 'string' } as const;
const PART = { text };
const ONE_PART = { type: 'component', component: 'h.part' } as const;
const TAGS = { type: 'relation', relation: 'manyToMany', target: 'tag' } as const;

const modelOf = (
  attributes: Attributes,
  more: { history?: boolean; part?: Attributes; other?: Attributes } = {},
) => ({
  components: [
    defineComponent({ uid: 'h.part', attributes: more.part ?? PART }),
    defineComponent({ uid: 'h.other', attributes: more.other ?? { word: text } }),
  ],
  contentTypes: [
    defineCollectionType({
      singularApiId: 'page',
      pluralApiId: 'pages',
      draftAndPublish: true,
      history: more.history ?? true,
      attributes,
    }),
    defineCollectionType({ singularApiId: 'tag', pluralApiId: 'tags', attributes: { name: text } }),
  ],
});

const ATTRIBUTES: Attributes = {
  title: text,
  body: text,
  count: text,
  kind: { type: 'enumeration', enum: ['news', 'essay'] },
  part: ONE_PART,
  parts: { type: 'component', component: 'h.part', repeatable: true },
  zone: { type: 'dynamiczone', components: ['h.part', 'h.other'] },
  tags: TAGS,
  best: { type: 'relation', relation: 'manyToOne', target: 'tag' },
};

describe('versions of an archive in another model', () => {
  const apps: TestApp[] = [];
  let archive: Buffer;
  let id: string;

  const start = async (model: ReturnType<typeof modelOf>): Promise<TestApp> => {
    const app = await createTestApp({
      ...model,
      access: { public: { '*': '*' } },
      imports: [HistoryModule.forRoot({ sittingMinutes: 0 })],
    });
    apps.push(app);
    return app;
  };
  const request = async (app: TestApp, method: string, path: string, data?: object): Promise<any> => {
    const response = await fetch(`${app.url}/api/${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(data === undefined ? {} : { body: JSON.stringify({ data }) }),
    });
    const body = await response.text();
    return body === '' ? null : JSON.parse(body);
  };
  const send = async (app: TestApp, method: string, path: string, data?: object): Promise<any> => {
    const body = await request(app, method, path, data);
    if (body?.error !== undefined) throw new Error(`${method} ${path}: ${JSON.stringify(body.error)}`);
    return body?.data;
  };
  const exported = async (app: TestApp): Promise<Buffer> => {
    const pieces: Buffer[] = [];
    const into = new Writable({
      write: (piece: Buffer, _encoding, done) => {
        pieces.push(piece);
        done();
      },
    });
    await app.app.get(ContentArchive).export(into, { with: ['history'] });
    return Buffer.concat(pieces);
  };
  const take = (app: TestApp, dryRun = false) =>
    app.app.get(ContentArchive).import(() => Readable.from([archive]), { onConflict: 'skip', dryRun });
  const versions = async (app: TestApp): Promise<any[]> => {
    const list = await send(app, 'GET', `pages/${id}/versions?pagination[pageSize]=100`);
    return Promise.all(
      list.map(({ id: version }: any) => send(app, 'GET', `pages/${id}/versions/${version}`)),
    );
  };

  beforeAll(async () => {
    const source = await start(modelOf(ATTRIBUTES));
    const tag = (await send(source, 'POST', 'tags', { name: 'a' })).documentId;
    id = (
      await send(source, 'POST', 'pages?status=draft', {
        ...{ title: 'One', body: 'Text', count: 'many', kind: 'news', tags: [tag], best: tag },
        ...{ part: { text: 'p' }, parts: [{ text: 'q' }] },
        zone: [
          { __component: 'h.part', text: 'z' },
          { __component: 'h.other', word: 'w' },
        ],
      })
    ).documentId;
    await send(source, 'PUT', `pages/${id}?status=draft`, { title: 'Two', kind: 'essay' });
    await send(source, 'PUT', `pages/${id}`, { title: 'Three', count: '3', tags: [], best: null, zone: [] });
    archive = await exported(source);
  });
  afterAll(async () => {
    for (const app of apps) await app.close();
  });

  const contents = async (app: TestApp): Promise<any[]> =>
    (await versions(app)).map(({ content }) => content);
  const restored = async (app: TestApp): Promise<any> => {
    const list = await send(app, 'GET', `pages/${id}/versions?pagination[pageSize]=100`);
    const { meta, error } = await request(
      app,
      'POST',
      `pages/${id}/versions/${list.at(-1).id}/actions/restore`,
    );
    return { error, meta, data: await send(app, 'GET', `pages/${id}?status=draft&populate=*`) };
  };

  it('25.13 show a renamed attribute under its new name, and restore it', async () => {
    const { title: _title, ...others } = ATTRIBUTES;
    const app = await start(modelOf({ ...others, heading: { ...text, previousName: 'title' } }));
    expect((await take(app)).conflicts).toMatchObject([{ kind: 'attribute', attribute: 'title' }]);
    expect((await contents(app)).map(({ heading }) => heading)).toEqual(['Three', 'Two', 'One']);
    const { data } = await restored(app);
    expect(data).toMatchObject({
      heading: 'One',
      tags: [{ name: 'a' }],
      zone: [{ text: 'z' }, { word: 'w' }],
    });
  });

  it('25.13 show no removed attribute, which a restore reports', async () => {
    const app = await start(modelOf({ title: text, zone: { type: 'dynamiczone', components: ['h.part'] } }));
    expect((await take(app)).imported).toBe(2);
    expect((await contents(app)).at(-1)).toEqual({
      title: 'One',
      zone: [{ __component: 'h.part', text: 'z' }],
    });
    const { data, meta } = await restored(app);
    expect(meta.leftOut.toSorted()).toEqual(['best', 'body', 'count', 'kind', 'part', 'parts', 'tags']);
    expect(data).toMatchObject({ title: 'One', zone: [{ text: 'z' }] });
  });

  it('25.13 have no values of another form: an import leaves them out, as in documents', async () => {
    const app = await start(
      modelOf({
        ...{
          title: { type: 'text' },
          count: { type: 'integer' },
          best: text,
          body: TAGS,
          tags: { type: 'json' },
        },
        ...{ kind: text, part: ONE_PART, parts: text, zone: { type: 'json' } },
      }),
    );
    await take(app);
    const [last] = (await contents(app)).slice(-1);
    expect(last).toEqual({
      title: 'One',
      kind: 'news',
      part: { text: 'p' },
    });
    const { data, error } = await restored(app);
    expect([error, data.title, data.count, data.kind]).toEqual([undefined, 'One', null, 'news']);
  });

  it('25.13 follow attributes that have become lists or single ones', async () => {
    const app = await start(
      modelOf({
        ...ATTRIBUTES,
        part: { type: 'component', component: 'h.part', repeatable: true },
        parts: { type: 'component', component: 'h.part' },
        tags: { type: 'relation', relation: 'manyToOne', target: 'tag' },
        best: TAGS,
      }),
    );
    await take(app);
    const { data } = await restored(app);
    expect(data).toMatchObject({
      ...{ part: [{ text: 'p' }], parts: { text: 'q' }, tags: { name: 'a' }, best: [{ name: 'a' }] },
    });
  });

  it('25.13 get defaults of attributes that a component has in addition; other components are refused', async () => {
    const more = { text, size: { type: 'integer', default: 3 } } as const;
    const app = await start(modelOf(ATTRIBUTES, { part: more }));
    expect((await take(app)).conflicts).toEqual([]);
    expect((await restored(app)).data).toMatchObject({ part: { text: 'p', size: 3 }, parts: [{ size: 3 }] });
    const other = await start(modelOf(ATTRIBUTES, { part: { text: { type: 'integer' } } }));
    await expect(take(other)).rejects.toMatchObject({
      conflicts: [{ kind: 'model', type: 'h.part', attribute: 'text' }],
    });
  });

  it('25.13 are left out of a type without history, which a note says', async () => {
    const app = await start(modelOf(ATTRIBUTES, { history: false }));
    const note = 'Stored versions of 1 documents of page are left out: the type has no history';
    for (const dryRun of [true, false]) expect((await take(app, dryRun)).notes).toEqual([note]);
    expect((await send(app, 'GET', `pages/${id}`)).title).toBe('Three');
  });
});
