/**
 * `npm run bench -- bulk [--items 1000] [--rounds 5]`: one bulk request against single PUTs of the same
 * changes, on one and on ten connections. The end states are compared. Prints ratios of durations.
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

/** Values that requests of different rounds change, without times. */
async function stateOf(url, ids) {
  const read = async (id) => {
    const response = await fetch(`${url}/api/articles/${id}?populate=*`);
    const { data } = await response.json();
    return JSON.stringify([data.title, data.summary, data.views, data.author?.name, data.seo?.metaTitle]);
  };
  return Promise.all(ids.map(read));
}

export async function bench(args) {
  const { values } = parseArgs({
    args,
    options: { items: { type: 'string', default: '1000' }, rounds: { type: 'string', default: '5' } },
  });
  const [items, rounds] = [values.items, values.rounds].map(Number);
  const { request } = shapesOn(items).find(({ name }) => name === 'put');
  const databases = await startDatabases();
  const databaseUrl = await databases.create();
  await makeLibraryTables(databaseUrl, 'blog');
  await seedBlog({ databaseUrl, articles: items });
  const server = await start(process.cwd(), ['--database-url', databaseUrl, '--adapter', 'express']);
  const durations = { one: [], ten: [], bulk: [] };
  try {
    for (let round = 0; round < rounds; round += 1) {
      const puts = Array.from({ length: items }, (_, i) => request(round * items + i));
      const ids = puts.map(({ path }) => path.split('/').at(-1));
      const single = async (connections) => {
        const started = performance.now();
        const { errors } = await run({
          url: server.url,
          connections,
          request: (n) => puts[n % items],
          seconds: 600,
          count: items,
        });
        assert.equal(errors, 0);
        return performance.now() - started;
      };
      durations.one.push(await single(1));
      durations.ten.push(await single(10));
      const after = await stateOf(server.url, ids);
      const data = puts.map(({ body }, i) => ({
        action: 'update',
        documentId: ids[i],
        data: JSON.parse(body).data,
      }));
      const started = performance.now();
      const response = await fetch(`${server.url}/api/articles/bulk`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ data }),
      });
      assert.equal(response.status, 200, await response.text());
      durations.bulk.push(performance.now() - started);
      assert.deepEqual(await stateOf(server.url, ids), after);
    }
  } finally {
    await server.stop();
    await databases.stop();
  }
  const times = (name) => median(durations[name].map((one, i) => one / durations.bulk[i])).toFixed(1);
  console.log(`${items} updates by one request take ${median(durations.bulk).toFixed(0)} ms`);
  console.log(`single requests take ${times('one')} times as long on one connection, ${times('ten')} on ten`);
}
