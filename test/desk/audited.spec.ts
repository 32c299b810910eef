/** Actions at the desk in the audit log, and the removal of an editor. */
import { CONTENT_SCHEMA, type ContentSchema } from 'nestjs-content-api';
import { UsersModule } from 'nestjs-content-api/accounts';
import { DeskModule } from 'nestjs-content-api/desk';
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

  const editor = async (): Promise<{ readonly id: string; readonly jwt: string }> => {
    const name = `editor${(n += 1)}`;
    const body = { username: name, email: `${name}@example.com`, password: PASSWORD };
    const made = await client(test).post('/api/auth/local/register').send(body).expect(200);
    await test.sql(
      `update content_users set role_document_id = (select document_id from content_roles where type = 'editor')
        where username = $1`,
      [name],
    );
    const session = { identifier: name, password: PASSWORD };
    const { body: begun } = await client(test).post('/desk/session').send(session).expect(200);
    return { id: made.body.user.documentId, jwt: begun.jwt };
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
