/** Statements that a feature adds to every write: in its transaction, once, and gone with it. */
import type { MikroORM } from '@mikro-orm/postgresql';
import { CONTENT_ORM, type ContentService, defineCollectionType, getContentToken } from 'nestjs-content-api';
import type * as Registry from '../../src/content/documents/write-additions.ts';
import type * as SqlRoom from '../../src/kernel/sql.ts';
import { adaptersFor } from '../support/adapters.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { loadRoom } from '../support/rooms.ts';

const { WriteAdditions } = await loadRoom<typeof Registry>('content/documents/write-additions');
const { print, sql, param, quote, identifier } = await loadRoom<typeof SqlRoom>('kernel/sql');

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  draftAndPublish: true,
  attributes: { title: { type: 'string', unique: true, required: true } },
});

describe.each(adaptersFor('fastify'))('statements added to writes on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp({ contentTypes: [note], access: { public: { note: '*' } } }, adapter);
    await test.sql('create table written (verb text, document_id text, title text)');
    test.app.get(WriteAdditions, { strict: false }).add(({ plan, documentId }) => [
      print(
        sql`insert into ${quote(identifier('written'))} select ${param(plan.verb)}::text, ${param(documentId)}::text,
          (select max(d.title) from ${quote(identifier('notes'))} d where d.document_id = ${param(documentId)}::text)`,
      ),
    ]);
  });
  afterAll(() => test.close());
  beforeEach(async () => void (await test.sql('delete from written; delete from notes')));
  const written = () => test.sql('select verb, title from written order by ctid');

  it('see the rows before the write and are committed with it', async () => {
    const { body } = await test.http
      .post('/api/notes')
      .send({ data: { title: 'one' } })
      .expect(201);
    expect(body.data).toMatchObject({ title: 'one' });
    const at = `/api/notes/${body.data.documentId}`;
    const put = await test.http.put(at).send({ data: { title: 'two' } });
    expect(put.body.data).toMatchObject({ title: 'two' });
    await test.http.delete(at).expect(204);
    expect(await written()).toEqual([
      { verb: 'create', title: null },
      { verb: 'update', title: 'one' },
      { verb: 'delete', title: 'two' },
    ]);
  });

  it('leave nothing behind when the write fails', async () => {
    await test.http
      .post('/api/notes')
      .send({ data: { title: 'taken' } })
      .expect(201);
    await test.http
      .post('/api/notes')
      .send({ data: { title: 'taken' } })
      .expect(400);
    await test.http
      .put('/api/notes/unknownunknownunknownunk')
      .send({ data: { title: 'x' } })
      .expect(404);
    expect(await written()).toHaveLength(1);
  });

  it('run once for each of many concurrent writes', async () => {
    const titles = Array.from({ length: 40 }, (_, i) => `note ${i}`);
    await Promise.all(
      titles.map((title) => test.http.post('/api/notes').send({ data: { title } }).expect(201)),
    );
    const rows = await test.sql('select distinct document_id from written');
    expect(rows).toHaveLength(titles.length);
  });

  it('are rolled back with a transaction of the application', async () => {
    const { em } = test.app.get<MikroORM>(CONTENT_ORM, { strict: false });
    const notes = test.app.get<ContentService>(getContentToken('note'), { strict: false });
    const rolledBack = em.fork().transactional(async (inner) => {
      await notes.create({ title: 'joined' }, {}, { em: inner });
      expect(
        await inner
          .getConnection()
          .execute('select verb from written', [], 'all', inner.getTransactionContext()),
      ).toHaveLength(1);
      throw new Error('roll back');
    });
    await expect(rolledBack).rejects.toThrow('roll back');
    expect(await written()).toEqual([]);
  });
});
