/**
 * Process that imports one document per transaction until it is killed: `node import-child.ts <database url>
 * <file>`.
 */
import { createReadStream } from 'node:fs';
import { NestFactory } from '@nestjs/core';
import { ContentArchive } from 'nestjs-content-api';
import { worldModules } from './world.ts';

const [, , url = '', file = ''] = process.argv;
class Host {}
const app = await NestFactory.createApplicationContext(
  { module: Host, imports: worldModules(url) },
  { logger: false },
);
await app.get(ContentArchive).import(() => createReadStream(file), {
  atOnce: 1,
  progress: () => process.send?.('imported'),
});
process.send?.('done');
await app.close();
