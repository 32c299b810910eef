/** The OpenAPI document describes exactly the routes of an application. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ContentOpenApi } from 'nestjs-content-api';
import {
  ApiTokens,
  ApiTokensModule,
  apiTokenType,
  UsersModule,
  userTypes,
} from 'nestjs-content-api/accounts';
import { FilesModule, LocalStorage } from 'nestjs-content-api/files';
import { Outbox, usersOptions } from '../accounts/helpers.ts';
import { blog } from '../fixtures/blog.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { DescriptionOracle } from './oracle.ts';

/** Internal route layer of Express. */
interface Layer {
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
}

/** Routes of the page to try the API, which the document excludes. */
const PAGE = ['get /api/openapi', 'get /api/openapi/{file}'];

describe('the OpenAPI document and the routes', () => {
  let test: TestApp;
  let directory: string;
  let token: string;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'content-routes-'));
    const actions = ['publish', 'unpublish', 'discard', 'schedule'] as const;
    const acting = blog.contentTypes.map((type) => ({ ...type, draftAndPublish: true, actions }));
    test = await createTestApp({
      ...blog,
      contentTypes: [...acting, ...userTypes(), apiTokenType],
      openapi: { page: true },
      imports: [
        UsersModule.forRoot({ ...usersOptions(new Outbox()), refresh: true }),
        ApiTokensModule,
        FilesModule.forRoot({ storage: new LocalStorage(directory) }),
      ],
    });
    ({ token } = await test.app
      .get(ApiTokens, { strict: false })
      .create({ name: 'all', kind: 'full-access' }));
  });
  afterAll(async () => {
    await test.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const get = (path: string) => test.http.get(path).set('authorization', `Bearer ${token}`);

  it('S2, M4: contain the same operations', () => {
    const express: { router: { stack: readonly Layer[] } } = test.app.getHttpAdapter().getInstance();
    const { router } = express;
    const served = router.stack.flatMap(({ route }) =>
      Object.keys(route?.methods ?? {}).map(
        (method) => `${method} ${route?.path.replace(/:(\w+)/g, '{$1}').replace(/\/$/, '')}`,
      ),
    );
    const { paths } = test.app.get(ContentOpenApi).documentFor();
    const described = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method} ${path}`),
    );
    expect(served.length).toBeGreaterThan(50);
    expect([...described, ...PAGE].sort()).toEqual([...new Set(served)].sort());
  });

  it('S5: the model, the folders and all other lists match the document', async () => {
    const oracle = new DescriptionOracle(async (path, headers) => {
      const { status, body } = await test.http.get(path).set(headers);
      return { status, body };
    });
    const headers = { authorization: `Bearer ${token}` };
    const { documentId } = (
      await test.http
        .post('/api/categories')
        .set(headers)
        .send({ data: { name: 'One' } })
        .expect(201)
    ).body.data;
    const form = { filename: 'a.txt', contentType: 'text/plain' };
    await test.http.post('/api/upload').set(headers).attach('files', Buffer.from('a'), form).expect(201);
    const paths = [
      '/api/content-type-builder/content-types',
      '/api/content-type-builder/content-types/api::category.category',
      '/api/content-type-builder/content-types/plugin::upload.file',
      '/api/content-type-builder/components',
      `/api/content-type-builder/components/shared.quote`,
      '/api/content-type-builder/components/no.such',
      '/api/upload/folders',
      '/api/upload/files',
      '/api/i18n/locales',
      '/api/users-permissions/roles',
      '/api/openapi.json',
      `/api/categories/${documentId}`,
    ];
    for (const path of paths) {
      const { status, body } = await get(path);
      expect([path, status]).toEqual([path, path.endsWith('no.such') ? 404 : 200]);
      expect(await oracle.problem({ method: 'GET', path, headers, status, body })).toBeNull();
    }
    expect(oracle.counts.described).toBe(paths.length);
  });

  it('describes a 304 for a current document, and a 412 for a failed precondition', async () => {
    const headers = { authorization: `Bearer ${token}` };
    const { documentId } = (
      await test.http
        .post('/api/categories')
        .set(headers)
        .send({ data: { name: 'Two' } })
        .expect(201)
    ).body.data;
    const path = `/api/categories/${documentId}`;
    const { headers: answered } = await get(path).expect(200);
    await get(path).set('If-None-Match', String(answered['etag'])).expect(304);
    await test.http.put(path).set(headers).set('If-Match', '"other"').send({ data: {} }).expect(412);

    const { paths, components } = test.app.get(ContentOpenApi).documentFor();
    const { get: read, put } = paths['/api/categories/{documentId}'] ?? {};
    const named = (parameters: readonly object[] = []): unknown[] =>
      parameters.map((one) =>
        '$ref' in one ? components.parameters[String(one.$ref).split('/').at(-1) ?? '']?.name : null,
      );
    expect([named(read?.parameters), named(put?.parameters)]).toEqual([
      expect.arrayContaining(['If-None-Match']),
      expect.arrayContaining(['If-Match', 'If-None-Match']),
    ]);
    expect([read?.responses['304'], put?.responses['412']]).toEqual([
      { $ref: '#/components/responses/NotModified' },
      { $ref: '#/components/responses/Error412' },
    ]);
    expect(read?.responses['200']).toHaveProperty('headers.ETag');
  });

  it('D16: excludes the model for callers that cannot read it', async () => {
    const { body } = await test.http.get('/api/openapi.json').expect(200);
    expect(Object.keys(body.paths as object).filter((path) => /builder|upload|i18n/.test(path))).toEqual([]);
    expect(JSON.stringify(body)).not.toMatch(/content-type-builder|Shape/);
  });
});
