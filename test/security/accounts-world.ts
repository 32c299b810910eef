/** Users, roles and API tokens over HTTP, and steps that specs share. */
import { ApiTokens, ApiTokensModule, UsersModule, type UsersOptions } from 'nestjs-content-api/accounts';
import { contentTypes, Outbox, tokenIn, usersOptions } from '../accounts/helpers.ts';
import { type Adapter, createTestApp, type TestApp } from '../support/app.ts';

export const PASSWORD = 'correct horse';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: any;
}

export interface SignedUp {
  readonly jwt: string;
  readonly refreshToken: string;
  readonly user: Readonly<Record<string, any>>;
}

/** Input of a request, except its path. */
interface Sent {
  readonly body?: unknown;
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface AccountsWorld extends TestApp {
  readonly outbox: Outbox;
  readonly tokens: ApiTokens;
  send(
    method: 'get' | 'post' | 'put' | 'patch' | 'delete' | 'head',
    path: string,
    sent?: Sent,
  ): Promise<Answer>;
  get(path: string, token?: string): Promise<Answer>;
  post(path: string, body?: unknown, token?: string): Promise<Answer>;
  put(path: string, body?: unknown, token?: string): Promise<Answer>;
  /** Registers a user with {@link PASSWORD}. */
  register(more?: Readonly<Record<string, unknown>>): Promise<SignedUp>;
  /** Registers a user with a role of `access.roles` or the database. */
  withRole(role: string): Promise<SignedUp>;
  signIn(user: SignedUp['user'], password?: string): Promise<Answer>;
  /** Returns a code for a new password from the mail. */
  resetCode(email: string): Promise<string>;
  /** Returns the row of a user, without its times of change. */
  row(id: number): Promise<Record<string, unknown> | undefined>;
}

const ACCESS = {
  public: { note: ['find'], topic: ['find'] },
  roles: {
    authenticated: { note: ['find', 'findOne', 'create', 'update'], topic: ['find'] },
    manager: { user: '*', role: '*', note: '*', topic: '*' },
    clerk: { user: [{ actions: ['findOne', 'create', 'update'], fields: ['nickname'] }] },
  },
  // Long enough that no statement reads grants while a test counts statements.
  maxAge: 600_000,
} as const;

export async function startAccounts(
  adapter: Adapter,
  more: Partial<UsersOptions> = {},
  options: Partial<Parameters<typeof createTestApp>[0]> = {},
  prepare?: Parameters<typeof createTestApp>[2],
): Promise<AccountsWorld> {
  const outbox = new Outbox();
  const test = await createTestApp(
    {
      contentTypes,
      access: ACCESS,
      imports: [UsersModule.forRoot(usersOptions(outbox, more)), ApiTokensModule],
      ...options,
    },
    adapter,
    prepare,
  );
  let n = 0;
  const send: AccountsWorld['send'] = async (method, path, { body, token, headers = {} } = {}) => {
    const asked = test.http[method](`/api${path}`).redirects(0).set(headers);
    if (token !== undefined) asked.set('authorization', `Bearer ${token}`);
    if (body !== undefined) asked.type('json').send(JSON.stringify(body));
    const answer = await asked.ok(() => true);
    return { status: answer.status, headers: answer.headers, body: answer.body };
  };
  const world: AccountsWorld = {
    ...test,
    outbox,
    send,
    tokens: test.app.get(ApiTokens),
    get: (path, token) => send('get', path, { token }),
    post: (path, body, token) => send('post', path, { body, token }),
    put: (path, body, token) => send('put', path, { body, token }),
    register: async (given = {}) => {
      n += 1;
      const { status, body } = await world.post('/auth/local/register', {
        username: `user${n}`,
        email: `user${n}@example.com`,
        password: PASSWORD,
        ...given,
      });
      if (status !== 200) throw new Error(JSON.stringify(body));
      return body as SignedUp;
    },
    withRole: async (role) => {
      const account = await world.register();
      await test.sql(
        'update content_users set role_document_id = (select document_id from content_roles where type = $2) where id = $1',
        [account.user['id'], role],
      );
      return account;
    },
    signIn: (user, password = PASSWORD) =>
      world.post('/auth/local', { identifier: user['username'], password }),
    resetCode: async (email) => {
      const mail = outbox.next();
      await world.post('/auth/forgot-password', { email });
      return tokenIn(await mail);
    },
    row: async (id) =>
      (await test.sql('select * from content_users where id = $1', [id])).map(
        ({ updated_at: _changed, published_at: _published, ...row }) => row,
      )[0],
  };
  return world;
}

/** Options of {@link startAccounts}, without the adapter. */
export type WorldOptions = Parameters<typeof startAccounts> extends [unknown, ...infer R] ? R : never;

/** Closes after each test everything that the test started. Call it within `describe`. */
export function closedAfterEach(): <T extends { close(): Promise<void> }>(
  starting: Promise<T>,
) => Promise<T> {
  const started: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    await Promise.all(started.splice(0).map((made) => made.close()));
  });
  return async (starting) => {
    const made = await starting;
    started.push(made);
    return made;
  };
}
