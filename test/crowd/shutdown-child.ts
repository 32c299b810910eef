/**
 * Server that stops at SIGTERM: `node shutdown-child.ts <database url> <express or fastify>`. Sends its URL
 * when it listens. Creating a note takes a second.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { BeforeContent, ContentModule } from 'nestjs-content-api';
import { note } from '../support/notes.ts';

@Injectable()
class Slow {
  @BeforeContent('note', 'create')
  wait(): Promise<void> {
    return sleep(1000);
  }
}

const [clientUrl = '', adapter] = process.argv.slice(2);
const content = ContentModule.forRoot({
  contentTypes: [note],
  access: { public: { note: '*' } },
  database: { clientUrl },
});
class Host {}
const host = { module: Host, imports: [content], providers: [Slow] };
const options = { logger: ['fatal' as const] };
const app =
  adapter === 'fastify'
    ? await NestFactory.create(host, new FastifyAdapter(), options)
    : await NestFactory.create(host, options);
app.enableShutdownHooks();
await app.listen(0, '127.0.0.1');
process.send?.(await app.getUrl());
process.channel?.unref();
