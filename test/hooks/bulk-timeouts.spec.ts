/** Bulk requests with `"atomic": false` whose hooks take long. */
import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { BeforeContent, type ContentEvent, defineCollectionType } from 'nestjs-content-api';
import { createTestApp, type TestApp } from '../support/app.ts';

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  attributes: { title: { type: 'string' } },
});

const TIMEOUT = 1000;

@Injectable()
class Slow {
  @BeforeContent('note', 'create')
  async create({ data: { title } }: ContentEvent): Promise<void> {
    await setTimeout(title === 'slow' ? 1.5 * TIMEOUT : 0.2 * TIMEOUT);
  }
}

describe('a bulk request whose items take long', () => {
  let test: TestApp;
  beforeAll(
    async () =>
      void (test = await createTestApp({
        contentTypes: [note],
        access: { public: { '*': '*' } },
        limits: { statementTimeout: TIMEOUT },
        providers: [Slow],
      })),
  );
  afterAll(() => test.close());

  const post = (...titles: readonly string[]) =>
    test.http.post('/api/notes/bulk').send({
      data: titles.map((title) => ({ action: 'create', data: { title } })),
      atomic: false,
    });
  const failed = (body: any): unknown =>
    body.meta.errors.map(({ index, error }: any) => [index, error.status, error.details.limit]);

  it('24.3 writes each item whose own transaction is in time', async () => {
    const { body } = await post('a', 'b', 'c', 'slow', 'd', 'e', 'f').expect(200);
    expect([body.meta.done, failed(body)]).toEqual([6, [[3, 503, 'statementTimeout']]]);
    expect(await test.sql('select title from notes order by title')).toHaveLength(6);
  });

  it('24.9 ends after the second item that takes too long', async () => {
    const { body } = await post('slow', 'g', 'slow', 'h').expect(200);
    const indexes = [0, 2, 3].map((index) => [index, 503, 'statementTimeout']);
    expect([body.meta.done, failed(body)]).toEqual([1, indexes]);
    expect(await test.sql(`select title from notes where title in ('g', 'h')`)).toEqual([{ title: 'g' }]);
  });
});
