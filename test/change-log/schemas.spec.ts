/**
 * Two applications in two schemas of one database: a transaction that changes both is in both change logs.
 */
import type { MikroORM } from '@mikro-orm/core';
import { setTimeout as sleep } from 'node:timers/promises';
import { CONTENT_ORM, ContentModule, defineCollectionType } from 'nestjs-content-api';
import type * as ChangeLogRoom from '../../src/cache/change-log-worker.ts';
import { type Host, startHost } from '../http/helpers.ts';
import { countStatements } from '../support/app.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { dose } from '../support/dose.ts';
import { loadRoom } from '../support/rooms.ts';

const { ChangeLogWorker } = await loadRoom<typeof ChangeLogRoom>('cache/change-log-worker');

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  attributes: {
    title: { type: 'string' },
    labels: { type: 'relation', relation: 'manyToMany', target: 'label' },
  },
});
const label = defineCollectionType({
  singularApiId: 'label',
  pluralApiId: 'labels',
  attributes: { name: { type: 'string' } },
});

const SCHEMAS = ['one', 'Two-2'] as const;
type Name = (typeof SCHEMAS)[number];

/** The same documents in each schema, as after a copy: `d1` to `d150`. The cases write the first. */
const FILL = `truncate notes, labels, notes_labels_links;
  insert into notes (document_id, created_at, updated_at, published, locale, title, revision)
    select 'd' || i, now(), now(), true, 'en', 'old', 0 from generate_series(1, 150) i;
  insert into labels (document_id, created_at, updated_at, published, locale, name, revision)
    values ('l1', now(), now(), true, 'en', 'label', 0)`;

/** Statements on the first schema, after which each setting of the transaction has a value of its kind. */
const BEFORE: readonly (readonly [string, string])[] = [
  ['the same document', `update notes set title = title where document_id = 'd1'`],
  ['another document', `update notes set title = title where document_id = 'd2'`],
  ['a hundred documents', `update notes set title = title where document_id <= 'd2' or title = 'old'`],
  [
    'the last documents that are noted by name',
    `update notes set title = title where id in
    (select id from notes where document_id <> 'd1' order by id limit 99)`,
  ],
];
/** Ways to write the first document in the second schema. */
const WAYS: readonly (readonly [string, string])[] = [
  ['an update', `update notes set title = 'new' where document_id = 'd1'`],
  [
    'a statement with a second one inside',
    `with u as (update notes set title = 'new' where document_id = 'd1' returning 1) select * from u`,
  ],
  [
    'MERGE',
    `merge into notes t using (values ('d1')) v(id) on t.document_id = v.id when matched then update set title = 'new'`,
  ],
  [
    'an upsert',
    `insert into notes (document_id, created_at, updated_at, published, locale, title, revision)
      values ('d1', now(), now(), true, 'en', 'x', 0)
      on conflict (document_id, locale, published) do update set title = 'new'`,
  ],
  [
    'delete and insert',
    `delete from notes where document_id = 'd1';
     insert into notes (document_id, created_at, updated_at, published, locale, title, revision)
      values ('d1', now(), now(), true, 'en', 'new', 0)`,
  ],
  ['an update of all', `update notes set title = 'new'`],
  [
    'a savepoint that is rolled back and repeated',
    `savepoint a; update notes set title = 'no' where document_id = 'd1'; rollback to savepoint a;
     update notes set title = 'new' where document_id = 'd1'`,
  ],
  [
    'a caught exception',
    `do $$ begin
       begin update notes set title = 'no' where document_id = 'd1'; perform 1 / 0;
       exception when division_by_zero then update notes set title = 'new' where document_id = 'd1'; end;
     end $$`,
  ],
  [
    'a replication role',
    `set local session_replication_role = replica; update notes set title = 'new' where document_id = 'd1'`,
  ],
  [
    'a link',
    `insert into notes_labels_links (owner_document_id, published, locale, target_document_id, position)
      values ('d1', true, '', 'l1', 1)`,
  ],
];

