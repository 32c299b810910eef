/** Webhooks of a type that gets a new name: events that wait for their delivery, and the webhooks themselves. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MikroORM } from '@mikro-orm/core';
import { CONTENT_ORM, defineCollectionType, migrateContent } from 'nestjs-content-api';
import { EventsModule, webhookType } from 'nestjs-content-api/events';
import supertest from 'supertest';
import { contentOn, type Host, startHost } from '../http/helpers.ts';
import { createDatabase } from '../support/database.ts';
import { LocalServer } from '../support/local-server.ts';
import { lookUntil } from '../support/look-until.ts';
import { applyStatements, type Model, ormOf } from './run.ts';

/** Receives events, or refuses them. */
class Receiver extends LocalServer {
  readonly received: string[] = [];
  isDown = false;

  protected respond(text: string, _request: IncomingMessage, response: ServerResponse): void {
    const { event, model, entry } = JSON.parse(text);
    if (!this.isDown) this.received.push(`${event} ${model} ${entry.title}`);
    response.statusCode = this.isDown ? 503 : 200;
    response.end();
  }

  async has(...events: readonly string[]): Promise<void> {
    await lookUntil(
      () => this.received,
      (received) => events.every((one) => received.includes(one)),
    );
    expect(this.received).toEqual(events);
  }
}

const typeOf = (name: string, more: object = {}) =>
  defineCollectionType({
    singularApiId: name,
    pluralApiId: `${name}s`,
    attributes: { title: { type: 'string' } },
    ...more,
  });
const OLD: Model = { contentTypes: [typeOf('other'), typeOf('post'), webhookType] };
const NEW: Model = {
  contentTypes: [typeOf('other'), typeOf('story', { previousName: 'post' }), webhookType],
};

it('a webhook follows a renamed type, and gets the events from before its new name', async () => {
  const database = await createDatabase();
  const receiver = new Receiver();
  await receiver.start();
  const open = (model: Model, ready: (app: Host['app']) => Promise<unknown> = () => Promise.resolve()) =>
    startHost(
      () => ({
        imports: [
          contentOn(database, model),
          EventsModule.forRoot({ pollMilliseconds: 50, webhooks: { allow: ['localhost'] } }),
        ],
      }),
      { database, ready },
    );
  const send = (host: Host, path: string, data: object) =>
    supertest(host.url).post(`/api/${path}`).send({ data });
  const old = await open(OLD, (app) => migrateContent({ orm: app.get<MikroORM>(CONTENT_ORM), model: OLD }));
  const webhook = { name: 'site', url: receiver.url, types: ['other', 'post'] };
  const { body } = await send(old, 'webhooks', webhook).expect(201);
  receiver.isDown = true;
  await send(old, 'posts', { title: 'before' }).expect(201);
  const attempts = (host: Host) => supertest(host.url).get(`/api/webhooks/${body.data.id}/attempts`);
  await lookUntil(
    () => attempts(old),
    (answer) => answer.body.data.length > 0,
  );
  const { down } = await migrateContent({ orm: ormOf(old), model: NEW });
  await old.close();
  receiver.isDown = false;

  const next = await open(NEW);
  expect((await supertest(next.url).get('/api/webhooks').expect(200)).body.data[0].types).toEqual([
    'other',
    'story',
  ]);
  await send(next, `webhooks/${body.data.id}/replay`, { since: '2020-01-01T00:00:00Z' }).expect(200);
  await receiver.has('entry.create story before');
  await send(next, 'storys', { title: 'after' }).expect(201);
  await receiver.has('entry.create story before', 'entry.create story after');

  await applyStatements(next, down ?? []);
  expect(await next.sql(`select types from content_webhooks`)).toEqual([{ types: ['other', 'post'] }]);
  expect(await next.sql('select distinct type from content_event')).toEqual([{ type: 'post' }]);
  await next.close();
  receiver.stop();
  await database.drop();
}, 60_000);
