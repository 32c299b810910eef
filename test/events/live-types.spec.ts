/** Streams of the events of one type. */
import { get } from 'node:http';
import { EventsModule } from 'nestjs-content-api/events';
import { ADAPTERS, createTestApp } from '../support/app.ts';
import { eventually, writeDuring } from './helpers.ts';
import { demoted, held, LiveApp, page, refused, revoked, SECRET } from './live-app.ts';
import { LiveClient } from './live-client.ts';

describe.each(ADAPTERS)('the stream of a type on %s', (adapter) => {
  let live: LiveApp;
  beforeAll(async () => {
    live = await LiveApp.start(adapter);
  });
  afterEach(() => live.reset());
  afterAll(() => live.test.close());

  const events = (client: LiveClient): unknown[] => client.of('message');

  it('21.19: sends the events of documents that match the filters', async () => {
    const client = await live.open('/articles?filters[title][$startsWith]=yes');
    expect(client.of('ready')).toEqual([{}]);
    await live.create('articles', { title: 'no' });
    const id = await live.create('articles', { title: 'yes' });
    await eventually(() => events(client), 1);
    await live.put(`articles/${id}?status=draft`, { title: 'yes, a draft' });
    await live.create('pages', { title: 'yes' });
    await live.remove(`articles/${id}`);
    await eventually(() => events(client), 2);
    expect(events(client)).toEqual([
      {
        id: expect.stringMatching(/^evt_\d+$/) as string,
        name: 'entry.publish',
        documentId: id,
        locale: null,
      },
      {
        id: expect.stringMatching(/^evt_\d+$/) as string,
        name: 'entry.delete',
        documentId: id,
        locale: null,
      },
    ]);
  });

  it('21.18: sends events while writes never pause', async () => {
    const client = await live.open('/articles');
    // Each write asks for a poll of the log soon, and must not postpone the poll that an earlier one asked for.
    let written = 0;
    for (; written < 300 && events(client).length === 0; written += 1)
      await live.create('articles', { title: `${written}` });
    expect(written).toBeLessThan(300);
    await eventually(() => events(client), written);
  });

  it('21.19: sends drafts to callers who may read them, and removals of published documents only', async () => {
    await live.test.http.get('/api/live/articles?status=draft').expect(403);
    const editor = await live.open('/articles?status=draft', { user: 'editor' });
    const visitor = await live.open('/articles');
    const draft = await live.create('articles?status=draft', { title: 'D' });
    await eventually(() => events(editor), 1);
    await live.remove(`articles/${draft}`);
    const id = await live.create('articles', { title: 'P' });
    await eventually(() => events(visitor), 1);
    await live.test.http.post(`/api/articles/${id}/actions/unpublish`).set('X-User', 'editor').expect(200);
    await eventually(() => events(visitor), 2);
    expect(events(visitor)).toMatchObject([
      { name: 'entry.publish', documentId: id },
      { name: 'entry.unpublish', documentId: id },
    ]);
    await eventually(() => events(editor), 5);
    expect(JSON.stringify(events(visitor))).not.toContain(draft);
  });

  it('21.19: sends callers nothing of documents of other owners', async () => {
    await live.test.http.get('/api/live/memos').expect(403);
    const ann = await live.open('/memos', { user: 'ann' });
    await live.create('memos', { text: 'of the editor' });
    await live.remove(`memos/${await live.create('memos', { text: 'of the editor' })}`);
    const { body } = await live.test.http
      .post('/api/memos')
      .set('X-User', 'ann')
      .send({ data: { text: 'of ann' } })
      .expect(201);
    const own = (body as { data: { documentId: string } }).data.documentId;
    await eventually(() => events(ann), 1);
    expect(events(ann)).toMatchObject([{ name: 'entry.create', documentId: own }]);
  });

  it('21.19: sends the events of one locale', async () => {
    const client = await live.open('/pages?locale=fr');
    const id = await live.create('pages', { title: 'en' });
    await live.put(`pages/${id}?locale=fr`, { title: 'fr' });
    await eventually(() => events(client), 1);
    expect(events(client)).toMatchObject([{ name: 'entry.create', documentId: id, locale: 'fr' }]);
  });

  it('21.19: sends the events of several locales', async () => {
    const client = await live.open('/pages?locale[]=fr&locale[]=en');
    const id = await live.create('pages?locale=de', { title: 'de' });
    await live.put(`pages/${id}?locale=fr`, { title: 'fr' });
    await live.put(`pages/${id}?locale=en`, { title: 'en' });
    await eventually(() => events(client), 2);
    await live.remove(`pages/${id}?locale=de`);
    await live.remove(`pages/${id}?locale=fr`);
    await eventually(() => events(client), 3);
    expect(events(client)).toMatchObject([
      { name: 'entry.create', locale: 'fr' },
      { name: 'entry.create', locale: 'en' },
      { name: 'entry.delete', locale: 'fr' },
    ]);
  });

  it('21.20: resumes after each event without a gap, also for transactions that commit late', async () => {
    const late = await live.test.connect();
    try {
      const first = await live.open('/articles');
      await late.query('begin');
      await late.query(`insert into content_event (id, xid, at, type, document_id, locale, action, actor, attributes)
        values (nextval('content_counts_id_seq'), pg_current_xact_id(), now(), 'article', 'late', '', 'delete', 'system', '[]')`);
      const ids = [
        await live.create('articles', { title: '1' }),
        await live.create('articles', { title: '2' }),
      ];
      await eventually(() => events(first), 2);
      first.close();
      await late.query('commit');
      const seen = events(first);
      const again = await live.open('/articles', { lastId: first.lastId });
      await eventually(() => [...seen, ...events(again)], 3);
      expect(events(again)).toMatchObject([{ documentId: 'late' }]);
      expect(seen).toMatchObject(ids.map((documentId) => ({ documentId })));
    } finally {
      await late.end();
    }
  });

  it('21.20: resumes in the middle of a batch, 25 times while clients write', async () => {
    const written: string[] = [];
    const seen: unknown[] = [];
    let { lastId } = await live.open('/articles');
    const reconnect = async (): Promise<void> => {
      for (let i = 0; i < 25; i += 1) {
        const client = await live.open('/articles', { lastId });
        await client.first();
        client.close();
        seen.push(...events(client));
        ({ lastId } = client);
      }
    };
    const write = (title: string): Promise<string> => live.create('articles', { title });
    await writeDuring(reconnect, async () => {
      written.push(...(await Promise.all(['1', '2', '3', '4'].map(write))));
    });
    const last = await live.open('/articles', { lastId });
    const documents = () =>
      new Set([...seen, ...events(last)].map((one) => (one as { documentId: string }).documentId));
    await eventually(() => written.filter((id) => !documents().has(id)), 0);
    expect(seen.length).toBeGreaterThanOrEqual(25);
  });

  it('21.18: tells a client that got a part of its missed events if the rest was deleted since', async () => {
    const first = await live.open('/articles');
    first.close();
    for (const title of ['1', '2']) await live.create('articles', { title });
    const [now, day] = [Date.now(), 86_400_000];
    const clock = jest.spyOn(Date, 'now').mockReturnValue(now + 20 * day);
    try {
      const second = await live.open('/articles', { lastId: first.lastId });
      await eventually(() => events(second), 2);
      second.close();
      clock.mockReturnValue(now + 40 * day);
      const third = await live.open('/articles', { lastId: second.ids[0] });
      expect(third.of('resync')).toEqual([{}]);
    } finally {
      clock.mockRestore();
    }
  });

  it('21.20: sends many missed removals at once', async () => {
    const first = await live.open('/pages');
    first.close();
    await live.backlog(1000, 'delete');
    const again = await live.open('/pages', { lastId: first.lastId });
    await eventually(() => events(again), 1000);
    expect(again.isClosed).toBe(false);
  });

  it('21.21: ends when the credential or the permission is revoked', async () => {
    const client = await live.open('/memos', { user: 'ann' });
    const other = await live.open('/memos', { user: 'bob' });
    const third = await live.open('/memos', { user: 'cid' });
    revoked.add('ann');
    demoted.add('bob');
    await eventually(() => [client, other].filter(({ isClosed }) => isClosed), 2);
    expect(third.isClosed).toBe(false);
    await live.test.http.get('/api/live/memos').set('X-User', 'ann').expect(401);
  });

  it('21.21: sends no event once the permission is revoked', async () => {
    const id = await live.create('memos', { text: 'of dan' }, 'dan');
    const client = await live.open('/memos', { user: 'dan' });
    const change = { data: { text: 'still of dan' } };
    const put = () => live.test.http.put(`/api/memos/${id}`).set('X-User', 'editor').send(change).expect(200);
    await put();
    await eventually(() => events(client), 1);
    demoted.add('dan');
    await put();
    await eventually(() => (client.isClosed ? [1] : []), 1);
    expect(events(client)).toHaveLength(1);
  });

  it('21.21: a hook of reads refuses the stream, and ends it', async () => {
    const client = await live.open('/memos', { user: 'ann' });
    refused.add('ann');
    await live.create('memos', { text: 'of ann' }, 'ann');
    await eventually(() => (client.isClosed ? [1] : []), 1);
    expect(events(client)).toEqual([]);
    await live.test.http.get('/api/live/memos').set('X-User', 'ann').expect(403);
  });

  it('21.19: a client that leaves before its stream opens takes no place', async () => {
    const { promise: until, resolve: release } = Promise.withResolvers<void>();
    const wait = { arrived: 0, until };
    held.set('ann', wait);
    const from = live.sockets.length;
    const options = { headers: { 'X-User': 'ann' }, agent: false };
    const clients = Array.from({ length: 12 }, () =>
      get(`${live.test.url}/api/live/memos`, options).on('error', () => undefined),
    );
    await eventually(() => (wait.arrived === 12 ? [1] : []), 1);
    for (const client of clients) client.destroy();
    await eventually(() => live.sockets.slice(from).filter(({ destroyed }) => !destroyed), 0);
    release();
    await eventually(
      async () => [(await live.test.http.head('/api/live')).status].filter((one) => one === 200),
      1,
    );
  });

  it('describes the streams in the OpenAPI document of a caller', async () => {
    const pathsFor = async (
      user: string,
    ): Promise<Record<string, { get: { parameters: { schema: { enum?: string[] } }[] } }>> => {
      const { body } = await live.test.http.get('/api/openapi.json').set('X-User', user).expect(200);
      return (body as { paths: Record<string, { get: { parameters: { schema: { enum?: string[] } }[] } }> })
        .paths;
    };
    const paths = await pathsFor('ann');
    expect(paths['/api/live']).toBeDefined();
    expect(paths['/api/live/{type}']?.get.parameters[0]?.schema.enum).toEqual(['articles', 'memos']);
    const { ['/api/live/{type}']: all } = await pathsFor('editor');
    expect(all?.get.parameters[0]?.schema.enum).not.toEqual(
      expect.arrayContaining([expect.stringMatching('inners|singles')]),
    );
  });

  it('refuses unknown types, other parameters, and filters on what the caller cannot read', async () => {
    for (const path of ['nothing', 'silents', 'section', 'upload', 'inners', 'singles'])
      await live.test.http.get(`/api/live/${path}`).expect(404);
    await live.test.http.get('/api/live/articles?sort=title').expect(400);
    await live.test.http.get('/api/live/articles?filters[nothing]=1').expect(400);
    await live.test.http.get('/api/live/articles?filters[section][name]=1').set('X-User', 'ann').expect(400);
  });
});

describe('the end of an application with streams', () => {
  it.each(ADAPTERS)('ends the streams on %s', async (adapter) => {
    const test = await createTestApp(
      {
        contentTypes: [page],
        access: { public: { '*': '*' } },
        imports: [EventsModule.forRoot({ live: { secret: SECRET } })],
      },
      adapter,
    );
    const both = [
      await LiveClient.open(`${test.url}/api/live`),
      await LiveClient.open(`${test.url}/api/live/pages`),
    ];
    await eventually(() => both.flatMap((client) => client.of('ready')), 2);
    await test.close();
    expect(both.map(({ isClosed }) => isClosed)).toEqual([true, true]);
  });
});
