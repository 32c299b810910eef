import { ContentAccess, defineCollectionType, defineSingleType, type Grants } from 'nestjs-content-api';
import { ApiTokens, ApiTokensModule, apiTokenType } from 'nestjs-content-api/accounts';
import { adaptersFor } from '../support/adapters.ts';
import { countStatements, createTestApp, type TestApp } from '../support/app.ts';
import { contentTypes } from './helpers.ts';

describe.each(adaptersFor('fastify'))('API tokens on %s', (adapter) => {
  let test: TestApp;
  let tokens: ApiTokens;
  beforeAll(async () => {
    test = await createTestApp(
      { contentTypes, access: { public: { topic: ['find'] } }, imports: [ApiTokensModule] },
      adapter,
    );
    tokens = test.app.get(ApiTokens);
    await test.sql(
      `insert into notes (document_id, locale, published, created_at, updated_at, published_at, title, secret_text) values ('n1', 'en', true, now(), now(), now(), 'one', 'hush')`,
    );
  });
  afterAll(() => test.close());

  let n = 0;
  const make = (
    more: { kind: 'read-only' | 'full-access' } | { kind: 'custom'; grants: Grants },
    days?: number,
  ) => tokens.create({ name: `token ${(n += 1)}`, ...more, ...(days === undefined ? {} : { days }) });
  const get = (path: string, token: string, scheme = 'Bearer') =>
    test.http.get(`/api/${path}`).set('authorization', `${scheme} ${token}`);
  const statusOf = async (path: string, token: string, scheme?: string): Promise<number> =>
    (await get(path, token, scheme)).status;
  const send = (token: string) =>
    test.http
      .post('/api/notes')
      .set('authorization', `Bearer ${token}`)
      .send({ data: { title: 'sent' } });

  it('18.9 read-only reads everything and writes nothing', async () => {
    const { token } = await make({ kind: 'read-only' });
    expect([
      await statusOf('notes', token),
      await statusOf('notes/n1', token),
      (await send(token)).status,
    ]).toEqual([200, 200, 403]);
  });

  it('18.9 full access permits everything', async () => {
    const { token } = await make({ kind: 'full-access' });
    expect([await statusOf('notes', token), (await send(token)).status]).toEqual([200, 201]);
  });

  it('18.9 custom permits its grants, down to attributes', async () => {
    const { token } = await make({
      kind: 'custom',
      grants: { note: [{ actions: ['find'], fields: ['title'] }] },
    });
    const { body } = await get('notes?filters[title]=one', token).expect(200);
    expect(body.data).toEqual([expect.not.objectContaining({ secretText: expect.anything() })]);
    expect([
      await statusOf('notes/n1', token),
      (await send(token)).status,
      await statusOf('topics', token),
    ]).toEqual([403, 403, 403]);
    await get('notes?filters[secretText]=hush', token).expect(400);
  });

  it('18.2 accepts the scheme in any case, and ignores other schemes', async () => {
    const { token } = await make({ kind: 'read-only' });
    expect([
      await statusOf('notes', token, 'bearer'),
      await statusOf('topics', token, 'Basic'),
      await statusOf('notes', token, 'Token'),
    ]).toEqual([200, 200, 403]);
  });

  it('18.3 18.6 rejects a wrong token, even if the public may read', async () => {
    const { token } = await make({ kind: 'read-only' });
    for (const wrong of [
      `${token}x`,
      token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A'),
      token.replace(/^nca_.{16}/, 'nca_0123456789abcdef'),
      'garbage',
      'nca_',
    ]) {
      const { body } = await get('topics', wrong).expect(401);
      expect(body).toEqual({
        data: null,
        error: {
          status: 401,
          name: 'UnauthorizedError',
          message: 'Missing or invalid credentials',
          details: {},
        },
      });
    }
    await get('topics', (await make({ kind: 'custom', grants: { note: ['find'] } })).token).expect(403);
  });

  it('18.4 reports an expired token (S38)', async () => {
    const made = await make({ kind: 'read-only' }, 7);
    expect(Math.round((Date.parse(made.expiresAt ?? '') - Date.now()) / 86_400_000)).toBe(7);
    await get('notes', made.token).expect(200);
    await test.sql(
      `update content_api_tokens set expires_at = now() - interval '1 second' where document_id = $1`,
      [made.documentId],
    );
    expect((await get('notes', made.token).expect(401)).body.error.message).toBe('Token expired');
    const renewed = await tokens.rotate(made.documentId);
    await get('notes', renewed?.token ?? '').expect(200);
    await get('notes', made.token).expect(401);
  });

  it('18.10 returns a token once and stores a salted hash (S38)', async () => {
    const [one, two] = [await make({ kind: 'read-only' }), await make({ kind: 'read-only' })];
    expect(one).not.toHaveProperty('hash');
    const rows = await test.sql('select * from content_api_tokens where document_id = any($1)', [
      [one.documentId, two.documentId],
    ]);
    expect(JSON.stringify(rows)).not.toContain(one.token.slice(-43));
    expect(new Set(rows.map((row) => String(row['hash']).split('$')[1])).size).toBe(2);
    expect(JSON.stringify(await tokens.list())).not.toMatch(/hash|lookup|nca_/);
  });

  it('18.10 records its use at most once per hour, also that of concurrent requests (S38)', async () => {
    const { token, documentId } = await make({ kind: 'read-only' });
    const used = async () =>
      (
        await test.sql('select last_used_at::text as at from content_api_tokens where document_id = $1', [
          documentId,
        ])
      )[0]?.['at'];
    // Another transaction holds the row while the first use is recorded.
    const other = await test.connect();
    await other.query('begin');
    await other.query('select 1 from content_api_tokens where document_id = $1 for update', [documentId]);
    const notes = await countStatements(async () => {
      for (let i = 0; i < 4; i += 1) await get('notes', token).expect(200);
      await other.query('commit');
      for (let i = 0; i < 50 && (await used()) === null; i += 1)
        await new Promise((done) => setTimeout(done, 10));
    });
    await other.end();
    expect(notes.filter((text) => text.startsWith('update'))).toHaveLength(1);
    const first = await used();
    expect(first).not.toBeNull();
    const statements = await countStatements(() => get('notes', token).expect(200));
    expect(statements.filter((text) => /\bupdate\b/.test(text))).toEqual([]);
    expect(await used()).toBe(first);
    await test.sql(
      `update content_api_tokens set last_used_at = now() - interval '61 minutes' where document_id = $1`,
      [documentId],
    );
    await get('notes', token).expect(200);
    for (let i = 0; i < 50 && Date.parse(String(await used())) < Date.now() - 60_000; i += 1)
      await new Promise((done) => setTimeout(done, 10));
    expect(Date.parse(String(await used()))).toBeGreaterThan(Date.now() - 60_000);
  });

  it('S38: rejects a revoked token on the next request', async () => {
    const { token, documentId } = await make({ kind: 'full-access' });
    await get('notes', token).expect(200);
    expect([await tokens.revoke(documentId), await tokens.revoke(documentId)]).toEqual([true, false]);
    await get('notes', token).expect(401);
  });

  it('needs one query, and none to check permissions', async () => {
    const { token } = await make({ kind: 'custom', grants: { note: ['find'] } });
    await get('notes', token).expect(200);
    await new Promise((done) => setTimeout(done, 50));
    const seen = await countStatements(() => get('notes', token).expect(200));
    // The requested rows may be cached.
    expect(seen.filter((text) => !text.includes('"notes"'))).toEqual([
      expect.stringContaining('content_api_tokens'),
    ]);
  });

  it.each<[string, object, string]>([
    ['a taken name', { name: 'token 1', kind: 'read-only' }, 'This attribute must be unique'],
    ['an unknown kind', { name: 'x', kind: 'admin' }, 'kind must be one of'],
    [
      'grants for another kind',
      { name: 'x', kind: 'read-only', grants: {} },
      'The kind "custom" requires "grants"',
    ],
    ['no grants for custom', { name: 'x', kind: 'custom' }, 'The kind "custom" requires "grants"'],
    [
      'unknown types in grants',
      { name: 'x', kind: 'custom', grants: { nots: ['find'] } },
      'did you mean "note"',
    ],
    [
      'unknown attributes in grants',
      { name: 'x', kind: 'custom', grants: { note: [{ actions: '*', fields: ['titel'] }] } },
      'did you mean "title"',
    ],
    [
      'a fraction of days',
      { name: 'x', kind: 'read-only', days: 0.5 },
      '"days" must be a positive whole number',
    ],
  ])('rejects %s', async (_name, input, message) => {
    await expect(tokens.create(input as never)).rejects.toThrow(message);
  });
});

