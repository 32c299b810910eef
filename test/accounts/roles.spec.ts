/** Roles as clients of the protocol send and read them (protocol 19.20–19.22). */
import { CONTENT_ORM, type ContentService, ContentModule, getContentToken } from 'nestjs-content-api';
import { userTypes, UsersModule } from 'nestjs-content-api/accounts';
import { startHost } from '../http/helpers.ts';
import { type AccountsWorld, startAccounts } from '../security/accounts-world.ts';
import { adaptersFor } from '../support/adapters.ts';
import { countStatements } from '../support/app.ts';
import { createDatabase } from '../support/database.ts';
import { Outbox, usersOptions } from './helpers.ts';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const ON = { enabled: true, policy: '' };
const OFF = { enabled: false, policy: '' };
const ROLES = '/users-permissions/roles';

describe.each(adaptersFor('fastify'))('roles on %s', (adapter) => {
  let world: AccountsWorld;
  let jwt: string;
  beforeAll(async () => {
    world = await startAccounts(adapter, {}, { access: { roles: { manager: { '*': '*' } } } });
    await world.get('/users/me');
    ({ jwt } = await world.withRole('manager'));
  });
  afterAll(() => world.close());

  const create = (body: object) => world.post(ROLES, body, jwt);
  const named = async (name: string) =>
    (await world.get(ROLES, jwt)).body.roles.find((role: any) => role.name === name);
  const granted = async (id: number) =>
    Object.entries((await world.get(`${ROLES}/${id}`, jwt)).body.role.permissions as Record<string, any>)
      .flatMap(([group, { controllers }]) =>
        Object.entries<Record<string, any>>(controllers).flatMap(([controller, actions]) =>
          Object.entries(actions).flatMap(([action, { enabled }]) =>
            enabled === true ? [`${group} ${controller}.${action}`] : [],
          ),
        ),
      )
      .sort();

  it('M1: times are ISO 8601 in UTC with milliseconds, publishedAt among them', async () => {
    const { body } = await world.get(ROLES, jwt);
    for (const role of body.roles) {
      expect(Object.keys(role)).toEqual([
        'id',
        'documentId',
        'name',
        'description',
        'type',
        'createdAt',
        'updatedAt',
        'publishedAt',
        'nb_users',
      ]);
      for (const key of ['createdAt', 'updatedAt', 'publishedAt']) expect(role[key]).toMatch(ISO);
      const one = await world.get(`${ROLES}/${role.id}`, jwt);
      expect(one.body.role).toMatchObject({ createdAt: role.createdAt, publishedAt: role.publishedAt });
    }
    // Compares with the timestamps in another response.
    const { role } = (await world.get('/users/me?populate=role', jwt)).body;
    expect(body.roles).toContainEqual(expect.objectContaining({ createdAt: role.createdAt, id: role.id }));
  });

  it('M1: counts users without a statement per role', async () => {
    for (let i = 0; i < 5; i += 1) await create({ name: `Role ${adapter} ${i}` });
    await world.register();
    const list = async () => {
      let answer: any;
      const statements = await countStatements(async () => (answer = (await world.get(ROLES, jwt)).body));
      return { count: statements.length, roles: answer.roles as { type: string; nb_users: number }[] };
    };
    const { count, roles } = await list();
    expect(count).toBeLessThanOrEqual(3);
    expect(roles.length).toBeGreaterThan(7);
    const [{ n } = {}] = await world.sql(
      `select count(*)::int as n from content_users u join content_roles r on r.document_id = u.role_document_id where r.type = 'authenticated'`,
    );
    expect(roles.find(({ type }) => type === 'authenticated')?.nb_users).toBe(n);
    expect(roles.find(({ type }) => type === `role-${adapter}-0`)?.nb_users).toBe(0);
  });

  it.each([
    ['Éditeur', 'editeur'],
    ['Straßen Ämter', 'strassen-aemter'],
    ['Редактор', 'redaktor'],
  ])('H6: the type of %s is %s', async (name, type) => {
    expect((await create({ name })).status).toBe(200);
    expect(await named(name)).toMatchObject({ type });
  });

  it('H6: reports the type as missing if the name gives none', async () => {
    const refused = await create({ name: '編集者' });
    expect([refused.status, refused.body.error.message]).toEqual([400, 'type is a required field']);
    expect((await create({ name: '編集者', type: 'editors' })).status).toBe(200);
    const nameless = await create({ type: 'nameless' });
    expect([nameless.status, nameless.body.error.message]).toEqual([400, 'name is a required field']);
  });

  it('an empty list of permissions means none, on POST and on PUT', async () => {
    expect((await create({ name: 'Empty', permissions: [] })).status).toBe(200);
    const { id } = await named('Empty');
    expect(await granted(id)).toEqual([]);
    const permissions = { 'api::topic': { controllers: { topic: { find: ON } } } };
    expect((await world.put(`${ROLES}/${id}`, { permissions }, jwt)).status).toBe(200);
    expect(await granted(id)).toEqual(['api::topic topic.find']);
    expect((await world.put(`${ROLES}/${id}`, { permissions: [] }, jwt)).status).toBe(200);
    expect(await granted(id)).toEqual([]);
    for (const wrong of [['find'], 'all', null, 5])
      expect((await create({ name: 'Wrong', permissions: wrong })).status).toBe(400);
  });

  it('accepts readDraft as readDrafts', async () => {
    const tree = (actions: object) => ({ 'api::note': { controllers: { note: actions } } });
    await create({ name: 'Drafts', permissions: tree({ readDraft: ON, readDrafts: OFF }) });
    const { id } = await named('Drafts');
    expect(await granted(id)).toEqual(['api::note note.readDrafts']);
    await world.put(`${ROLES}/${id}`, { permissions: tree({ readDraft: ON, readDrafts: ON }) }, jwt);
    expect(await granted(id)).toEqual(['api::note note.readDrafts']);
    await world.put(`${ROLES}/${id}`, { permissions: tree({ readDraft: OFF }) }, jwt);
    expect(await granted(id)).toEqual([]);
  });

  it('20.12: accepts permissions of another server for installed features', async () => {
    const permissions = {
      'api::topic.topic': { controllers: { topic: { find: ON, deleteMany: OFF } } },
      'api::unknown': { controllers: { unknown: { find: OFF } } },
      'plugin::upload': { controllers: { 'content-api': { find: OFF, upload: ON } } },
      'plugin::users-permissions': {
        controllers: {
          auth: { callback: OFF, connect: OFF, constructor: OFF },
          permissions: { getPermissions: OFF },
          role: { find: ON, createRole: OFF },
          user: { count: OFF, me: OFF, findOne: ON },
        },
      },
      'plugin::empty': {},
    };
    expect((await create({ name: 'Brought along', permissions })).status).toBe(200);
    expect(await granted((await named('Brought along')).id)).toEqual([
      'api::topic topic.find',
      'plugin::upload content-api.upload',
      'plugin::users-permissions role.find',
      'plugin::users-permissions user.findOne',
    ]);
  });

  it.each([
    ['a controller', { 'plugin::users-permissions': { controllers: { auth: { callback: ON } } } }, 'auth'],
    ['an action', { 'api::topic': { controllers: { topic: { toString: ON } } } }, 'toString'],
    ['a group', { 'api::note': { controllers: { topic: { find: ON } } } }, 'topic'],
    ['a type', { 'api::nothing': { controllers: { nothing: { find: ON } } } }, 'nothing'],
  ])('reports an unknown %s', async (_name, permissions, key) => {
    const before = await world.sql('select count(*) from content_roles');
    const { status, body } = await create({ name: 'Refused', permissions });
    expect([status, body.error.name, body.error.details.key]).toEqual([400, 'ValidationError', key]);
    expect(await world.sql('select count(*) from content_roles')).toEqual(before);
  });

  it('accepts the response of a GET as input', async () => {
    const permissions = {
      'api::note': { controllers: { note: { find: ON, create: ON } } },
      'plugin::users-permissions': { controllers: { user: { find: ON } } },
    };
    await create({ name: 'Round', permissions });
    const { id } = await named('Round');
    const before = await granted(id);
    const { role } = (await world.get(`${ROLES}/${id}`, jwt)).body;
    expect((await world.put(`${ROLES}/${id}`, role, jwt)).status).toBe(200);
    expect(await granted(id)).toEqual(before);
    expect(before).toHaveLength(3);
  });
});

