/** Webhooks: what endpoints receive, when, and who may manage them. */
import { generateKeyPairSync, verify } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { Logger } from '@nestjs/common';
import {
  type AuthStrategy,
  ContentMetrics,
  type ContentService,
  defineCollectionType,
  getContentToken,
  type Grants,
} from 'nestjs-content-api';
import { EventsModule, webhookType } from 'nestjs-content-api/events';
import { Webhook } from 'standardwebhooks';
import type * as WorkerRoom from '../../src/features/events/reader-worker.ts';
import { failure } from '../http/helpers.ts';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';
import { LocalServer } from '../support/local-server.ts';
import { loadRoom } from '../support/rooms.ts';
import { eventually } from './helpers.ts';

const { ReaderWorker } = await loadRoom<typeof WorkerRoom>('features/events/reader-worker');

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Receiver of webhooks: the path decides the response. */
class Receiver extends LocalServer {
  readonly received: Received[] = [];
  readonly statuses = new Map<string, number>();
  readonly replies = new Map<string, Record<string, string>>();

  protected respond(text: string, { url = '', headers }: IncomingMessage, response: ServerResponse): void {
    this.received.push({ path: url, headers, text, body: JSON.parse(text) as Received['body'] });
    response.writeHead(this.statuses.get(url) ?? 200, this.replies.get(url) ?? {}).end('ok');
  }

  at(path: string): readonly Received[] {
    return this.received.filter((one) => one.path === path);
  }
}

const author = defineCollectionType({
  singularApiId: 'author',
  pluralApiId: 'authors',
  attributes: { name: { type: 'string' }, mail: { type: 'email', private: true } },
});
const article = defineCollectionType({
  singularApiId: 'article',
  pluralApiId: 'articles',
  draftAndPublish: true,
  actions: true,
  attributes: {
    title: { type: 'string', required: true },
    secret: { type: 'string', private: true },
    text: { type: 'text' },
    author: { type: 'relation', relation: 'manyToOne', target: 'author' },
  },
});

const ROLES: Readonly<Record<string, Grants>> = {
  admin: { '*': '*' },
  hooker: { webhook: '*', article: ['find'] },
  titles: { webhook: '*', article: ['readDrafts', { actions: ['find'], fields: ['title'] }] },
  shop: { article: ['readDrafts', { actions: ['find'], where: { title: { $startsWith: 'Shop' } } }] },
  reader: { article: [{ actions: ['find', 'readDrafts'], fields: ['title'] }] },
};
const byHeader: AuthStrategy = {
  name: 'header',
  vary: ['X-Role'],
  authenticate: ({ headers }) => {
    const role = headers['x-role'];
    return typeof role === 'string' ? { kind: 'user', id: role, roles: [role] } : null;
  },
};

/** Returns the lines that the log of events gets from now on. */
function warnings(): string[] {
  const lines: string[] = [];
  jest.spyOn(Logger.prototype, 'warn').mockImplementation((line) => void lines.push(String(line)));
  return lines;
}
afterEach(() => {
  jest.restoreAllMocks();
});

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const SEED = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32);

