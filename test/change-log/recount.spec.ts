/**
 * `npx nestjs-content-api recount` corrects totals after changes that bypassed the triggers, and prints them.
 */
import { join } from 'node:path';
import { ContentMetrics } from 'nestjs-content-api';
import { run } from '../../src/module/command-line.ts';
import { BEFORE } from '../evolution/check-models.ts';
import { createTestApp, type TestApp } from '../support/app.ts';

describe('a recount', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp({ ...BEFORE, access: { public: { '*': '*' } } });
    const server = new URL(process.env.TEST_DATABASE_URL ?? '');
    server.pathname = `/${String((await test.sql('select current_database() as name'))[0]?.['name'])}`;
    process.env['CHECK_DATABASE'] = server.href;
    for (const title of ['one', 'two'])
      await test.http.post('/api/articles').send({ data: { title } }).expect(201);
    await test.http
      .post('/api/pages')
      .send({ data: { title: 'page' } })
      .expect(201);
  });
  afterAll(() => test.close());

  const module = `${join(import.meta.dirname, '../evolution/check-app.ts')}#Before`;
  const command = (...args: string[]): Promise<string> =>
    run(['recount', '--module', module, ...args], { env: {}, say: () => undefined });
  const total = async (path: string): Promise<number> =>
    (await test.http.get(path).expect(200)).body.meta.pagination.total;
  /** Inserts two versions, one of them published, and takes them out of the totals. */
  const slipPast = async (): Promise<void> => {
    await test.sql(`insert into articles (document_id, created_at, updated_at, published, locale, title, revision)
      select 'late', now(), now(), p, 'en', 'x', 0 from unnest(array[true, false]) p`);
    await test.sql(`update content_total set total = total - 1 where type = 'article' and locale = 'en'`);
  };

  it('finds nothing if all totals are correct', async () => {
    expect(await command()).toBe('All totals were correct');
    expect(await test.app.get(ContentMetrics).recount()).toEqual([]);
  });

  it('reports wrong totals, and corrects them', async () => {
    await slipPast();
    expect(await total('/api/articles')).toBe(2);
    expect(await command('page')).toBe('All totals were correct');
    expect(await command('article')).toBe(
      'article en draft: 2 stored, 3 counted\narticle en published: 2 stored, 3 counted',
    );
    expect([await total('/api/articles'), await total('/api/articles?status=draft')]).toEqual([3, 3]);
    expect(await command()).toBe('All totals were correct');
    await test.sql(`delete from articles where document_id = 'late'`);
    expect(await total('/api/articles')).toBe(2);
  });

  it('is also a method', async () => {
    await test.sql(`update content_total set total = total + 7 where type = 'page' and locale = 'en'`);
    expect(await test.app.get(ContentMetrics).recount()).toEqual([
      { type: 'page', locale: 'en', published: true, noted: 8, counted: 1 },
    ]);
  });

  it('refuses types that it cannot count', async () => {
    await expect(command('article', 'nobody')).rejects.toThrow('The model has no type nobody');
    await expect(run(['recount'], { env: {}, say: () => undefined })).rejects.toThrow('Give --module');
    await test.sql('alter table pages disable trigger content_ledger_update_3');
    await expect(command()).rejects.toThrow('Changes are not logged for "pages"');
    await test.sql('alter table pages enable always trigger content_ledger_update_3');
    expect(await command()).toBe('All totals were correct');
  });
});
