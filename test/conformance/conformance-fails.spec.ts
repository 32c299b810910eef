/** The runner can fail: one changed response, or one changed expectation, for everything that it compares. */
import { fileURLToPath } from 'node:url';
import type { Case } from './cases.ts';
import { withLibrary } from './conformance.ts';
import { Mutant } from './mutant.ts';
import type { Mutation, Reply } from './mutant.ts';
import { replay } from './replay.ts';
import type { Replay, Result } from './replay.ts';
import { report, totals } from './report.ts';

const file = (name: string): string => fileURLToPath(new URL(`./cases/${name}`, import.meta.url));
const FILES = {
  model: file('model.json'),
  seed: file('seed.json'),
  cases: [file('reads.jsonl'), file('writes.jsonl'), file('uploads.jsonl')],
};

const CREATE = 1038;
const UPDATE = 1279;
const SIGNED_IN = 66;
const FINE = 28;
const LIST = 338;
const POPULATED = 564;

/** Changes the JSON text of every response, and its length. */
const text =
  (change: (text: string) => string) =>
  (reply: Reply): Reply => {
    const changed = change(reply.text);
    const length = String(Buffer.byteLength(changed));
    return { ...reply, text: changed, headers: { ...reply.headers, 'content-length': length } };
  };

const onHead =
  (change: (reply: Reply) => Reply) =>
  (reply: Reply, method: string): Reply =>
    method === 'HEAD' ? change(reply) : reply;

const withHeader =
  (name: string, value: string) =>
  (reply: Reply): Reply => ({ ...reply, headers: { ...reply.headers, [name]: value } });

