/**
 * Compares the responses of an application to the access rule, for routes, `populate`, filters, sort,
 * `fields`, search, counts and writes.
 */
import { ContentMetrics } from 'nestjs-content-api';
import { Client, type Reply } from '../fuzz/apps.ts';
import { each } from '../fuzz/leak-check.ts';
import { snapshot } from '../http/helpers.ts';
import { type Adapter, ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';
import { dose } from '../support/dose.ts';
import { access, CALLERS, strategies } from './callers.ts';
import { type Case, everyRoute, foreign, reads, refusals, type Table, writes } from './cases.ts';
import { fill, fillHome, type Ids, library } from './model.ts';

const MESSAGES: Readonly<Record<number, RegExp>> = {
  400: /^Invalid key /,
  401: /^Missing or invalid credentials$/,
  403: /^Forbidden$/,
  404: /^Not Found$/,
};

interface Failure {
  readonly message: string;
  readonly details?: { readonly errors?: readonly { readonly message: string }[] };
}

/** Returns the messages of an error response: one per problem of a body. */
function messagesOf(body: string): readonly string[] {
  const { error } = JSON.parse(body) as { readonly error?: Failure };
  const problems = error?.details?.errors ?? [];
  return problems.length > 0 ? problems.map(({ message }) => message) : [error?.message ?? ''];
}

/** Returns the difference between a response and the access rule, or null. */
function against(
  { method, path, body: sent, status, message: expected, wanted }: Case,
  { status: got, body }: Reply,
): string | null {
  const asked = `${method} ${path}${sent === undefined ? '' : ` ${JSON.stringify(sent)}`}`;
  if (got !== status) return `${asked}: ${got} instead of ${status}: ${body.slice(0, 300)}`;
  if (method === 'HEAD' || body === '') return null;
  if (status >= 400) {
    const messages = messagesOf(body);
    const isExpected = messages.every((message) => (expected ?? MESSAGES[status])?.test(message) === true);
    return isExpected ? null : `${asked}: ${messages.join('; ')}`;
  }
  const answer = JSON.parse(body) as object;
  const [seen, rule] = [JSON.stringify(wanted?.read(answer)), JSON.stringify(wanted?.value)];
  if (seen === rule) return null;
  const [has, should] = [seen, rule].map((text) =>
    text?.startsWith('["') === true ? (JSON.parse(text) as string[]) : [],
  );
  const [more, less] = [
    has?.filter((one) => should?.includes(one) !== true),
    should?.filter((one) => has?.includes(one) !== true),
  ];
  return `${asked}: ${has?.length === 0 || should?.length === 0 ? `${seen} instead of ${rule}` : `shows ${more?.join(' ')}, does not show ${less?.join(' ')}`}`;
}

/** Groups cases by parameter and expected status. */
const kindOf = ({ about, status }: Case): string => `${about} ${status}`;
/** Groups cases by route as well. Body parts are rare, so each different body is a separate group. */
const kindOnRoute = (one: Case): string => {
  const { about, method, path, body } = one;
  const part = about === 'body part' || about === 'body file' ? JSON.stringify(body) : '';
  return `${kindOf(one)} ${method} ${path.replace(/\?.*/, '')} ${part}`;
};

/** Counter that selects routes and cases in turn, so that each caller gets different ones. */
let turn = 0;

/** Selects one case of every third group. */
const few = (cases: Iterable<Case>): Case[] =>
  [...Map.groupBy(cases, kindOnRoute).values()].flatMap((alike) => {
    turn += 1;
    const next = Math.floor(turn / 3) % alike.length;
    return turn % 3 === 0 ? alike.slice(next, next + 1) : [];
  });

/** Selects the first `count` cases of each group. */
const firsts = (cases: Iterable<Case>, count: number): Case[] =>
  [...Map.groupBy(cases, kindOf).values()].flatMap((alike) => alike.slice(0, count));

/**
 * Cases per caller for each adapter. The rule does not depend on the adapter, so the second adapter gets a
 * sample.
 */
const TAKEN: Readonly<Record<Adapter, (cases: Iterable<Case>) => Iterable<Case>>> = {
  express: dose(few, (cases) => cases),
  fastify: (cases) => firsts(cases, dose(1, 3)),
};

describe.each(ADAPTERS)('access on %s', (adapter) => {
  const taken = TAKEN[adapter];
  let test: TestApp;
  let client: Client;
  let ids: Ids;
  /** Number of successful and refused cases, by parameter. */
  const tally = new Map<string, number>();

  beforeAll(async () => {
    test = await createTestApp(
      { ...library, ...access, limits: { populateNodes: 1000, hops: 1000 } },
      adapter,
    );
    ids = await fill(test);
    client = new Client(test.url, { described: true });
  });
  afterAll(async () => {
    client.close();
    await test.close();
  });

  async function agree(
    cases: Iterable<Case>,
    headers: Readonly<Record<string, string>>,
    concurrency = 4,
  ): Promise<void> {
    const disagreements: string[] = [];
    let asked = 0;
    await each(cases, concurrency, async (one) => {
      const reply = await client.get(
        one.path,
        headers,
        one.method,
        one.body === undefined ? undefined : JSON.stringify(one.body),
      );
      asked += 1;
      const said = against(one, reply) ?? (asked % 3 === 0 ? await hot(one, headers, reply) : null);
      if (said !== null) disagreements.push(said);
      const key = `${one.about} ${one.status < 400 ? 'answered' : 'refused'}`;
      tally.set(key, (tally.get(key) ?? 0) + 1);
    });
    expect(disagreements).toEqual([]);
  }

  /** Repeats a read, whose response may be cached by now. Returns the difference, or null. */
  async function hot(
    { method, path }: Case,
    headers: Readonly<Record<string, string>>,
    { status, headers: { etag }, body }: Reply,
  ): Promise<string | null> {
    if (method !== 'GET') return null;
    const again = await client.get(path, headers);
    if (again.status !== status || again.body !== body)
      return `${path} returns another response to the repeated request: ${again.status} ${again.body.slice(0, 300)}`;
    if (typeof etag !== 'string') return null;
    const known = await client.get(path, { ...headers, 'if-none-match': etag });
    return known.status === 304 || known.body === body
      ? null
      : `${path} returns another body to the request with If-None-Match`;
  }

  it.each(Object.entries(CALLERS))(
    'agrees with the rule for %s (7.11, 16.6)',
    async (_name, { headers, asker }) => {
      const table: Table = { asker, ids, thorough: adapter === 'express' };
      await agree(taken(reads(table)), headers);
      const before = await snapshot(test);
      await agree(taken(refusals(table)), headers);
      await agree(taken(foreign(table)), headers);
      expect(await snapshot(test)).toEqual(before);
      await agree(taken(writes(table)), headers, 1);
      await fillHome(test.app, ids);
    },
  );

  it('has sent allowed and refused cases of every parameter', () => {
    const both = [
      'route',
      '_q',
      'body',
      'fields',
      'filters',
      'sort',
      'fields of an answer',
      ...(adapter === 'express' ? ['populate filters', 'populate sort', 'populate fields', 'body file'] : []),
    ];
    const wanted = [
      ...both.flatMap((about) => [`${about} answered`, `${about} refused`]),
      'body relation refused',
      ...(adapter === 'express' ? ['body part refused'] : []),
      'populate tree answered',
      'answer answered',
    ];
    expect(wanted.filter((one) => (tally.get(one) ?? 0) < dose(8, 20))).toEqual([]);
  });

  it('has served many responses from the cache', () => {
    expect(test.app.get(ContentMetrics).cache.hits).toBeGreaterThan(dose(40, 100));
  });

  it.each(['Bearer nobody-knows', 'Bearer', 'bearer  ', 'Bearer two words', 'BEARER\t'])(
    '18.3 refuses %j even on public routes',
    async (authorization) => {
      const routes = [...everyRoute(ids, 401)];
      await agree(authorization === 'Bearer nobody-knows' ? routes : routes.slice(0, 3), { authorization });
    },
  );

  it.each(['Basic eDp5', 'Bearerx', 'Token', ''])(
    '18.2 treats a request with %j as unauthenticated',
    async (authorization) => {
      expect((await client.get('/api/books', { authorization })).status).toBe(200);
    },
  );
});

describe.each(ADAPTERS)('unauthenticated callers without grants on %s', (adapter) => {
  it('18.1 returns 401 to unauthenticated callers and 403 to authenticated ones', async () => {
    const test = await createTestApp(
      {
        ...library,
        access: { public: { book: [], tag: [{ actions: [], fields: ['name'] }] } },
        auth: { strategies },
      },
      adapter,
    );
    const client = new Client(test.url);
    const wrong: string[] = [];
    for (const [headers, status] of [
      [{}, 401],
      [{ authorization: 'Basic eDp5' }, 401],
      [{ authorization: 'Bearer x' }, 401],
      [{ 'x-roles': 'editor' }, 403],
      [{ authorization: 'Bearer nobody' }, 403],
    ] as const) {
      await each(everyRoute(null, status), 4, async ({ method, path, body: sent }) => {
        const { status: got, body } = await client.get(path, headers, method, sent && JSON.stringify(sent));
        if (got !== status || (method !== 'HEAD' && !MESSAGES[status]?.test(messagesOf(body)[0] ?? '')))
          wrong.push(`${method} ${path} ${JSON.stringify(headers)}: ${got}`);
      });
    }
    client.close();
    await test.close();
    expect(wrong).toEqual([]);
  });
});
