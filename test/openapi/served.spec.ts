/** The OpenAPI document over HTTP, merged with that of `@nestjs/swagger`, and as input of type generators. */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Controller, type DynamicModule, Get, Req } from '@nestjs/common';
import {
  ApiOkResponse,
  ApiProperty,
  DocumentBuilder,
  type OpenAPIObject,
  SwaggerModule,
} from '@nestjs/swagger';
import { Validator } from '@seriousme/openapi-schema-validator';
import {
  Answer,
  CollectionController,
  ContentOpenApi,
  defineCollectionType,
  mergeContentDocument,
} from 'nestjs-content-api';
import { Ajv2020 } from 'ajv/dist/2020.js';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { blog } from '../fixtures/blog.ts';
import { NamedCallers } from '../fuzz/apps.ts';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';

/** Has the name of a content type. */
class Article {
  @ApiProperty()
  readonly words!: number;
}

@Controller('words')
class WordsController {
  @Get()
  @ApiOkResponse({ type: Article })
  count(): Article {
    return { words: 1 };
  }
}

@Controller()
class CategoryController extends CollectionController {
  @Get('about/this')
  about(): { about: string } {
    return { about: 'this' };
  }

  override async find(@Req() request: object): Promise<Answer> {
    return (await super.find(request)).withMeta({ ours: true });
  }
}

class Words {}

const options = {
  ...blog,
  controllers: { category: CategoryController },
  imports: [{ module: Words, controllers: [WordsController] }] as DynamicModule[],
  access: { public: { category: ['find', 'findOne'] } },
  auth: { strategies: [new NamedCallers({ writer: { category: '*', locale: ['find'] } })] },
} as const;

const versioned = (version: string): Omit<OpenAPIObject, 'paths'> =>
  new DocumentBuilder().setTitle('Words').setOpenAPIVersion(version).addBearerAuth().build();

describe.each(ADAPTERS)('GET /api/openapi.json on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => void (test = await createTestApp(options, adapter)));
  afterAll(() => test.close());

  it('describes the permissions of the caller, and is private to the caller', async () => {
    const open = await test.http.get('/api/openapi.json').expect(200);
    expect(Object.keys(open.body.paths as object)).toEqual([
      '/api/categories',
      '/api/categories/{documentId}',
      '/api/openapi.json',
    ]);
    expect(Object.keys(open.body.paths['/api/categories'] as object)).toEqual(['get']);
    expect(open.headers['vary']).toContain('Authorization');
    expect(open.body.security).toEqual([{}, { bearer: [] }]);
    const { body } = await test.http
      .get('/api/openapi.json')
      .set('authorization', 'Bearer writer')
      .expect(200);
    expect(Object.keys(body.paths['/api/categories'] as object)).toEqual(['get', 'post']);
    expect(body.security).toEqual([{ bearer: [] }]);
  });

  it('9.14: names locales for callers that can list them', async () => {
    const open = JSON.stringify((await test.http.get('/api/openapi.json')).body);
    const told = JSON.stringify(
      (await test.http.get('/api/openapi.json').set('authorization', 'Bearer writer')).body,
    );
    expect([open.includes('"fr"'), told.includes('"fr"')]).toEqual([false, true]);
  });

  it('18.3, 1.9: rejects the same requests as other routes', async () => {
    await test.http.get('/api/openapi.json').set('authorization', 'Bearer nobody').expect(401);
    expect((await test.http.get('/api/openapi.json?count=some').expect(400)).body.error.details.key).toBe(
      'count',
    );
    await test.http.post('/api/openapi.json').expect(405);
  });

  it('2.1: describes the 415 of a body that is not JSON for every write, a DELETE included', async () => {
    const asWriter = { authorization: 'Bearer writer' };
    const { body } = await test.http.get('/api/openapi.json').set(asWriter).expect(200);
    const operations = Object.entries<Record<string, { responses: object }>>(body.paths).flatMap(
      ([path, of]) =>
        Object.entries(of).map(([method, { responses }]) => ({ path, method, is415: '415' in responses })),
    );
    const writing = operations.filter(({ method }) => method !== 'get');
    expect(new Set(writing.map(({ method }) => method))).toEqual(new Set(['post', 'put', 'delete']));
    for (const { path, method, is415 } of operations)
      expect([path, method, is415]).toEqual([path, method, method !== 'get']);
    for (const { path, method } of writing)
      await test.http[method as 'put'](path.replace('{documentId}', 'some'))
        .set({ ...asWriter, 'content-type': 'application/octet-stream' })
        .send('{"data":{}}')
        .expect(415);
  });

  it('17.1: describes the requested format', async () => {
    const { body } = await test.http.get('/api/openapi.json').set('Strapi-Response-Format', 'v4').expect(200);
    expect(Object.keys(body.components.schemas.Category.properties as object)).toContain('attributes');
  });
});

