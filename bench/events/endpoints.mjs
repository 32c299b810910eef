/** Durations of writes beside webhooks to many endpoints. */
import { setTimeout as sleep } from 'node:timers/promises';
import { start } from '../compare/bench.mjs';
import { seedBlog } from '../models/seed.mjs';
import { makeLibraryTables } from '../read/peers.mjs';
import { shapesOn } from '../write/requests.mjs';
import { startReceiver } from './receiver.mjs';

const COUNTS = [0, 3, 20, 100];
const ROWS = 1000;
/** Milliseconds between two writes, and of the whole measurement. */
const PAUSE = 20;
const LENGTH = 8000;
/** Milliseconds until an endpoint responds. */
const RESPONSE = 20;

/** Sends a request, and returns its milliseconds. */
async function timed(url, { method, path, headers, body }) {
  const started = performance.now();
  const response = await fetch(url + path, { method, headers, body });
  await response.text();
  if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}`);
  return performance.now() - started;
}

async function beside(count, { databases }) {
  const { request } = shapesOn(ROWS).find(({ name }) => name === 'put');
  const receiver = await startReceiver(count, RESPONSE);
  const databaseUrl = await databases.create();
  await makeLibraryTables(databaseUrl, 'blog');
  await seedBlog({ databaseUrl, articles: ROWS });
  const endpoints = receiver.urls.flatMap((url) => ['--endpoint', url]);
  const server = await start(process.cwd(), ['--database-url', databaseUrl, '--events', ...endpoints]);
  try {
    for (let n = 0; n < 100; n += 1) await timed(server.url, request(n));
    const writes = [];
    const end = performance.now() + LENGTH;
    for (let n = 100; performance.now() < end; n += 1, await sleep(PAUSE))
      writes.push(timed(server.url, request(n)));
    const durations = (await Promise.all(writes)).toSorted((a, b) => a - b);
    const at = (share) => durations[Math.floor(durations.length * share)].toFixed(1);
    return [count, writes.length, at(0.5), at(0.99), receiver.total()];
  } finally {
    await server.stop();
    receiver.stop();
  }
}

export async function measureEndpoints(options) {
  console.log('| endpoints | writes | p50 in ms | p99 in ms | deliveries |');
  console.log('| --: | --: | --: | --: | --: |');
  for (const count of COUNTS) console.log(`| ${(await beside(count, options)).join(' | ')} |`);
}
