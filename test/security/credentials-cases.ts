/**
 * Random requests with random credentials. They contain names of real values, such as tokens and passwords,
 * which the run fills in.
 */
import fc from 'fast-check';

/** Source of a credential: a real value, changed or not, or random text. */
export type Secret =
  | {
      readonly from: 'jwt' | 'apiToken' | 'refreshToken' | 'expired' | 'code' | 'hash';
      readonly which: number;
      readonly spoil: Spoil | null;
    }
  | { readonly from: 'text'; readonly text: string };

interface Spoil {
  readonly how: (typeof HOW)[number];
  readonly at: number;
}

const HOW = ['cut', 'flip', 'append', 'upper', 'double', 'shuffle', 'first part'] as const;

export interface Sent {
  readonly header: string;
  readonly scheme: string;
  readonly secret: Secret;
  /** `name:password` in base64, as in Basic authentication. */
  readonly basic: boolean;
}

/** Paths below the prefix without a route of the library. */
export const NOWHERE: readonly string[] = [
  '',
  '/',
  '/nothing',
  '/api-tokens',
  '/roles',
  '/content_users',
  '/auth',
  '/auth/nothing',
  '/users/me/me',
  '/%',
  '/%zz',
  '//users',
];

/** Value of a body. `own` is a password that no other request sends. */
export type Value =
  | { readonly kind: 'own' | 'right' | 'username' | 'email'; readonly which: number }
  | { readonly kind: 'secret'; readonly secret: Secret }
  | { readonly kind: 'json'; readonly json: unknown };

export interface Case {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly sent: readonly Sent[];
  readonly body: Readonly<Record<string, Value>> | null;
  /** Change of the JSON of the body. */
  readonly malformed: 'no' | 'unquoted' | 'cut' | 'trailing' | 'array' | 'twice';
  readonly contentType: string;
}

const which = fc.nat(99);
const spoil: fc.Arbitrary<Spoil> = fc.record({ how: fc.constantFrom(...HOW), at: fc.nat(400) });
const text = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({
    unit: fc
      .integer({ min: 1, max: 255 })
      .filter((code) => code !== 10 && code !== 13)
      .map((code) => String.fromCharCode(code)),
    maxLength: 40,
  }),
  fc.constantFrom(
    '',
    ' ',
    'nca_',
    `nca_${'0'.repeat(16)}_${'A'.repeat(43)}`,
    'null',
    'undefined',
    '.',
    '..',
    'a.b.c',
    '..a',
    'eyJhbGciOiJub25lIn0.e30.',
    '{}',
    '[object Object]',
    "' or 1=1 --",
    '../../etc/passwd',
    '%00',
    '\t\t',
    'Bearer',
    'Bearer Bearer',
  ),
  fc.integer({ min: 100, max: 15_000 }).map((length) => 'x'.repeat(length)),
  fc.constant('y'.repeat(20_000)),
);

const secret: fc.Arbitrary<Secret> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ from: fc.constantFrom('jwt', 'apiToken'), which, spoil: fc.constant(null) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      from: fc.constantFrom('jwt', 'apiToken', 'refreshToken', 'expired', 'code', 'hash'),
      which,
      spoil: fc.option(spoil),
    }),
  },
  { weight: 3, arbitrary: fc.record({ from: fc.constant('text' as const), text }) },
);

const sent: fc.Arbitrary<Sent> = fc
  .record({
    header: fc.oneof(
      { weight: 8, arbitrary: fc.constant('authorization') },
      {
        weight: 2,
        arbitrary: fc.constantFrom(
          'Authorization',
          'AUTHORIZATION',
          'cookie',
          'x-api-key',
          'x-access-token',
          'proxy-authorization',
          'x-forwarded-for',
          'x-user',
        ),
      },
    ),
    scheme: fc.oneof(
      { weight: 7, arbitrary: fc.constant('Bearer ') },
      {
        weight: 3,
        arbitrary: fc.constantFrom(
          'bearer ',
          'BEARER   ',
          'Bearer\t',
          'Bearer',
          '',
          'Basic ',
          'Token ',
          'Digest ',
          'Negotiate ',
          'jwt=',
        ),
      },
    ),
    secret,
    basic: fc.boolean(),
  })
  .map((one) => ({ ...one, basic: one.scheme === 'Basic ' && one.basic }));

