/** A process that begins to publish due schedules and never ends: `node schedule-child.ts <database url>`. */
import { Injectable, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { BeforeContent, ContentModule } from 'nestjs-content-api';
import { scheduled } from '../fixtures/scheduled.ts';

class Hanging {
  hang(): Promise<void> {
    process.send?.('inside');
    return new Promise(() => undefined);
  }
}
const method = Object.getOwnPropertyDescriptor(Hanging.prototype, 'hang') as PropertyDescriptor;
BeforeContent('page', 'publish')(Hanging.prototype, 'hang', method);
Injectable()(Hanging);

const clientUrl = process.argv[2] as string;
const content = ContentModule.forRoot({
  ...scheduled,
  schedule: { everySeconds: 0.05 },
  database: { clientUrl },
});
class Host {}
const providers: Type[] = [Hanging];
const app = await NestFactory.createApplicationContext(
  { module: Host, imports: [content], providers },
  { logger: ['fatal'] },
);
await app.init();
setInterval(() => undefined, 1000);
