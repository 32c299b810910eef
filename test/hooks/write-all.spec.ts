/** Several writes in one transaction, as a feature runs them: all of them or none. */
import { Injectable } from '@nestjs/common';
import { type ContentEvent, defineCollectionType, OnContentCommitted } from 'nestjs-content-api';
import type * as CallerRoom from '../../src/content/access/caller.ts';
import type * as DocumentsRoom from '../../src/content/documents/documents.service.ts';
import type * as Registry from '../../src/content/documents/write-additions.ts';
import type { ContentType, Schema } from '../../src/content/model/model.ts';
import type * as ModelRoom from '../../src/content/model/model.ts';
import type * as PlanRoom from '../../src/content/plan/plan-read.ts';
import type { Verb } from '../../src/content/plan/write-plan.ts';
import type * as SqlRoom from '../../src/kernel/sql.ts';
import { adaptersFor } from '../support/adapters.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { loadRoom } from '../support/rooms.ts';

const { Documents } = await loadRoom<typeof DocumentsRoom>('content/documents/documents.service');
const { WriteAdditions } = await loadRoom<typeof Registry>('content/documents/write-additions');
const { CONTENT_SCHEMA } = await loadRoom<typeof ModelRoom>('content/model/model');
const { byDocumentId } = await loadRoom<typeof PlanRoom>('content/plan/plan-read');
const { SYSTEM } = await loadRoom<typeof CallerRoom>('content/access/caller');
const { print, sql, param, quote, identifier } = await loadRoom<typeof SqlRoom>('kernel/sql');

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  draftAndPublish: true,
  attributes: { title: { type: 'string', unique: true }, text: { type: 'string' } },
});

/** Actions of the hooks that ran after a commit. */
const committed: string[] = [];

@Injectable()
class Hook {
  @OnContentCommitted('*', 'publish', 'update', 'delete')
  done({ action, document }: ContentEvent): void {
    committed.push([action, document?.['title']].filter(Boolean).join(' '));
  }
}

describe.each(adaptersFor('fastify'))('writes in one transaction on %s', (adapter) => {
  let test: TestApp;
  let notes: ContentType;
  beforeAll(async () => {
    test = await createTestApp(
      { contentTypes: [note], access: { public: { note: '*' } }, providers: [Hook] },
      adapter,
    );
    notes = test.app.get<Schema>(CONTENT_SCHEMA, { strict: false }).types.get('note') as ContentType;
    await test.sql('create table written (verb text, xid xid8)');
    test.app
      .get(WriteAdditions, { strict: false })
      .add(({ plan }) => [
        print(
          sql`insert into ${quote(identifier('written'))} values (${param(plan.verb)}::text, pg_current_xact_id())`,
        ),
      ]);
  });
  afterAll(() => test.close());
  beforeEach(async () => {
    await test.sql('delete from notes; delete from written');
    committed.length = 0;
  });

  const draft = async (title: string): Promise<string> => {
    const { body } = await test.http.post('/api/notes?status=draft').send({ data: { title } }).expect(201);
    return body.data.documentId as string;
  };
  const asked = (verb: Verb, documentId: string | null, body: unknown = { data: {} }) => {
    const documents = test.app.get(Documents, { strict: false });
    const answerPlan = documents.plan(
      notes,
      { fields: ['title'], status: 'published' },
      { kind: 'one', by: byDocumentId(documentId), caller: SYSTEM, format: 'flat', action: 'update' },
    );
    return { verb, answerPlan, body };
  };
  const run = async (...writes: readonly ReturnType<typeof asked>[]): Promise<unknown[]> => {
    const answers = await test.app.get(Documents, { strict: false }).writeAll(writes, { caller: SYSTEM });
    return answers.map(({ data }) => (JSON.parse(data) as { title?: string } | null)?.title ?? null);
  };
  const published = async (): Promise<unknown[]> =>
    (await test.sql('select title from notes where published order by title')).map(({ title }) => title);

  it('respond one by one, and share the transaction with the statements of features', async () => {
    const [one, two, three] = [await draft('one'), await draft('two'), await draft('three')];
    await test.sql('delete from written');
    const answers = await run(
      asked('publish', one),
      asked('update', two, { data: { title: 'second' } }),
      asked('delete', three),
      asked('delete', three),
    );
    expect(answers).toEqual(['one', 'second', null, null]);
    expect(await published()).toEqual(['one', 'second']);
    expect(await test.sql('select verb, count(*) over (partition by xid)::int as n from written')).toEqual(
      ['publish', 'update', 'delete'].map((verb) => ({ verb, n: 3 })),
    );
    expect(committed).toEqual(['update one', 'publish one', 'update second', 'publish second', 'delete']);
  });

  it.each([
    ['a missing document', () => asked('publish', 'missing'), { status: 404, details: { index: 1 } }],
    [
      'a taken value',
      () => asked('create', null, { data: { title: 'taken' } }),
      { status: 400, details: { index: 1, errors: [expect.objectContaining({ path: ['title'] })] } },
    ],
    [
      'an unknown attribute',
      () => asked('create', null, { data: { text: 1, title: 2 } }),
      { status: 400, details: { index: 1 } },
    ],
  ])('are all rolled back for %s, whose error has its index', async (_title, failing, error) => {
    const one = await draft('one');
    await draft('taken').then((taken) => run(asked('publish', taken)));
    await test.sql('delete from written');
    committed.length = 0;
    await expect(run(asked('publish', one), failing(), asked('delete', one))).rejects.toMatchObject(error);
    expect(await published()).toEqual(['taken']);
    expect(await test.sql('select verb from written')).toEqual([]);
    expect(committed).toEqual([]);
  });

  it('see one another, also on the same document', async () => {
    const one = await draft('one');
    const answers = await run(
      asked('update', one, { data: { title: 'two' } }),
      asked('update', one, { data: { text: 'more' } }),
    );
    expect(answers).toEqual(['two', 'two']);
  });

  it('run in the opposite order at the same time without a deadlock', async () => {
    const [one, two] = [await draft('one'), await draft('two')];
    const rounds = Array.from({ length: 20 }, (_, i) => {
      const both = [asked('publish', one), asked('publish', two)];
      return run(...(i % 2 === 0 ? both : both.reverse()));
    });
    expect((await Promise.all(rounds)).every((titles) => titles.length === 2)).toBe(true);
  });

  it('are none without an error for an empty list', async () => {
    expect(await run()).toEqual([]);
  });
});