const id = fc.oneof(
  fc.integer({ min: 1, max: 60 }).map(String),
  fc.constantFrom('me', 'count', '0', '-1', 'nobody', '%00', '1e3', '99999999999', '%F0%9F%98%80'),
);
/** Ids of rows that the run created, so that it keeps the rows that it needs. */
const late = fc.integer({ min: 40, max: 400 }).map(String);

const route = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      ['POST', '/auth/local'],
      ['POST', '/auth/local/register'],
      ['POST', '/auth/forgot-password'],
      ['POST', '/auth/reset-password'],
      ['POST', '/auth/change-password'],
      ['POST', '/auth/send-email-confirmation'],
      ['POST', '/auth/refresh'],
      ['POST', '/auth/logout'],
      ['GET', '/auth/sessions'],
      ['GET', '/auth/email-confirmation'],
    ),
  },
  {
    weight: 4,
    arbitrary: fc.oneof(
      fc.tuple(
        fc.constantFrom('GET', 'HEAD', 'POST'),
        fc.constantFrom('/users', '/users/count', '/users/me'),
      ),
      fc.tuple(
        fc.constant('GET'),
        id.map((of) => `/users/${of}`),
      ),
      fc.tuple(
        fc.constant('PUT'),
        fc.integer({ min: 6, max: 60 }).map((of) => `/users/${of}`),
      ),
      fc.tuple(
        fc.constant('DELETE'),
        late.map((of) => `/users/${of}`),
      ),
      fc.tuple(
        fc.constantFrom('GET', 'POST'),
        fc.constantFrom('/users-permissions/roles', '/users-permissions/permissions'),
      ),
      fc.tuple(
        fc.constant('GET'),
        id.map((of) => `/users-permissions/roles/${of}`),
      ),
      fc.tuple(
        fc.constantFrom('PUT', 'DELETE'),
        late.map((of) => `/users-permissions/roles/${of}`),
      ),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.oneof(
      fc.tuple(
        fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'),
        fc.constantFrom('/notes', '/topics', '/page', '/notes/', '/NOTES', '/i18n/locales'),
      ),
      fc.tuple(
        fc.constantFrom('GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'),
        id.map((of) => `/notes/${of}`),
      ),
      fc.tuple(fc.constantFrom('GET', 'POST', 'TRACE', 'PROPFIND'), fc.constantFrom(...NOWHERE)),
    ),
  },
);

const query = fc.oneof(
  { weight: 6, arbitrary: fc.constant('') },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      'populate=*',
      'populate=author',
      'populate[author][populate]=*',
      'populate=role',
      'populate[role][populate]=users',
      'filters[password][$startsWith]=$argon2',
      'filters[author][password][$contains]=argon',
      'filters[resetPasswordToken][$notNull]=true',
      'sort=password',
      'fields=password',
      'fields=hash,lookup',
      'fields=sessions',
      '_q=argon2',
      '_q=nca',
      'filters[hash][$notNull]=1',
      'confirmation=x',
      'confirmation[$gt]=',
      'status=draft',
      'pagination[pageSize]=100',
      'where[password]=x',
      'filters[',
      'populate[author][fields]=password',
      'filters[role][users][password]=x',
      'locale=*',
    ),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 20 }).map(encodeURIComponent) },
);

const json = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    1,
    '',
    [],
    {},
    ['x'],
    { $gt: 0 },
    { $ne: null },
    'text',
    'a@b.example',
    'né',
  ),
  fc.jsonValue({ maxDepth: 2 }).filter((value) => !JSON.stringify(value).includes('__proto__')),
);
const open: fc.Arbitrary<Value> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('username', 'email'), which }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('json' as const), json }) },
);
const closed: fc.Arbitrary<Value> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('own', 'right'), which }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('secret' as const),
      secret: secret.filter((one) => one.from !== 'text' || one.text.length < 100),
    }),
  },
);

/** Keys with confidential values. Values of other keys, such as names, may appear in responses. */
const CLOSED = [
  'identifier',
  'password',
  'passwordConfirmation',
  'currentPassword',
  'code',
  'refreshToken',
  'diary',
  'sessions',
];
const valueOf = (key: string): fc.Arbitrary<Value> => (CLOSED.includes(key) ? fc.oneof(open, closed) : open);

