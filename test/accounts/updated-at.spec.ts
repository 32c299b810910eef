/**
 * `updatedAt` changes with every value that a request could write, and not with internal values of the
 * library.
 */
import { getContentToken, type ContentService } from 'nestjs-content-api';
import { ApiTokens, ApiTokensModule, UsersModule } from 'nestjs-content-api/accounts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { contentTypes, Outbox, tokenIn, usersOptions } from './helpers.ts';

const LONG_AGO = '2020-01-01T00:00:00.000Z';
const PASSWORD = 'correct horse';

describe('updatedAt of accounts', () => {
  let test: TestApp;
  const outbox = new Outbox();
  const user = { username: 'Ann', email: 'ann@example.com', password: PASSWORD };

  beforeAll(async () => {
    test = await createTestApp({
      contentTypes,
      maxLimit: 10,
      access: { roles: { manager: { role: '*' } } },
      imports: [
        UsersModule.forRoot(usersOptions(outbox, { refresh: true, register: { confirm: true } })),
        ApiTokensModule,
      ],
    });
    const mail = outbox.next();
    await test.http.post('/api/auth/local/register').send(user).expect(200);
    await mail;
  });
  afterAll(() => test.close());
  beforeEach(() => test.sql('update content_users set updated_at = $1', [LONG_AGO]));

  const post = (path: string, body: object, token = '') =>
    test.http
      .post(`/api/auth/${path}`)
      .set(token === '' ? {} : { authorization: `Bearer ${token}` })
      .send(body);
  const isOld = async (table = 'content_users'): Promise<unknown> =>
    (await test.sql(`select bool_and(updated_at = $1) as old from ${table}`, [LONG_AGO]))[0]?.['old'];
  const signIn = async (): Promise<string> => {
    await test.sql('update content_users set confirmed = true');
    return (await post('local', { identifier: user.email, password: user.password }).expect(200)).body.jwt;
  };
  const codeFrom = async (path: string): Promise<string> => {
    const mail = outbox.next();
    await post(path, { email: user.email }).expect(200);
    return tokenIn(await mail);
  };

  it('stays unchanged after signing in and out, and after a mail with a code', async () => {
    await post('logout', {}, await signIn()).expect(200);
    await codeFrom('forgot-password');
    await test.sql('update content_users set confirmed = false');
    await codeFrom('send-email-confirmation');
    expect(await isOld()).toBe(true);
  });

  it('changes when an address is confirmed', async () => {
    await test.sql('update content_users set confirmed = false');
    const code = await codeFrom('send-email-confirmation');
    await test.sql('update content_users set updated_at = $1', [LONG_AGO]);
    await test.http.get(`/api/auth/email-confirmation?confirmation=${code}`).expect(302);
    expect(await isOld()).toBe(false);
  });

  it('changes when a password is changed', async () => {
    const body = { currentPassword: user.password, password: 'another', passwordConfirmation: 'another' };
    await post('change-password', body, await signIn()).expect(200);
    expect(await isOld()).toBe(false);
  });

  it('changes when a password is reset', async () => {
    const code = await codeFrom('forgot-password');
    await post('reset-password', { code, password: PASSWORD, passwordConfirmation: PASSWORD }).expect(200);
    expect(await isOld()).toBe(false);
  });

  it('changes when the role is deleted', async () => {
    await test.sql(
      `update content_users set role_document_id = (select document_id from content_roles where type = 'manager')`,
    );
    const token = await signIn();
    const { body } = await test.http
      .get('/api/users-permissions/roles')
      .set({ authorization: `Bearer ${token}` })
      .expect(200);
    const role = (body.roles as { id: number; type: string }[]).find(({ type }) => type === 'manager');
    await test.http
      .delete(`/api/users-permissions/roles/${role?.id}`)
      .set({ authorization: `Bearer ${token}` })
      .expect(200);
    expect(await isOld()).toBe(false);
    const [moved] = await test.sql(
      `select r.type from content_users u join content_roles r on r.document_id = u.role_document_id`,
    );
    expect(moved).toEqual({ type: 'public' });
  });

  it('D21: revisions are digests of the stored values, for any writer', async () => {
    const users = test.app.get<ContentService>(getContentToken('user'), { strict: false });
    const revision = async (): Promise<unknown> =>
      (await test.sql('select revision::text from content_users'))[0]?.['revision'];
    const [account] = await test.sql(
      'update content_users set confirmed = not confirmed returning document_id',
    );
    /** Returns true if an empty write, which computes the digest again, leaves it unchanged. */
    const isUnchanged = async (): Promise<boolean> => {
      const before = await revision();
      await users.update(String(account?.['document_id']), {});
      return before === (await revision());
    };
    expect(await isUnchanged()).toBe(false);
    await users.update(String(account?.['document_id']), { confirmed: true });
    const token = (await post('local', { identifier: user.email, password: user.password }).expect(200)).body
      .jwt;
    const seen = new Set([await revision()]);
    for (const work of [
      () => post('logout', {}, token).expect(200),
      () => codeFrom('forgot-password'),
      async () => {
        const reset = { password: PASSWORD, passwordConfirmation: PASSWORD };
        return post('reset-password', { code: await codeFrom('forgot-password'), ...reset }).expect(200);
      },
    ]) {
      await work();
      seen.add(await revision());
      expect(await isUnchanged()).toBe(true);
    }
    expect(seen.size).toBe(4);
  });

  it('stays unchanged when the use of a token is recorded', async () => {
    const tokens = test.app.get(ApiTokens);
    const { token } = await tokens.create({ name: 'reader', kind: 'read-only' });
    await test.sql('update content_api_tokens set updated_at = $1', [LONG_AGO]);
    await test.http
      .get('/api/notes')
      .set({ authorization: `Bearer ${token}` })
      .expect(200);
    const used = async (): Promise<boolean> => (await tokens.list())[0]?.lastUsedAt !== null;
    while (!(await used())) await new Promise((done) => setTimeout(done, 10));
    expect(await isOld('content_api_tokens')).toBe(true);
  });

  it('lists every token, for any page size', async () => {
    const tokens = test.app.get(ApiTokens);
    const service = test.app.get<ContentService>(getContentToken('api-token'));
    for (let n = 0; n < 25; n += 1) await tokens.create({ name: `token ${n}`, kind: 'read-only' });
    expect(await tokens.list()).toHaveLength(await service.count());
  });
});
