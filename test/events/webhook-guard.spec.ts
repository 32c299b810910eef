/** Tags in webhooks, and endpoints that do harm: they keep connections open, or want what they may not see. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AuthStrategy, ContentAccess, defineCollectionType, type Grants } from 'nestjs-content-api';
import { EventsModule, webhookType } from 'nestjs-content-api/events';
import { failure } from '../http/helpers.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { eventually } from './helpers.ts';

const article = defineCollectionType({
  singularApiId: 'article',
  pluralApiId: 'articles',
  draftAndPublish: true,
  attributes: {
    title: { type: 'string' },
    text: { type: 'text' },
    secret: { type: 'string', private: true },
  },
});
const memo = defineCollectionType({
  singularApiId: 'memo',
  pluralApiId: 'memos',
  attributes: { text: { type: 'string' } },
});
const asAdmin: AuthStrategy = {
  name: 'header',
  vary: ['X-Admin'],
  authenticate: ({ headers }) =>
    headers['x-admin'] === undefined ? null : { kind: 'user', id: 'admin', roles: ['admin'] },
};

/** Roles from outside the code. */
const roles = new Map<string, Grants>([['guest', { memo: ['find', 'findOne'] }]]);

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly event: string; readonly tags?: readonly string[] };
}

/** Statuses by path, other than 200. */
const STATUSES: Readonly<Record<string, number>> = { '/gone': 410 };

/** Responses by path, after the head. */
const ENDINGS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/slow': (response) => void response.write('a'),
  '/endless': (response) => {
    const more = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(16_384)));
    };
    response.on('drain', more);
    more();
  },
};