const USUAL: Readonly<Record<string, 'username' | 'email' | 'right'>> = {
  identifier: 'username',
  username: 'username',
  email: 'email',
  password: 'right',
  passwordConfirmation: 'right',
  currentPassword: 'right',
};
const ACCOUNT_KEYS = [
  'identifier',
  'username',
  'email',
  'password',
  'passwordConfirmation',
  'currentPassword',
  'code',
  'refreshToken',
] as const;

/** Bodies of sign-in: each usual key, mostly with a valid value. */
const accountBody = (person: number, owns: boolean): fc.Arbitrary<Readonly<Record<string, Value>>> => {
  const usual = (key: string): fc.Arbitrary<Value> => {
    const kind = USUAL[key] ?? 'code';
    const good: Value =
      kind === 'code'
        ? {
            kind: 'secret',
            secret: { from: key === 'code' ? 'code' : 'refreshToken', which: person, spoil: null },
          }
        : { kind: owns && kind === 'right' && key !== 'currentPassword' ? 'own' : kind, which: person };
    return fc.oneof({ weight: 8, arbitrary: fc.constant(good) }, { weight: 2, arbitrary: valueOf(key) });
  };
  return fc.record(Object.fromEntries(ACCOUNT_KEYS.map((key) => [key, usual(key)])));
};
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  '/auth/local': ['identifier', 'password'],
  '/auth/local/register': ['username', 'email', 'password'],
  '/auth/forgot-password': ['email'],
  '/auth/reset-password': ['code', 'password', 'passwordConfirmation'],
  '/auth/change-password': ['currentPassword', 'password', 'passwordConfirmation'],
  '/auth/send-email-confirmation': ['email'],
  '/auth/refresh': ['refreshToken'],
};

const body = (path: string): fc.Arbitrary<Case['body']> => {
  const needed = NEEDED[path];
  const keys = [
    'data',
    'username',
    'email',
    'password',
    'nickname',
    'title',
    'name',
    'role',
    'blocked',
    'confirmed',
    'permissions',
    'type',
    'diary',
    'sessions',
  ];
  const other = fc
    .subarray(keys, { maxLength: 5 })
    .chain((some) => fc.record(Object.fromEntries(some.map((key) => [key, valueOf(key)]))));
  if (needed === undefined) return fc.option(other, { freq: 3 });
  const only = (given: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
    Object.fromEntries(Object.entries(given).filter(([key]) => needed.includes(key)));
  return fc.oneof(
    {
      weight: 8,
      arbitrary: fc
        .tuple(
          which,
          fc.nat(3).map((n) => n === 0),
        )
        .chain(([person, owns]) => accountBody(person, owns))
        .map(only),
    },
    { weight: 1, arbitrary: other },
    { weight: 1, arbitrary: fc.constant(null) },
  );
};

export const cases: fc.Arbitrary<Case> = route.chain(([method = 'GET', path = '/']) =>
  fc.record({
    method: fc.constant(method),
    path: fc.constant(path),
    query,
    // A wrong credential ends a request before its body is parsed.
    sent: fc.oneof(
      { weight: path.startsWith('/auth/') ? 6 : 1, arbitrary: fc.constant([]) },
      { weight: 6, arbitrary: sent.map((one) => [one]) },
      { weight: 1, arbitrary: fc.tuple(sent, sent).map((both) => [...both]) },
    ),
    body: ['GET', 'HEAD', 'OPTIONS', 'TRACE'].includes(method) ? fc.constant(null) : body(path),
    malformed: fc.oneof(
      { weight: 12, arbitrary: fc.constant('no' as const) },
      { weight: 1, arbitrary: fc.constantFrom('unquoted', 'cut', 'trailing', 'array', 'twice') },
    ),
    contentType: fc.oneof(
      { weight: 9, arbitrary: fc.constant('application/json') },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          'text/plain',
          'application/x-www-form-urlencoded',
          'application/json; charset=utf-16',
          'multipart/form-data; boundary=x',
          'x',
          '',
        ),
      },
    ),
  }),
);
