/** Actions at the desk in the audit log, and the removal of an editor. */
import { CONTENT_SCHEMA, type ContentSchema } from 'nestjs-content-api';
import { UsersModule } from 'nestjs-content-api/accounts';
import { DeskInvitations, DeskModule } from 'nestjs-content-api/desk';
import { AuditModule } from 'nestjs-content-api/history';
import { Database } from '../../src/content/store/database.ts';
import { eraseUser } from '../../src/features/history/erasure.ts';
import { SECRET } from '../accounts/helpers.ts';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';
import { client, contentTypes, ROLES } from './support.ts';

const PASSWORD = 'correct horse';

describe.each(ADAPTERS)('the desk in the audit log, on %s', (adapter) => {
  let test: TestApp;
  let n = 0;
  beforeAll(async () => {
    test = await createTestApp(
      {
        contentTypes,
        access: { roles: ROLES },
        imports: [
          DeskModule.forRoot(),
          UsersModule.forRoot({ secret: SECRET, rateLimit: false }),
          AuditModule.forRoot(),
        ],
      },
      adapter,
    );
  });
  afterAll(() => test.close());

  const editor = async (): Promise<{
    readonly id: string;
    readonly jwt: string;
    readonly cookie: string;
  }> => {
    const name = `editor${(n += 1)}`;
    const body = { username: name, email: `${name}@example.com`, password: PASSWORD };
    const made = await client(test).post('/api/auth/local/register').send(body).expect(200);
    await test.sql(
      `update content_users set role_document_id = (select document_id from content_roles where type = 'editor')
        where username = $1`,
      [name],
    );
    const session = { identifier: name, password: PASSWORD };
    const begun = await client(test).post('/desk/session').send(session).expect(200);
    const cookie = String(begun.headers['set-cookie']).split(';')[0] ?? '';
    return { id: made.body.user.documentId, jwt: begun.body.jwt, cookie };
  };
  const send = (jwt: string, path: string, body: object) =>
    client(test).post(path).set('Authorization', `Bearer ${jwt}`).send(body);

  it('26.2 records new passwords that editors set themselves, and their failures', async () => {
    const { id, jwt } = await editor();
    const password = 'another password';
    const change = (currentPassword: string) =>
      send(jwt, '/desk/session/password', { currentPassword, password, passwordConfirmation: password });
    await change('wrong').expect(400);
    await change(PASSWORD).expect(200);
    const entries = await test.sql(
      `select status, actor_id, document_id from content_audit where action = 'change-password' order by id`,
    );
    expect(entries).toEqual([
      { status: 400, actor_id: id, document_id: null },
      { status: 200, actor_id: id, document_id: id },
    ]);
  });

  it('26.2 records the user of a sign-out, and the sessions that editors end', async () => {
    const { id, jwt, cookie } = await editor();
    const list = await client(test).get('/desk/account/sessions').set('Authorization', `Bearer ${jwt}`);
    const [{ id: session }] = list.body.data;
    const end = (path: string) => client(test).delete(path).set('Authorization', `Bearer ${jwt}`);
    await end(`/desk/account/sessions/${session}x`).expect(404);
    await client(test).delete('/desk/session').set('Cookie', cookie).expect(204);
    // The session has ended: an unknown caller adds no entry.
    await client(test).delete('/desk/session').set('Cookie', cookie).expect(204);
    const other = await editor();
    const theirs = await client(test)
      .get('/desk/account/sessions')
      .set('Authorization', `Bearer ${other.jwt}`);
    await client(test)
      .delete(`/desk/account/sessions/${theirs.body.data[0].id}`)
      .set('Authorization', `Bearer ${other.jwt}`)
      .expect(204);
    const entries = await test.sql(
      `select action, status, actor, actor_id, type, document_id from content_audit
       where action in ('sign-out', 'end-session') order by id`,
    );
    const none = { type: null, document_id: null };
    expect(entries).toEqual([
      { action: 'end-session', status: 404, actor: 'user', actor_id: id, ...none },
      { action: 'sign-out', status: 204, actor: 'user', actor_id: id, ...none },
      { action: 'end-session', status: 204, actor: 'user', actor_id: other.id, ...none },
    ]);
  });

  it('26.1 records the role that an invitation gives, and ends the sessions of an account without a password', async () => {
    const { jwt, id } = await editor();
    const email = `editor${n}@example.com`;
    await test.sql('update content_users set role_document_id = null where document_id = $1', [id]);
    const invitations = test.app.get(DeskInvitations, { strict: false });
    await invitations.invite({ email, role: 'editor', url: 'http://desk.example/desk' });
    await send(jwt, '/api/notes', { data: { title: 'one' } }).expect(401);
    const entries = await test.sql(
      'select action, attributes from content_audit where document_id = $1 order by id desc limit 1',
      [id],
    );
    expect(entries).toEqual([{ action: 'update', attributes: ['role'] }]);
    // The account has no password now: another role voids its tokens, too.
    await test.sql(
      'update content_users set role_document_id = null, token_version = 0 where document_id = $1',
      [id],
    );
    await invitations.invite({ email, role: 'editor', url: 'http://desk.example/desk' });
    const voided = 'select 1 from content_users where document_id = $1 and token_version <> 0';
    expect(await test.sql(voided, [id])).toHaveLength(1);
  });

  it('26.6 removes a user from the forms that are open at the desk', async () => {
    const { id, jwt } = await editor();
    const note = await send(jwt, '/api/notes', { data: { title: 'one' } }).expect(201);
    const { documentId } = note.body.data;
    const form = { type: 'note', documentId, locale: '', form: 'a', saved: null };
    await send(jwt, '/desk/presence', form).expect(200);
    const database = test.app.get(Database, { strict: false });
    const schema = test.app.get<ContentSchema>(CONTENT_SCHEMA, { strict: false });
    const erased = await eraseUser(database, schema, { user: id, dryRun: false });
    expect(erased).toContainEqual({ what: 'forms that the user has open at the desk, deleted', count: 1 });
    expect(await test.sql('select name from content_presence where editor = $1', [id])).toEqual([]);
  });
});
