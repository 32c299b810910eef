/**
 * H5: a row id and a document id address the same user, and lists have pages as in the protocol (19.15,
 * 19.19).
 */
import { adaptersFor } from '../support/adapters.ts';
import { type AccountsWorld, type SignedUp, startAccounts } from '../security/accounts-world.ts';

describe.each(adaptersFor('fastify'))('users on %s', (adapter) => {
  let world: AccountsWorld;
  let jwt: string;
  const users: SignedUp['user'][] = [];
  beforeAll(async () => {
    world = await startAccounts(adapter);
    for (let i = 0; i < 6; i += 1) users.push((await world.register()).user);
    ({ jwt } = await world.withRole('manager'));
  });
  afterAll(() => world.close());

  const names = async (query: string) => {
    const { status, body } = await world.get(`/users?sort=id&fields=username${query}`, jwt);
    return status === 200 ? body.map(({ username }: { username: string }) => username) : status;
  };
  const all = (from: number, to?: number) =>
    ['user1', 'user2', 'user3', 'user4', 'user5', 'user6', 'user7'].slice(from, to);

  it('H5: filters apply to a row id as to a document id', async () => {
    const [user = {}] = users;
    for (const id of [user['id'], user['documentId']]) {
      const status = async (query: string) => (await world.get(`/users/${id}${query}`, jwt)).status;
      expect([
        id,
        await status(''),
        await status('?filters[username]=user1'),
        await status('?filters[username]=nobody'),
        await status('?filters[$not][username]=user1'),
        await status('?filters[role][type]=public'),
        await status('?filters[password]=x'),
      ]).toEqual([id, 200, 200, 404, 404, 404, 400]);
      const { body } = await world.get(`/users/${id}?fields=username&populate[role][fields]=type`, jwt);
      expect(body).toEqual({
        id: user['id'],
        documentId: user['documentId'],
        username: 'user1',
        role: { id: expect.any(Number), documentId: expect.any(String), type: 'authenticated' },
      });
    }
    for (const id of ['0', '999999', 'nobody', '%00'])
      expect((await world.get(`/users/${id}`, jwt)).status).toBe(404);
  });

  it('19.15 accepts start and limit at the root or in pagination', async () => {
    expect(await names('')).toEqual(all(0));
    expect(await names('&start=2&limit=3')).toEqual(all(2, 5));
    expect(await names('&start=5')).toEqual(all(5));
    expect(await names('&limit=2')).toEqual(all(0, 2));
    expect(await names('&pagination[start]=2&pagination[limit]=3')).toEqual(all(2, 5));
    expect(await names('&pagination%5Bpage%5D=2&pagination%5BpageSize%5D=4')).toEqual(all(4));
    // `pagination` takes precedence.
    expect(await names('&limit=1&pagination[limit]=2')).toEqual(all(0, 2));
    for (const wrong of ['&start=x', '&limit=1.5', '&page=2', '&limit[a]=1'])
      expect([wrong, await names(wrong)]).toEqual([wrong, 400]);
  });

  it('19.15 counts all matching users, for any page', async () => {
    for (const query of [
      '',
      '?start=2&limit=3',
      '?pagination[limit]=2&pagination[start]=5',
      '?pagination[withCount]=0',
    ])
      expect([query, (await world.get(`/users/count${query}`, jwt)).body]).toEqual([query, 7]);
    expect(
      (await world.get('/users/count?filters[username][$in]=user1,user2&filters[id][$gt]=0', jwt)).status,
    ).toBe(200);
    expect((await world.get('/users/count?filters[username]=user1&limit=0', jwt)).body).toBe(1);
  });

  it('19.19 never returns the users of a role, and ignores a request for them', async () => {
    for (const query of [
      'populate[role][populate][0]=users',
      'populate=role.users',
      'populate[role][populate]=users',
      'populate[role][populate][users]=true',
      'populate[role][populate][users][fields]=username',
      'populate[role][populate]=*',
    ]) {
      const { status, body } = await world.get(`/users?${query}`, jwt);
      expect([query, status]).toEqual([query, 200]);
      expect(body[0].role).toMatchObject({ type: expect.any(String) });
      for (const { role } of body) expect(role).not.toHaveProperty('users');
    }
    for (const query of [
      'populate[role][populate]=grants',
      'populate=sessions',
      'populate=nothing',
      'filters[role][users][username]=user1',
      'sort=role.users.username',
      'populate[role][fields]=users',
      'populate[role][sort]=users.username',
    ])
      expect([query, (await world.get(`/users?${query}`, jwt)).status]).toEqual([query, 400]);
  });

  it('19.16, 19.18 returns a new user with its role by default', async () => {
    const create = async (name: string, query: string) =>
      (
        await world.post(
          `/users${query}`,
          { username: name, email: `${name}@example.com`, password: 'correct horse', role: 1 },
          jwt,
        )
      ).body;
    expect((await create('newone', '')).role).toMatchObject({ id: 1 });
    expect(await create('newtwo', '?populate=')).not.toHaveProperty('role');
    expect((await create('newthree', '?populate[role][fields]=type')).role).not.toHaveProperty('name');
  });
});
