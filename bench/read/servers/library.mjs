/**
 * Server process of this library:
 *
 * node library.mjs --database-url postgresql://… [--model blog|atlas|scale] [--adapter express|fastify] [--cache]
 * [--replica postgresql://… …] [--tables] [--metrics] [--events] [--endpoint http://localhost:… …]
 * [--live] [--history]
 *
 * `--tables` creates the tables and ends. Otherwise prints `listening on <url>`.
 */
import { parseArgs } from 'node:util';
import { NestFactory } from '@nestjs/core';
import { CONTENT_ORM, ContentModule } from 'nestjs-content-api';
import { atlas } from '../../models/atlas.mjs';
import { blog } from '../../models/blog.mjs';
import { scale } from '../../models/scale.mjs';

const { values: options } = parseArgs({
  options: {
    'database-url': { type: 'string' },
    model: { type: 'string', default: 'blog' },
    adapter: { type: 'string', default: 'express' },
    cache: { type: 'boolean', default: false },
    replica: { type: 'string', multiple: true, default: [] },
    metrics: { type: 'boolean', default: false },
    tables: { type: 'boolean', default: false },
    events: { type: 'boolean', default: false },
    live: { type: 'boolean', default: false },
    history: { type: 'boolean', default: false },
    endpoint: { type: 'string', multiple: true, default: [] },
  },
});

const database = {
  clientUrl: options['database-url'],
  pool: { min: 0, max: 10 },
  replicas: options.replica.map((clientUrl) => ({ clientUrl })),
};
const model = { atlas, blog, scale }[options.model];
const withHistory = (type) => ({ ...type, history: options.history && type.singularApiId === 'article' });
const content = ContentModule.forRoot({
  ...model,
  contentTypes: model.contentTypes.map(withHistory),
  database,
  ...(options.metrics ? { monitoring: { durations: true, slowRequest: 1000 } } : {}),
  cache: options.cache ? { bytes: 64 * 1024 * 1024 } : false,
});
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const endpoints = options.endpoint.map((url, i) => ({ name: `endpoint${i}`, url, secret }));
const live = options.live
  ? { live: { secret: 'a secret of the benchmark, which is long enough', maxListeners: 100_000 } }
  : {};
const hasEvents = options.events || options.live;
const { EventsModule } = hasEvents ? await import('nestjs-content-api/events') : {};
const { HistoryModule } = options.history ? await import('nestjs-content-api/history') : {};
const features = [
  ...(hasEvents ? [EventsModule.forRoot({ webhooks: { endpoints, allow: ['localhost'] }, ...live })] : []),
  ...(options.history ? [HistoryModule.forRoot({ sittingMinutes: 0 })] : []),
];
const module = features.length === 0 ? content : { module: class Bench {}, imports: [content, ...features] };
const logger = ['error', 'warn'];
const app =
  options.adapter === 'fastify'
    ? await NestFactory.create(module, new (await import('@nestjs/platform-fastify')).FastifyAdapter(), {
        logger,
      })
    : await NestFactory.create(module, { logger });

if (options.tables) {
  await app.init();
  await app.get(CONTENT_ORM).schema.update();
  await app.close();
} else {
  await app.listen(0, '127.0.0.1');
  console.log(`listening on ${await app.getUrl()}`);
}
