/**
 * Application in its own process: `fork(instance.ts, [database url, url of the receiver, 'log', 'notify' or
 * 'mute', seed])`. Writes until its parent sends `stop`, and reports each write with its outcome.
 */
import type { MikroORM } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  CONTENT_ORM,
  ContentModule,
  type ContentService,
  defineCollectionType,
  getContentToken,
} from 'nestjs-content-api';
import { EventsModule, type LoggedEvent, OnContentEvent } from 'nestjs-content-api/events';
import pg from 'pg';
import { randomFrom } from '../../support/random.ts';

/** Write of an instance: `committed` is null if the connection was lost before its outcome was known. */
export interface Done {
  readonly documentId: string | null;
  readonly action: 'create' | 'update' | 'delete';
  readonly committed: boolean | null;
}

const [databaseUrl = '', receiver = '', by = 'log', seed = '1'] = process.argv.slice(2);

const post = async (path: string, event: object): Promise<void> => {
  const response = await fetch(`${receiver}${path}`, { method: 'POST', body: JSON.stringify(event) });
  if (!response.ok) throw new Error(`${response.status}`);
};

class Handlers {
  handle(event: LoggedEvent): Promise<void> {
    return by === 'log' ? post('/handler', event) : Promise.resolve();
  }
}
// Node runs this file, and knows no syntax of decorators.
Injectable()(Handlers);
OnContentEvent('handler')(Handlers.prototype, 'handle', { value: Handlers.prototype.handle });

const memo = defineCollectionType({
  singularApiId: 'memo',
  pluralApiId: 'memos',
  attributes: { title: { type: 'string' } },
});

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const endpoints = ['healthy', 'slow', 'dead'].map((name) => ({
  name,
  url: name === 'dead' ? 'http://localhost:9/' : `${receiver}/${name}`,
  secret,
}));

/** Negative control: delivers what it hears, as many systems do. */
async function listen(): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => setTimeout(() => void listen(), 100));
  client.on('notification', ({ payload = '' }) => {
    const [id = '', documentId = ''] = payload.split(' ');
    void post('/healthy', { id: `evt_${id}`, documentId }).catch(() => undefined);
  });
  await client.connect().then(
    () => client.query('listen content_event'),
    () => setTimeout(() => void listen(), 100),
  );
}

class Rollback extends Error {}

const app = await NestFactory.createApplicationContext(
  {
    module: class Instance {},
    imports: [
      ContentModule.forRoot({
        contentTypes: [memo],
        database: { clientUrl: databaseUrl, pool: { min: 0, max: 6 } },
      }),
      EventsModule.forRoot({
        pollMilliseconds: 200,
        webhooks: { allow: ['localhost'], endpoints: by === 'log' ? endpoints : [] },
      }),
    ],
    providers: [Handlers],
  },
  { logger: false },
);
if (by === 'notify') await listen();

const memos = app.get<ContentService>(getContentToken('memo'), { strict: false });
const em = app.get<MikroORM>(CONTENT_ORM, { strict: false }).em as SqlEntityManager;
const random = randomFrom(Number(seed));
const shared = Array.from({ length: 20 }, (_, i) => `shared${i}`);
const own: string[] = [];
let isStopping = false;

const report = (done: Done): void => void process.send?.(done);

async function write(): Promise<void> {
  const roll = random();
  const action = roll < 0.3 ? 'create' : roll < 0.9 ? 'update' : 'delete';
  const known =
    action === 'delete' ? own.pop() : ([...shared, ...own][Math.floor(random() * (20 + own.length))] ?? '');
  if (action === 'delete' && known === undefined) return;
  let documentId: string | null = action === 'create' ? null : (known ?? null);
  const rollsBack = random() < 0.1;
  const run = async (inside?: SqlEntityManager): Promise<void> => {
    const options = inside === undefined ? {} : { em: inside };
    if (action === 'create')
      ({ documentId } = (await memos.create({ title: 'x' }, {}, options)) as { documentId: string });
    else if (action === 'update') await memos.update(documentId, { title: `${random()}` }, {}, options);
    else await memos.delete(documentId, {}, options);
  };
  try {
    if (rollsBack)
      await em.fork().transactional(async (inside) => {
        await run(inside);
        throw new Rollback();
      });
    else await run();
    if (action === 'create' && documentId !== null) own.push(documentId);
    report({ documentId, action, committed: true });
  } catch (error) {
    const isKnown = error instanceof Rollback || (error as { name?: string }).name === 'NotFoundError';
    report({ documentId, action, committed: isKnown ? false : null });
    if (!isKnown) await new Promise((done) => setTimeout(done, 50));
  }
}

process.on('message', (message) => {
  if (message === 'stop') isStopping = true;
});
process.send?.('ready');
while (!isStopping) await Promise.all([write(), write(), write()]);
process.send?.('stopped');
// Delivers until the parent ends it.
process.on('message', (message) => {
  if (message === 'close') void app.close().then(() => process.exit(0));
});
