/** Pipes that a host has for all its routes see the bodies of generated routes, too, and may change them. */
import {
  type ArgumentMetadata,
  type INestApplication,
  Injectable,
  type PipeTransform,
  Scope,
} from '@nestjs/common';
import { APP_PIPE } from '@nestjs/core';
import { CONTENT_ORM, ContentModule, defineCollectionType } from 'nestjs-content-api';
import type { MikroORM } from '@mikro-orm/core';
import supertest from 'supertest';
import { ADAPTERS } from '../support/app.ts';
import { type Host, startHost } from './helpers.ts';

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  attributes: { title: { type: 'string' } },
});

@Injectable()
class Loud implements PipeTransform {
  transform(value: any, { type }: ArgumentMetadata): unknown {
    return type === 'body' ? { data: { title: String(value.data.title).toUpperCase() } } : value;
  }
}

interface Way {
  readonly providers?: object[];
  readonly prepare?: (app: INestApplication) => void;
}

const WAYS: readonly (readonly [string, Way])[] = [
  ['for the application', { prepare: (app) => void app.useGlobalPipes(new Loud()) }],
  ['as a provider', { providers: [{ provide: APP_PIPE, useClass: Loud }] }],
  ['made for each request', { providers: [{ provide: APP_PIPE, useClass: Loud, scope: Scope.REQUEST }] }],
];

describe.each(ADAPTERS.flatMap((adapter) => WAYS.map(([name, way]) => [adapter, name, way] as const)))(
  'on %s a pipe of the host, %s,',
  (adapter, _name, { providers = [], prepare = () => undefined }) => {
    let host: Host;
    let http: ReturnType<typeof supertest.agent>;
    beforeAll(async () => {
      host = await startHost(
        ({ url }) => ({
          imports: [
            ContentModule.forRoot({
              contentTypes: [note],
              access: { public: { note: '*' } },
              database: { clientUrl: url },
            }),
          ],
          providers: providers as never,
        }),
        { adapter, prepare, ready: (app) => app.get<MikroORM>(CONTENT_ORM).schema.create() },
      );
      http = supertest.agent(host.url);
    });
    afterAll(() => host.close());

    it('has bodies before they are written', async () => {
      const { body } = await http
        .post('/api/notes')
        .send({ data: { title: 'first' } })
        .expect(201);
      expect(body.data.title).toBe('FIRST');
      const path = `/api/notes/${body.data.documentId}`;
      expect(
        (
          await http
            .put(path)
            .send({ data: { title: 'second' } })
            .expect(200)
        ).body.data.title,
      ).toBe('SECOND');
      expect((await http.get(path).expect(200)).body.data.title).toBe('SECOND');
      await http.delete(path).expect(204);
    });
  },
);
