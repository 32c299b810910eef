/**
 * Process that imports one document per transaction, and kills itself some milliseconds after a number of
 * contents and documents: `node import-child.ts <database url> <file> <number> <milliseconds>`.
 */
import { createReadStream } from 'node:fs';
import { NestFactory } from '@nestjs/core';
import { ContentArchive } from 'nestjs-content-api';
import { worldModules } from './world.ts';

const [, , url = '', file = '', after = '', wait = ''] = process.argv;
class Host {}
const app = await NestFactory.createApplicationContext(
  { module: Host, imports: worldModules(url) },
  { logger: false },
);
let imported = 0;
await app.get(ContentArchive).import(() => createReadStream(file), {
  atOnce: 1,
  progress: () => {
    imported += 1;
    if (imported === Number(after)) setTimeout(() => process.kill(process.pid, 'SIGKILL'), Number(wait));
  },
});
await app.close();
