/** Types with a selection of routes (protocol 1.28). */
import { Body, Controller, Post, Req } from '@nestjs/common';
import {
  Answer,
  CollectionController,
  ContentModule,
  ContentService,
  defineCollectionType,
  defineSingleType,
  getContentToken,
} from 'nestjs-content-api';
import type { RoutesOption } from '../../src/content/model/definitions.ts';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';
import { failure, NOT_FOUND } from './helpers.ts';

const attributes = { title: { type: 'string' } } as const;
const type = (singularApiId: string, routes: RoutesOption) =>
  defineCollectionType({ singularApiId, pluralApiId: `${singularApiId}s`, attributes, routes });

const contentTypes = [
  type('reader', { only: ['find', 'findOne'] }),
  type('keeper', { except: ['delete'] }),
  type('letter', { only: ['create'] }),
  type('hidden', { except: ['find', 'findOne', 'create', 'update', 'delete'] }),
  type('own', { except: ['create'] }),
  defineSingleType({ singularApiId: 'front', attributes, routes: { only: ['find'] } }),
  defineSingleType({ singularApiId: 'back', attributes, routes: { except: ['update'] } }),
] as const;

@Controller()
class OwnController extends CollectionController {
  override create(@Req() request: object, @Body() body: unknown): Promise<Answer> {
    return super.create(request, body);
  }

  @Post('import')
  import(): { imported: number } {
    return { imported: 0 };
  }
}

describe.each(ADAPTERS)('routes of a type on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp(
      { contentTypes, access: { public: { '*': '*' } }, controllers: { own: OwnController } },
      adapter,
    );
  });
  afterAll(() => test.close());

  const x = 'x'.repeat(24);
  const READ = 'GET, HEAD, OPTIONS';
  it.each([
    ['get', '/api/readers', 200, undefined],
    ['get', `/api/readers/${x}`, 404, undefined],
    ['post', '/api/readers', 405, READ],
    ['put', `/api/readers/${x}`, 405, READ],
    ['delete', `/api/readers/${x}`, 405, READ],
    ['options', '/api/readers', 204, READ],
    ['delete', `/api/keepers/${x}`, 405, 'GET, HEAD, PUT, OPTIONS'],
    ['post', '/api/keepers', 201, undefined],
    ['get', '/api/letters', 405, 'POST, OPTIONS'],
    ['post', '/api/letters', 201, undefined],
    ['get', `/api/letters/${x}`, 404, undefined],
    ['options', `/api/letters/${x}`, 404, undefined],
    ['get', '/api/hiddens', 404, undefined],
    ['get', '/api/front', 404, undefined],
    ['put', '/api/front', 405, READ],
    ['delete', '/api/front', 405, READ],
    ['put', '/api/back', 405, 'GET, HEAD, DELETE, OPTIONS'],
    ['delete', '/api/back', 204, undefined],
    ['post', '/api/owns', 405, READ],
    ['post', '/api/owns/import', 201, undefined],
  ] as const)('1.28 %s %s returns %i', async (method, path, status, allow) => {
    const writes = method === 'post' || method === 'put';
    const response = await test.http[method](path).send(writes ? { data: { title: 'x' } } : undefined);
    expect([response.status, response.headers['allow']]).toEqual([status, allow]);
    if (status === 405)
      expect(response.body).toEqual(failure(405, 'MethodNotAllowedError', 'Method Not Allowed'));
    if (status === 404 && method !== 'options') expect(response.body).toEqual(NOT_FOUND);
  });

  it('1.28 services can use types and actions without a route', async () => {
    const readers = test.app.get<ContentService>(getContentToken('reader'));
    const { documentId } = await readers.create({ title: 'by the service' });
    expect((await test.http.get(`/api/readers/${String(documentId)}`).expect(200)).body.data).toMatchObject({
      title: 'by the service',
    });
  });
});

it.each([
  [{ only: ['fnd'] }, 'page: routes: "fnd" is not a route of a collectionType; did you mean "find"?'],
  [{ except: ['publish'] }, 'page: routes: "publish" is not a route of a collectionType; available: find'],
  [{ onyl: ['find'] }, '"routes" must be true, false, { only: [routes] } or { except: [routes] }'],
  [{ only: ['find'], except: ['delete'] }, '"routes" must be true, false'],
  [{ only: [] }, '"routes" must be true, false'],
  [{ only: 'find' }, '"routes" must be true, false'],
  ['find', '"routes" must be true, false'],
  [null, '"routes" must be true, false'],
])('1.28 rejects routes: %j at start', (routes, message) => {
  const page = { kind: 'collectionType', singularApiId: 'page', pluralApiId: 'pages', attributes, routes };
  expect(() => ContentModule.forRoot({ contentTypes: [page as never] })).toThrow(message);
});

it('1.28 rejects routes that a single type does not have', () => {
  const front = { kind: 'singleType', singularApiId: 'front', attributes, routes: { only: ['findOne'] } };
  expect(() => ContentModule.forRoot({ contentTypes: [front as never] })).toThrow(
    'front: routes: "findOne" is not a route of a singleType; available: find, update, delete',
  );
});