describe('texts with a pattern', () => {
  const texts = [null, '', 'a', 'ab', 'abc', '\n', 'b'];

  it('14.1: the document accepts the bodies that the server accepts', async () => {
    const regex = '^ab?$|^abc';
    const test = await createTestApp({
      contentTypes: [
        defineCollectionType({
          ...{ singularApiId: 'code', pluralApiId: 'codes' },
          attributes: {
            optional: { type: 'string', regex },
            long: { type: 'text', regex, minLength: 1 },
            needed: { type: 'string', regex, required: true },
            emptied: { type: 'richtext', regex: '^b*$', required: true },
          },
        }),
      ],
      access: { public: { code: '*' } },
    });
    const { body: document } = await test.http.get('/api/openapi.json').expect(200);
    const ajv = new Ajv2020({ strict: false });
    ajv.addSchema({ ...document, $id: 'document' });
    const isValid = ajv.compile({
      $ref: 'document#/paths/~1api~1codes/post/requestBody/content/application~1json/schema',
    });
    const right = { optional: 'a', long: 'a', needed: 'a', emptied: 'b' };
    for (const name of Object.keys(right))
      for (const text of texts) {
        const body = { data: { ...right, [name]: text } };
        const { status } = await test.http.post('/api/codes').send(body);
        expect([name, text, isValid(body)]).toEqual([name, text, status === 201]);
      }
    await test.close();
  });
});

describe('with @nestjs/swagger', () => {
  let test: TestApp;
  beforeAll(async () => void (test = await createTestApp(options)));
  afterAll(() => test.close());

  it('S2: its own document has only the routes of the application', () => {
    const { paths } = SwaggerModule.createDocument(test.app, versioned('3.1.0'));
    expect(Object.keys(paths).sort()).toEqual(['/api/categories/about/this', '/words']);
  });

  it('S2: the merged document has both, and keeps names of the application', async () => {
    const own = SwaggerModule.createDocument(test.app, versioned('3.1.0'));
    const merged: any = mergeContentDocument(own, test.app.get(ContentOpenApi).documentFor());
    expect((await new Validator().validate(JSON.parse(JSON.stringify(merged)))).valid).toBe(true);
    expect(Object.keys(merged.paths as object)).toEqual(
      expect.arrayContaining([
        '/words',
        '/api/articles',
        '/api/articles/{documentId}',
        '/api/categories/about/this',
      ]),
    );
    expect(Object.keys(merged.components.schemas.Article.properties as object)).toEqual(['words']);
    const { schema } =
      merged.paths['/api/articles/{documentId}'].get.responses['200'].content['application/json'];
    expect(schema.properties.data).toEqual({ $ref: '#/components/schemas/ContentArticle' });
    expect(merged.paths['/api/articles'].get.security).toEqual([{ bearer: [] }]);
  });

  it('rejects a document of an older version, and tells the solution', () => {
    const old = SwaggerModule.createDocument(test.app, versioned('3.0.0'));
    expect(() => mergeContentDocument(old, test.app.get(ContentOpenApi).documentFor())).toThrow(
      "setOpenAPIVersion('3.1.0')",
    );
  });

  it('describes routes that the application adds', async () => {
    test.app.get(ContentOpenApi).addDocument(SwaggerModule.createDocument(test.app, versioned('3.1.0')));
    const { body } = await test.http.get('/api/openapi.json').expect(200);
    expect(body.paths['/words'].get.responses['200'].content['application/json'].schema).toEqual({
      $ref: '#/components/schemas/Article',
    });
    expect(body.components.schemas.Article.properties).toHaveProperty('words');
    expect((await new Validator().validate(body)).valid).toBe(true);
  });
});

