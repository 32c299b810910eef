/**
 * Application in its own process: `fork(instance.ts, [database URL, options as JSON])`. Sends its URL once it
 * listens; its warnings are on the standard output.
 */
import { NestFactory } from '@nestjs/core';
import { ContentModule } from 'nestjs-content-api';
import { contentTypes } from './types.ts';

const [clientUrl = '', options = '{}'] = process.argv.slice(2);
const app = await NestFactory.create(
  ContentModule.forRoot({
    contentTypes,
    access: { public: { plain: '*', secret: '*', shared: '*' } },
    ...(JSON.parse(options) as object),
    database: { clientUrl, pool: { min: 0, max: 8 } },
  }),
  { logger: ['warn', 'error', 'fatal'] },
);
await app.listen(0, '127.0.0.1');
process.send?.(await app.getUrl());
process.on('disconnect', () => void app.close());