describe('a transaction over two schemas', () => {
  let database: TestDatabase;
  const hosts = new Map<Name, Host>();
  beforeAll(async () => {
    database = await createDatabase();
    for (const schema of SCHEMAS) hosts.set(schema, await start(schema));
  });
  afterAll(async () => {
    for (const host of hosts.values()) await host.close();
    await database.drop();
  });

  async function start(schema: Name): Promise<Host> {
    const host = await startHost(
      ({ url }) => ({
        imports: [
          ContentModule.forRoot({
            contentTypes: [note, label],
            schema,
            access: { public: { '*': '*' } },
            database: { clientUrl: url },
          }),
        ],
      }),
      { database, ready: (app) => app.get<MikroORM>(CONTENT_ORM).schema.create() },
    );
    await host.app.get(ChangeLogWorker).maintain();
    return host;
  }
  const hostOf = (schema: Name): Host => {
    const host = hosts.get(schema);
    if (host === undefined) throw new Error(`There is no host of ${schema}`);
    return host;
  };
  const inside = (schema: Name): string => `set local search_path = "${schema}";`;

  const PATHS = ['/api/notes/d1?populate=labels', '/api/notes?filters[documentId]=d1&populate=labels'];
  async function read(schema: Name): Promise<readonly string[]> {
    const texts: string[] = [];
    for (const path of PATHS) {
      const { data } = (await (await fetch(`${hostOf(schema).url}${path}`)).json()) as {
        data: { title: string; labels: { name: string }[] } | { title: string; labels: { name: string }[] }[];
      };
      for (const { title, labels } of [data].flat())
        texts.push([title, ...labels.map(({ name }) => name)].join(' '));
    }
    return texts;
  }
  /** Reads until the responses come from the cache. */
  async function warm(schema: Name): Promise<void> {
    let statements: readonly string[] = [''];
    for (let i = 0; i < 100 && statements.length > 0; i += 1) {
      await sleep(i < 40 ? 0 : i);
      statements = await countStatements(() => read(schema));
    }
    expect(statements).toEqual([]);
  }

  const CASES = BEFORE.flatMap(([before, first], i) =>
    WAYS.filter((_, j) => dose((i + j) % BEFORE.length === 0, true)).map(
      ([way, second]) => [before, way, first, second] as const,
    ),
  );
  it.each(CASES)(
    'after a write of %s in one schema, %s in the other is in both change logs and in responses',
    async (_before, _way, first, second) => {
      const [one, two] = SCHEMAS;
      const { sql } = hostOf(one);
      for (const schema of SCHEMAS) await sql(`begin; ${inside(schema)} ${FILL}; commit`);
      await warm(two);
      await sql('begin');
      await sql(`${inside(one)} ${first}`);
      await sql(`${inside(two)} ${second}`);
      const noted = await sql(
        SCHEMAS.map(
          (schema, i) => `select ${i} as log, bool_or(c.document_id = 'd1') as named, count(*) > 0 as some
          from "${schema}".content_change c where c.xid = pg_current_xact_id()`,
        ).join(' union all ') + ' order by log',
      );
      await sql('commit');
      expect(noted).toEqual([
        { log: 0, named: expect.any(Boolean), some: true },
        // The documents of the other schema do not count.
        { log: 1, named: true, some: true },
      ]);
      const isLink = second.includes('links');
      expect(await read(two)).toEqual(isLink ? ['old label', 'old label'] : ['new', 'new']);
    },
  );

  it.each(['noted', 'documents'])('the setting content_ledger.%s is not shared', async (setting) => {
    const { sql } = hostOf('one');
    await sql('begin');
    for (const schema of SCHEMAS)
      await sql(`${inside(schema)} update notes set title = title where document_id = 'd1'`);
    const values = SCHEMAS.map(
      (schema) => `current_setting('content_ledger.${setting}_${Buffer.from(schema).toString('hex')}')`,
    );
    const [row] = await sql(`select ${values.map((value, i) => `${value} as v${i}`).join(', ')}`);
    await sql('rollback');
    expect(row).toEqual(setting === 'noted' ? { v0: 'note d1', v1: 'note d1' } : { v0: '1', v1: '1' });
  });
});
