/** Sample of `npm run fuzz:credentials` with a fixed seed. */
import fc from 'fast-check';
import { ADAPTERS } from '../support/app.ts';
import { cases } from './credentials-cases.ts';
import { forbiddenIn, Watched } from './credentials-run.ts';

it('the search finds forbidden text', () => {
  const leaks = [
    'kAn4ry-12',
    '$argon2id$v=19$m=19456',
    'nca_0123456789abcdef_x',
    'sha256$salt$hash',
    'Bearer eyJhbGciOiJIUzI1NiJ9.e30.x',
    '3fK-_'.repeat(9),
    'a secret of the tests that is long enough',
    'postgresql://postgres:pw@localhost',
  ];
  expect(leaks.map((text) => forbiddenIn(`{"message":"${text}"}`)).filter((found) => found === null)).toEqual(
    [],
  );
  expect(
    forbiddenIn(
      '{"data":null,"error":{"status":401,"name":"UnauthorizedError","message":"Missing or invalid credentials","details":{}}}',
    ),
  ).toBeNull();
});

describe.each(ADAPTERS)('random credentials on %s', (adapter) => {
  let watched: Watched;
  beforeAll(async () => {
    watched = await Watched.start(adapter);
  });
  afterAll(() => watched.close());

  it('S30, S31: cause no 5xx, and do not appear in responses or log lines', async () => {
    const { problems, statuses, issued, logLines } = await watched.run(
      fc.sample(cases, { seed: 20_240_501, numRuns: 300 }),
    );
    expect(problems).toEqual([]);
    // The sample covers sign-in, reads, rejected requests, and input that is not HTTP.
    expect(issued).toBeGreaterThan(5);
    expect(logLines).toBeGreaterThan(0);
    for (const status of [200, 400, 401, 403, 404])
      expect([status, statuses[status]]).toEqual([status, expect.any(Number)]);
  });

  it.each([
    [
      'a table that is gone',
      'alter table content_users rename to away',
      'alter table away rename to content_users',
    ],
    [
      'a table of tokens that is gone',
      'alter table content_api_tokens rename to away',
      'alter table away rename to content_api_tokens',
    ],
    [
      'a column that is gone',
      'alter table content_users rename password to away',
      'alter table content_users rename away to password',
    ],
    [
      'a rule that every row breaks',
      'alter table content_users add constraint broken check (id < 0) not valid',
      'alter table content_users drop constraint broken',
    ],
  ])('do not appear in responses and the log with %s', async (_name, how, mend) => {
    const { found, statuses, logLines } = await watched.broken(how, mend);
    expect(found).toEqual([]);
    expect([statuses.some((status) => status >= 500), logLines > 0, statuses]).toEqual([
      true,
      true,
      statuses,
    ]);
  });

  it('do not appear in responses to bodies that are not JSON', async () => {
    const found = await Promise.all(
      [
        '{"password":kAn4ry-1}',
        '{"identifier":"bob","password":kAn4ry-1}',
        '{"password":"x" kAn4ry-1}',
        'kAn4ry-1',
      ].map((body) => watched.answerTo('/auth/local', body)),
    );
    expect(found.map(forbiddenIn)).toEqual([null, null, null, null]);
  });

  it('do not appear in responses to a registration that is sent as a form', async () => {
    expect(
      forbiddenIn(
        await watched.answerTo(
          '/auth/local/register',
          '{"username":"bob","email":"bob@example.com","password":"kAn4ry-1"}',
          'application/x-www-form-urlencoded',
        ),
      ),
    ).toBeNull();
  });
});
