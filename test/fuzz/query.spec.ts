/** A sample of `npm run fuzz:query`, with a fixed seed. */
import fc from 'fast-check';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { dose, expectSoon } from '../support/dose.ts';
import { Client, type RunningApp } from './apps.ts';
import { filtersOf, type FuzzRequest, requests, targetOf } from './arbitraries.ts';
import type { ContentType } from './internals.ts';
import { checkKept } from './kept.ts';
import { problemOf, SLOW } from './oracle.ts';
import { runPure, schema } from './pure.ts';
import { type Entries, object, queryOf, spell, type Tree } from './query-text.ts';
import { documentsOf, type Ready, startFilled } from './server.ts';

const SEED = 20_240_501;
const NAMES = [
  'nope',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'prototype',
  '',
  'title;--',
  't0.title',
  'Title',
  '$EQ',
  '$where',
  'secret',
  'password',
  'reviewer',
];

const article = schema.types.get('article') as ContentType;
const ask = (query: string): FuzzRequest => ({
  type: 'article',
  path: 'articles',
  query,
  v4: false,
  caller: 'all',
  method: 'GET',
});

describe('a query string', () => {
  it('compiles to a statement or a 4xx', () => {
    fc.assert(
      fc.property(requests(schema), (request) => void runPure(request)),
      { seed: SEED, numRuns: dose(300, 800) },
    );
  });

  it('compiles to the same statement after other queries', () => {
    fc.assert(fc.property(requests(schema), checkKept), { seed: SEED, numRuns: dose(400, 1500) });
  });

  it.each(NAMES)('is refused if its filters contain the name "%s", which is never dropped', (name) => {
    /** Trees with the invalid name at each possible position. */
    const spoil = (tree: Tree): Tree[] => {
      if (tree === null || typeof tree === 'string' || !('entries' in tree) || Array.isArray(tree)) return [];
      const { entries } = tree as Entries;
      const here = object([...entries, [name, 'x']]);
      const below = entries.flatMap(([key, value], i) =>
        spoil(value).map((spoilt) =>
          object(entries.map((entry, j) => (i === j ? ([key, spoilt] as const) : entry))),
        ),
      );
      return [here, ...below];
    };
    const valid = filtersOf(schema, article, 1);
    fc.assert(
      fc.property(valid, (filters) => {
        for (const spoilt of spoil(filters))
          expect(runPure(ask(spell(object([['filters', spoilt]])))).kind).toBe('refused');
      }),
      { seed: SEED, numRuns: dose(10, 30) },
    );
  });

  it.each(NAMES.filter((name) => name !== ''))(
    'is refused if sort, fields or populate contain the name "%s", which is never dropped',
    (name) => {
      const populate = { author: { [name]: 'x' } };
      const below = [
        { sort: [name] },
        { fields: [name] },
        { populate: [name] },
        { filters: { [name]: 'x' } },
        { filters: { name: { [name]: 'x' } } },
      ];
      const queries = [
        { sort: name },
        { sort: { [name]: 'asc' } },
        { sort: `author.${name}` },
        { fields: name },
        { fields: [name] },
        { populate: name },
        { populate: [name] },
        { populate: { [name]: 'true' } },
        { populate: `author.${name}` },
        { populate },
        ...below.map((author) => ({ populate: { author } })),
        { populate: { zone: { on: { [name]: 'true' } } } },
        { populate: { zone: { on: { 'shared.seo': { fields: [name] } } } } },
      ];
      for (const query of queries)
        expect([queryOf(query), runPure(ask(queryOf(query))).kind]).toEqual([queryOf(query), 'refused']);
      for (const query of [
        `sort[${name}]=asc`,
        `populate[${name}]=true`,
        `populate[author][filters][${name}]=1`,
        `filters[$and][0][${name}]=1`,
        `filters[$or][0][$not][${name}]=1`,
        `filters[author][${name}][id]=1`,
      ]) {
        expect([query, runPure(ask(query)).kind]).toEqual([query, 'refused']);
        const encoded = query.replace(
          name,
          [...name].map((c) => `%${c.charCodeAt(0).toString(16)}`).join(''),
        );
        expect([encoded, runPure(ask(encoded)).kind]).toEqual([encoded, 'refused']);
      }
      expect(Object.keys(Object.prototype)).toEqual([]);
    },
  );
});

describe.each(['express', 'fastify'] as const)('any request on %s', (adapter) => {
  let database: TestDatabase;
  let running: RunningApp;
  let documents: Ready['documents'];
  let client: Client;
  beforeAll(async () => {
    database = await createDatabase();
    running = await startFilled(database.url, adapter);
    documents = await documentsOf(database.url);
    client = new Client(running.url, { described: true });
  });
  afterAll(async () => {
    client.close();
    await running.close();
    await database.drop();
  });

  it('S28, S30: returns 200 or a 4xx in the error format, in time', async () => {
    const send = async (request: FuzzRequest): Promise<void> => {
      const { path, body } = targetOf(request, documents);
      // Node refuses header sections over 16 KiB.
      if (path.length > 15_000) return;
      const { v4, caller, method } = request;
      const headers = {
        ...(caller === null ? {} : { authorization: `Bearer ${caller}` }),
        ...(v4 ? { 'strapi-response-format': 'v4' } : {}),
      };
      const reply = await client.get(path, headers, method, body);
      expect(problemOf(reply, method)).toBeNull();
      expectSoon(reply.milliseconds, SLOW);
    };
    const results = await Promise.all(
      [0, 1, 2].map((i) =>
        fc.check(fc.asyncProperty(requests(schema), send), { seed: SEED + i, numRuns: dose(40, 120) }),
      ),
    );
    expect(
      results.filter(({ failed }) => failed).map((result) => fc.defaultReportMessage(result)?.slice(0, 1500)),
    ).toEqual([]);
  });
});
