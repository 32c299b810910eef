/** Commands `webhooks` and `events`. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { MikroORM } from '@mikro-orm/core';
import { NestFactory } from '@nestjs/core';
import { CONTENT_ORM } from 'nestjs-content-api';
import { signingKeyOf } from '../../src/features/events/webhooks/signatures.ts';
import { run } from '../../src/module/command-line.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { contentTypes, eventually } from './helpers.ts';

const MODULE = ['--module', `${join(import.meta.dirname, 'events-app.ts')}#EventsApp`];

describe('npx nestjs-content-api webhooks', () => {
  const received: string[] = [];
  const server: Server = createServer((request, response) => {
    received.push(String(request.headers['x-strapi-event']));
    request.resume().on('end', () => response.writeHead(received.length === 1 ? 500 : 200).end());
  });
  let test: TestApp;
  beforeAll(async () => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    process.env['EVENTS_APP_ENDPOINT'] = `http://localhost:${(server.address() as AddressInfo).port}/`;
    test = await createTestApp({ contentTypes });
    process.env['EVENTS_APP_DATABASE'] = String(test.app.get<MikroORM>(CONTENT_ORM).config.get('clientUrl'));
  });
  afterAll(async () => {
    server.close();
    await test.close();
    delete process.env['EVENTS_APP_DATABASE'];
    delete process.env['EVENTS_APP_ENDPOINT'];
  });

  const command = (...args: string[]): Promise<string> =>
    run([...args, ...MODULE], { env: {}, say: () => undefined });

  it('lists and tests webhooks, and replays what was given up', async () => {
    expect(await command('webhooks', 'list')).toMatch(
      /^site {2}site {2}http:\/\/localhost:\d+\/\n {4}healthy; 0 to send/,
    );
    await expect(command('webhooks', 'test', 'site')).rejects.toThrow(
      'site: The endpoint responded with 500',
    );
    expect(await command('webhooks', 'test', 'site')).toBe('site: the endpoint responded with 200');
    // Processes that serve register handlers and deliver events, commands do not.
    expect(await command('webhooks', 'replay', 'site')).toBe('site: 0 events will be sent again');
    expect(await test.sql('select name from content_event_reader')).toEqual([]);
    const { EventsApp } = await import('./events-app.ts');
    await (await NestFactory.createApplicationContext(EventsApp, { logger: false })).close();
    await test.sql(`insert into content_event (id, xid, at, type, document_id, locale, action, actor, attributes)
      values (7, pg_current_xact_id(), now(), 'memo', 'gone', '', 'delete', 'system', '[]')`);
    await test.sql(`insert into content_event_delivery (reader, event_id, type, document_id, attempts, failed_at)
      values ('webhook site', 7, 'memo', 'gone', 8, now())`);
    // A given-up event is one that the receiver has passed.
    await test.sql('update content_event_reader set base = pg_current_snapshot()');
    expect(await command('webhooks', 'list')).toMatch(/1 given up$/);
    expect(await command('webhooks', 'replay', 'site')).toBe('site: 1 events will be sent again');
    const instance = await NestFactory.createApplicationContext(EventsApp, { logger: false });
    await eventually(() => received.filter((name) => name === 'entry.delete'), 1);
    await instance.close();
    await expect(command('webhooks', 'replay', 'other')).rejects.toThrow('There is no webhook "other"');
  });

  it('lists the receivers of the log', async () => {
    expect(await command('events', 'list')).toMatch(
      /^handler memos: 0 to handle, \d waiting for a retry, 0 given up\nwebhook site: 0 to handle/,
    );
  });

  it('makes a pair of keys', async () => {
    const [, key = ''] =
      /signingKey: (whsk_\S+)/.exec(await run(['webhooks', 'key'], { env: {}, say: () => undefined })) ?? [];
    expect(signingKeyOf(key)).not.toBeNull();
  });

  it.each([[['webhooks']], [['webhooks', 'remove']], [['events']]])('%j prints the usage', async (args) => {
    await expect(run(args, { env: {}, say: () => undefined })).rejects.toThrow('Usage: nestjs-content-api');
  });
});
