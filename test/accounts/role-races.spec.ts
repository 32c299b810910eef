/** Concurrent changes of roles and of the users who have them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { BeforeContent, type ContentEvent } from 'nestjs-content-api';
import { UsersModule, userTypes } from 'nestjs-content-api/accounts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { SECRET } from './helpers.ts';

/** Work that requests wait for before they change or delete a role. */
let pause: (event: ContentEvent) => Promise<void> = async () => {};

@Injectable()
class Pauses {
  @BeforeContent('role', 'update', 'delete')
  wait(event: ContentEvent): Promise<void> {
    return pause(event);
  }
}

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({
    contentTypes: [...userTypes()],
    access: { public: { '*': '*' } },
    imports: [UsersModule.forRoot({ secret: SECRET })],
    providers: [Pauses],
  });
});
afterEach(() => {
  pause = async () => {};
});
afterAll(() => test.close());

const MEMBERS = {
  'plugin::users-permissions': { controllers: { user: { find: { enabled: true, policy: '' } } } },
};
const ROLES = '/api/users-permissions/roles';

async function makeRole(name: string): Promise<{ readonly id: number }> {
  await test.http.post(ROLES).send({ name, description: '' }).expect(200);
  const { body } = await test.http.get(ROLES).expect(200);
  return body.roles.find((role: { name: string }) => role.name === name);
}

it('19.20: a user that gets a role while it is deleted keeps its own', async () => {
  const { id } = await makeRole('Guests');
  const { id: former } = await makeRole('Readers');
  const body = { role: former, username: 'ann', email: 'ann@example.org', password: 'a password of Ann' };
  const user = (await test.http.post('/api/users').send(body).expect(201)).body;
  let given: Promise<unknown> = Promise.resolve();
  pause = async ({ action }) => {
    if (action !== 'delete') return;
    given = test.http
      .put(`/api/users/${user.id}`)
      .send({ role: id })
      .then(() => null);
    await Promise.race([given, sleep(500)]);
  };
  await test.http.delete(`${ROLES}/${id}`).expect(200);
  await given;
  const { body: after } = await test.http.get(`/api/users/${user.id}?populate=role`).expect(200);
  expect(after.role?.name).toBe('Readers');
});

it('19.20: concurrent changes of different keys of a role are all stored', async () => {
  const { id } = await makeRole('Members');
  const changes = [{ name: 'Editors' }, { description: 'edits' }, { permissions: MEMBERS }];
  let waiting = 0;
  // Each change reads the role before any of them is stored.
  pause = async () => {
    waiting += 1;
    for (let i = 0; waiting < changes.length && i < 20; i += 1) await sleep(20);
  };
  const responses = await Promise.all(changes.map((change) => test.http.put(`${ROLES}/${id}`).send(change)));
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
  const { role } = (await test.http.get(`${ROLES}/${id}`).expect(200)).body;
  expect(role).toMatchObject({ name: 'Editors', description: 'edits' });
  expect(role.permissions['plugin::users-permissions'].controllers.user.find.enabled).toBe(true);
});