describe.each(ADAPTERS)('webhooks on %s', (adapter) => {
  const receiver = new Receiver();
  let test: TestApp;
  beforeAll(async () => {
    await receiver.start();
    test = await createTestApp(
      {
        contentTypes: [author, article, webhookType],
        access: { public: { article: '*', author: '*' }, roles: ROLES },
        auth: { strategies: [byHeader] },
        imports: [
          EventsModule.forRoot({
            pollMilliseconds: 50,
            webhooks: {
              allow: ['localhost'],
              signingKey: `whsk_${SEED.toString('base64')}`,
              endpoints: [
                {
                  name: 'site',
                  url: `${receiver.url}/site`,
                  secret: SECRET,
                  headers: { Authorization: 'Basic x' },
                },
                {
                  name: 'published',
                  url: `${receiver.url}/published`,
                  secret: [SECRET],
                  events: ['entry.publish'],
                  types: ['article'],
                  filters: { title: { $contains: 'yes' } },
                  fields: ['title'],
                  populate: { author: { fields: ['name'] } },
                },
                { name: 'narrow', url: `${receiver.url}/narrow`, secret: SECRET, role: 'reader' },
              ],
            },
          }),
        ],
      },
      adapter,
    );
  });
  afterAll(async () => {
    await test.close();
    receiver.stop();
  });
  beforeEach(async () => {
    // Events of the test before may still be on their way.
    await eventually(async () => (await webhooks()).filter(({ lag, pending }) => lag + pending > 0), 0);
    receiver.received.length = 0;
  });

  const webhooks = async (): Promise<readonly { lag: number; pending: number }[]> => {
    const { body } = await test.http.get('/api/webhooks').set(as('admin')).expect(200);
    return (body as { data: { lag: number; pending: number }[] }).data;
  };
  const as = (role: string): { readonly 'X-Role': string } => ({ 'X-Role': role });
  const create = async (path: string, data: object): Promise<string> => {
    const { body } = await test.http.post(path).send({ data }).expect(201);
    return (body as { data: { documentId: string } }).data.documentId;
  };
  /** Makes all undelivered events due. */
  const retry = async (): Promise<void> => {
    await test.sql(
      'update content_event_delivery set due_at = now() where attempts > 0 and failed_at is null',
    );
    test.app.get(ReaderWorker).round();
  };

  it('21.1, 21.2, 21.6: sends the event with its entry, signed, without private attributes', async () => {
    const ann = await create('/api/authors', { name: 'Ann', mail: 'ann@example.org' });
    const id = await create('/api/articles', { title: 'A', secret: 's', author: ann });
    const sent = await eventually(() => receiver.at('/site'), 3);
    const [created, published] = sent.filter(({ body }) => body['model'] === 'article');
    expect(created?.body).toEqual({
      event: 'entry.create',
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      model: 'article',
      uid: 'api::article.article',
      entry: expect.objectContaining({
        documentId: id,
        title: 'A',
        author: expect.objectContaining({ name: 'Ann' }) as object,
      }) as object,
    });
    expect(JSON.stringify(created?.body)).not.toMatch(/secret|ann@example/);
    expect(created?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-strapi-event': 'entry.create',
      authorization: 'Basic x',
      'webhook-id': expect.stringMatching(/^evt_\d+$/) as string,
    });
    expect(published?.body).toMatchObject({ event: 'entry.publish', entry: { title: 'A' } });
    await test.http.delete(`/api/articles/${id}`).expect(204);
    const deleted = (await eventually(() => receiver.at('/site'), 4))[3];
    expect(deleted?.body).toMatchObject({ event: 'entry.delete', entry: { documentId: id } });
  });

  it('sends what the official package of Standard Webhooks verifies', async () => {
    await create('/api/authors', { name: 'Bob' });
    const [sent] = await eventually(() => receiver.at('/site'), 1);
    const { text = '', headers = {} } = sent ?? {};
    const known = headers as Record<string, string>;
    expect(new Webhook(SECRET).verify(text, known)).toEqual(JSON.parse(text));
    expect(() => new Webhook(SECRET).verify(`${text} `, known)).toThrow();
    const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
    expect(() => new Webhook(other).verify(text, known)).toThrow();
    const old = { ...known, 'webhook-timestamp': String(Number(known['webhook-timestamp']) - 600) };
    expect(() => new Webhook(SECRET).verify(text, old)).toThrow();
    const [, asymmetric = ''] = known['webhook-signature']?.split(' v1a,') ?? [];
    const content = Buffer.from(`${known['webhook-id']}.${known['webhook-timestamp']}.${text}`);
    expect(verify(null, content, publicKey, Buffer.from(asymmetric, 'base64'))).toBe(true);
  });

  it('sends to an endpoint with filters, fields and events only what they name', async () => {
    await create('/api/articles', { title: 'no', text: 'x' });
    const id = await create('/api/articles', { title: 'yes', text: 'x' });
    const [sent] = await eventually(() => receiver.at('/published'), 1);
    expect(sent?.body).toMatchObject({ event: 'entry.publish' });
    expect(Object.keys((sent?.body as { entry: object }).entry).sort()).toEqual([
      'author',
      'documentId',
      'id',
      'title',
    ]);
    expect(sent?.body).toMatchObject({ entry: { documentId: id } });
    await eventually(() => receiver.at('/site'), 4);
    expect(receiver.at('/published')).toHaveLength(1);
  });

  it('shows an endpoint with a role only what the role may read', async () => {
    await create('/api/authors', { name: 'Cid' });
    await create('/api/articles', { title: 'N', text: 'hidden' });
    const sent = await eventually(() => receiver.at('/narrow'), 2);
    expect(sent.map(({ body }) => body['event'])).toEqual(['entry.create', 'entry.publish']);
    // Signatures are random: they may contain any three letters.
    expect(JSON.stringify(sent.map(({ body }) => body))).not.toMatch(/hidden|Cid/);
  });

  it('sends to an endpoint whose role has conditions the documents that meet them, and no deletions', async () => {
    const { body } = await test.http
      .post('/api/webhooks')
      .set(as('admin'))
      .send({ data: { name: 'shop', url: `${receiver.url}/shop`, role: 'shop' } })
      .expect(201);
    const { id } = (body as { data: { id: string } }).data;
    for (const title of ['Home', 'Shop 1', 'Shop 2']) {
      const documentId = await create('/api/articles?status=draft', { title });
      await eventually(async () => (await webhooks()).filter(({ lag, pending }) => lag + pending > 0), 0);
      await test.http.delete(`/api/articles/${documentId}`).expect(204);
    }
    await eventually(async () => (await webhooks()).filter(({ lag, pending }) => lag + pending > 0), 0);
    expect(receiver.at('/shop').map(({ body: sent }) => sent)).toEqual([
      expect.objectContaining({ event: 'entry.create', entry: expect.objectContaining({ title: 'Shop 1' }) }),
      expect.objectContaining({ event: 'entry.create', entry: expect.objectContaining({ title: 'Shop 2' }) }),
    ]);
    await test.http.delete(`/api/webhooks/${id}`).set(as('admin')).expect(204);
  });

  it('21.3: sends the end of a published version to a role that reads no drafts', async () => {
    const { body } = await test.http
      .post('/api/webhooks')
      .set(as('admin'))
      .send({ data: { name: 'site of readers', url: `${receiver.url}/readers`, role: 'hooker' } })
      .expect(201);
    const { id } = (body as { data: { id: string } }).data;
    const draft = await create('/api/articles?status=draft', { title: 'Draft' });
    const published = await create('/api/articles', { title: 'Live' });
    await test.http.post(`/api/articles/${published}/actions/unpublish`).expect(200);
    await test.http.post(`/api/articles/${published}/actions/publish`).expect(200);
    for (const one of [draft, published]) await test.http.delete(`/api/articles/${one}`).expect(204);
    await eventually(async () => (await webhooks()).filter(({ lag, pending }) => lag + pending > 0), 0);
    const gone = { documentId: published, locale: null };
    const sent = receiver.at('/readers').map((one) => [one.body['event'], one.body['entry']]);
    expect(sent.filter(([event]) => event !== 'entry.publish')).toEqual([
      ['entry.unpublish', gone],
      ['entry.delete', gone],
    ]);
    await test.http.delete(`/api/webhooks/${id}`).set(as('admin')).expect(204);
  });

  it('21.8: a failing endpoint fails no request, is retried, and keeps the order of a document', async () => {
    const warned = warnings();
    receiver.statuses.set('/site', 500);
    // Without it, a retry could come during the test.
    receiver.replies.set('/site', { 'Retry-After': '3600' });
    const id = await create('/api/articles', { title: 'one' });
    await eventually(() => receiver.at('/site'), 1);
    await test.http
      .put(`/api/articles/${id}?status=draft`)
      .send({ data: { title: 'two' } })
      .expect(200);
    await eventually(() => receiver.at('/narrow'), 3);
    await eventually(
      async () => test.sql(`select 1 from content_event_delivery where reader = 'webhook site'`),
      3,
    );
    expect(receiver.at('/site')).toHaveLength(1);
    receiver.statuses.clear();
    receiver.replies.clear();
    await retry();
    const sent = await eventually(() => receiver.at('/site'), 4);
    expect(sent.map(({ body }) => body['event'])).toEqual([
      'entry.create',
      'entry.create',
      'entry.publish',
      'entry.update',
    ]);
    expect(sent[0]?.headers['webhook-id']).toBe(sent[1]?.headers['webhook-id']);
    await eventually(() => test.sql('select 1 from content_event_delivery'), 0);
    const { body } = await test.http.get('/api/webhooks/site/attempts').set(as('admin')).expect(200);
    const { data } = body as { data: { status: number; failure: string | null }[] };
    expect(data.slice(0, 4).map(({ status }) => status)).toEqual([200, 200, 200, 500]);
    expect(data[3]?.failure).toBe('The endpoint responded with 500');
    expect(warned).toEqual([
      expect.stringMatching(
        /^The webhook site failed on entry\.create \(evt_\d+\), and gets it again later: .* responded with 500$/,
      ),
    ]);
  });

  it('refuses redirects, and waits as Retry-After asks', async () => {
    receiver.statuses.set('/site', 302).set('/narrow', 429);
    receiver.replies
      .set('/site', { Location: `${receiver.url}/elsewhere` })
      .set('/narrow', { 'Retry-After': '3600' });
    await create('/api/articles', { title: 'R' });
    const rows = await eventually(
      () =>
        test.sql(`select reader, failure, due_at > now() + interval '50 minutes' as late from content_event_delivery
        where attempts > 0 order by reader`),
      2,
    );
    expect(rows).toEqual([
      { reader: 'webhook narrow', failure: 'The endpoint responded with 429', late: true },
      { reader: 'webhook site', failure: 'The endpoint responded with 302', late: false },
    ]);
    expect(receiver.at('/elsewhere')).toEqual([]);
    receiver.statuses.clear();
    receiver.replies.clear();
    await retry();
    await eventually(() => test.sql('select 1 from content_event_delivery'), 0);
  });

  it('21.9, 21.10: a caller with the grants manages webhooks; a secret is shown once', async () => {
    const input = { name: 'mine', url: `${receiver.url}/mine`, events: ['entry.create'], types: ['author'] };
    await test.http.get('/api/webhooks').expect(403);
    await test.http.post('/api/webhooks').set(as('reader')).send({ data: input }).expect(403);
    await test.http
      .post('/api/webhooks')
      .set(as('admin'))
      .send({ data: { ...input, events: ['entry.moved'] } })
      .expect(
        400,
        failure(400, 'ValidationError', 'Webhook event entry.moved is not supported', {
          key: 'events',
          path: 'events',
          source: 'body',
        }),
      );
    const made = await test.http.post('/api/webhooks').set(as('admin')).send({ data: input }).expect(201);
    const { id, secret } = (made.body as { data: { id: string; secret: string } }).data;
    expect(secret).toMatch(/^whsec_/);
    await create('/api/authors', { name: 'Dan' });
    const [sent] = await eventually(() => receiver.at('/mine'), 1);
    new Webhook(secret).verify(sent?.text ?? '', sent?.headers as Record<string, string>);
    const listed = await test.http.get('/api/webhooks').set(as('admin')).expect(200);
    expect(JSON.stringify(listed.body)).not.toMatch(/whsec|Basic x/);
    const rotated = await test.http.post(`/api/webhooks/${id}/rotate`).set(as('admin')).expect(200);
    const next = (rotated.body as { data: { secret: string } }).data.secret;
    await test.http
      .post(`/api/webhooks/${id}/test`)
      .set(as('admin'))
      .expect(200, { data: { kind: 'delivered', status: 200 } });
    const tried = receiver.at('/mine')[1];
    for (const one of [secret, next])
      new Webhook(one).verify(tried?.text ?? '', tried?.headers as Record<string, string>);
    await test.http
      .put(`/api/webhooks/${id}`)
      .set(as('admin'))
      .send({ data: { enabled: false } })
      .expect(200);
    await test.http.delete(`/api/webhooks/${id}`).set(as('admin')).expect(204);
    await test.http.get(`/api/webhooks/${id}`).set(as('admin')).expect(404);
    await test.http.delete('/api/webhooks/site').set(as('admin')).expect(403);
  });

  it('21.10: signs with all secrets of concurrent rotations', async () => {
    const input = { name: 'rotated', url: `${receiver.url}/rotated`, events: ['media.create'] };
    const made = await test.http.post('/api/webhooks').set(as('admin')).send({ data: input }).expect(201);
    const { id, secret } = (made.body as { data: { id: string; secret: string } }).data;
    const rotated = await Promise.all(
      Array.from({ length: 4 }, () =>
        test.http.post(`/api/webhooks/${id}/rotate`).set(as('admin')).expect(200),
      ),
    );
    await test.http.post(`/api/webhooks/${id}/test`).set(as('admin')).expect(200);
    const [sent] = receiver.at('/rotated');
    for (const one of [secret, ...rotated.map(({ body }) => String(body.data.secret))])
      new Webhook(one).verify(sent?.text ?? '', sent?.headers as Record<string, string>);
    await test.http.delete(`/api/webhooks/${id}`).set(as('admin')).expect(204);
  });

  it('21.10: describes the routes to callers who may use them', async () => {
    const described = async (role: string): Promise<string[]> => {
      const { body } = await test.http.get('/api/openapi.json').set(as(role)).expect(200);
      const { paths } = body as { paths: Readonly<Record<string, object>> };
      return Object.entries(paths)
        .filter(([path]) => path.startsWith('/api/webhooks'))
        .flatMap(([path, operations]) => Object.keys(operations).map((method) => `${method} ${path}`));
    };
    expect(await described('reader')).toEqual([]);
    expect((await described('admin')).sort()).toEqual([
      'delete /api/webhooks/{id}',
      'get /api/webhooks',
      'get /api/webhooks/{id}',
      'get /api/webhooks/{id}/attempts',
      'post /api/webhooks',
      'post /api/webhooks/{id}/enable',
      'post /api/webhooks/{id}/replay',
      'post /api/webhooks/{id}/rotate',
      'post /api/webhooks/{id}/test',
      'put /api/webhooks/{id}',
    ]);
    const { body } = await test.http.get('/api/openapi.json').set(as('admin')).expect(200);
    const { requestBody } = body.paths['/api/webhooks'].post;
    const { data } = requestBody.content['application/json'].schema.properties;
    expect(data).toMatchObject({ additionalProperties: false, required: ['name', 'url'] });
    expect(data.properties.events.anyOf).toContainEqual({ type: 'null' });
  });

  it('returns the secret of a stored webhook also if it cannot be registered yet', async () => {
    await test.sql('alter table content_event_reader rename to elsewhere');
    const data = { name: 'early', url: `${receiver.url}/early` };
    const send = () => test.http.post('/api/webhooks').set(as('admin')).send({ data });
    try {
      const { body } = await send().expect(201);
      expect(body.data).toMatchObject({ ...data, enabled: true, secret: expect.any(String) });
      await test.sql('alter table elsewhere rename to content_event_reader');
      const shown = await test.http.get(`/api/webhooks/${body.data.id}`).set(as('admin')).expect(200);
      expect({ ...shown.body.data, secret: body.data.secret }).toEqual(body.data);
      await test.http.delete(`/api/webhooks/${body.data.id}`).set(as('admin')).expect(204);
    } finally {
      await test.sql('alter table if exists elsewhere rename to content_event_reader');
    }
  });

  it('21.11: a webhook sees no more than its creator may read', async () => {
    const input = { name: 'spy', url: `${receiver.url}/spy` };
    await test.http.post('/api/webhooks').set(as('hooker')).send({ data: input }).expect(403);
    await test.http
      .post('/api/webhooks')
      .set(as('hooker'))
      .send({ data: { ...input, role: 'admin' } })
      .expect(403);
    const { body } = await test.http
      .post('/api/webhooks')
      .set(as('hooker'))
      .send({ data: { ...input, role: 'hooker' } })
      .expect(201);
    const { id } = (body as { data: { id: string } }).data;
    const change = (role: string): ReturnType<TestApp['http']['put']> =>
      test.http.put(`/api/webhooks/${id}`).set(as('hooker')).send({ data: { role } });
    await change('reader').expect(403);
    // Of some articles, this role sees more attributes.
    await test.http
      .post('/api/webhooks')
      .set(as('titles'))
      .send({ data: { ...input, name: 'shop', role: 'shop' } })
      .expect(403);
    const unknown = failure(400, 'ValidationError', 'Role "unknown" does not exist', {
      ...{ key: 'role', path: 'role', source: 'body' },
    });
    await change('unknown').expect(400, unknown);
    await test.http
      .post('/api/webhooks')
      .set(as('hooker'))
      .send({ data: { ...input, name: 'other', role: 'unknown' } })
      .expect(400, unknown);
    await test.http.delete(`/api/webhooks/${id}`).set(as('hooker')).expect(204);
  });

  it.each<[object, string, string]>([
    [{ types: ['article'], filters: { nope: 'x' } }, 'filters', 'Invalid key nope (type article)'],
    [{ types: ['article'], fields: ['title', 'nope'] }, 'fields', 'Invalid key nope (type article)'],
    [{ types: ['article'], populate: ['nope'] }, 'populate', 'Invalid key nope (type article)'],
    [{ types: ['nope'] }, 'types', 'Type "nope" does not exist'],
    // Without `types`, files are sent, too.
    [{ fields: ['title'] }, 'fields', 'Invalid key title (type file)'],
    // The role reads titles only.
    [{ types: ['article'], fields: ['text'], role: 'reader' }, 'fields', 'Invalid key text (type article)'],
  ])('21.24: refuses %j, because no delivery could succeed', async (selection, key, message) => {
    const input = { name: 'wrong', url: `${receiver.url}/wrong`, ...selection };
    await test.http
      .post('/api/webhooks')
      .set(as('admin'))
      .send({ data: input })
      .expect(400, failure(400, 'ValidationError', message, { key, path: key, source: 'body' }));
  });

  it('21.24: refuses a change to what no delivery could use, and takes null for the default', async () => {
    const selection = { types: null, filters: null, fields: null, populate: null };
    const input = { name: 'wide', url: `${receiver.url}/wide`, ...selection };
    const { body } = await test.http.post('/api/webhooks').set(as('admin')).send({ data: input }).expect(201);
    const { id } = (body as { data: { id: string } }).data;
    const change = (data: object): ReturnType<TestApp['http']['put']> =>
      test.http.put(`/api/webhooks/${id}`).set(as('admin')).send({ data });
    await change({ fields: ['title'] }).expect(400);
    await change({ fields: ['title'], types: ['article'] }).expect(200);
    await change({ types: null }).expect(400);
    await change({ types: null, fields: null }).expect(200);
    await test.http.delete(`/api/webhooks/${id}`).set(as('admin')).expect(204);
  });

  it('21.12: reaches no private address', async () => {
    const input = { name: 'inside', url: `${receiver.url.replace('localhost', '127.0.0.1')}/inside` };
    const { body } = await test.http.post('/api/webhooks').set(as('admin')).send({ data: input }).expect(201);
    const { id } = (body as { data: { id: string } }).data;
    const tried = await test.http.post(`/api/webhooks/${id}/test`).set(as('admin')).expect(200);
    expect(tried.body).toMatchObject({
      data: { kind: 'failed', failure: '127.0.0.1 is not a public address' },
    });
    await test.http.delete(`/api/webhooks/${id}`).set(as('admin')).expect(204);
  });

  it('disables an endpoint that responds with 410, until it is enabled again', async () => {
    const warned = warnings();
    receiver.statuses.set('/narrow', 410);
    await create('/api/articles', { title: 'G' });
    await eventually(() => test.sql(`select 1 from content_event_reader where disabled is not null`), 1);
    receiver.statuses.clear();
    await create('/api/articles', { title: 'H' });
    await eventually(() => receiver.at('/site'), 4);
    expect(receiver.at('/narrow')).toHaveLength(1);
    expect(warned).toEqual([
      expect.stringMatching(/^The webhook narrow .* until it is enabled again: .* with 410$/),
    ]);
    const { body } = await test.http.post('/api/webhooks/narrow/enable').set(as('admin')).expect(200);
    expect(body).toMatchObject({ data: { disabled: null } });
    await retry();
    expect(
      (await eventually(() => receiver.at('/narrow'), 5))
        .slice(1)
        .map(({ body: { entry } }) => (entry as { title: string }).title)
        .sort(),
    ).toEqual(['G', 'G', 'H', 'H']);
  });

  it('counts deliveries, and passes the id of the request to the log', async () => {
    const metrics = test.app.get(ContentMetrics, { strict: false });
    const before = metrics.snapshot().parts['events']?.['delivered'] ?? 0;
    const { headers } = await test.http
      .post('/api/authors')
      .send({ data: { name: 'Kim' } })
      .expect(201);
    await eventually(() => receiver.at('/site'), 1);
    await eventually(async () => (await webhooks()).filter(({ lag }) => lag > 0), 0);
    expect(metrics.snapshot().parts['events']?.['delivered']).toBeGreaterThan(before);
    // Receivers of deleted webhooks are counted until the next round.
    const receivers = (): unknown[] => [metrics.snapshot().present['events']?.['receivers']];
    await eventually(() => receivers().filter((count) => count === 3), 1);
    expect(metrics.snapshot().present['events']).toMatchObject({ waitingDocuments: 0 });
    expect(metrics.prometheus()).toMatch(/^content_events_delivered_total \d+$/m);
    const [row] = await test.sql('select request_id from content_event order by id desc limit 1');
    expect(row).toEqual({ request_id: headers['x-request-id'] });
  });

  it('serves a webhook whose creator died before it registered the webhook', async () => {
    const stored: ContentService = test.app.get(getContentToken('webhook'), { strict: false });
    const secrets = [{ secret: SECRET, until: null }];
    const { documentId } = await stored.create({ name: 'left', url: `${receiver.url}/left`, secrets });
    const look = async (): Promise<readonly Received[]> => {
      // Timers renew the list of webhooks and look for readers every 5 s.
      await webhooks();
      test.app.get(ReaderWorker).round();
      await create('/api/authors', { name: 'Lee' });
      return receiver.at('/left').slice(0, 1);
    };
    await eventually(look, 1);
    await test.http.delete(`/api/webhooks/${documentId}`).set(as('admin')).expect(204);
  });

  it('21.13: replays all events since a time, with their ids', async () => {
    const [row] = await test.sql('select now()::text as now');
    await create('/api/authors', { name: 'Eve' });
    const [first] = await eventually(() => receiver.at('/site'), 1);
    await eventually(async () => (await webhooks()).filter(({ lag }) => lag > 0), 0);
    const { body } = await test.http
      .post('/api/webhooks/site/replay')
      .set(as('admin'))
      .send({ data: { since: new Date(String(row?.['now'])).toISOString() } })
      .expect(200);
    expect(body).toEqual({ data: { replayed: 1 } });
    const [, again] = await eventually(() => receiver.at('/site'), 2);
    expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    await test.http
      .post('/api/webhooks/site/replay')
      .set(as('admin'))
      .send({ data: { since: 'yesterday' } })
      .expect(400);
    const { body: both } = await test.http
      .post('/api/webhooks/site/replay')
      .set(as('admin'))
      .send({ data: { since: '2026-01-01', event: first?.headers['webhook-id'] } })
      .expect(400);
    expect(both.error).toMatchObject({
      message: 'since and event exclude each other',
      details: { key: 'since' },
    });
    // Years that PostgreSQL cannot store.
    for (const since of ['+275760-09-13T00:00:00Z', '-271821-04-20T00:00:00Z'])
      await test.http
        .post('/api/webhooks/site/replay')
        .set(as('admin'))
        .send({ data: { since } })
        .expect(200);
  });
});

