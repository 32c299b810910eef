/** Events per second to three healthy endpoints, next to pg-boss on the same PostgreSQL. */
import http from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { PgBoss } from 'pg-boss';
import { seedBlog } from '../models/seed.mjs';
import { makeLibraryTables } from '../read/peers.mjs';
import { spawnServer } from '../spawn-server.mjs';
import { startReceiver } from './receiver.mjs';

const ENDPOINTS = 3;
const ARTICLES = 1000;
const SERVER = join(import.meta.dirname, '..', 'read', 'servers', 'library.mjs');

async function withLibrary({ databases, events }) {
  const receiver = await startReceiver(ENDPOINTS);
  const databaseUrl = await databases.create();
  await makeLibraryTables(databaseUrl, 'blog');
  await seedBlog({ databaseUrl, articles: ARTICLES });
  const server = await spawnServer({
    args: [
      SERVER,
      '--database-url',
      databaseUrl,
      '--events',
      ...receiver.urls.flatMap((url) => ['--endpoint', url]),
    ],
    env: { NODE_ENV: 'production' },
  });
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await sleep(2000);
    await client.query(
      `insert into content_event (id, xid, at, type, document_id, locale, action, actor, attributes)
       select nextval('content_counts_id_seq'), pg_current_xact_id(), now(), 'article', d.document_id, '', 'update',
         'system', '["title"]'
       from generate_series(1, $1) n
       join (select document_id, row_number() over () - 1 as i from articles where published) d on d.i = n % $2`,
      [events, ARTICLES],
    );
    const milliseconds = await receiver.received(events);
    return (1000 * events * ENDPOINTS) / milliseconds;
  } finally {
    await client.end();
    await server.stop();
    receiver.stop();
  }
}

/** The same work as jobs: one queue per endpoint, each job reads its row and sends it. */
async function withPgBoss({ databases, events }) {
  const receiver = await startReceiver(ENDPOINTS);
  const databaseUrl = await databases.create();
  await makeLibraryTables(databaseUrl, 'blog');
  await seedBlog({ databaseUrl, articles: ARTICLES });
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
  const boss = new PgBoss({ connectionString: databaseUrl, max: 10 });
  boss.on('error', (error) => console.error(error));
  const agent = new http.Agent({ keepAlive: true });
  const post = (url, body) =>
    new Promise((done, failed) => {
      const sent = http.request(url, { method: 'POST', agent }, (response) =>
        response.resume().on('end', done),
      );
      sent.on('error', failed).end(body);
    });
  try {
    await boss.start();
    const { rows } = await pool.query('select document_id from articles where published');
    for (const [i, url] of receiver.urls.entries()) {
      const queue = `endpoint${i}`;
      await boss.createQueue(queue);
      for (let from = 0; from < events; from += 1000) {
        const jobs = Array.from({ length: Math.min(1000, events - from) }, (_, n) => ({
          data: { documentId: rows[(from + n) % rows.length].document_id },
        }));
        await boss.insert(queue, jobs);
      }
      for (let worker = 0; worker < 10; worker += 1)
        await boss.work(queue, { batchSize: 20, pollingIntervalSeconds: 0.5 }, async (batch) => {
          for (const { data } of batch) {
            const found = await pool.query(
              'select to_json(a) as row from articles a where document_id = $1 limit 1',
              [data.documentId],
            );
            await post(url, JSON.stringify(found.rows[0].row));
          }
        });
    }
    const milliseconds = await receiver.received(events);
    return (1000 * events * ENDPOINTS) / milliseconds;
  } finally {
    await boss.stop({ graceful: false });
    await pool.end();
    agent.destroy();
    receiver.stop();
  }
}

export async function measureDeliveries(options) {
  const own = await withLibrary(options);
  const peer = await withPgBoss(options);
  console.log(`\n${options.events} events to ${ENDPOINTS} endpoints, deliveries per second:`);
  console.log(`event log ${own.toFixed(0)}, pg-boss ${peer.toFixed(0)}, ratio ${(own / peer).toFixed(2)}`);
}