/** Returns the compiler errors of a program that uses the generated types. */
function errorsIn(files: Readonly<Record<string, string>>): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'content-types-'));
  try {
    symlinkSync(resolve(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const program = ts.createProgram(
      Object.keys(files).map((name) => join(folder, name)),
      {
        noEmit: true,
        strict: true,
        module: ts.ModuleKind.NodeNext,
        moduleResolution: ts.ModuleResolutionKind.NodeNext,
        target: ts.ScriptTarget.ES2024,
        lib: ['lib.es2024.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
        types: [],
        skipLibCheck: true,
      },
    );
    return ts.getPreEmitDiagnostics(program).map(({ messageText, file, start = 0 }) => {
      const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
      return `${file?.fileName.split('/').at(-1)}:${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const QUERY = `
import createClient from 'openapi-fetch';
import type { paths } from './api.js';
const api = createClient<paths>({ baseUrl: 'http://localhost:3000' });
const { data, error } = await api.GET('/api/articles', {
  params: { query: {
    fields: ['title'],
    populate: { author: { fields: ['name'], populate: { articles: true } }, zone: { on: { 'shared.quote': true } } },
    filters: { author: { name: { $startsWith: 'A' } }, views: { $gt: 3 } },
  } },
});
const name: string | null | undefined = data?.data[0]?.author?.name;
const titles: (string | null | undefined)[] | undefined = data?.data[0]?.author?.articles?.map(({ title }) => title);
const quote = data?.data[0]?.zone?.find((one) => one.__component === 'shared.quote')?.text;
const status: 400 | 401 | 403 | 414 | 500 | 503 | undefined = error?.error.status;
await api.POST('/api/articles', { body: { data: { title: 'New', author: { connect: ['a'] } } } });
export { name, titles, quote, status };
`;

const WRONG = `
import createClient from 'openapi-fetch';
import type { paths } from './api.js';
const api = createClient<paths>({ baseUrl: 'http://localhost:3000' });
await api.GET('/api/artciles');
await api.GET('/api/articles', { params: { query: { filters: { titel: 'x' } } } });
await api.GET('/api/articles', { params: { query: { populate: { autor: true } } } });
await api.POST('/api/articles', { body: { data: { title: 3 } } });
const { data } = await api.GET('/api/articles');
export const wrong: number | undefined = data?.data[0]?.author?.name;
`;

describe('types generated from the document', () => {
  it('compile, and a populated query is typed', async () => {
    const test = await createTestApp(blog);
    const document = test.app.get(ContentOpenApi).documentFor(undefined, { counts: false });
    await test.close();
    const api = astToString(await openapiTS(JSON.parse(JSON.stringify(document))));
    expect(errorsIn({ 'api.ts': api, 'query.ts': QUERY })).toEqual([]);
    const lines = errorsIn({ 'api.ts': api, 'wrong.ts': WRONG }).map((one) => one.split(' ')[0]);
    expect(lines).toEqual(['wrong.ts:5:', 'wrong.ts:6:', 'wrong.ts:7:', 'wrong.ts:8:', 'wrong.ts:10:']);
  });
});
