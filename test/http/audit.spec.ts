/** Audit log: writes, sign-ins, changes of accounts; its route, its export, and the removal of a person. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiTokensModule, UsersModule } from 'nestjs-content-api/accounts';
import { AuditModule } from 'nestjs-content-api/history';
import { CONTENT_SCHEMA, type ContentSchema } from 'nestjs-content-api';
import { contentTypes, Outbox, usersOptions } from '../accounts/helpers.ts';
import { type AccountsWorld, PASSWORD, startAccounts } from '../security/accounts-world.ts';
import { dose, expectSoon } from '../support/dose.ts';
import { ADAPTERS, createTestApp } from '../support/app.ts';
import { eraseUser } from '../../src/features/history/erasure.ts';
import { AuditLog } from '../../src/features/history/audit/audit-log.ts';
import { Database } from '../../src/content/store/database.ts';

const ALL = { note: '*', topic: '*', role: '*', user: '*', 'api-token': '*' } as const;
const ACCESS = {
  public: { note: ['find'] },
  roles: {
    authenticated: { note: ['find', 'findOne', 'create', 'update'] },
    manager: ALL,
    auditor: { audit: ['open'] },
    reader: { '*': ['find', 'findOne'] },
  },
  maxAge: 600_000,
} as const;

describe.each(ADAPTERS)('audit log on %s', (adapter) => {
  let world: AccountsWorld;
  let auditor: string;
  let manager: { readonly jwt: string; readonly id: string };
  beforeAll(async () => {
    world = await startAccounts(
      adapter,
      {},
      {
        access: ACCESS,
        imports: [
          UsersModule.forRoot(usersOptions(new Outbox())),
          ApiTokensModule,
          AuditModule.forRoot({ addresses: true }),
        ],
      },
    );
    auditor = (await world.withRole('auditor')).jwt;
    const { jwt, user } = await world.withRole('manager');
    manager = { jwt, id: String(user['documentId']) };
  });
  afterAll(() => world.close());

  const entries = async (query = ''): Promise<any[]> =>
    (await world.get(`/audit?sort=at:asc&pagination[pageSize]=100&${query}`, auditor)).body.data;
  const about = (documentId: string): Promise<any[]> => entries(`filters[documentId]=${documentId}`);
  const note = async (data: object): Promise<string> =>
    (await world.post('/notes', { data }, manager.jwt)).body.data.documentId;

  it('26.1 records writes with the caller, the request and the names of attributes, without values', async () => {
    const id = await note({ title: 'a value', hidden: 'a secret' });
    const headers = { 'x-request-id': 'request-of-audit' };
    const sent = { body: { data: { title: 'another' } }, token: manager.jwt, headers };
    await world.send('put', `/notes/${id}`, sent);
    await world.put(`/notes/${id}`, { data: { title: null } }, manager.jwt);
    await world.send('delete', `/notes/${id}`, { token: manager.jwt });
    const list = await about(id);
    expect(list.map(({ action, attributes }) => [action, attributes])).toEqual([
      ['create', ['author', 'secretText', 'title']],
      ['update', ['title']],
      ['delete', []],
    ]);
    expect(list[1]).toEqual({
      id: expect.stringMatching(/^\d+$/),
      at: expect.stringMatching(/Z$/),
      action: 'update',
      status: null,
      type: 'note',
      documentId: id,
      locale: null,
      attributes: ['title'],
      by: { kind: 'user', id: manager.id },
      requestId: 'request-of-audit',
      address: expect.stringContaining('127.0.0.1'),
    });
    const [{ text } = {}] = await world.sql(`select string_agg(e::text, '') as text from content_audit e`);
    for (const value of ['a value', 'another', 'a secret', 'hidden']) expect(text).not.toContain(value);
  });

  it('26.1 attributes concurrent writes to their own requests', async () => {
    const ids = await Promise.all(
      Array.from({ length: 12 }, async (_, n) => {
        const headers = { 'x-request-id': `concurrent-${n}` };
        const sent = { body: { name: `Role ${adapter} ${n}` }, token: manager.jwt, headers };
        expect((await world.send('post', '/users-permissions/roles', sent)).status).toBe(200);
        return `concurrent-${n}`;
      }),
    );
    for (const id of ids)
      expect(await entries(`filters[requestId]=${id}`)).toMatchObject([
        { action: 'create', type: 'role', by: { kind: 'user', id: manager.id } },
      ]);
  });

  it('26.2 records sign-ins and their failures, and changes of tokens', async () => {
    const { user } = await world.register();
    const id = String(user['documentId']);
    await world.signIn(user);
    await world.signIn(user, 'wrong');
    const signIns = (await entries('filters[action]=sign-in')).slice(-2);
    expect(signIns.map(({ status, by, documentId }) => [status, by.id, documentId])).toEqual([
      [200, id, id],
      [400, null, null],
    ]);
    const body = { data: { name: `t-${adapter}`, kind: 'read-only' } };
    const refused = await world.post('/api-tokens', body, manager.jwt);
    expect(refused.status).toBe(403);
    const before = (await entries('filters[action]=revoke-token')).length;
    await world.send('delete', '/api-tokens/a%00b', { token: manager.jwt });
    expect((await entries('filters[action]=revoke-token')).slice(before)).toMatchObject([
      { status: 400, documentId: null, by: { id: manager.id } },
    ]);
    const token = await world.tokens.create({ name: `own-${adapter}`, kind: 'read-only' });
    await world.send('delete', `/api-tokens/${token.documentId}`, { token: manager.jwt });
    const list = await about(token.documentId);
    expect(list.map(({ action, by }) => [action, by.id])).toEqual([
      ['create', null],
      ['revoke-token', manager.id],
    ]);
    const text = JSON.stringify(await entries());
    for (const secret of [PASSWORD, 'wrong', token.token]) expect(text).not.toContain(secret);
  });

  it('26.3 lists entries under the grant, which a grant on every type does not contain', async () => {
    const reader = (await world.withRole('reader')).jwt;
    expect((await world.get('/audit', reader)).status).toBe(403);
    expect((await world.get('/audit', manager.jwt)).status).toBe(403);
    expect([401, 403]).toContain((await world.get('/audit')).status);
    const { body } = await world.get('/openapi.json', auditor);
    expect(Object.keys(body.paths).some((path) => path.endsWith('/audit'))).toBe(true);
  });

  it('26.4 filters, sorts and pages', async () => {
    const id = await note({ title: 'filters' });
    for (const title of ['b', 'c']) await world.put(`/notes/${id}`, { data: { title } }, manager.jwt);
    const [first, , last] = await about(id);
    const count = async (query: string): Promise<number> =>
      (await entries(`filters[documentId]=${id}&${query}`)).length;
    expect([
      await count('filters[action][$in][0]=create&filters[action][$in][1]=delete'),
      await count('filters[$or][0][action]=create&filters[$or][1][action]=update'),
      await count(`filters[by][id]=${manager.id}&filters[by][kind][$ne]=token`),
      await count(`filters[at][$gt]=${first.at}`),
      await count(`filters[id][$gte]=${last.id}`),
      await count('filters[type][$startsWith]=no&filters[status][$null]=true'),
      await count('filters[$not][action]=create'),
    ]).toEqual([1, 3, 3, 2, 1, 3, 2]);
    const page = await world.get(
      `/audit?filters[documentId]=${id}&pagination[page]=1&pagination[pageSize]=2`,
      auditor,
    );
    expect(page.body.data.map((one: any) => one.action)).toEqual(['update', 'update']);
    expect(page.body.meta.pagination).toEqual({ page: 1, pageSize: 2, pageCount: 2, total: 3 });
    const { error } = (await world.get('/audit?filters[at][$gt]=x', auditor)).body;
    expect(error.details).toMatchObject({ key: 'at', path: 'at', source: 'query', param: 'filters' });
    const wrong = [
      'filters[x]=1',
      'filters[by]=1',
      'filters[at]=x',
      'sort=type',
      'populate=*',
      'filters[id][$x]=1',
    ];
    for (const query of wrong)
      expect([query, (await world.get(`/audit?${query}`, auditor)).status]).toEqual([query, 400]);
  });

  it('26.4 shows the last page of a long log, without printing the others', async () => {
    const count = dose(2000, 400_000);
    await world.sql(
      `insert into content_audit (id, at, action, type, document_id, attributes, actor)
       select -n, now(), 'update', 'note', 'long' || n, '["title"]', 'system' from generate_series(1, $1::int) n`,
      [count],
    );
    const start = performance.now();
    const query = `filters[id][$lt]=0&pagination[withCount]=false&pagination[start]=${count - 2}&pagination[limit]=2`;
    const { status, body } = await world.get(`/audit?${query}`, auditor);
    expectSoon(performance.now() - start, 700);
    expect([status, body.data.map(({ id }: any) => id)]).toEqual([200, [String(1 - count), String(-count)]]);
    await world.sql('delete from content_audit where id < 0');
  });

  it('26.5 exports all entries as lines of JSON, and deletes old ones', async () => {
    const log = world.app.get(AuditLog, { strict: false });
    const lines: any[] = [];
    for await (const line of log.entriesAsJson()) lines.push(JSON.parse(line));
    const [{ n } = {}] = await world.sql('select count(*)::int as n from content_audit');
    expect(lines).toHaveLength(Number(n));
    expect(lines[0]).toHaveProperty('by.kind');
    await world.sql(`update content_audit set at = now() - interval '3 days' where id = $1`, [lines[0].id]);
    expect(await log.forget(2)).toBe(1);
  });

  it('26.6 removes a user, and says what it has removed', async () => {
    const { jwt, user } = await world.register();
    const id = String(user['documentId']);
    await world.post('/notes', { data: { title: 'mine' } }, jwt);
    const database = world.app.get(Database, { strict: false });
    const schema = world.app.get<ContentSchema>(CONTENT_SCHEMA, { strict: false });
    const remaining = async (): Promise<number> =>
      Number(
        (
          await world.sql(
            `select count(*)::int as n from content_audit e where e::text like '%' || $1 || '%'`,
            [id],
          )
        )[0]?.['n'],
      );
    const before = await remaining();
    expect(before).toBeGreaterThanOrEqual(2);
    const named = `select array_agg(id::text) as ids from content_audit e where e::text like '%' || $1 || '%'`;
    const [{ ids } = {}] = await world.sql(named, [id]);
    const dry = await eraseUser(database, schema, { user: id, dryRun: true });
    expect(await remaining()).toBe(before);
    expect(await eraseUser(database, schema as never, { user: id, dryRun: false })).toEqual(dry);
    expect(dry.filter(({ count }) => count > 0).map(({ what }) => what)).toEqual([
      'audit entries by the user, without the id and the address now',
      'audit entries about the account, without its id and the address of its public caller now',
    ]);
    expect(await remaining()).toBe(0);
    // The registration of the account had the address of the person, as a public caller.
    const addresses = `select distinct address from content_audit where id = any($1::bigint[])`;
    expect(await world.sql(addresses, [ids])).toEqual([{ address: null }]);
  });
});

it('26.5, 26.6 counts, deletes and erases entries for longer than a request may take', async () => {
  const test = await createTestApp({
    contentTypes,
    limits: { statementTimeout: 100 },
    imports: [AuditModule.forRoot()],
  });
  const locking = await test.connect();
  try {
    const log = test.app.get(AuditLog, { strict: false });
    const database = test.app.get(Database, { strict: false });
    const schema = test.app.get<ContentSchema>(CONTENT_SCHEMA, { strict: false });
    await test.sql(
      `insert into content_audit (id, at, action, attributes, actor, actor_id)
       select n, now() - interval '1 day' * n, 'sign-in', '[]', 'user', 'ann' from generate_series(1, 9) n`,
    );
    // Connections are open before the lock, because a busy machine can be slow to open them.
    await Promise.all(Array.from({ length: 5 }, () => log.countOlder(20)));
    await locking.query('begin; lock table content_audit');
    const working = Promise.all([
      log.countOlder(20),
      log.forget(20),
      eraseUser(database, schema as never, { user: 'ann', dryRun: false }),
    ]);
    // The server allows a statement of a request one second more than the option.
    await Promise.race([working, sleep(1500)]);
    await locking.query('commit');
    const [older, forgotten, erased] = await working;
    expect([older, forgotten]).toEqual([0, 0]);
    expect(erased.filter(({ count }) => count > 0)).toMatchObject([{ count: 9 }]);
  } finally {
    await locking.end();
    await test.close();
  }
});

it('refuses unknown options', () => {
  expect(() => AuditModule.forRoot({ address: true } as never)).toThrow('unknown option "address"');
});

it('26.2 records no sign-in beyond a rate limit, and no sign-out without a session', async () => {
  const limited = usersOptions(new Outbox(), { rateLimit: { perAddress: 2, perIdentifier: 2, seconds: 60 } });
  const imports = [UsersModule.forRoot(limited), ApiTokensModule, AuditModule.forRoot()];
  const world = await startAccounts('express', {}, { access: ACCESS, imports });
  try {
    const body = { identifier: 'ann', password: 'wrong' };
    const statuses = await Promise.all(
      [1, 2, 3, 4].map(async () => (await world.post('/auth/local', body)).status),
    );
    expect(statuses.sort()).toEqual([400, 400, 429, 429]);
    await world.post('/auth/logout', {});
    const entries = await world.sql('select action, status from content_audit where status is not null');
    expect(entries).toEqual([
      { action: 'sign-in', status: 400 },
      { action: 'sign-in', status: 400 },
    ]);
  } finally {
    await world.close();
  }
});
