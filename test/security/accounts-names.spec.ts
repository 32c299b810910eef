/** R17, R18, R25: names are unique in every spelling, and passwords are compared exactly. */
import { type ContentService, defineCollectionType, getContentToken } from 'nestjs-content-api';
import { contentTypes } from '../accounts/helpers.ts';
import { adaptersFor } from '../support/adapters.ts';
import { type AccountsWorld, PASSWORD, startAccounts } from './accounts-world.ts';

const safe = defineCollectionType({
  singularApiId: 'safe',
  pluralApiId: 'safes',
  attributes: { code: { type: 'password' } },
});

const point = (code: number): string => String.fromCodePoint(code);

describe.each(adaptersFor('fastify'))('on %s', (adapter) => {
  let world: AccountsWorld;
  let jwt: string;
  let other: Readonly<Record<string, any>>;
  let users: ContentService<any>;
  beforeAll(async () => {
    world = await startAccounts(
      adapter,
      {},
      {
        contentTypes: [...contentTypes, safe],
        access: {
          public: { safe: ['create'] },
          roles: {
            manager: { user: '*', role: '*' },
            clerk: { user: [{ actions: ['findOne', 'create', 'update'], fields: ['nickname'] }] },
          },
        },
      },
    );
    ({ jwt } = await world.withRole('manager'));
    ({ user: other } = await world.register({ username: 'other', email: 'other@example.com' }));
    await world.register({ username: 'bob', email: 'bob@example.com' });
    await world.register({ username: 'Zoë Ångström', email: 'zoe@example.com' });
    users = world.app.get<ContentService<any>>(getContentToken('user'));
  });
  afterAll(() => world.close());

  let n = 0;
  const fresh = () => `new${(n += 1)}@example.com`;
  /** All routes that set the name of a user. */
  const routes: readonly (readonly [string, (username: string) => Promise<{ status: number; body: any }>])[] =
    [
      [
        'register',
        (username) => world.post('/auth/local/register', { username, email: fresh(), password: PASSWORD }),
      ],
      [
        'POST /users',
        (username) => world.post('/users', { username, email: fresh(), password: PASSWORD }, jwt),
      ],
      ['PUT /users', (username) => world.put(`/users/${other['id']}`, { username }, jwt)],
      [
        'the service',
        (username) =>
          users.create({ username, email: fresh(), password: PASSWORD }).then(
            (body: any) => ({ status: 201, body }),
            (error: any) => ({ status: error.status, body: { error } }),
          ),
      ],
    ];

  it.each([
    ['bob', 'itself'],
    ['bob ', 'space after it'],
    ['  bob', 'space before it'],
    ['\u00a0bob\u3000', 'wide space around it'],
    ['BOB', 'another case'],
    ['ｂｏｂ', 'wide letters'],
    ['ZOË ÅNGSTRÖM', 'another case of marked letters'],
    ['Zoë Ångström'.normalize('NFD'), 'marks of their own'],
    ['zoë\u00a0\u2003ångström', 'another space'],
    ['bob@example.com', 'the address of another user'],
    ['BOB@Example.com', 'the address of another user, in another case'],
    ['ｂｏｂ@example.com', 'the address of another user, in wide letters'],
  ])('R17: rejects %j as not unique on every route: %s', async (name) => {
    const before = await world.sql('select id, username from content_users order by id');
    for (const [route, write] of routes) {
      const { status, body } = await write(name);
      expect([route, status, body.error.message]).toEqual([
        route,
        400,
        expect.stringMatching(/already taken$|^This attribute must be unique$/),
      ]);
    }
    expect(await world.sql('select id, username from content_users order by id')).toEqual(before);
  });

  it.each([
    ['a line break', 'deep5\r\nX'],
    ['a NUL', 'a\u0000bc'],
    ['a bell', 'a\u0007bc'],
    ['a control character', 'a\u0085bc'],
    ['a zero-width space', 'bob\u200b'],
    ['a joiner', 'b\u200dob'],
    ['a soft hyphen', 'b\u00adob'],
    ['a change of direction', '\u202eboss'],
    ['an isolate', 'a\u2067bc'],
    ['a line separator', 'a\u2028bc'],
    ['a private-use character', 'a\ue000bc'],
    ['half a surrogate pair', 'a\ud800bc'],
    ['an unassigned character', `abc${point(0x378)}`],
    ['a filler', 'a\u3164bc'],
    ['a variation', 'abc\ufe0f'],
    ['an empty Braille pattern', 'bob\u2800'],
    ['a tag', `abc${point(0xe0041)}`],
    ['a Cyrillic letter among Latin ones', 'b\u043eb'],
    ['a Greek letter among Latin ones', 'b\u03bfb'],
  ])('R17: returns 400 with the reason for a name with %s, on every route', async (_name, name) => {
    const before = await world.sql('select id, username from content_users order by id');
    for (const [route, write] of routes) {
      const { status, body } = await write(name);
      expect([route, status, body.error.message]).toEqual([
        route,
        400,
        expect.stringMatching(/^username must not /),
      ]);
      expect(body.error.details.errors[0].path).toEqual(['username']);
    }
    expect(await world.sql('select id, username from content_users order by id')).toEqual(before);
  });

  it.each([
    ['  Mary Ann ', 'Mary Ann', ['mary ann', 'MARY  ANN', ' Mary Ann']],
    ['Ψυχή', 'Ψυχή', ['ψυχή', 'ΨΥΧΉ']],
    ['Иван Smith', 'Иван Smith', ['иван smith']],
    ['Straße', 'Straße', ['STRASSE', 'straße']],
    ['jose\u0301', 'jos\u00e9', ['JOSÉ', 'jose\u0301']],
    ['田中さん', '田中さん', ['田中さん']],
    [`${point(0x1f600)} me`, `${point(0x1f600)} me`, [`${point(0x1f600)} ME`]],
  ])('R17: stores %j as %j, and signs in with any case', async (given, stored, identifiers) => {
    const { user } = await world.register({ username: given, email: fresh() });
    expect(user['username']).toBe(stored);
    for (const identifier of [stored, ...identifiers]) {
      const { status, body } = await world.post('/auth/local', { identifier, password: PASSWORD });
      expect([identifier, status, body.user?.id]).toEqual([identifier, 200, user['id']]);
    }
  });

  it('R17: a user may keep their own name in another spelling, and use their own address as name', async () => {
    const { user } = await world.register({ username: 'keeper', email: 'keeper@example.com' });
    const put = (body: object) => world.put(`/users/${user['id']}`, body, jwt);
    expect((await put({ username: 'KEEPER ' })).body).toMatchObject({ username: 'KEEPER' });
    expect((await put({ username: 'Keeper@example.com' })).status).toBe(200);
    // The former address remains the name, so that no other user can have it as address.
    expect((await put({ email: 'keeper2@example.com' })).status).toBe(200);
    const taken = await world.post(
      '/users',
      { username: 'someone', email: 'KEEPER@example.com', password: PASSWORD },
      jwt,
    );
    expect([taken.status, taken.body.error.message]).toEqual([400, 'Email already taken']);
  });

  it('R17: signs in with a name from before names were normalised', async () => {
    const { user } = await world.register({ username: 'Before', email: fresh() });
    await world.sql('update content_users set name_key = null where id = $1', [user['id']]);
    expect((await world.post('/auth/local', { identifier: 'Before', password: PASSWORD })).status).toBe(200);
    expect((await world.post('/auth/local', { identifier: 'before', password: PASSWORD })).status).toBe(400);
  });

  it('R17: an address in wide letters is the address of its owner', async () => {
    const wide = 'ｂｏｂ@example.com';
    for (const write of [
      (): Promise<any> =>
        world.post('/auth/local/register', { username: 'twin', email: wide, password: PASSWORD }),
      (): Promise<any> => world.post('/users', { username: 'twin', email: wide, password: PASSWORD }, jwt),
      (): Promise<any> => world.put(`/users/${other['id']}`, { email: wide }, jwt),
    ])
      expect((await write()).status).toBe(400);
    const signedIn = await world.post('/auth/local', { identifier: wide, password: PASSWORD });
    expect([signedIn.status, signedIn.body.user.email]).toEqual([200, 'bob@example.com']);
    // The mail goes to the stored address.
    expect(await world.resetCode(wide)).not.toBe('');
    const { user } = await world.register({ username: 'first', email: 'ｆirst@example.com' });
    expect(user['email']).toBe('first@example.com');
    await world.sql(`update content_users set email = 'ｌate@example.com' where id = $1`, [user['id']]);
    const late = await world.post('/auth/local', { identifier: 'ｌATE@example.com', password: PASSWORD });
    expect([late.status, late.body.user.id]).toEqual([200, user['id']]);
  });

  it('R17: never returns the normalised name, and lets no request set it', async () => {
    const { body } = await world.get('/users?populate=*', jwt);
    expect(JSON.stringify(body)).not.toMatch(/nameKey|name_key/i);
    for (const query of ['filters[nameKey]=bob', 'sort=nameKey', 'fields=nameKey'])
      expect((await world.get(`/users?${query}`, jwt)).status).toBe(400);
    expect((await world.put(`/users/${other['id']}`, { nameKey: 'bob' }, jwt)).status).toBe(200);
    expect(await world.sql('select name_key from content_users where id = $1', [other['id']])).toEqual([
      { name_key: 'other' },
    ]);
  });

  it('R17: permissions apply to the key of the input, whatever its value becomes', async () => {
    const { user, jwt: clerk } = await world.withRole('clerk');
    const before = await world.row(user['id']);
    for (const body of [{ username: ' OTHER NAME ' }, { email: 'UPPER@example.com' }, { username: 'bob ' }]) {
      const { status, body: answer } = await world.put(`/users/${user['id']}`, body, clerk);
      // The response does not reveal the owner of the name.
      expect([status, answer.error.message]).toEqual([400, `Invalid key ${Object.keys(body)[0]}`]);
    }
    expect(await world.row(user['id'])).toEqual(before);
  });

  it.each([5])(
    'R25: one of two concurrent registrations with the same name and address succeeds (%d times)',
    async (times) => {
      for (let i = 0; i < times; i += 1) {
        const address = `race${i}@example.com`;
        const answers = await Promise.all([
          world.post('/auth/local/register', { username: `racer${i}`, email: address, password: PASSWORD }),
          world.post('/auth/local/register', { username: address, email: fresh(), password: PASSWORD }),
          world.post('/auth/local/register', { username: `RACER${i}`, email: fresh(), password: PASSWORD }),
          world.post('/auth/local/register', { username: `racer${i} `, email: fresh(), password: PASSWORD }),
        ]);
        const rows = await world.sql('select id from content_users where name_key = any($1) or email = $2', [
          [`racer${i}`, address],
          address,
        ]);
        const made = answers.filter(({ status }) => status === 200);
        expect(
          answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 400),
        ).toEqual([]);
        // Two rows, if the name that is an address and the plain name came before the request for both.
        expect(rows).toHaveLength(made.length);
        const names = await world.sql(
          'select count(*)::int as n from content_users a join content_users b on a.id <> b.id and (a.name_key = b.email or a.name_key = b.name_key)',
        );
        expect(names).toEqual([{ n: 0 }]);
      }
    },
  );

  it.each(['\ud800@example.com', 'a\0@example.com'])(
    'rejects the address %j on every route, and names it',
    async (email) => {
      const person = { username: 'half-address', email, password: PASSWORD };
      const { user } = await world.register();
      const answers = [
        await world.post('/auth/local/register', person),
        await world.post('/auth/forgot-password', { email }),
        await world.post('/auth/send-email-confirmation', { email }),
        await world.post('/users', person, jwt),
        await world.put(`/users/${user['id']}`, { email }, jwt),
      ];
      for (const { status, body } of answers)
        expect([status, body.error.details.errors[0].path]).toEqual([400, ['email']]);
    },
  );

  const HALVES = '\ud800\ud801\ud802\ud803\ud804\ud805';
  it('R18: rejects a password with half a surrogate pair on every route', async () => {
    const person = { username: 'halves', email: 'halves@example.com', password: HALVES };
    const { jwt: own, user } = await world.register();
    const code = await world.resetCode(user['email']);
    const before = await world.row(user['id']);
    const answers = [
      await world.post('/auth/local/register', person),
      await world.post('/users', person, jwt),
      await world.put(`/users/${user['id']}`, { password: HALVES }, jwt),
      await world.post('/auth/reset-password', { code, password: HALVES, passwordConfirmation: HALVES }),
      await world.post(
        '/auth/change-password',
        { currentPassword: PASSWORD, password: HALVES, passwordConfirmation: HALVES },
        own,
      ),
      await world.post('/safes', { data: { code: HALVES } }),
    ];
    for (const { status, body } of answers) {
      expect([status, body.error.message]).toEqual([
        400,
        expect.stringMatching(/^(password|code) must not contain/),
      ]);
      expect(JSON.stringify(body)).not.toContain('ud800');
    }
    expect(await world.row(user['id'])).toEqual(before);
    expect(await world.sql(`select 1 from content_users where username = 'halves'`)).toEqual([]);
    await expect(users.create(person)).rejects.toThrow('password must not contain');
  });

  it('R18: treats it as a wrong password at sign-in', async () => {
    const { user } = await world.register({ password: '\ufffd'.repeat(6) });
    for (const password of [HALVES, '\udc00'.repeat(6)]) {
      const { status, body } = await world.post('/auth/local', { identifier: user['username'], password });
      expect([status, body.error.message]).toEqual([400, 'Invalid identifier or password']);
    }
    const right = await world.post('/auth/local', {
      identifier: user['username'],
      password: '\ufffd'.repeat(6),
    });
    expect(right.status).toBe(200);
  });
});
