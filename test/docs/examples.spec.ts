/** Applications of docs/full-example.md and docs/existing-application.md, as they are on the page. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MikroORM } from '@mikro-orm/core';
import type { INestApplication, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CONTENT_ORM } from 'nestjs-content-api';
import { DeskInvitations } from 'nestjs-content-api/desk';
import supertest from 'supertest';
import { NewUsers } from '../../src/features/accounts/new-users.ts';
import { SECRET } from '../accounts/helpers.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { fileOf, snippetWith } from '../support/snippets.ts';

const PASSWORD = 'a long password';
const env = { ...process.env };

let database: TestDatabase;
let app: INestApplication;

/** Imports a module of a page, whose options come from the environment, and starts it. */
async function start(load: () => Promise<Type<object>>): Promise<void> {
  database = await createDatabase();
  process.env['DATABASE_URL'] = database.url;
  process.env['JWT_SECRET'] = SECRET;
  app = await NestFactory.create(await load(), { logger: false, abortOnError: false });
  await app.get(CONTENT_ORM).schema.update({ safe: true });
  await app.init();
}

afterEach(async () => {
  process.env = { ...env };
  await app?.close();
  await database.drop();
});

it('docs/full-example.md: what the public, an editor and the chief may do', async () => {
  const PAGE = 'docs/full-example.md';
  await start(
    async () => (await fileOf<{ MagazineModule: Type<object> }>(PAGE, 'magazine.module.ts')).MagazineModule,
  );
  const http = supertest(app.getHttpServer());
  await app
    .get(NewUsers, { strict: false })
    .create({ username: 'ann', email: 'ann@example.org', password: PASSWORD, role: 'chief' });
  const invitation = { email: 'bob@example.org', role: 'editor' };
  const link = await app.get(DeskInvitations, { strict: false }).invite(invitation);
  const code = link.split('#')[1];
  await http.post('/desk/session/invitation').send({ code, password: PASSWORD }).expect(200);
  const tokenOf = async (identifier: string): Promise<string> => {
    const { body } = await http.post('/api/auth/local').send({ identifier, password: PASSWORD }).expect(200);
    return `Bearer ${String(body.jwt)}`;
  };
  const callers = [null, await tokenOf('bob@example.org'), await tokenOf('ann')];

  const bob = callers[1] ?? '';
  const { body } = await http
    .post('/api/articles')
    .set('authorization', bob)
    .send({ data: { title: 'Harbours' } })
    .expect(201);
  expect(body.meta.status).toBe('draft');
  const { documentId } = body.data as { documentId: string };
  await http.get(`/api/articles/${documentId}`).expect(404);

  const text = readFileSync(join(import.meta.dirname, '../..', PAGE), 'utf8');
  const rows = [...text.matchAll(/^\| `(GET|POST) ([^`]+)` \| (\d+).* \| (\d+).* \| (\d+).* \|$/gm)];
  expect(rows).toHaveLength(5);
  const bodies: Readonly<Record<string, object>> = {
    '/api/articles': { data: { title: 'Another' } },
    '/api/sections': { data: { name: 'North' } },
  };
  for (const [, method = '', path = '', ...statuses] of rows)
    for (const [i, token] of callers.entries()) {
      const at = path.replace(':id', documentId);
      const request = method === 'GET' ? http.get(at) : http.post(at).send(bodies[path] ?? {});
      if (token !== null) void request.set('authorization', token);
      const { status } = await request;
      expect(`${method} ${path} as ${i}: ${status}`).toBe(`${method} ${path} as ${i}: ${statuses[i] ?? ''}`);
    }
  await http.get(`/api/articles/${documentId}`).expect(200);
});

it('docs/existing-application.md: a guard of the host, its users, and its own routes', async () => {
  const PAGE = 'docs/existing-application.md';
  await start(async () => (await snippetWith<{ ShopModule: Type<object> }>(PAGE, 'ShopModule')).ShopModule);
  const http = supertest(app.getHttpServer());
  const data = { title: 'Returns' };
  await http.get('/orders').expect(403);
  await http.get('/orders').set('x-user', 'eve').expect(200);
  await http.get('/api/helps').expect(200);
  await http.post('/api/helps').send({ data }).expect(403);
  await http.post('/api/helps').set('x-user', 'eve').send({ data }).expect(403);
  await http.post('/api/helps').set('x-user', 'ann').send({ data }).expect(201);
  const orm = app.get<MikroORM>(CONTENT_ORM);
  const rows: readonly { readonly schema: string }[] = await orm.em
    .fork()
    .getConnection()
    .execute(`select table_schema as schema from information_schema.tables where table_name = 'helps'`);
  expect(rows).toEqual([{ schema: 'content' }]);
});
