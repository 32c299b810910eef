/**
 * Hooks of the application on writes: their input, permitted changes, and when they run (issue "writing",
 * protocol 21).
 */
import type { MikroORM } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { ForbiddenException, Injectable, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import supertest from 'supertest';
import {
  AfterContent,
  BeforeContent,
  CONTENT_ORM,
  ContentError,
  type ContentEvent,
  ContentModule,
  ContentService,
  getContentToken,
  OnContentCommitted,
} from 'nestjs-content-api';
import type { INestApplication } from '@nestjs/common';
import { blog } from '../fixtures/blog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

const calls: string[] = [];
let shown: ContentEvent['document'] = null;
/** Events of the hook before a write that is repeated. */
const attempts: Pick<ContentEvent, 'documentId' | 'document'>[] = [];

@Injectable()
class Rules {
  @BeforeContent('author', 'create', 'update')
  before({ data, em, documentId, document }: ContentEvent): void {
    if (data['name'] === 'repeated') attempts.push({ documentId, document });
    if (data['name'] === 'refused') throw new ContentError('ApplicationError', 'Not this name');
    if (data['name'] === 'forbidden') throw new ForbiddenException();
    if (typeof data['name'] === 'string') data['name'] = data['name'].trim();
    if (em === null) throw new Error('a hook inside the transaction has its entity manager');
  }

  @AfterContent('author', 'create')
  async after({ document, documentId, em }: ContentEvent): Promise<void> {
    shown = document;
    if (document?.['name'] === 'repeated' && attempts.length === 1)
      await em?.execute(
        `do $$ begin raise exception 'again' using errcode = 'serialization_failure'; end $$`,
      );
    if (document?.['name'] === 'undone')
      throw new ContentError('ApplicationError', `Undone ${documentId === null}`);
  }

  @AfterContent('*', 'delete')
  deleting({ type, document }: ContentEvent): void {
    calls.push(`deleting ${type} ${document === null}`);
  }

  @OnContentCommitted('*', 'create', 'update', 'publish', 'delete', 'unpublish', 'discardDraft')
  committed({ type, action, em, caller }: ContentEvent): void {
    calls.push(`${action} ${type} ${em === null} ${caller.kind}`);
    if (type === 'category') throw new Error('an error that fails no request');
  }
}

@Module({ providers: [Rules] })
class HostModule {}

describe('hooks', () => {
  let database: TestDatabase;
  let app: INestApplication;
  let http: ReturnType<typeof supertest.agent>;
  const service = (
    type: string,
  ): ContentService<{ documentId: string; title: string | null; publishedAt: string | null }> =>
    app.get(getContentToken(type), { strict: false });

  beforeAll(async () => {
    database = await createDatabase();
    const content = ContentModule.forRoot({ ...blog, database: { clientUrl: database.url } });
    const module = await Test.createTestingModule({ imports: [HostModule, content] }).compile();
    app = module.createNestApplication({ logger: ['fatal'] });
    await app.listen(0, '127.0.0.1');
    await app.get<MikroORM>(CONTENT_ORM).schema.create();
    http = supertest.agent(await app.getUrl());
  });
  afterAll(async () => {
    await app.close();
    await database.drop();
  });
  beforeEach(() => {
    calls.length = 0;
  });

  const names = async (): Promise<string[]> =>
    (await http.get('/api/authors?fields=name&sort=name').expect(200)).body.data.map(
      ({ name }: { name: string }) => name,
    );

  it('change the data before it is validated', async () => {
    const created = await http
      .post('/api/authors')
      .send({ data: { name: '  Ann  ' } })
      .expect(201);
    expect(created.body.data.name).toBe('Ann');
    await http
      .post('/api/authors')
      .send({ data: { name: '  Ann ' } })
      .expect(400);
  });

  it.each([
    ['refused', 400, 'Not this name'],
    ['forbidden', 403, 'Forbidden'],
    ['undone', 400, 'Undone false'],
  ])('reject "%s" with %i, and nothing is written', async (name, status, message) => {
    const before = await names();
    const refused = await http.post('/api/authors').send({ data: { name } }).expect(status);
    expect(refused.body).toMatchObject({ data: null, error: { status, message } });
    expect(await names()).toEqual(before);
    expect(calls).toEqual([]);
  });

  it('get the document with one level populated and without private attributes, for any query', async () => {
    await http
      .post('/api/authors?fields=name')
      .send({ data: { name: 'Bea', email: 'bea@example.com' } })
      .expect(201);
    expect(shown).toMatchObject({ name: 'Bea', articles: [], profile: null });
    expect(shown).not.toHaveProperty('email');
  });

  it('get nothing of an attempt that the database has rolled back', async () => {
    await http
      .post('/api/authors')
      .send({ data: { name: 'repeated' } })
      .expect(201);
    expect(attempts).toEqual(Array(2).fill({ documentId: null, document: null }));
  });

  it('get the create or update first, then the publish', async () => {
    const { documentId } = (
      await http
        .post('/api/articles')
        .send({ data: { title: 'First' } })
        .expect(201)
    ).body.data;
    await http
      .put(`/api/articles/${documentId}?status=draft`)
      .send({ data: { title: 'Second' } })
      .expect(200);
    await http.put(`/api/articles/${documentId}`).send({ data: {} }).expect(200);
    await http.delete(`/api/articles/${documentId}`).expect(204);
    expect(calls).toEqual([
      'create article true public',
      'publish article true public',
      'update article true public',
      'update article true public',
      'publish article true public',
      'deleting article true',
      'delete article true public',
    ]);
  });

  it('after the commit fail no request', async () => {
    await http
      .post('/api/categories')
      .send({ data: { name: 'News' } })
      .expect(201);
    expect(calls).toEqual(['create category true public']);
  });

  it('run after the commit of a transaction of the application, and never after its rollback', async () => {
    const em = app.get<MikroORM>(CONTENT_ORM).em.fork() as SqlEntityManager;
    const create = (name: string, fail: boolean): Promise<void> =>
      em.transactional(async (inner) => {
        await service('author').create({ name }, {}, { em: inner });
        expect(calls).toEqual([]);
        if (fail) throw new Error('the host changed its mind');
      });
    await expect(create('Cleo', true)).rejects.toThrow('changed its mind');
    expect(calls).toEqual([]);
    expect(await names()).not.toContain('Cleo');
    await create('Cleo', false);
    expect(calls).toEqual(['create author true system']);
    expect(await names()).toContain('Cleo');
  });

  it('run after the commit of the outermost of nested transactions, without what was rolled back', async () => {
    const em = app.get<MikroORM>(CONTENT_ORM).em.fork() as SqlEntityManager;
    const nested = (name: string, fails: 'inner' | 'outer' | null): Promise<void> =>
      em.transactional(async (outer) => {
        const inside = outer.transactional(async (inner) => {
          await service('author').create({ name }, {}, { em: inner });
          if (fails === 'inner') throw new Error('the inner one fails');
        });
        await inside.catch((error: unknown) => expect(String(error)).toContain('the inner one fails'));
        expect(calls).toEqual([]);
        if (fails === 'outer') throw new Error('the outer one fails');
      });
    await expect(nested('Dora', 'outer')).rejects.toThrow('the outer one fails');
    await nested('Dora', 'inner');
    expect(calls).toEqual([]);
    expect(await names()).not.toContain('Dora');
    await nested('Dora', null);
    expect(calls).toEqual(['create author true system']);
    expect(await names()).toContain('Dora');
  });

  it('publish, unpublish and discardDraft are methods of the service', async () => {
    const articles = service('article');
    const { documentId } = await articles.create({ title: 'A draft', categories: [] }, { status: 'draft' });
    expect(await articles.findOne(documentId)).toBeNull();
    expect((await articles.publish(documentId)).publishedAt).not.toBeNull();
    await articles.update(documentId, { title: 'Changed' }, { status: 'draft' });
    expect((await articles.discardDraft(documentId)).title).toBe('A draft');
    expect(await articles.unpublish(documentId)).toMatchObject({ title: 'A draft', publishedAt: null });
    expect(await articles.findOne(documentId)).toBeNull();
    await expect(articles.discardDraft(documentId)).rejects.toMatchObject({ name: 'NotFoundError' });
    expect(calls.map((line) => line.split(' ')[0])).toEqual([
      'create',
      'update',
      'publish',
      'update',
      'discardDraft',
      'unpublish',
    ]);
  });

  it('no method of the service treats a missing id as all documents', async () => {
    const articles = service('article');
    await articles.create({ title: 'Still here' });
    const nobody = null as unknown as string;
    for (const call of [
      () => articles.delete(nobody),
      () => articles.update(nobody, { title: 'Everything' }),
      () => articles.unpublish(nobody),
      () => articles.discardDraft(nobody),
    ]) {
      await expect(call()).rejects.toMatchObject({ name: 'NotFoundError' });
    }
    expect(await articles.findOne(nobody)).toBeNull();
    expect(await articles.count({ filters: { title: 'Still here' } })).toBe(1);
  });
});
