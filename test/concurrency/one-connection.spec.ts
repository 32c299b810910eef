/** Transactions need one connection each: they do not read with another one. */
import { randomUUID } from 'node:crypto';
import type { MikroORM } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import {
  AfterContent,
  CONTENT_ORM,
  type ContentEvent,
  type ContentService,
  defineCollectionType,
  getContentToken,
  InjectContent,
} from 'nestjs-content-api';
import { HistoryModule } from 'nestjs-content-api/history';
import { type BusyApp, startBusy } from './app.ts';

const author = defineCollectionType({
  singularApiId: 'author',
  pluralApiId: 'authors',
  attributes: { name: { type: 'string' } },
});

const article = defineCollectionType({
  singularApiId: 'article',
  pluralApiId: 'articles',
  draftAndPublish: true,
  localized: true,
  history: true,
  actions: ['publish', 'unpublish', 'discard', 'schedule'],
  attributes: {
    title: { type: 'string', localized: true },
    slug: { type: 'uid', targetField: 'title', generate: true },
    author: { type: 'relation', relation: 'manyToOne', target: 'author' },
  },
});

interface Asked {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
}

@Injectable()
class Counter {
  seen: unknown[] = [];

  constructor(@InjectContent('author') private readonly authors: ContentService) {}

  @AfterContent('author', 'create')
  async count({ documentId, em }: ContentEvent): Promise<void> {
    const options = { em: em ?? undefined };
    const one = await this.authors.findOne(documentId, { fields: ['name'] }, options);
    this.seen.push(one?.documentId, await this.authors.count({}, options));
  }
}

describe('with one connection', () => {
  let app: BusyApp;
  let url: string;
  let authorId: string;
  let id: string;
  beforeAll(async () => {
    app = await startBusy({
      contentTypes: [author, article],
      locales: ['en', 'fr'],
      access: { public: { '*': '*' } },
      modules: [HistoryModule.forRoot({ sittingMinutes: 0 })],
      load: { queueTimeout: 5000 },
      providers: [Counter],
      pool: 1,
    });
    url = await app.app.getUrl();
    authorId = await created('authors', { name: 'Ann' });
  });
  afterAll(() => app.close());

  const ask = async ({ method, path, body }: Asked, key: string | null = null) => {
    const response = await fetch(`${url}/api/${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(key === null ? {} : { 'idempotency-key': key }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  };
  const created = async (plural: string, data: object): Promise<string> => {
    const { text } = await ask({ method: 'POST', path: plural, body: { data } });
    return JSON.parse(text).data.documentId;
  };
  const newestVersion = async (): Promise<string> => {
    const { body } = await app.client.get(`/api/articles/${id}/versions`);
    return body.data[0].id;
  };

  beforeEach(async () => {
    id = await created('articles', { title: 'Bread', author: authorId });
    await ask({ method: 'PUT', path: `articles/${id}?locale=fr`, body: { data: { title: 'Pain' } } });
  });

  it.each<[string, () => Asked | Promise<Asked>]>([
    [
      'POST',
      () => ({ method: 'POST', path: 'articles', body: { data: { title: 'Salt', author: authorId } } }),
    ],
    ['PUT', () => ({ method: 'PUT', path: `articles/${id}`, body: { data: { title: 'Rye bread' } } })],
    ['DELETE', () => ({ method: 'DELETE', path: `articles/${id}` })],
    ['publish', () => ({ method: 'POST', path: `articles/${id}/actions/publish` })],
    ['unpublish', () => ({ method: 'POST', path: `articles/${id}/actions/unpublish` })],
    ['discard', () => ({ method: 'POST', path: `articles/${id}/actions/discard` })],
    [
      'schedule',
      () => ({
        method: 'PUT',
        path: `articles/${id}/actions/schedule`,
        body: { data: { unpublishAt: '2999-01-01T00:00:00.000Z' } },
      }),
    ],
    [
      'a bulk request by filters',
      () => ({
        method: 'POST',
        path: 'articles/bulk',
        body: { data: { action: 'publish', filters: { title: 'Bread' } } },
      }),
    ],
    [
      'a restored version',
      async () => ({
        method: 'POST',
        path: `articles/${id}/versions/${await newestVersion()}/actions/restore`,
      }),
    ],
    [
      'a restored document',
      async () => {
        await ask({ method: 'DELETE', path: `articles/${id}?locale=*` });
        return { method: 'POST', path: `articles/${id}/actions/restore` };
      },
    ],
  ])(
    'and an Idempotency-Key, %s writes once, and nothing waits for a second connection',
    async (_name, asked) => {
      const [request, key] = [await asked(), randomUUID()];
      const first = await ask(request, key);
      expect([200, 201, 204]).toContain(first.status);
      expect(await ask(request, key)).toEqual(first);
    },
  );

  it('a hook reads what its transaction has written', async () => {
    const counter = app.app.get(Counter);
    counter.seen = [];
    const documentId = await created('authors', { name: 'Ben' });
    expect(counter.seen).toEqual([documentId, 2]);
  });

  it('a service reads in the transaction of the host, and outside it what is committed', async () => {
    const authors = app.app.get<ContentService>(getContentToken('author'), { strict: false });
    const orm = app.app.get<MikroORM>(CONTENT_ORM, { strict: false });
    const rename = (orm.em as SqlEntityManager).transactional(async (em) => {
      await authors.update(authorId, { name: 'Ann Smith' }, {}, { em });
      const { data, meta } = await authors.find({ filters: { name: 'Ann Smith' } }, { em });
      expect(data).toMatchObject([{ documentId: authorId, name: 'Ann Smith' }]);
      expect(meta.pagination?.total).toBe(1);
      throw new Error('changed my mind');
    });
    await expect(rename).rejects.toThrow('changed my mind');
    expect(await authors.findOne(authorId)).toMatchObject({ name: 'Ann' });
  });
});