it('the module without its type does not start, and reports the missing type', async () => {
  await expect(
    createTestApp({
      contentTypes: contentTypes
        .slice(0, 3)
        .map((type) => ({ ...type, owner: undefined, attributes: { title: { type: 'string' } } }) as never),
      imports: [ApiTokensModule],
    }),
  ).rejects.toThrow('contentTypes: add apiTokenType');
});

it('an application acts for a role', async () => {
  const test = await createTestApp({ contentTypes, access: { roles: { editor: { note: ['find'] } } } });
  const caller = await test.app.get(ContentAccess).callerOf({ kind: 'user', id: '1', roles: ['editor'] });
  expect([
    caller.permissions.allows('note', 'find'),
    caller.permissions.allows('note', 'create'),
    caller.permissions.allows('topic', 'find'),
  ]).toEqual([true, false, false]);
  await test.close();
});

const page = defineCollectionType({
  singularApiId: 'page',
  pluralApiId: 'pages',
  draftAndPublish: true,
  attributes: { title: { type: 'string' } },
});
const front = defineSingleType({
  singularApiId: 'front',
  draftAndPublish: true,
  attributes: { title: { type: 'string' } },
});

describe.each(adaptersFor('fastify'))('drafts and API tokens on %s', (adapter) => {
  let test: TestApp;
  let documentId: string;
  beforeAll(async () => {
    const access = { public: { page: ['create', 'readDrafts'], front: ['update', 'readDrafts'] } } as const;
    test = await createTestApp(
      { contentTypes: [page, front, apiTokenType], access, imports: [ApiTokensModule] },
      adapter,
    );
    const data = { title: 'draft' };
    documentId = (await test.http.post('/api/pages?status=draft').send({ data }).expect(201)).body.data
      .documentId;
    await test.http.put('/api/front?status=draft').send({ data }).expect(200);
  });
  afterAll(() => test.close());

  it.each([
    ['read-only', undefined, [200, 200, 200]],
    ['full-access', undefined, [200, 200, 200]],
    ['custom', { page: ['find', 'findOne'], front: ['find'] }, [403, 403, 403]],
    ['custom', { page: ['find', 'readDrafts'], front: ['find', 'readDrafts'] }, [200, 403, 200]],
  ] as [string, Grants | undefined, number[]][])(
    'D28: %s with %j reads drafts according to its grants',
    async (kind, grants, expected) => {
      const name = `${kind} ${JSON.stringify(grants)}`;
      const { token } = await test.app.get(ApiTokens).create({ name, kind, grants } as never);
      const statuses = await Promise.all(
        ['pages', `pages/${documentId}`, 'front'].map(
          async (path) =>
            (await test.http.get(`/api/${path}?status=draft`).set('authorization', `Bearer ${token}`)).status,
        ),
      );
      expect(statuses).toEqual(expected);
    },
  );

  it('D28: read-only writes nothing, drafts included', async () => {
    const { token } = await test.app.get(ApiTokens).create({ name: 'reader', kind: 'read-only' });
    for (const query of ['', '?status=draft'])
      await test.http
        .put(`/api/pages/${documentId}${query}`)
        .set('authorization', `Bearer ${token}`)
        .send({ data: {} })
        .expect(403);
  });
});
