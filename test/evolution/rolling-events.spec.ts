/** A process of the former release leaves events of types that it does not know to the new release. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MikroORM } from '@mikro-orm/core';
import { CONTENT_ORM, defineCollectionType, migrateContent } from 'nestjs-content-api';
import { EventsModule } from 'nestjs-content-api/events';
import supertest from 'supertest';
import { contentOn, type Host, startHost } from '../http/helpers.ts';
import { createDatabase } from '../support/database.ts';
import { LocalServer } from '../support/local-server.ts';
import { lookUntil } from '../support/look-until.ts';
import { type Model, ormOf } from './run.ts';

class Receiver extends LocalServer {
  readonly models: string[] = [];

  protected respond(text: string, _request: IncomingMessage, response: ServerResponse): void {
    this.models.push((JSON.parse(text) as { model: string }).model);
    response.end();
  }

  async has(...models: readonly string[]): Promise<void> {
    await lookUntil(
      () => this.models,
      (received) => models.every((one) => received.includes(one)),
    );
    expect(this.models).toEqual(expect.arrayContaining([...models]));
  }
}

const attributes = { title: { type: 'string' } } as const;
const typeOf = (name: string) =>
  defineCollectionType({ singularApiId: name, pluralApiId: `${name}s`, attributes });
const OLD: Model = { contentTypes: [typeOf('first'), typeOf('second')] };
const NEW: Model = { contentTypes: [...OLD.contentTypes, typeOf('added')] };

it('a webhook gets the events of a new type, although an old process reads them first', async () => {
  const database = await createDatabase();
  const receiver = new Receiver();
  await receiver.start();
  const open = (
    model: Model,
    ready: (app: Host['app']) => Promise<unknown> = () => Promise.resolve(),
  ): Promise<Host> =>
    startHost(
      () => ({
        imports: [
          contentOn(database, model),
          EventsModule.forRoot({
            pollMilliseconds: 50,
            webhooks: {
              allow: ['localhost'],
              endpoints: [
                { name: 'all', url: receiver.url, secret: `whsec_${Buffer.alloc(24).toString('base64')}` },
              ],
            },
          }),
        ],
      }),
      { database, ready },
    );
  // Its readers start before the tables exist.
  const first = await open(OLD, (app) => migrateContent({ orm: app.get<MikroORM>(CONTENT_ORM), model: OLD }));
  await first.close();
  const old = await open(OLD);
  const create = (host: Host, path: string) =>
    supertest(host.url)
      .post(`/api/${path}`)
      .send({ data: { title: path } })
      .expect(201);
  await create(old, 'firsts');
  await receiver.has('first');
  await migrateContent({ orm: ormOf(old), model: NEW });
  const next = await open(NEW);
  await create(next, 'addeds');
  await create(next, 'seconds');
  await receiver.has('second');
  await old.close();
  await receiver.has('added');
  await next.close();
  receiver.stop();
  await database.drop();
}, 60_000);