const swapped = (body: string): string => body.replace(/("id":\d+),("documentId":"\w+")/, '$2,$1');
const twice = (body: string): string => body.replace(/\[(\{"id".*?\}),/, '[$1,$1,');

interface Changed extends Mutation {
  readonly what: string;
  readonly cases: readonly number[];
  /** The path that the report names. */
  readonly at: string;
}

const ANSWERS: readonly Changed[] = [
  { what: 'a status', cases: [FINE], at: 'status', reply: (reply) => ({ ...reply, status: 202 }) },
  { what: 'a value', cases: [FINE], at: 'data.name', reply: text((body) => body.replace('Author 01', 'x')) },
  {
    what: 'a missing key',
    cases: [FINE],
    at: 'data.email',
    reply: text((body) => body.replace(/"email":"[^"]*",/, '')),
  },
  {
    what: 'an added key',
    cases: [FINE],
    at: 'data.secret',
    reply: text((body) => body.replace('"name"', '"secret":1,"name"')),
  },
  { what: 'the order of id and documentId', cases: [FINE], at: 'data.<key order>', reply: text(swapped) },
  {
    what: 'another row id for a known document',
    cases: [FINE, POPULATED, 581, FINE],
    at: 'data[0].author.id',
    reply: text((body) =>
      body.replace(
        /("author":\{"id":)\d+/,
        (_, start: string) => `${start}${Math.round(performance.now() * 1000)}`,
      ),
    ),
  },
  {
    what: 'a total',
    cases: [181, 564],
    at: 'meta.pagination.total',
    reply: text((body) => body.replace('"total":40', '"total":41')),
  },
  {
    what: 'the total of an improvement',
    cases: [964],
    at: 'meta.pagination.total',
    reply: text((body) => body.replace('"total":7', '"total":8')),
  },
  { what: 'the rows of an improvement', cases: [LIST], at: 'data.length', reply: text(twice) },
  {
    what: 'the message of an improvement',
    cases: [456],
    at: 'error.message',
    reply: text((body) => body.replace('an integer', 'an integer, please')),
  },
  {
    what: 'the details of an improvement',
    cases: [177],
    at: 'error.details.param',
    reply: text((body) => body.replace('"param":"filters"', '"param":"sort"')),
  },
  {
    what: 'a seeded time',
    cases: [FINE],
    at: 'data.createdAt',
    reply: text((body) => body.replace('00:01:00.123Z', '00:01:00.124Z')),
  },
  {
    what: 'the time of a create',
    cases: [CREATE],
    at: 'data.createdAt',
    reply: text((body) => body.replace(/"createdAt":"20\d\d/, '"createdAt":"2019')),
  },
  {
    what: 'a create that was changed later',
    cases: [CREATE],
    at: 'data.updatedAt',
    reply: text((body) =>
      body.replace(
        /("updatedAt":"[^.]*\.)(\d)/,
        (_, start: string, digit: string) => `${start}${(Number(digit) + 1) % 10}`,
      ),
    ),
  },
  {
    what: 'an update that keeps its time',
    cases: [UPDATE],
    at: 'data.updatedAt',
    reply: text((body) => body.replace(/"updatedAt":"20\d\d/, '"updatedAt":"2019')),
  },
  {
    what: 'a content type',
    cases: [FINE],
    at: 'headers.content-type',
    reply: withHeader('content-type', 'application/json'),
  },
  {
    what: 'the status of a HEAD',
    cases: [FINE],
    at: 'HEAD status',
    reply: onHead((reply) => ({ ...reply, status: 404 })),
  },
  {
    what: 'a HEAD with a body',
    cases: [FINE],
    at: 'HEAD body',
    reply: onHead((reply) => ({ ...reply, text: '{}' })),
  },
  {
    what: 'the length of a HEAD',
    cases: [FINE],
    at: 'HEAD headers.content-length',
    reply: onHead(withHeader('content-length', '1')),
  },
  {
    what: 'an ignored token',
    cases: [1067],
    at: 'status',
    request: ({ authorization: _, ...headers }) => headers,
  },
  {
    what: 'an unrecognised signed-in user',
    cases: [18],
    at: 'status',
    request: ({ authorization: _, ...headers }) => headers,
  },
  {
    what: 'a forged signature',
    cases: [SIGNED_IN],
    at: 'status',
    request: ({ authorization = '', ...headers }) => ({ ...headers, authorization: `${authorization}x` }),
  },
];

interface Expected {
  readonly what: string;
  readonly n: number;
  readonly at: string;
  readonly change: (recorded: Case) => Partial<Case>;
}

const EXPECTATIONS: readonly Expected[] = [
  { what: 'the status of a HEAD', n: FINE, at: 'status', change: () => ({ method: 'HEAD', status: 404 }) },
  {
    what: 'Allow',
    n: FINE,
    at: 'headers.allow',
    change: () => ({ responseHeaders: { Allow: 'HEAD, GET' } }),
  },
  { what: 'Vary', n: FINE, at: 'headers.vary', change: () => ({ responseHeaders: { Vary: 'X-Nobody' } }) },
  {
    what: 'CORS',
    n: FINE,
    at: 'headers.access-control-allow-origin',
    change: () => ({ responseHeaders: { 'Access-Control-Allow-Origin': 'https://front.example' } }),
  },
  { what: 'the token', n: SIGNED_IN, at: 'status', change: () => ({ auth: 'bad-token' }) },
  { what: 'an expired token', n: SIGNED_IN, at: 'status', change: () => ({ auth: 'expired-token' }) },
  { what: 'another answer to an improvement', n: 862, at: 'status', change: () => ({ status: 404 }) },
];

describe('the runner', () => {
  let ready: Replay;
  let mutant: Mutant;
  let port = 0;
  let stop = (): void => undefined;
  let stopped: Promise<void>;

  beforeAll(async () => {
    await new Promise<void>((started, failed) => {
      stopped = withLibrary(FILES, { serverUrl: process.env.TEST_DATABASE_URL }, (made) => {
        ready = made;
        started();
        return new Promise<void>((done) => void (stop = done));
      });
      stopped.catch(failed);
    });
    mutant = new Mutant(ready.port);
    port = await mutant.listen();
  });

  afterAll(async () => {
    await mutant.close();
    stop();
    await stopped;
  });

  const numbered = (numbers: readonly number[]): Case[] =>
    numbers.map((n) => ready.cases.find((one) => one.n === n) as Case);

  const play = (cases: readonly Case[], mutation: Mutation): Promise<Result[]> => {
    mutant.mutation = mutation;
    return replay({ ...ready, cases, port });
  };

  function expectFailure(results: readonly Result[], at: string): void {
    expect(results.flatMap(({ differences }) => differences.map(({ path }) => path))).toContain(at);
    expect(totals(results).percent).toBeLessThan(100);
    expect(report(results)).toContain(`${at}: recorded`);
  }

  it('reports no failure without a change', async () => {
    const numbers = [...ANSWERS.flatMap(({ cases }) => cases), ...EXPECTATIONS.map(({ n }) => n)];
    // A second write of the same unique value would be refused.
    const reads = numbered([...new Set(numbers)]).filter(({ method }) => method === 'GET');
    expect(totals(await play(reads, {})).percent).toBe(100);
  });

  it.each(ANSWERS)('reports $what in a response', async ({ cases, at, ...mutation }) => {
    expectFailure(await play(numbered(cases), mutation), at);
  });

  it.each(EXPECTATIONS)('reports $what in the recording', async ({ n, at, change }) => {
    const [recorded] = numbered([n]);
    expectFailure(await play([{ ...(recorded as Case), ...change(recorded as Case) }], {}), at);
  });
});