describe.each(adaptersFor('fastify'))('the default roles on %s', (adapter) => {
  const metadata = (url: string) => ({
    imports: [
      ContentModule.forRoot({
        contentTypes: userTypes(),
        access: { roles: { editor: { user: ['find'] } } },
        database: { clientUrl: url },
      }),
      UsersModule.forRoot(usersOptions(new Outbox())),
    ],
  });

  it('19.22 exist after the start, for code of the application', async () => {
    const database = await createDatabase();
    // The first start has no tables, which is not an error; the second one has them, and no request was sent.
    const first = await startHost(() => metadata(database.url), { adapter, database });
    await first.app.get<{ schema: { update(): Promise<void> } }>(CONTENT_ORM).schema.update();
    await first.close();
    const host = await startHost(() => metadata(database.url), { adapter, database });
    try {
      expect(await host.sql('select type from content_roles order by type')).toEqual([
        { type: 'authenticated' },
        { type: 'editor' },
        { type: 'public' },
      ]);
      const [roles, users] = ['role', 'user'].map((type) =>
        host.app.get<ContentService<any>>(getContentToken(type)),
      ) as [ContentService<any>, ContentService<any>];
      const { data } = await roles.find({ filters: { type: 'authenticated' } });
      const made = await users.create(
        {
          username: 'first',
          email: 'first@example.com',
          password: 'correct horse',
          role: data[0].documentId,
        },
        { populate: 'role' },
      );
      expect(made.role).toMatchObject({ type: 'authenticated' });
    } finally {
      await host.close();
      await database.drop();
    }
  });
});
