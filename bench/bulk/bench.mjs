/**
 * `npm run bench -- bulk [--items 1000] [--rounds 5] [--warm-up 10]`: one bulk request against single PUTs of
 * the same changes, on one and on ten connections, for three kinds of updates. The end states are compared.
 * Prints ratios of durations. A round has thousands of single requests and one bulk request; the bulk requests
 * of the warm-up let the JIT compiler see both. The duration of the first one is printed, too.
 */
import assert from 'node:assert/strict';
import { parseArgs } from 'node:util';
import { start } from '../compare/bench.mjs';
import { startDatabases } from '../databases.mjs';
import { run } from '../load.mjs';
import { seedBlog } from '../models/seed.mjs';
import { median } from '../read/measure.mjs';
import { makeLibraryTables } from '../read/peers.mjs';
import { shapesOn } from '../write/requests.mjs';

const JSON_TYPE = { 'content-type': 'application/json' };

const bulk = (url, plural, data) =>
  fetch(`${url}/api/${plural}/bulk`, {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify({ data }),
  });

async function createAuthors(url, count) {
  const data = Array.from({ length: count }, (_, n) => ({
    action: 'create',
    data: { name: `New author ${n}` },
  }));
  const response = await bulk(url, 'authors', data);
  assert.equal(response.status, 200, response.ok ? '' : await response.text());
  const created = await response.json();
  return created.data.map(({ documentId }) => documentId);
}

/** Kinds of updates: their documents, the data of the n-th update, and the attributes to compare afterwards. */
async function kindsOf(url, items) {
  const { request } = shapesOn(items).find(({ name }) => name === 'put');
  const articles = Array.from({ length: items }, (_, n) => request(n).path.split('/').at(-1));
  const authors = await createAuthors(url, items);
  return [
    {
      title: 'articles, 7 attributes with relations and components, published',
      plural: 'articles',
      ids: articles,
      data: (n) => JSON.parse(request(n).body).data,
      shown: ({ title, summary, views, author, seo }) => [
        title,
        summary,
        views,
        author?.name,
        seo?.metaTitle,
      ],
    },
    {
      title: 'articles, 1 attribute, published',
      plural: 'articles',
      ids: articles,
      data: (n) => ({ title: `Title ${n}` }),
      shown: ({ title }) => [title],
    },
    {
      title: 'authors, 1 attribute, without drafts',
      plural: 'authors',
      ids: authors,
      data: (n) => ({ name: `Renamed author ${n}` }),
      shown: ({ name }) => [name],
    },
  ];
}

async function stateOf(url, { plural, ids, shown }) {
  const read = async (id) => {
    const response = await fetch(`${url}/api/${plural}/${id}?populate=*`);
    const { data } = await response.json();
    return JSON.stringify(shown(data));
  };
  return Promise.all(ids.map(read));
}

/** Sends one PUT for each update. Returns the time that all of them took, in milliseconds. */
async function timePuts(url, { plural, ids }, updates, connections) {
  const started = performance.now();
  const { errors, statuses } = await run({
    url,
    connections,
    request: (n) => ({
      method: 'PUT',
      path: `/api/${plural}/${ids[n % ids.length]}`,
      headers: JSON_TYPE,
      body: JSON.stringify({ data: updates[n % ids.length] }),
    }),
    seconds: 600,
    count: ids.length,
  });
  assert.equal(errors, 0, JSON.stringify(statuses));
  return performance.now() - started;
}

/** Sends the updates in one request. Returns its duration in milliseconds. */
async function timeBulk(url, { plural, ids }, updates) {
  const items = updates.map((data, i) => ({ action: 'update', documentId: ids[i], data }));
  const started = performance.now();
  const response = await bulk(url, plural, items);
  assert.equal(response.status, 200, await response.text());
  return performance.now() - started;
}

async function measure(url, kind, { rounds, warmUp }) {
  const { ids } = kind;
  const updatesAt = (turn) => ids.map((_, i) => kind.data(turn * ids.length + i));
  const first = [];
  for (let turn = 0; turn < warmUp; turn += 1) first.push(await timeBulk(url, kind, updatesAt(turn)));
  const durations = { one: [], ten: [], bulk: [] };
  for (let round = 0; round < rounds; round += 1) {
    const updatesOf = (turn) => updatesAt(warmUp + 3 * round + turn);
    durations.one.push(await timePuts(url, kind, updatesOf(0), 1));
    durations.ten.push(await timePuts(url, kind, updatesOf(1), 10));
    // Other values than the single requests wrote, or the bulk request would find nothing to change.
    const updates = updatesOf(2);
    durations.bulk.push(await timeBulk(url, kind, updates));
    const written = await stateOf(url, kind);
    await timePuts(url, kind, updates, 1);
    assert.deepEqual(await stateOf(url, kind), written);
  }
  const times = (name) => median(durations[name].map((one, i) => one / durations.bulk[i])).toFixed(1);
  console.log(
    `${ids.length} updates of ${kind.title}: ${median(durations.bulk).toFixed(0)} ms by one request` +
      (warmUp > 0 ? `, ${first[0].toFixed(0)} ms by the first one` : ''),
  );
  console.log(`  single requests: ${times('one')} times as long on one connection, ${times('ten')} on ten`);
}

export async function bench(args) {
  const { values } = parseArgs({
    args,
    options: {
      items: { type: 'string', default: '1000' },
      rounds: { type: 'string', default: '5' },
      'warm-up': { type: 'string', default: '10' },
    },
  });
  const [items, rounds, warmUp] = [values.items, values.rounds, values['warm-up']].map(Number);
  const databases = await startDatabases();
  const databaseUrl = await databases.create();
  await makeLibraryTables(databaseUrl, 'blog');
  await seedBlog({ databaseUrl, articles: items });
  const server = await start(process.cwd(), ['--database-url', databaseUrl, '--adapter', 'express']);
  try {
    for (const kind of await kindsOf(server.url, items)) await measure(server.url, kind, { rounds, warmUp });
  } finally {
    await server.stop();
    await databases.stop();
  }
}
