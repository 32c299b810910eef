/** Routes of API tokens, and callers who may not give more than they have (protocol 18.14–18.16). */
import {
  type AuthStrategy,
  ContentOpenApi,
  type Credentials,
  defineCollectionType,
  type Grants,
  type Identity,
} from 'nestjs-content-api';
import { ApiTokensModule } from 'nestjs-content-api/accounts';
import { failure } from '../http/helpers.ts';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';
import { contentTypes } from './helpers.ts';

const ROLES: Readonly<Record<string, Grants>> = {
  chief: { '*': '*' },
  keeper: { 'api-token': '*', note: [{ actions: ['find'], fields: ['title'] }], topic: ['find'] },
  writer: { 'api-token': ['create'], paper: '*' },
  reviewer: { 'api-token': ['create'], paper: ['find', 'update', { actions: ['move'], stages: ['ready'] }] },
  reader: { 'api-token': ['find'], note: '*' },
};

const LONG = 'a'.repeat(60);
const MANY = Array.from({ length: 50 }, (_, i) => `unknown${i}`);
const longType = defineCollectionType({
  singularApiId: LONG,
  pluralApiId: `${LONG}s`,
  tableName: 'long_names',
  attributes: { title: { type: 'string' } },
});

const paper = defineCollectionType({
  singularApiId: 'paper',
  pluralApiId: 'papers',
  draftAndPublish: true,
  owner: 'author',
  stages: { draft: { to: ['ready'] }, ready: { to: ['draft'], publish: true } },
  attributes: { title: { type: 'string' }, author: { type: 'string' } },
});

class Names implements AuthStrategy {
  readonly name = 'names';
  authenticate({ bearer }: Credentials): Identity | null {
    return bearer !== null && bearer in ROLES ? { kind: 'user', id: '1', roles: [bearer] } : null;
  }
}