describe('webhooks', () => {
  const received: Received[] = [];
  const closed: string[] = [];
  const server = createServer((request, response) => {
    const { url: path = '', headers } = request;
    let text = '';
    request.on('data', (bytes: Buffer) => (text += bytes.toString()));
    request.on('end', () => {
      received.push({ path, headers, body: JSON.parse(text) as Received['body'] });
      response.on('close', () => closed.push(path));
      response.writeHead(STATUSES[path] ?? 200);
      (ENDINGS[path] ?? ((one: ServerResponse) => void one.end()))(response);
    });
  });
  let url: string;
  let test: TestApp;
  const at = (path: string): readonly Received[] => received.filter((one) => one.path === path);
  const write = async (path: string, data: object): Promise<string> => {
    const { body } = await test.http.post(`/api/${path}`).set('X-Admin', '1').send({ data }).expect(201);
    return (body as { data: { documentId: string } }).data.documentId;
  };
  const webhook = async (data: object): Promise<string> => {
    const { body } = await test.http.post('/api/webhooks').set('X-Admin', '1').send({ data }).expect(201);
    return (body as { data: { id: string } }).data.id;
  };
  const change = (id: string, data: object): ReturnType<TestApp['http']['put']> =>
    test.http.put(`/api/webhooks/${id}`).set('X-Admin', '1').send({ data });

  beforeAll(async () => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    url = `http://localhost:${(server.address() as AddressInfo).port}`;
    test = await createTestApp({
      contentTypes: [article, memo, webhookType],
      access: {
        public: { article: ['find', 'findOne'] },
        roles: {
          admin: { '*': '*' },
          reader: { article: [{ actions: ['find', 'readDrafts'], fields: ['title'] }] },
        },
        source: { load: () => Promise.resolve(Object.fromEntries(roles)) },
      },
      auth: { strategies: [asAdmin] },
      imports: [
        EventsModule.forRoot({
          pollMilliseconds: 50,
          live: { secret: 'a secret of the tests, which is long enough' },
          webhooks: { allow: ['localhost'], timeoutSeconds: 3 },
        }),
      ],
    });
  });
  afterEach(async () => {
    const { body } = await test.http.get('/api/webhooks').set('X-Admin', '1').expect(200);
    for (const { id } of (body as { data: { id: string }[] }).data)
      await test.http.delete(`/api/webhooks/${id}`).set('X-Admin', '1').expect(204);
  });
  afterAll(async () => {
    await test.close();
    server.closeAllConnections();
    server.close();
  });

  it('21.22: have the tags of responses that may have changed, and none for what the public cannot see', async () => {
    await webhook({ name: 'tags', url: `${url}/tags` });
    const id = await write('articles?status=draft', { title: 'A' });
    await test.http.post(`/api/articles/${id}`).set('X-Admin', '1');
    await test.http
      .put(`/api/articles/${id}`)
      .set('X-Admin', '1')
      .send({ data: { title: 'B' } })
      .expect(200);
    await write('memos', { text: 'C' });
    const sent = await eventually(() => at('/tags'), 4);
    const list = await test.http.get('/api/articles').expect(200);
    const one = await test.http.get(`/api/articles/${id}`).expect(200);
    const tagsOf = (name: string): readonly string[] | undefined =>
      sent.find(({ body: { event } }) => event === name)?.body.tags;
    expect(sent.map(({ body: { event } }) => event)).toContain('entry.publish');
    expect(tagsOf('entry.publish')).toEqual(
      expect.arrayContaining([list.headers['content-tags'], one.headers['content-tags']]),
    );
    const others = sent.filter(({ body: { event } }) => event === 'entry.create');
    expect(others.map(({ body }) => 'tags' in body)).toEqual([false, false]);
  });

  it('21.23: send the headers of one server to no other one', async () => {
    const headers = { Authorization: 'Bearer of the first server' };
    const id = await webhook({ name: 'headers', url: `${url}/first`, headers });
    await change(id, { url: `${url}/second` }).expect(200);
    const elsewhere = { url: 'http://localhost:1/' };
    await change(id, elsewhere).expect(
      400,
      failure(400, 'ValidationError', 'headers must be given again for another server, or null for none', {
        ...{ key: 'headers', path: 'headers', source: 'body' },
      }),
    );
    // A delivery under way uses the former server.
    const second = async (): Promise<readonly Received[]> => {
      await write('memos', { text: 'D' });
      return at('/second').slice(0, 1);
    };
    const [sent] = await eventually(second, 1);
    expect(sent?.headers['authorization']).toBe(headers.Authorization);
    const { body } = await change(id, { ...elsewhere, headers: null }).expect(200);
    expect(body).toMatchObject({ data: { ...elsewhere, headers: [] } });
  });

  it('21.11: send nothing for a role that was removed, and list the reason', async () => {
    const id = await webhook({ name: 'guest', url: `${url}/guest`, role: 'guest' });
    await write('memos', { text: 'G' });
    await eventually(() => at('/guest'), 1);
    roles.delete('guest');
    test.app.get(ContentAccess).refresh();
    await write('memos', { text: 'H' });
    const failures = async (): Promise<readonly (string | null)[]> => {
      const { body } = await test.http.get(`/api/webhooks/${id}/attempts`).set('X-Admin', '1').expect(200);
      const all = (body as { data: { failure: string | null }[] }).data.map(({ failure: text }) => text);
      return all.filter((text) => text !== null);
    };
    expect(await eventually(failures, 1)).toEqual(['Role "guest" does not exist']);
    expect(at('/guest')).toHaveLength(1);
    await change(id, { url: `${url}/other` }).expect(400);
    await test.http.post(`/api/webhooks/${id}/rotate`).set('X-Admin', '1').expect(400);
    await change(id, { role: 'public' }).expect(200);
  });

  it.each<[string, string, object]>([
    ['that is private', 'secret', {}],
    ['that their role cannot read', 'text', { role: 'reader' }],
  ])('21.24: have no filter on an attribute %s', async (_what, attribute, more) => {
    const filters = { [attribute]: { $startsWith: 'k' } };
    const data = { name: attribute, url: `${url}/guess`, types: ['article'], filters, ...more };
    await test.http
      .post('/api/webhooks')
      .set('X-Admin', '1')
      .send({ data })
      .expect(400, {
        data: null,
        error: {
          status: 400,
          name: 'ValidationError',
          message: `Invalid key ${attribute} (type article)`,
          details: { key: 'filters', path: 'filters', source: 'body' },
        },
      });
  });

  it('21.24: of entries alone may have attributes that files lack', async () => {
    const data = { name: 'entries', url: `${url}/entries`, events: ['entry.create'], fields: ['text'] };
    await webhook(data);
    const send = (changes: object) =>
      test.http
        .post('/api/webhooks')
        .set('X-Admin', '1')
        .send({ data: { ...data, ...changes } });
    const { body } = await send({ name: 'both', events: ['entry.create', 'media.create'] }).expect(400);
    expect(body.error).toMatchObject({ message: 'Invalid key text (type file)', details: { key: 'fields' } });
  });

  it('send nothing with a filter on an attribute that their role can no longer read', async () => {
    roles.set('texts', { article: ['find', 'readDrafts'] });
    test.app.get(ContentAccess).refresh();
    const filters = { text: { $startsWith: 'k' } };
    const id = await webhook({
      name: 'text',
      url: `${url}/guess`,
      types: ['article'],
      filters,
      role: 'texts',
    });
    roles.set('texts', { article: [{ actions: ['find', 'readDrafts'], fields: ['title'] }] });
    test.app.get(ContentAccess).refresh();
    await write('articles?status=draft', { title: 'E', text: 'key' });
    const look = async (): Promise<readonly { failure: string | null }[]> => {
      const { body } = await test.http.get(`/api/webhooks/${id}/attempts`).set('X-Admin', '1').expect(200);
      return (body as { data: { failure: string | null }[] }).data;
    };
    const [attempt] = await eventually(look, 1);
    expect(attempt?.failure).toBe('Invalid key text');
    expect(at('/guess')).toEqual([]);
  });

  it('send nothing more to an endpoint that has responded with 410, also of a backlog', async () => {
    const id = await webhook({ name: 'gone', url: `${url}/gone`, types: ['memo'] });
    // More than one batch, of two documents.
    await test.sql(
      `insert into content_event (id, xid, at, type, document_id, locale, action, actor, attributes)
       select nextval('content_counts_id_seq'), pg_current_xact_id(), now(), 'memo',
         case when n <= 200 then 'a' else 'b' end, '', 'delete', 'system', '[]' from generate_series(1, 250) n`,
    );
    const isDisabled = async (): Promise<unknown[]> => {
      const { body } = await test.http.get(`/api/webhooks/${id}`).set('X-Admin', '1').expect(200);
      return [(body as { data: { disabled: unknown } }).data.disabled].filter((reason) => reason !== null);
    };
    await eventually(isDisabled, 1);
    await webhook({ name: 'after', url: `${url}/after` });
    await write('memos', { text: 'F' });
    await eventually(() => at('/after'), 1);
    expect(at('/gone')).toHaveLength(1);
  });

  it.each(['/slow', '/endless'])('close the connection to %s, whose response does not end', async (path) => {
    await webhook({ name: path, url: `${url}${path}` });
    await write('memos', { text: path });
    await eventually(() => at(path), 1);
    await eventually(() => closed.filter((one) => one === path), 1);
  });
});
