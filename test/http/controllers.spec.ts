/**
 * Controllers of the application in place of generated ones: overridden routes, additional routes, the same
 * guard.
 */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { Body, Controller, Get, Param, Post, Req } from '@nestjs/common';
import {
  Answer,
  CollectionController,
  ContentModelError,
  ContentModule,
  SingleController,
} from 'nestjs-content-api';
import { blog } from '../fixtures/blog.ts';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';
import { failure } from './helpers.ts';

@Controller()
class CategoryController extends CollectionController {
  @Get('about/:topic')
  about(@Param('topic') topic: string): { about: string } {
    return { about: topic };
  }

  @Post('echo/this')
  echo(@Body() body: unknown): { body: unknown } {
    return { body };
  }

  override async find(@Req() request: object): Promise<Answer> {
    return (await super.find(request)).withMeta({ ours: true });
  }
}

const sendChunks = async (url: string, chunks: readonly string[]): Promise<any> => {
  const headers = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };
  const sent = request(url, { method: 'POST', headers });
  for (const chunk of chunks) sent.write(chunk);
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode, body: await json(response) };
};

describe.each(ADAPTERS)('a controller of the application on %s', (adapter) => {
  let test: TestApp;
  beforeAll(
    async () =>
      void (test = await createTestApp({ ...blog, controllers: { category: CategoryController } }, adapter)),
  );
  afterAll(() => test.close());

  it('adds a route to the generated ones', async () => {
    expect((await test.http.get('/api/categories/about/this').expect(200)).body).toEqual({ about: 'this' });
  });

  it.each(['"text"', '7', 'true', 'null'])('refuses the body %s on a route that it adds', async (body) => {
    const sent = test.http.post('/api/categories/echo/this').set('Content-Type', 'application/json');
    const message = 'invalid JSON, only supports object and array';
    expect((await sent.send(body).expect(400)).body).toEqual(failure(400, 'SyntaxError', message));
  });

  it('passes the body on to a route that it adds', async () => {
    const { body } = await test.http
      .post('/api/categories/echo/this')
      .send({ a: [1] })
      .expect(201);
    expect(body).toEqual({ body: { a: [1] } });
  });

  it.each(['echo/this', ''])(
    '1.13 reads chunked JSON without any byte as an empty object at "%s"',
    async (path) => {
      const { status, body } = await sendChunks(`${test.url}/api/categories/${path}`, []);
      if (path !== '') expect([status, body]).toEqual([201, { body: {} }]);
      else
        expect(body).toEqual(failure(400, 'ValidationError', 'Missing "data" payload in the request body'));
      const whole = await sendChunks(`${test.url}/api/categories/echo/this`, ['{"a"', ':1}']);
      expect(whole).toEqual({ status: 201, body: { body: { a: 1 } } });
    },
  );

  it('overrides one route and keeps the others', async () => {
    const { documentId } = (
      await test.http
        .post('/api/categories')
        .send({ data: { name: 'News' } })
        .expect(201)
    ).body.data;
    expect((await test.http.get('/api/categories').expect(200)).body.meta).toMatchObject({
      pagination: { total: 1 },
      ours: true,
    });
    expect((await test.http.get(`/api/categories/${documentId}`).expect(200)).body).toMatchObject({
      data: { name: 'News' },
      meta: {},
    });
  });

  it('returns errors in the standard shape', async () => {
    expect((await test.http.get('/api/categories?sort=nope').expect(400)).body.error.message).toBe(
      'Invalid key nope',
    );
  });
});

it.each([
  [
    'of no kind',
    { category: class {} },
    'controllers.category must be a class that extends CollectionController',
  ],
  [
    'that is not a class',
    { category: {} },
    'controllers.category must be a class that extends CollectionController',
  ],
  [
    'of a single type for a collection',
    { category: class extends SingleController {} },
    'controllers.category must be a class that extends CollectionController',
  ],
  [
    'of a collection for a single type',
    { homepage: CategoryController },
    'controllers.homepage must be a class that extends SingleController',
  ],
])('a controller %s stops the start', (_what, controllers, message) => {
  expect(() => ContentModule.forRoot({ ...blog, controllers: controllers as never })).toThrow(message);
});

it('a controller for an unknown type stops the start', () => {
  const start = (): unknown =>
    ContentModule.forRoot({ ...blog, controllers: { categry: CategoryController } });
  expect(start).toThrow(ContentModelError);
  expect(start).toThrow('did you mean "category"');
});