describe.each(ADAPTERS)('the routes of API tokens, on %s', (adapter) => {
  let test: TestApp;
  let n = 0;
  beforeAll(async () => {
    test = await createTestApp(
      {
        contentTypes: [...contentTypes, longType, paper],
        auth: { strategies: [new Names()] },
        access: { roles: ROLES },
        imports: [ApiTokensModule],
      },
      adapter,
    );
  });
  afterAll(() => test.close());

  const as = (bearer: string, method: 'get' | 'post' | 'delete', path = '') =>
    test.http[method](`/api/api-tokens${path}`).set('Authorization', `Bearer ${bearer}`);
  const create = (bearer: string, more: object) =>
    as(bearer, 'post').send({ data: { name: `token ${(n += 1)}`, ...more } });
  const count = async (): Promise<number> => (await test.sql('select 1 from content_api_tokens')).length;

  it('18.14 list, create, rotate and revoke tokens; only the second and third show the secret', async () => {
    const made = (await create('chief', { kind: 'read-only', days: 7, description: 'Site' }).expect(201)).body
      .data;
    expect(made).toMatchObject({ kind: 'read-only', lifespan: 7, token: expect.stringMatching(/^nca_/) });
    await as(made.token, 'get').expect(200);
    const { body } = await as('reader', 'get').expect(200);
    expect(body.data).toEqual([
      expect.objectContaining({ documentId: made.documentId, description: 'Site' }),
    ]);
    expect(JSON.stringify(body)).not.toMatch(/"token"|hash|lookup/);
    const rotated = (await as('chief', 'post', `/${made.documentId}/rotate`).expect(200)).body.data;
    await as(made.token, 'get').expect(401);
    await as(rotated.token, 'get').expect(200);
    await as('chief', 'delete', `/${made.documentId}`).expect(204);
    await as(rotated.token, 'get').expect(401);
    await as('chief', 'delete', `/${made.documentId}`).expect(404);
    await as('chief', 'post', `/${made.documentId}/rotate`).expect(404);
  });

  it('18.15 each route needs its grant', async () => {
    const made = (await create('chief', { kind: 'read-only' }).expect(201)).body.data;
    const before = await count();
    await create('reader', { kind: 'custom', grants: { note: ['find'] } }).expect(403);
    await as('reader', 'post', `/${made.documentId}/rotate`).expect(403);
    await as('reader', 'delete', `/${made.documentId}`).expect(403);
    await test.http.get('/api/api-tokens').expect(401);
    expect(await count()).toBe(before);
    await as(made.token, 'get').expect(200);
    await as(made.token, 'delete', `/${made.documentId}`).expect(403);
  });

  it.each([
    { kind: 'full-access' },
    { kind: 'read-only' },
    { kind: 'custom', grants: { note: ['find'] } },
    { kind: 'custom', grants: { note: [{ actions: ['find'], fields: ['title', 'secretText'] }] } },
    { kind: 'custom', grants: { topic: ['find', 'delete'] } },
    { kind: 'custom', grants: { '*': ['find'] } },
    { kind: 'custom', grants: { note: '*' } },
    { kind: 'custom', grants: { note: [{ actions: ['find'], own: true }] } },
  ])('18.16 a caller cannot create a token with more permissions than its own: %j', async (more) => {
    const before = await count();
    const { body } = await create('keeper', more).expect(403);
    const message = 'The token would have permissions that you do not have';
    expect(body).toEqual(failure(403, 'ForbiddenError', message));
    expect(await count()).toBe(before);
  });

  it('18.16 a caller who may move documents to every stage creates tokens for one stage', async () => {
    const move = (...stages: string[]) => ({ actions: ['move'], stages }) as const;
    for (const grant of [move('draft', 'ready'), { ...move('draft'), own: true }]) {
      const more = { kind: 'custom', grants: { paper: ['find', 'update', grant] } };
      await create('writer', more).expect(201);
      await create('reviewer', more).expect(403);
    }
    await create('reviewer', { kind: 'custom', grants: { paper: [move('ready')] } }).expect(201);
    await create('reviewer', { kind: 'custom', grants: { paper: ['move'] } }).expect(403);
  });

  it('18.16 nor rotate one, to see its secret', async () => {
    const strong = (await create('chief', { kind: 'full-access' }).expect(201)).body.data;
    await as('keeper', 'post', `/${strong.documentId}/rotate`).expect(403);
    await as(strong.token, 'get').expect(200);
    const grants = { note: [{ actions: ['find'], fields: ['title'] }], topic: ['find'] };
    const weak = (await create('keeper', { kind: 'custom', grants }).expect(201)).body.data;
    await as('keeper', 'post', `/${weak.documentId}/rotate`).expect(200);
  });

  it.each([
    [{}, 'Missing "data" payload in the request body'],
    [{ data: { name: '', kind: 'read-only' } }, 'name must be a string'],
    [{ data: { name: 'a', kind: 'all' } }, 'kind must be read-only, full-access or custom'],
    [{ data: { name: 'a', kind: 'custom', grants: [] } }, 'grants must be an object'],
    [{ data: { name: 'a', kind: 'read-only', days: '7' } }, 'days must be a number'],
    [{ data: { name: 'a', kind: 'read-only', days: 0.5 } }, '"days" must be a positive whole number'],
    [
      { data: { name: 'a', kind: 'read-only', days: 1e9 } },
      '"days" must be a positive whole number, at most',
    ],
    [{ data: { name: 'a', kind: 'read-only', hash: 'x' } }, 'Invalid key hash'],
    [
      { data: { name: 'a', kind: 'custom', grants: { none: ['find'] } } },
      'grants: "none" is not a content type',
    ],
  ])('18.14 %j is a 400', async (body, message) => {
    const before = await count();
    const { body: answer } = await as('chief', 'post').send(body).expect(400);
    expect(answer.error.message).toContain(message);
    expect(await count()).toBe(before);
  });

  it('18.14 a long unknown name gets no suggestion, whose search would block other requests', async () => {
    const suggestionFor = async (name: string): Promise<string> => {
      const more = { kind: 'custom', grants: { [name]: [] } };
      const { body } = await create('chief', more).expect(400);
      return body.error.message.replace(`grants: "${name}" is not a content type; `, '');
    };
    expect(await suggestionFor(`${LONG}s`)).toBe(`did you mean "${LONG}"?`);
    expect(await suggestionFor(`${LONG}${'s'.repeat(10)}`)).toMatch(/^available: /);
  });

  it.each<[string, Grants]>([
    ['types', Object.fromEntries(MANY.map((name) => [name, []]))],
    ['attributes', { note: [{ actions: ['find'], fields: MANY }] }],
    ['actions', { note: [{ actions: MANY as never }] }],
    ['grants', { note: MANY as never }],
  ])(
    '18.14 reports the first of many unknown %s, whose search would block other requests',
    async (_name, grants) => {
      const { body } = await create('chief', { kind: 'custom', grants }).expect(400);
      expect(body.error.message.match(/grants[.:]/g)).toHaveLength(20);
    },
  );

  it('18.14 the OpenAPI document has the routes that the caller may use', async () => {
    const openApi = test.app.get(ContentOpenApi);
    const operations = Object.entries(openApi.documentFor().paths)
      .filter(([path]) => path.startsWith('/api/api-tokens'))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`));
    expect(operations.sort()).toEqual([
      'delete /api/api-tokens/{id}',
      'get /api/api-tokens',
      'post /api/api-tokens',
      'post /api/api-tokens/{id}/rotate',
    ]);
    const { body } = await test.http
      .get('/api/openapi.json')
      .set('Authorization', 'Bearer reader')
      .expect(200);
    expect(Object.keys(body.paths).filter((path) => path.includes('api-tokens'))).toEqual([
      '/api/api-tokens',
    ]);
  });
});
