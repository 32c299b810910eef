/** The roles of `sample-app/deploy/roles.sql` may do their own work, and nothing else. */
import { readFile } from 'node:fs/promises';
import { MikroORM } from '@mikro-orm/postgresql';
import { ContentModule, contentEntities, defineCollectionType } from 'nestjs-content-api';
import { AuditModule } from 'nestjs-content-api/history';
import { type Host, startHost } from '../http/helpers.ts';
import { createWithRoles, onDatabase, type Role, type RoleDatabase } from './roles.ts';

const article = defineCollectionType({
  singularApiId: 'article',
  pluralApiId: 'articles',
  draftAndPublish: true,
  actions: ['publish', 'unpublish', 'schedule'],
  attributes: { title: { type: 'string' } },
});
const contentTypes = [article];

describe('roles of a deployment', () => {
  let database: RoleDatabase;
  let host: Host;
  beforeAll(async () => {
    database = await createWithRoles();
    const clientUrl = database.urlOf('content_migrator');
    const orm = await MikroORM.init({ clientUrl, entities: contentEntities({ contentTypes }) });
    await orm.schema.create();
    await orm.close();
    const page = await readFile('docs/history.md', 'utf8');
    const [, grants = ''] = /```sql\n(revoke all on content_audit[\s\S]*?)```/.exec(page) ?? [];
    await sql('content_migrator', grants.replaceAll('content_app', database.nameOf('content_app')));
    host = await startHost(
      () => ({
        imports: [
          ContentModule.forRoot({
            contentTypes,
            access: { public: { article: '*' } },
            database: { clientUrl: database.urlOf('content_app') },
          }),
          AuditModule.forRoot(),
        ],
      }),
      { database },
    );
  });
  afterAll(async () => {
    await host.close();
    await database.drop();
  });

  const send = (method: string, path: string, data: object): Promise<Response> =>
    fetch(`${host.url}/api/articles${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ data }),
    });
  const sql = (role: Role, text: string) => onDatabase(database.urlOf(role), (client) => client.query(text));

  it('let an instance write, publish, schedule, count and delete', async () => {
    const created = await send('POST', '?status=draft', { title: 'one' });
    expect(created.status).toBe(201);
    const { data } = (await created.json()) as { data: { documentId: string } };
    const steps = [
      await send('PUT', `/${data.documentId}`, { title: 'two' }),
      await send('POST', `/${data.documentId}/actions/publish`, {}),
      await send('PUT', `/${data.documentId}/actions/schedule`, { unpublishAt: '2100-01-01T00:00:00.000Z' }),
    ];
    expect(steps.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await (await fetch(`${host.url}/api/articles`)).json()).toMatchObject({
      data: [{ title: 'two' }],
      meta: { pagination: { total: 1 } },
    });
    expect((await fetch(`${host.url}/api/articles/${data.documentId}`, { method: 'DELETE' })).status).toBe(
      204,
    );
  });

  it.each([
    'create table more (id int)',
    'drop table articles',
    'alter table articles add more int',
    'truncate articles',
  ])('do not let an instance change tables: %s', async (text) => {
    await expect(sql('content_app', text)).rejects.toThrow(/permission denied|must be owner/);
  });

  it('26.5 let an instance add entries to the audit log, and neither change nor delete them', async () => {
    const created = await send('POST', '', { title: 'audited' });
    expect(created.status).toBe(201);
    const { data } = (await created.json()) as { data: { documentId: string } };
    const { rows } = await sql('content_app', 'select action from content_audit order by id desc limit 2');
    expect(rows).toEqual([{ action: 'publish' }, { action: 'create' }]);
    for (const text of ['delete from content_audit', `update content_audit set actor = 'x'`])
      await expect(sql('content_app', text)).rejects.toThrow('permission denied');
    expect((await sql('content_migrator', 'delete from content_audit')).rowCount).toBeGreaterThan(1);
    await fetch(`${host.url}/api/articles/${data.documentId}`, { method: 'DELETE' });
  });

  it('let a backup read everything, and write nothing', async () => {
    expect((await sql('content_backup', 'select * from articles')).rows).toEqual([]);
    await expect(sql('content_backup', 'delete from articles')).rejects.toThrow('permission denied');
  });
});
