/** Global pipes of the application get the bodies of generated routes and may change them. */
import {
  type ArgumentMetadata,
  type INestApplication,
  Injectable,
  type PipeTransform,
  type Provider,
  Scope,
} from '@nestjs/common';
import { APP_PIPE } from '@nestjs/core';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';
import { note } from '../support/notes.ts';

@Injectable()
class Loud implements PipeTransform {
  transform(value: any, { type }: ArgumentMetadata): unknown {
    return type === 'body' ? { data: { title: String(value.data.title).toUpperCase() } } : value;
  }
}

interface Way {
  readonly providers?: Provider[];
  readonly prepare?: (app: INestApplication) => void;
}

const WAYS: readonly (readonly [string, Way])[] = [
  ['for the application', { prepare: (app) => void app.useGlobalPipes(new Loud()) }],
  ['as a provider', { providers: [{ provide: APP_PIPE, useClass: Loud }] }],
  ['made for each request', { providers: [{ provide: APP_PIPE, useClass: Loud, scope: Scope.REQUEST }] }],
];

describe.each(ADAPTERS.flatMap((adapter) => WAYS.map(([name, way]) => [adapter, name, way] as const)))(
  'on %s a pipe of the application, %s,',
  (adapter, _name, { providers = [], prepare }) => {
    let test: TestApp;
    beforeAll(async () => {
      const options = { contentTypes: [note], access: { public: { note: '*' } }, providers } as const;
      test = await createTestApp(options, adapter, prepare);
    });
    afterAll(() => test.close());

    it('gets bodies before they are written', async () => {
      const { body } = await test.http
        .post('/api/notes')
        .send({ data: { title: 'first' } })
        .expect(201);
      expect(body.data.title).toBe('FIRST');
      const path = `/api/notes/${body.data.documentId}`;
      expect(
        (
          await test.http
            .put(path)
            .send({ data: { title: 'second' } })
            .expect(200)
        ).body.data.title,
      ).toBe('SECOND');
      expect((await test.http.get(path).expect(200)).body.data.title).toBe('SECOND');
      await test.http.delete(path).expect(204);
    });
  },
);
