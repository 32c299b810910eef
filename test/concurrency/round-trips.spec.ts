/**
 * A write needs two pipelined batches, or one if it expects its targets to exist. It is atomic if any
 * statement fails.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { MikroORM } from '@mikro-orm/postgresql';
import {
  CONTENT_ORM,
  type ContentService,
  defineCollectionType,
  defineComponent,
  getContentToken,
} from 'nestjs-content-api';
import { createTestApp, recordBatches, type TestApp } from '../support/app.ts';

const label = defineCollectionType({
  singularApiId: 'label',
  pluralApiId: 'labels',
  attributes: { name: { type: 'string' } },
});
const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  draftAndPublish: true,
  attributes: {
    title: { type: 'string', required: true },
    code: { type: 'string', unique: true },
    slug: { type: 'uid', targetField: 'title', generate: true },
    labels: { type: 'relation', relation: 'manyToMany', target: 'label' },
    parts: { type: 'component', component: 'shared.part', repeatable: true },
  },
});
const part = defineComponent({
  uid: 'shared.part',
  attributes: {
    name: { type: 'string' },
    label: { type: 'relation', relation: 'oneToOne', target: 'label' },
  },
});

const LIMITS = { responseBytes: 2000, statementTimeout: 3000 };

describe.each([true, false])('pipelined batches, statements prepared: %s', (preparedStatements) => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp({
      contentTypes: [note, label],
      components: [part],
      access: { public: { note: '*', label: '*' } },
      limits: LIMITS,
      preparedStatements,
    });
  });
  afterAll(() => test.close());

  let n = 0;
  const next = (): string => `c${(n += 1)}`;
  const send = (method: 'post' | 'put' | 'delete', path: string, data?: object) =>
    test.http[method](`/api/${path}`).send(data === undefined ? undefined : { data });
  const make = async (data: object = {}): Promise<string> =>
    (await send('post', 'notes', { title: 'a', slug: next(), ...data }).expect(201)).body.data.documentId;
  const makeLabel = async (): Promise<string> =>
    (await send('post', 'labels', { name: next() }).expect(201)).body.data.documentId;
  const manyLabels = (): Promise<string[]> => Promise.all(Array.from({ length: 40 }, makeLabel));
  const rows = async (documentId: string) =>
    test.sql('select title, published from notes where document_id = $1 order by published', [documentId]);

  const batches = async (work: () => Promise<unknown>): Promise<number> => (await recordBatches(work)).length;

  it('a create needs one batch, which includes the queries for its targets', async () => {
    const [one, other] = [await makeLabel(), await makeLabel()];
    expect(await batches(() => make({ labels: [one, other, one] }))).toBe(1);
    // Instance ids are reserved by the hundred; the first write that needs some reserves them.
    const parts = [{ name: 'p', label: one }, { name: 'q' }];
    const made = await make({ parts });
    expect(await batches(() => make({ parts, labels: [other] }))).toBe(1);
    const { body } = await test.http.get(`/api/notes/${made}?populate[parts][populate]=label`).expect(200);
    expect(body.data.parts).toMatchObject([{ name: 'p', label: { documentId: one } }, { name: 'q' }]);
    const bodies = await Promise.all(Array.from({ length: 130 }, () => make({ parts })));
    const all = await test.sql(
      "select (p->>'id')::int as id from notes, jsonb_array_elements(parts) p where published and document_id = any($1)",
      [bodies],
    );
    expect(new Set(all.map(({ id }) => id)).size).toBe(260);
  });

  it('returns 400 with the target if a create names a missing one, and writes nothing', async () => {
    const known = await makeLabel();
    const before = await test.sql('select count(*)::int as n from notes');
    const refused = async (data: object): Promise<string> =>
      (await send('post', 'notes', { slug: next(), ...data }).expect(400)).body.error.message;
    const missing = 'Document with id "nowhere", locale "null" not found';
    expect(await refused({ title: 'a', labels: [known, 'nowhere'] })).toBe(missing);
    expect(await refused({ title: 'a', parts: [{ label: 'nowhere' }] })).toBe(missing);
    expect(await refused({ labels: ['nowhere'] })).toBe('2 errors occurred');
    expect(await refused({ labels: [known] })).toMatch(/^title must be a `string`/);
    expect(await test.sql('select count(*)::int as n from notes')).toEqual(before);
  });

  it('a create that waits for the deletion of a target does not link it', async () => {
    const label = await makeLabel();
    const labels = test.app.get<ContentService>(getContentToken('label'), { strict: false });
    let waiting: Promise<{ body: { error: { message: string } } }> | undefined;
    await test.app.get<MikroORM>(CONTENT_ORM).em.transactional(async (em) => {
      await labels.delete(label, {}, { em });
      waiting = send('post', 'notes', { title: 'late', slug: next(), labels: [label] })
        .expect(400)
        .then((answer) => answer);
      await sleep(300);
    });
    expect((await waiting)?.body.error.message).toContain(`"${label}"`);
    expect(await test.sql("select 1 from notes where title = 'late'")).toEqual([]);
  });

  it('a create, an update, a publish and a delete need at most two batches', async () => {
    const documentId = await makeLabel();
    expect(await batches(() => make())).toBe(1);
    const draft = (await send('post', 'notes?status=draft', { slug: next() }).expect(201)).body.data;
    // The published version is new, and its links are inserted with it.
    const publish = { title: 'b', labels: [documentId] };
    expect(await batches(() => send('put', `notes/${draft.documentId}`, publish).expect(200))).toBe(2);
    expect(await batches(() => send('put', `notes/${draft.documentId}`, {}).expect(200))).toBe(2);
    expect(await batches(() => send('delete', `notes/${draft.documentId}`).expect(204))).toBe(2);
    // A separate lock protects the search for a free generated value.
    expect(await batches(() => send('post', 'notes', { title: 'c' }).expect(201))).toBe(2);
  });

  it('each is planned once for all values', async () => {
    const seen = await recordBatches(() => make());
    expect(seen[0]?.slice(0, 2)).toEqual([
      'begin isolation level read committed',
      expect.stringContaining("set_config('plan_cache_mode', 'force_generic_plan', true)"),
    ]);
    expect(seen.at(-1)?.at(-1)).toBe('commit');
  });

  it('a response that is too large rolls back the write of the same batch', async () => {
    const before = await test.sql('select count(*)::int as n from notes');
    const { body } = await send('post', 'notes', { title: 'x'.repeat(250), code: 'y'.repeat(200) })
      .query({ populate: '*' })
      .expect(201);
    expect(body.data.title).toHaveLength(250);
    const many = await Promise.all(
      Array.from({ length: 40 }, () => send('post', 'labels', { name: next() })),
    );
    const labels = many.map((one) => one.body.data.documentId);
    const refused = await send('post', 'notes?populate=labels', { title: 'big', slug: next(), labels });
    expect(refused.body.error).toMatchObject({ status: 400, details: { limit: 'responseBytes' } });
    const after = await test.sql('select count(*)::int as n from notes');
    expect(Number(after[0]?.['n'])).toBe(Number(before[0]?.['n']) + 2);
  });

  it('statements of a failed batch work again on the same connections', async () => {
    await make({ code: 'taken' });
    for (let i = 0; i < 12; i += 1) {
      const { body } = await send('post', 'notes', { title: 't', slug: next(), code: 'taken' }).expect(400);
      expect(body.error.details.errors).toMatchObject([{ path: ['code'], value: 'taken' }]);
      await make({ code: next() });
    }
  });

  it('a timeout in the last batch is a 503, and the write is not stored later', async () => {
    const id = await make({ title: 'old' });
    const held = test.app.get<MikroORM>(CONTENT_ORM).em.fork();
    await held.begin();
    await held.execute('update notes set title = title where document_id = ?', [id]);
    const { body } = await send('put', `notes/${id}`, { title: 'late' }).expect(503);
    expect(body.error.details.limit).toBe('statementTimeout');
    await held.rollback();
    await sleep(300);
    expect((await rows(id)).map(({ title }) => title)).toEqual(['old', 'old']);
  });

  it('a rejected write keeps the transaction of the application usable', async () => {
    const labels = await manyLabels();
    const notes = test.app.get<ContentService>(getContentToken('note'), { strict: false });
    await test.app.get<MikroORM>(CONTENT_ORM).em.transactional(async (em) => {
      const wide = notes.create({ title: 'w', labels }, { populate: 'labels' }, { em });
      await expect(wide).rejects.toMatchObject({ status: 400, details: { limit: 'responseBytes' } });
      expect(await em.execute('select 1 as one')).toEqual([{ one: 1 }]);
    });
  });
});
