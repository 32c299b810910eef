/** Limits of the history: which versions and deleted documents are forgotten. */
import { setTimeout as sleep } from 'node:timers/promises';
import { defineCollectionType } from 'nestjs-content-api';
import { HistoryModule } from 'nestjs-content-api/history';
import type * as KeeperRoom from '../../src/features/history/version-keeper.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { loadRoom } from '../support/rooms.ts';

const { VersionKeeper } = await loadRoom<typeof KeeperRoom>('features/history/version-keeper');

const page = defineCollectionType({
  singularApiId: 'page',
  pluralApiId: 'pages',
  draftAndPublish: true,
  history: true,
  attributes: { title: { type: 'string' } },
});
const memo = defineCollectionType({ singularApiId: 'memo', pluralApiId: 'memos', attributes: {} });

describe('limits of the history', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp({
      contentTypes: [page, memo],
      access: { public: { page: '*' } },
      imports: [HistoryModule.forRoot({ keep: 3, keepDays: 20, trashDays: 40 })],
    });
  });
  afterAll(() => test.close());

  const make = async (title: string): Promise<string> =>
    (await test.http.post('/api/pages').send({ data: { title } }).expect(201)).body.data.documentId;
  const update = (id: string, title: string) =>
    test.http.put(`/api/pages/${id}`).send({ data: { title } }).expect(200);
  const remove = (id: string) => test.http.delete(`/api/pages/${id}`).expect(204);
  /** Moves a document and its stored versions into the past. */
  const age = async (id: string, days: number): Promise<void> => {
    const values = [id, days];
    await test.sql(
      `update content_version set at = at - make_interval(days => $2), since = since - make_interval(days => $2)
        where document_id = $1`,
      values,
    );
    await test.sql(
      'update pages set updated_at = updated_at - make_interval(days => $2) where document_id = $1',
      values,
    );
  };
  const forget = (): Promise<number> => test.app.get(VersionKeeper, { strict: false }).forget();
  const titles = async (id: string): Promise<unknown[]> =>
    (
      await test.sql(
        `select content->>'title' as title from content_version where document_id = $1 order by id`,
        [id],
      )
    ).map(({ title }) => title);

  it('keep a number of versions, and the newest however old it is', async () => {
    const id = await make('one');
    for (const title of ['two', 'three', 'four']) await update(id, title);
    await forget();
    expect(await titles(id)).toEqual(['two', 'three', 'four']);
    await age(id, 100);
    await forget();
    expect(await titles(id)).toEqual(['four']);
  });

  it('keep the versions of living documents of types without history, and of types of another model', async () => {
    const rows = ['memo', 'of a newer model'].map(
      (
        type,
      ) => `((select coalesce(max(id), 0) + 1 from content_version) + ${type.length}, '${type}', 'still here', 'en', true,
        'create', now() - interval '300 days', now() - interval '300 days', 'system', '{"title":"x"}')`,
    );
    await test.sql(`insert into memos (document_id, locale, published, created_at, updated_at, published_at)
      values ('still here', 'en', true, now(), now(), now())`);
    await test.sql(`insert into content_version
      (id, type, document_id, locale, published, action, since, at, actor, content) values ${rows.join()}`);
    await forget();
    expect(await titles('still here')).toEqual(['x', 'x']);
    await test.sql('delete from memos');
    await forget();
    expect(await titles('still here')).toEqual(['x']);
  });

  it.each([30, 100])(
    'keep a document in the trash that was %i days old when it was deleted',
    async (days) => {
      const id = await make('kept');
      await age(id, days);
      await remove(id);
      await forget();
      const { body } = await test.http.get(`/api/pages/trash?documentId=${id}`).expect(200);
      expect(body.data).toMatchObject([{ documentId: id, title: 'kept' }]);
      const restored = await test.http.post(`/api/pages/${id}/actions/restore`).expect(200);
      expect(restored.body.data).toMatchObject({ documentId: id, title: 'kept' });
    },
  );

  it('empty the trash of documents that were deleted long ago, with all their versions', async () => {
    const id = await make('gone');
    await remove(id);
    await age(id, 39);
    await forget();
    expect(await titles(id)).not.toEqual([]);
    await age(id, 2);
    await forget();
    expect(await titles(id)).toEqual([]);
    await test.http.post(`/api/pages/${id}/actions/restore`).expect(404);
  });
});

it('forgets versions of a large table for longer than a request may take', async () => {
  const test = await createTestApp({
    contentTypes: [page],
    limits: { statementTimeout: 100 },
    imports: [HistoryModule.forRoot({ keep: 2 })],
  });
  const locking = await test.connect();
  try {
    await test.sql(
      `insert into content_version (id, type, document_id, locale, published, action, since, at, actor, content)
       select n, 'page', 'large', 'en', true, 'update', now(), now(), 'system', '{}' from generate_series(1, 9) n`,
    );
    await locking.query('begin; lock table content_version');
    const forgetting = test.app.get(VersionKeeper, { strict: false }).forget();
    // The server allows a statement of a request one second more than the option.
    await Promise.race([forgetting, sleep(1500)]);
    await locking.query('commit');
    expect(await forgetting).toBe(7);
  } finally {
    await locking.end();
    await test.close();
  }
});