it('21.11 a caller who reads all tenants can create a webhook without a role, others cannot', async () => {
  const bill = defineCollectionType({
    singularApiId: 'bill',
    pluralApiId: 'bills',
    tenant: 'account',
    attributes: { account: { type: 'string' } },
  });
  const across: Grants = { '*': '*', bill: [{ actions: ['find', 'findOne', 'readDrafts'], tenant: 'all' }] };
  const test = await createTestApp({
    contentTypes: [bill, webhookType],
    access: { roles: { across, within: { '*': '*' } } },
    auth: { strategies: [byHeader] },
    imports: [EventsModule.forRoot()],
  });
  const add = (role: string): Promise<{ status: number }> =>
    test.http
      .post('/api/webhooks')
      .set({ 'X-Role': role })
      .send({ data: { name: role, url: 'https://example.org/' } });
  expect((await add('within')).status).toBe(403);
  expect((await add('across')).status).toBe(201);
  await test.close();
});

it('sends the ids of a document that exceeds `responseBytes`, if it matches the filters', async () => {
  const receiver = new Receiver();
  await receiver.start();
  const endpoint = (name: string) => ({ name, url: `${receiver.url}/${name}`, secret: SECRET });
  const endpoints = [endpoint('all'), { ...endpoint('some'), filters: { title: { $startsWith: 'yes' } } }];
  const test = await createTestApp({
    contentTypes: [article, author],
    access: { public: { article: '*' } },
    limits: { responseBytes: 2000 },
    imports: [EventsModule.forRoot({ pollMilliseconds: 50, webhooks: { allow: ['localhost'], endpoints } })],
  });
  const ids: string[] = [];
  for (const title of ['no', 'yes']) {
    const data = { title, text: 'x'.repeat(3000) };
    const { body } = await test.http
      .post('/api/articles?status=draft&fields=title')
      .send({ data })
      .expect(201);
    ids.push(body.data.documentId);
  }
  await eventually(() => receiver.at('/all'), 2);
  await eventually(() => test.sql('select 1 from content_event_delivery'), 0);
  await eventually(() => receiver.at('/some'), 1);
  await test.close();
  receiver.stop();
  const thin = (documentId: string) => ({ entry: { documentId, locale: null }, thin: true });
  // Events of different documents have no order.
  const toAll = receiver.at('/all').map(({ body }) => body);
  expect(toAll).toHaveLength(2);
  expect(toAll).toEqual(expect.arrayContaining(ids.map((id) => expect.objectContaining(thin(id)))));
  expect(receiver.at('/some').map(({ body }) => body)).toEqual([
    expect.objectContaining(thin(String(ids[1]))),
  ]);
});
