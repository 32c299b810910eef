import {
  ArgumentsHost,
  Body,
  CallHandler,
  Catch,
  Controller,
  Delete,
  ExceptionFilter,
  ExecutionContext,
  ForbiddenException,
  Get,
  INestApplication,
  Injectable,
  NestInterceptor,
  NotFoundException,
  Post,
  Query,
  ValidationPipe,
  VersioningType,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { IsString } from 'class-validator';
import { ContentModule } from 'nestjs-content-api';
import supertest from 'supertest';
import { blog } from '../fixtures/blog.ts';
import { ADAPTERS, type Adapter, countStatements, createTestApp, type TestApp } from '../support/app.ts';
import { failure, type Host, NOT_FOUND, raw, startHost } from './helpers.ts';

const NOT_ALLOWED = failure(405, 'MethodNotAllowedError', 'Method Not Allowed');
const NO_DATA = failure(400, 'ValidationError', 'Missing "data" payload in the request body');
const LIST = ['GET', 'HEAD', 'OPTIONS', 'POST'];
const ONE = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PUT'];
const JSON_TYPE = 'application/json; charset=utf-8';
const DATE = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z';

const methodsOf = (allow: unknown): string[] =>
  String(allow)
    .split(',')
    .map((method) => method.trim())
    .sort();

describe.each(ADAPTERS)('routes on %s', (adapter) => {
  let test: TestApp;
  let ann: { id: number; documentId: string };

  beforeAll(async () => {
    test = await createTestApp(blog, adapter);
    ann = (
      await test.http
        .post('/api/authors')
        .send({ data: { name: 'Ann' } })
        .expect(201)
    ).body.data;
  });
  afterAll(() => test.close());

  describe('the routes of the protocol', () => {
    it('1.1 lists a collection, byte for byte', async () => {
      const { text, headers } = await test.http.get('/api/authors').expect(200);
      expect(text).toMatch(
        new RegExp(
          `^\\{"data":\\[\\{"id":${ann.id},"documentId":"${ann.documentId}","name":"Ann","createdAt":"${DATE}","updatedAt":"${DATE}","publishedAt":"${DATE}","locale":"en"\\}\\],` +
            '"meta":\\{"pagination":\\{"page":1,"pageSize":25,"pageCount":1,"total":1\\}\\}\\}$',
        ),
      );
      expect(headers['content-type']).toBe(JSON_TYPE);
      expect(headers['content-length']).toBe(String(Buffer.byteLength(text)));
    });

    it('1.1 lists no rows as an empty array', async () => {
      const { text } = await test.http.get('/api/profiles').expect(200);
      expect(text).toBe('{"data":[],"meta":{"pagination":{"page":1,"pageSize":25,"pageCount":0,"total":0}}}');
    });

    it('1.2, 1.18 returns one document, byte for byte', async () => {
      const { text, headers } = await test.http.get(`/api/authors/${ann.documentId}`).expect(200);
      expect(text).toMatch(
        new RegExp(
          `^\\{"data":\\{"id":${ann.id},"documentId":"${ann.documentId}","name":"Ann",[^{}]*\\},"meta":\\{\\}\\}$`,
        ),
      );
      expect(headers['content-type']).toBe(JSON_TYPE);
    });

    it.each([
      '/api/authors?populate=*',
      '/api/articles?populate=*&filters[author][name]=Ann&sort=author.name&status=draft&locale=*',
      '/api/authors/x?populate[articles][populate]=*',
      '/api/homepage?populate=*',
      '/api/authors?pagination[withCount]=false',
    ])('GET %s needs one SQL statement', async (path) => {
      expect(await countStatements(() => test.http.get(path))).toHaveLength(1);
    });

    it('1.3–1.5 creates with 201, updates with 200, deletes with 204, and then returns 404', async () => {
      const created = await test.http
        .post('/api/authors')
        .send({ data: { name: 'Bob' } })
        .expect(201);
      expect(created.body).toEqual({
        data: expect.objectContaining({ id: expect.any(Number), name: 'Bob' }),
        meta: {},
      });
      expect(created.headers['content-type']).toBe(JSON_TYPE);
      const { documentId, createdAt } = created.body.data;
      expect(documentId).toMatch(/^[a-z][a-z0-9]{23}$/);

      const updated = await test.http
        .put(`/api/authors/${documentId}`)
        .send({ data: { name: 'Rob' } })
        .expect(200);
      expect(updated.body).toEqual({
        data: expect.objectContaining({ documentId, createdAt, name: 'Rob' }),
        meta: {},
      });
      expect(updated.body.data.updatedAt > created.body.data.updatedAt).toBe(true);

      const deleted = await raw(test.url, 'DELETE', `/api/authors/${documentId}`);
      expect(deleted).toMatchObject({ status: 204, text: '' });
      expect(deleted.headers).not.toHaveProperty('content-type');
      expect((await test.http.get(`/api/authors/${documentId}`).expect(404)).body).toEqual(NOT_FOUND);
      await test.http.delete(`/api/authors/${documentId}`).expect(204); // 23.6
    });

    it('10.1–10.4 a single type is missing, created by PUT with 200, stored, and deleted', async () => {
      expect((await test.http.get('/api/homepage').expect(404)).body).toEqual(NOT_FOUND);
      const created = await test.http
        .put('/api/homepage')
        .send({ data: { headline: 'Hi' } })
        .expect(200);
      expect(created.body).toEqual({ data: expect.objectContaining({ headline: 'Hi' }), meta: {} });
      const updated = await test.http
        .put('/api/homepage')
        .send({ data: { headline: 'Ho' } })
        .expect(200);
      expect(updated.body.data).toMatchObject({ headline: 'Ho', documentId: created.body.data.documentId });
      expect((await test.http.get('/api/homepage').expect(200)).body).toEqual(updated.body);
      const deleted = await raw(test.url, 'DELETE', '/api/homepage');
      expect(deleted).toMatchObject({ status: 204, text: '' });
      expect(deleted.headers).not.toHaveProperty('content-type');
      await test.http.get('/api/homepage').expect(404);
      await test.http.delete('/api/homepage').expect(204);
    });
  });

  describe('unknown paths and documents', () => {
    const missing = 'a'.repeat(24);
    it.each([
      ['1.8 an unknown type', 'get', '/api/nope'],
      ['the prefix alone', 'get', '/api'],
      ['the prefix alone, with a slash', 'get', '/api/'],
      ['1.8 an unknown type, to POST', 'post', '/api/nope'],
      ['1.8 an unknown type and document', 'delete', `/api/nope/${missing}`],
      ['1.8 the singular name of a collection', 'get', '/api/author'],
      ['10.5 the plural name of a single type', 'get', '/api/homepages'],
      ['1.30 a component', 'get', '/api/shared.seo'],
      ['1.30 a component by its name alone', 'get', '/api/seo'],
      ['the built-in file type, which has no routes', 'get', '/api/files'],
      ['a path below a document', 'get', `/api/authors/${missing}/articles`],
      ['a path below a single type', 'get', `/api/homepage/${missing}`],
      ['1.6 an unknown document', 'get', `/api/authors/${missing}`],
      ['1.6 an unknown document, to PUT', 'put', `/api/authors/${missing}`],
      ['1.7 a numeric id', 'get', '/api/authors/1'],
      ['a document id with a NUL byte', 'get', '/api/authors/a%00b'],
      ['a document id with half a surrogate pair', 'get', '/api/authors/%F0%9F%98%80'],
    ] as const)('%s returns 404', async (_what, method, path) => {
      const response = await test.http[method](path).send(
        method === 'get' || method === 'delete' ? undefined : { data: { name: 'No' } },
      );
      expect({ status: response.status, body: response.body }).toEqual({ status: 404, body: NOT_FOUND });
    });

    it('1.6 PUT on an unknown document creates nothing', async () => {
      await test.http
        .put(`/api/authors/${missing}`)
        .send({ data: { name: 'No' } })
        .expect(404);
      expect(await test.sql(`select name from authors where name = 'No'`)).toEqual([]);
    });

    it('1.7 the numeric id of an existing document does not identify it', async () => {
      for (const method of ['get', 'put'] as const) {
        const { body } = await test.http[method](`/api/authors/${ann.id}`)
          .send(method === 'get' ? undefined : { data: { name: 'No' } })
          .expect(404);
        expect(body).toEqual(NOT_FOUND);
      }
      await test.http.delete(`/api/authors/${ann.id}`).expect(204);
      await test.http.get(`/api/authors/${ann.documentId}`).expect(200);
    });

    it('document ids are compared exactly', async () => {
      expect((await test.http.get(`/api/authors/${ann.documentId.toUpperCase()}`).expect(404)).body).toEqual(
        NOT_FOUND,
      );
    });

    it.each(['%E0%A4%A', '%', '%zz', '%C3', '%ED%A0%80'])(
      '2.1: a path that cannot be decoded (%s) returns 400 that no cache may store',
      async (bad) => {
        const { status, headers, text } = await raw(test.url, 'GET', `/api/authors/${bad}?x=%zz`);
        expect({ status, body: JSON.parse(text) }).toEqual({
          status: 400,
          body: failure(400, 'BadRequestError', 'failed to decode'),
        });
        expect(headers['cache-control']).toBe('private, no-cache');
        expect(JSON.parse((await raw(test.url, 'GET', `/api/nothing/${bad}`)).text)).toEqual(NOT_FOUND);
      },
    );

    it('1.6: an id of any length is unknown, and permissions are checked first', async () => {
      const long = 'x'.repeat(5000);
      const bodyOf = async (method: string, path: string) =>
        JSON.parse((await raw(test.url, method, path)).text);
      expect(await bodyOf('GET', `/api/authors/${long}`)).toEqual(NOT_FOUND);
      expect(await bodyOf('GET', `/api/companies/${long}?a=b`)).toEqual(
        failure(403, 'ForbiddenError', 'Forbidden'),
      );
      expect(await bodyOf('PATCH', `/api/authors/${long}`)).toMatchObject({ error: { status: 405 } });
      expect(await bodyOf('GET', `/api/authors/${long}/${long}`)).toEqual(NOT_FOUND);
    });

    it('serves a path in another case, or returns 404 in the error shape, as configured in the router', async () => {
      const { status, text } = await raw(test.url, 'GET', '/API/Authors');
      expect(status).toBe(adapter === 'express' ? 200 : 404);
      if (status === 404) expect(JSON.parse(text)).toEqual(NOT_FOUND);
    });
  });

  describe('methods', () => {
    it.each([
      ['PUT', '/api/authors', LIST],
      ['PATCH', '/api/authors', LIST],
      ['DELETE', '/api/authors', LIST],
      ['POST', '/api/authors/x', ONE],
      ['PATCH', '/api/authors/x', ONE],
      ['POST', '/api/homepage', ONE],
      ['PATCH', '/api/homepage', ONE],
      ['PUT', '/api/companies', LIST],
    ])('1.9 %s %s returns 405 with the allowed methods', async (method, path, allowed) => {
      const response = await raw(
        test.url,
        method,
        path,
        { 'content-type': 'application/json', 'content-length': '11' },
        '{"data":{}}',
      );
      expect({ status: response.status, body: JSON.parse(response.text) }).toEqual({
        status: 405,
        body: NOT_ALLOWED,
      });
      expect(methodsOf(response.headers['allow'])).toEqual(allowed);
    });

    it.each([
      ['/api/authors', LIST],
      ['/api/authors/x', ONE],
      ['/api/homepage', ONE],
    ])('1.10 OPTIONS %s returns 204 with Allow', async (path, allowed) => {
      const response = await raw(test.url, 'OPTIONS', path);
      expect(response).toMatchObject({ status: 204, text: '' });
      expect(methodsOf(response.headers['allow'])).toEqual(allowed);
    });

    it.each([
      ['/api/authors', 200],
      ['/api/authors/x', 404],
      ['/api/companies', 403],
      ['/api/homepage', 404],
    ])('1.10 HEAD %s responds as GET without a body', async (path, status) => {
      const head = await raw(test.url, 'HEAD', path);
      expect(head).toMatchObject({ status, text: '' });
      const get = await raw(test.url, 'GET', path);
      expect(head.headers['content-type']).toBe(get.headers['content-type']);
      expect(head.headers['content-length']).toBe(get.headers['content-length']);
    });

    it.each(['/api/authors/', '/api/authors/?sort=name', '/api/homepage/'])(
      '1.10 tolerates the trailing slash of %s',
      async (path) => {
        const [plain, slashed] = [
          await raw(test.url, 'GET', path.replace('/?', '?').replace(/\/$/, '')),
          await raw(test.url, 'GET', path),
        ];
        expect({ status: slashed.status, text: slashed.text }).toEqual({
          status: plain.status,
          text: plain.text,
        });
      },
    );

    it('1.10 tolerates a trailing slash on writes', async () => {
      const { body } = await test.http
        .post('/api/authors/')
        .send({ data: { name: 'Slash' } })
        .expect(201);
      await test.http
        .put(`/api/authors/${body.data.documentId}/`)
        .send({ data: { name: 'Slashed' } })
        .expect(200);
      await test.http.delete(`/api/authors/${body.data.documentId}/`).expect(204);
    });

    it.each(['PROPFIND', 'TRACE', 'COPY'])('the method %s returns 4xx in the error shape', async (verb) => {
      const { status, text } = await raw(test.url, verb, '/api/authors');
      expect([404, 405]).toContain(status);
      expect(JSON.parse(text)).toMatchObject({ data: null, error: { status } });
    });
  });

  describe('bodies', () => {
    const post = (text: string, type = 'application/json') =>
      raw(
        test.url,
        'POST',
        '/api/authors',
        { 'content-type': type, 'content-length': String(Buffer.byteLength(text)) },
        text,
      );

    it.each([
      '{"data":{"name":"x"}',
      '{',
      '{data:{}}',
      '{"data":{"name":"x"},}',
      '\u0000',
      '{"data":{"name":"\t"}}',
    ])('1.13 %j is invalid JSON: 400 SyntaxError', async (text) => {
      const { status, text: answer } = await post(text);
      expect({ status, body: JSON.parse(answer) }).toEqual({
        status: 400,
        body: {
          data: null,
          error: expect.objectContaining({ status: 400, name: 'SyntaxError', message: expect.any(String) }),
        },
      });
    });

    it.each(['1', '"x"', 'null', 'true'])('1.13 the JSON scalar %s returns 400', async (text) => {
      const { status, text: answer } = await post(text);
      expect({ status, body: JSON.parse(answer) }).toEqual({
        status: 400,
        body: failure(400, 'SyntaxError', expect.any(String)),
      });
    });

    it.each([{}, { name: 'x' }, { data: null }, { data: 'x' }, { data: 1 }, { data: true }, []])(
      '1.11 %j has no data',
      async (body) => {
        expect((await test.http.post('/api/authors').send(body).expect(400)).body).toEqual(NO_DATA);
        expect((await test.http.put(`/api/authors/${ann.documentId}`).send(body).expect(400)).body).toEqual(
          NO_DATA,
        );
        expect((await test.http.put('/api/homepage').send(body).expect(400)).body).toEqual(NO_DATA);
      },
    );

    it('1.11 a write without any body has no data', async () => {
      expect((await test.http.post('/api/authors').expect(400)).body).toEqual(NO_DATA);
      const withType = await raw(test.url, 'POST', '/api/authors', {
        'content-type': 'application/json',
        'content-length': '0',
      });
      expect(withType.status).toBe(400);
      expect(JSON.parse(withType.text)).toMatchObject({ data: null, error: { status: 400 } });
    });

    it('1.11 rejects data that is a list', async () => {
      const { body } = await test.http.post('/api/authors').send({ data: [] }).expect(400);
      expect(body).toEqual(
        failure(
          400,
          'ValidationError',
          'this must be a `object` type, but the final value was: `null` (cast from the value `[]`).',
        ),
      );
    });

    it('1.14 returns 413 for a body over the limit', async () => {
      const { status, text } = await post(JSON.stringify({ data: { name: 'x'.repeat(1_500_000) } }));
      expect({ status, body: JSON.parse(text) }).toEqual({
        status: 413,
        body: failure(413, 'PayloadTooLargeError', 'request entity too large'),
      });
    });

    it.each([
      'text/plain',
      'application/xml',
      'multipart/form-data; boundary=x',
      'application/json; charset=latin1',
      'nonsense',
      'application/json;',
    ])('D11 a body of type %j returns 4xx in the error shape, or is read as JSON', async (type) => {
      const { status, text } = await post(JSON.stringify({ data: { name: `as ${type}` } }), type);
      const body = JSON.parse(text);
      expect([201, 400, 415]).toContain(status);
      expect(body).toEqual(
        status === 201
          ? { data: expect.objectContaining({ name: `as ${type}` }), meta: {} }
          : failure(status, expect.any(String), expect.any(String)),
      );
      expect(
        await test.sql('select count(*)::int as n from authors where name = $1', [`as ${type}`]),
      ).toEqual([{ n: status === 201 ? 1 : 0 }]);
    });

    it.each(['DELETE', 'GET'])(
      '%s accepts a JSON content type without a body, as some clients send it',
      async (method) => {
        const { body } = await test.http
          .post('/api/authors')
          .send({ data: { name: `typed ${method}` } })
          .expect(201);
        const headers = { 'content-type': 'application/json' };
        const { status } = await raw(test.url, method, `/api/authors/${body.data.documentId}`, headers);
        expect(status).toBe(method === 'GET' ? 200 : 204);
      },
    );

    it('DELETE accepts a JSON content type, as fetch sends it', async () => {
      const response = await fetch(`${test.url}/api/homepage`, {
        method: 'DELETE',
        headers: { 'content-type': 'application/json' },
      });
      expect({ status: response.status, text: await response.text() }).toEqual({ status: 204, text: '' });
    });

    it('15.7 prototype keys in a body change nothing', async () => {
      for (const text of [
        '{"data":{"name":"P","__proto__":{"polluted":1}}}',
        '{"data":{"name":"P","constructor":{"prototype":{"polluted":1}}}}',
        '{"__proto__":{"data":{"name":"P"}}}',
      ]) {
        expect((await post(text)).status).toBe(400);
      }
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
      expect(await test.sql(`select 1 from authors where name = 'P'`)).toEqual([]);
    });

    it('the message of a syntax error reveals no internals', async () => {
      const { text } = await post('{"data":');
      expect(text).not.toMatch(/node_modules|\.js|at .*\(/);
    });
  });

  describe('order of checks', () => {
    it('2.7 returns 403 without permission on the route, for any query or body', async () => {
      const forbidden = failure(403, 'ForbiddenError', 'Forbidden');
      expect((await test.http.get('/api/companies?filters[nope]=1&populate=nope').expect(403)).body).toEqual(
        forbidden,
      );
      expect((await test.http.post('/api/companies').send({ nope: 1 }).expect(403)).body).toEqual(forbidden);
      expect((await test.http.delete('/api/companies/x').expect(403)).body).toEqual(forbidden);
    });

    it.each(['populate=nope', 'fields=nope', 'filters[nope]=1', 'sort=nope', 'status=nope'])(
      '1.17 rejects an invalid query on a write (%s) before it writes anything',
      async (query) => {
        await test.http
          .post(`/api/articles?${query}`)
          .send({ data: { title: 'Refused' } })
          .expect(400);
        await test.http
          .put(`/api/authors/${ann.documentId}?${query.startsWith('status') ? 'sort=nope' : query}`)
          .send({ data: { name: 'Refused' } })
          .expect(400);
        await test.http
          .delete(`/api/authors/${ann.documentId}?${query.startsWith('status') ? 'sort=nope' : query}`)
          .expect(400);
        expect((await test.http.get(`/api/authors/${ann.documentId}`).expect(200)).body.data.name).toBe(
          'Ann',
        );
        expect(await test.sql(`select 1 from articles`)).toEqual([]);
      },
    );
  });
});

/*
 * ------------------------------------------------------------------ application code in addition to content
 */

class NewTeapot {
  @IsString() name!: string;
}

class Teapot extends Error {}

@Catch(Teapot)
class TeapotFilter implements ExceptionFilter {
  constructor(private readonly host: HttpAdapterHost) {}
  catch(_error: Teapot, context: ArgumentsHost): void {
    this.host.httpAdapter.reply(context.switchToHttp().getResponse(), { teapot: true }, 418);
  }
}

@Controller('teapots')
class TeapotController {
  @Get() list(@Query() query: unknown) {
    return { query };
  }
  @Get('broken') broken(): never {
    throw new Teapot('short and stout');
  }
  @Get('missing') missing(): never {
    throw new NotFoundException('No such teapot');
  }
  @Post() create(@Body() body: NewTeapot) {
    return { body };
  }
}

@Controller('api/kettles')
class KettleController {
  @Get() list() {
    return ['kettle'];
  }
  @Get('missing') missing(): never {
    throw new NotFoundException('No such kettle');
  }
  @Delete() remove(): never {
    throw new Teapot('hot');
  }
}

/** Guard of an application that rejects requests without its header. */
const guard = {
  canActivate: (context: ExecutionContext) =>
    context.switchToHttp().getRequest().headers['x-blocked'] === undefined,
};

@Injectable()
class Stamp implements NestInterceptor {
  constructor(private readonly host: HttpAdapterHost) {}
  intercept(context: ExecutionContext, next: CallHandler) {
    this.host.httpAdapter.setHeader(context.switchToHttp().getResponse(), 'x-host', 'was here');
    return next.handle();
  }
}

/** Replaces the package that ValidationPipe loads; it creates class instances from plain objects. */
const transformerPackage = {
  plainToInstance: (type: new () => object, value: unknown) =>
    typeof value === 'object' && value !== null ? Object.assign(new type(), value) : value,
  instanceToPlain: (value: unknown) => value,
  plainToClass: (type: new () => object, value: unknown) =>
    typeof value === 'object' && value !== null ? Object.assign(new type(), value) : value,
  classToPlain: (value: unknown) => value,
};

const withContent = (
  adapter: Adapter,
  prepare: (app: INestApplication) => void,
  options: object = {},
  fastify?: object,
): Promise<Host> =>
  startHost(
    ({ url }) => ({
      imports: [ContentModule.forRoot({ ...blog, ...options, database: { clientUrl: url } })],
      controllers: [TeapotController, KettleController],
    }),
    { adapter, prepare, tables: true, ...(fastify === undefined ? {} : { fastify }) },
  );

describe.each(ADAPTERS)('with application code on %s', (adapter) => {
  let host: Host;
  let http: ReturnType<typeof supertest.agent>;
  const warnings: unknown[] = [];
  beforeAll(async () => {
    host = await withContent(adapter, (app) => {
      app.useLogger({
        log: () => undefined,
        error: () => undefined,
        warn: (text: unknown) => void warnings.push(text),
      });
      app.enableCors();
      app.useGlobalGuards(guard);
      app.useGlobalInterceptors(new Stamp(app.get(HttpAdapterHost)));
      app.useGlobalFilters(new TeapotFilter(app.get(HttpAdapterHost)));
      app.useGlobalPipes(
        new ValidationPipe({
          whitelist: true,
          forbidNonWhitelisted: true,
          transform: true,
          transformerPackage,
        } as never),
      );
    });
    http = supertest.agent(host.url);
  });
  afterAll(() => host.close());

  it('1.29 the guard of the application also protects the content, in the error shape', async () => {
    expect((await http.get('/api/authors').set('x-blocked', 'yes').expect(403)).body).toEqual(
      failure(403, 'ForbiddenError', 'Forbidden'),
    );
    expect((await http.get('/teapots').set('x-blocked', 'yes').expect(403)).body).toMatchObject({
      statusCode: 403,
    });
    await http.get('/api/authors').expect(200);
  });

  it('the interceptor of the application also gets the content', async () => {
    expect((await http.get('/api/authors').expect(200)).headers['x-host']).toBe('was here');
  });

  it('15.6 a strict ValidationPipe validates only bodies of the application, not those of the content', async () => {
    await http.post('/teapots').send({ name: 'Brown Betty' }).expect(201);
    await http.post('/teapots').send({ name: 'Brown Betty', extra: 1 }).expect(400);
    const { body } = await http
      .post('/api/authors')
      .send({ data: { name: 'Pipe' } })
      .expect(201);
    expect(body.data.name).toBe('Pipe');
    await http
      .put(`/api/authors/${body.data.documentId}`)
      .send({ data: { name: 'Piped' } })
      .expect(200);
    expect(
      (await http.get('/api/authors?filters[name]=Piped&fields=name').expect(200)).body.data,
    ).toHaveLength(1);
  });

  it('15.6 a ValidationPipe causes no warnings about content routes', () => {
    expect(warnings.filter((text) => String(text).includes('ContentController'))).toEqual([]);
  });

  it('18.11 controllers of the application work, also below the prefix of the content', async () => {
    expect((await http.get('/teapots').expect(200)).body).toEqual({ query: {} });
    expect((await http.get('/api/kettles').expect(200)).body).toEqual(['kettle']);
  });

  it.each(['/teapots/missing', '/api/kettles/missing', '/nowhere', '/apis'])(
    'the 404 of %s keeps the shape of Nest',
    async (path) => {
      expect((await http.get(path).expect(404)).body).toEqual({
        statusCode: 404,
        error: 'Not Found',
        message: expect.any(String),
      });
    },
  );

  it('the filter of the application handles its own errors', async () => {
    expect((await http.get('/teapots/broken').expect(418)).body).toEqual({ teapot: true });
    expect((await http.delete('/api/kettles').expect(418)).body).toEqual({ teapot: true });
  });

  it('malformed JSON for a route of the application keeps the shape of Nest', async () => {
    expect(
      (await http.post('/teapots').set('content-type', 'application/json').send('{').expect(400)).body,
    ).toMatchObject({ statusCode: 400 });
    expect(
      (await http.post('/api/authors').set('content-type', 'application/json').send('{').expect(400)).body,
    ).toMatchObject({ error: { name: 'SyntaxError' } });
  });

  it('1.10 CORS of the application handles preflights and adds its headers', async () => {
    const preflight = await http
      .options('/api/authors')
      .set({ origin: 'http://site.test', 'access-control-request-method': 'POST' });
    expect(preflight.status).toBe(204);
    expect(preflight.headers['access-control-allow-origin']).toBe('*');
    expect(
      (await http.get('/api/authors').set('origin', 'http://site.test').expect(200)).headers[
        'access-control-allow-origin'
      ],
    ).toBe('*');
  });
});

describe.each(ADAPTERS)('prefixes on %s', (adapter) => {
  it.each([
    ['the default', undefined, {}, '/api'],
    ['a global prefix that equals the prefix of the content is not doubled', 'api', {}, '/api'],
    ['the same with slashes', '/api/', {}, '/api'],
    ['another global prefix comes first', 'v1', {}, '/v1/api'],
    ['a prefix of its own', undefined, { prefix: '/content/v2/' }, '/content/v2'],
    ['both', 'v1', { prefix: 'content' }, '/v1/content'],
    ['a global prefix that ends in the prefix of the content', 'v1/api', {}, '/v1/api'],
    ['a global prefix that differs only in case', 'API', {}, '/API'],
    ['none', undefined, { prefix: '' }, ''],
  ])('1.27 %s', async (_what, globalPrefix, options, base) => {
    const host = await withContent(
      adapter,
      (app) => void (globalPrefix === undefined || app.setGlobalPrefix(globalPrefix)),
      options,
    );
    const http = supertest.agent(host.url);
    try {
      await http.get(`${base}/authors`).expect(200);
      await http
        .put(`${base}/homepage`)
        .send({ data: { headline: 'x' } })
        .expect(200);
      expect((await http.get(`${base}/nope`).expect(404)).body).toEqual(
        base === '' ? expect.anything() : NOT_FOUND,
      );
      expect(
        (await http.post(`${base}/authors`).set('content-type', 'application/json').send('{').expect(400))
          .body,
      ).toMatchObject({ error: { name: 'SyntaxError' } });
      if (base.toLowerCase() !== '/api') await http.get('/api/authors').expect(404);
      if (base !== '') await http.get(`${base}/api/authors`).expect(404);
      await http
        .get(globalPrefix === undefined ? '/teapots' : `/${globalPrefix.replace(/^\/|\/$/g, '')}/teapots`)
        .expect(200);
    } finally {
      await host.close();
    }
  });
});

describe.each(ADAPTERS)('settings for all routes of an application, on %s', (adapter) => {
  const serve = async (
    prepare: (app: INestApplication) => void,
    test: (http: ReturnType<typeof supertest.agent>) => Promise<void>,
    fastify?: object,
  ): Promise<void> => {
    const host = await withContent(adapter, prepare, {}, fastify);
    try {
      await test(supertest.agent(host.url));
    } finally {
      await host.close();
    }
  };

  /** Checks everything that depends on the paths of the routes. */
  const servesAt = async (http: ReturnType<typeof supertest.agent>, base: string): Promise<void> => {
    await http.get(`${base}/authors`).expect(200);
    await http.get(`${base}/authors/`).expect(200);
    expect((await http.get(`${base}/nope`).expect(404)).body).toEqual(NOT_FOUND);
    expect((await http.get(`${base}/authors/nope/nope`).expect(404)).body).toEqual(NOT_FOUND);
    expect(
      (await http.post(`${base}/authors`).set('content-type', 'application/json').send('{').expect(400)).body,
    ).toMatchObject({ error: { name: 'SyntaxError' } });
    expect((await http.patch(`${base}/authors`).expect(405)).headers['allow']).toBe(
      'GET, HEAD, POST, OPTIONS',
    );
    for (const method of ['PROPFIND', 'SEARCH', 'PURGE']) {
      const unusual = await fetch(`${http.get(`${base}/authors/x`).url}`, { method });
      expect([unusual.status, unusual.headers.get('allow')]).toEqual([
        405,
        'GET, HEAD, PUT, DELETE, OPTIONS',
      ]);
      expect(await unusual.json()).toMatchObject({ data: null, error: { name: 'MethodNotAllowedError' } });
    }
  };

  it.each([
    ['every route', ['api/{*path}'], '/api'],
    ['one by one', ['api/authors', 'api/authors/*path', 'api/nope'], '/v1/api'],
  ])('a global prefix that excludes the content, %s', (_how, exclude, most) =>
    serve(
      (app) => void app.setGlobalPrefix('v1', { exclude }),
      async (http) => {
        await servesAt(http, '/api');
        await http.get('/v1/api/authors').expect(404);
        await http.get('/v1/teapots').expect(200);
        const { paths } = (await http.get(`${most}/openapi.json`).expect(200)).body;
        expect(Object.keys(paths)).toContain(`${most}/articles`);
      },
    ),
  );

  it('a global prefix that excludes other routes: paths without it are those of the application', () =>
    serve(
      (app) => void app.setGlobalPrefix('v1', { exclude: ['teapots'] }),
      async (http) => {
        await servesAt(http, '/v1/api');
        await http.get('/teapots').expect(200);
        for (const method of ['get', 'patch', 'options'] as const)
          for (const path of ['/api/authors', '/api/nope', '/api']) {
            const { status, text, headers } = await http[method](path);
            const ofTeapots = await http[method]('/nope');
            expect([status, text]).toEqual([404, ofTeapots.text.replace('/nope', path)]);
            expect(Object.keys(headers)).toEqual(Object.keys(ofTeapots.headers));
          }
      },
    ));

  it.each([
    ['by URI', VersioningType.URI],
    ['by header', VersioningType.HEADER],
  ])('versioning %s, with a default: the content routes have no version', (_how, type) =>
    serve(
      (app) => void app.enableVersioning({ type, header: 'x-version', defaultVersion: '1' } as never),
      async (http) => {
        await servesAt(http, '/api');
        await http.get('/v1/api/authors').expect(404);
      },
    ),
  );

  it.each([
    ['at the top', { ignoreTrailingSlash: true }],
    ['of the router', { routerOptions: { ignoreTrailingSlash: true } }],
  ])('trailing slashes ignored by an option %s', (_where, options) =>
    serve(
      () => undefined,
      (http) => servesAt(http, '/api'),
      adapter === 'fastify' ? options : undefined,
    ),
  );

  it('keeps the message of an application exception', () =>
    serve(
      (app) =>
        void app.useGlobalGuards({
          canActivate: (context: ExecutionContext) => {
            if (context.switchToHttp().getRequest().headers['x-why'] !== undefined)
              throw new ForbiddenException('not on Sundays');
            return true;
          },
        }),
      async (http) => {
        expect((await http.get('/api/authors').set('x-why', 'yes').expect(403)).body).toEqual(
          failure(403, 'ForbiddenError', 'not on Sundays'),
        );
      },
    ));

  it('joins a list of messages of an application exception', () =>
    serve(
      (app) =>
        void app.useGlobalGuards({
          canActivate: (context: ExecutionContext) => {
            if (context.switchToHttp().getRequest().headers['x-why'] !== undefined)
              throw new ForbiddenException({ message: ['not on Sundays', 'nor at night'] });
            return true;
          },
        }),
      async (http) => {
        expect((await http.get('/api/authors').set('x-why', 'yes').expect(403)).body).toEqual(
          failure(403, 'ForbiddenError', 'not on Sundays; nor at night'),
        );
      },
    ));

  it('rejects a form of another site: bodies are JSON', () =>
    serve(
      () => undefined,
      async (http) => {
        for (const type of ['application/x-www-form-urlencoded', 'text/plain']) {
          expect(
            (await http.post('/api/authors').set('content-type', type).send('data[name]=x').expect(415)).body,
          ).toMatchObject({ data: null, error: { status: 415, name: 'UnsupportedMediaTypeError' } });
        }
        expect((await http.get('/api/authors').expect(200)).body.data).toEqual([]);
        await http
          .post('/api/authors')
          .set('content-type', 'application/vnd.api+json')
          .send('{"data":{"name":"x"}}')
          .expect(201);
        await http
          .post('/api/authors')
          .set('content-type', 'application/json; charset=utf-8')
          .send('{"data":{"name":"y"}}')
          .expect(201);
      },
    ));
});

describe.each(ADAPTERS)('the query string on %s', (adapter) => {
  it.each(['simple', 'extended', false])(
    'is parsed by the library, with the query parser of the application set to %s',
    async (parser) => {
      const set = (app: INestApplication): void => {
        if (adapter === 'express') app.getHttpAdapter().getInstance().set('query parser', parser);
      };
      const odd = (): Record<string, string> => ({ filters: 'of the host' });
      const host = await withContent(
        adapter,
        set,
        {},
        adapter === 'fastify' && parser === false ? { routerOptions: { querystringParser: odd } } : {},
      );
      const http = supertest.agent(host.url);
      try {
        for (const name of ['a', 'b', 'c'])
          await http.post('/api/authors').send({ data: { name } }).expect(201);
        const names = async (query: string): Promise<string[]> =>
          (await http.get(`/api/authors?${query}`).expect(200)).body.data.map(
            (row: { name: string }) => row.name,
          );
        expect(
          await names('filters[$or][0][name][$eq]=a&filters[$or][1][name][$eq]=c&sort[0]=name:desc'),
        ).toEqual(['c', 'a']);
        expect(
          await names(
            'filters%5Bname%5D%5B%24in%5D%5B0%5D=b&filters%5Bname%5D%5B%24in%5D%5B1%5D=c&sort=name%3Aasc',
          ),
        ).toEqual(['b', 'c']); // 23.2
        expect(await names('sort=name&pagination[pageSize]=1&pagination[page]=2')).toEqual(['b']);
      } finally {
        await host.close();
      }
    },
  );
});
