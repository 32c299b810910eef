/**
 * B3: a schema change does not rename a removed column to an added one, so that no value shows under another
 * name.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { MikroORM } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import { CONTENT_ORM, ContentModule, type ContentTypeDefinition, defineComponent } from 'nestjs-content-api';
import supertest from 'supertest';
import { adaptersFor } from '../support/adapters.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type Host, type Model, startHost, startModel } from './helpers.ts';

type Attributes = ContentTypeDefinition['attributes'];

const box = defineComponent({ uid: 'b.box', attributes: { key: { type: 'password' } } });

/**
 * One type per example: the old attribute, its stored value, and a new attribute with the same column type.
 */
const EXAMPLES: readonly {
  readonly before: Attributes;
  readonly data: object;
  readonly after: Attributes;
}[] = [
  { before: { pin: { type: 'password' } }, data: { pin: 'p1' }, after: { subtitle: { type: 'string' } } },
  {
    before: { internalNote: { type: 'text', private: true } },
    data: { internalNote: 'SECRET' },
    after: { subtitle: { type: 'string' } },
  },
  {
    before: { old: { type: 'component', component: 'b.box' } },
    data: { old: { key: 'k1' } },
    after: { fresh: { type: 'json' } },
  },
  {
    before: { link: { type: 'string' } },
    data: { link: 'x' },
    after: { other: { type: 'relation', relation: 'manyToOne', target: 'thing0' } },
  },
];
const CHANGES = EXAMPLES.map(
  ({ before, after }, n) => [Object.keys(before)[0], Object.keys(after)[0], n] as const,
);

const modelOf = (attributes: (n: number) => Attributes): Model => ({
  contentTypes: EXAMPLES.map((_, n) => ({
    kind: 'collectionType',
    singularApiId: `thing${n}`,
    pluralApiId: `things${n}`,
    attributes: { title: { type: 'string' }, ...attributes(n) },
  })),
  components: [box],
});
const BEFORE = modelOf((n) => EXAMPLES[n]?.before ?? {});
const AFTER = modelOf((n) => EXAMPLES[n]?.after ?? {});
const LATER = modelOf((n) => ({
  ...EXAMPLES[n]?.after,
  third: { type: 'string' },
  fourth: { type: 'json' },
}));

const ormOf = ({ app }: Host): MikroORM => app.get<MikroORM>(CONTENT_ORM);
const things = async ({ url }: Host, n: number): Promise<unknown> =>
  (await supertest(url).get(`/api/things${n}?populate=*`).expect(200)).body.data;
const fill = async ({ url }: Host): Promise<void> => {
  for (const [n, { data }] of EXAMPLES.entries())
    await supertest(url)
      .post(`/api/things${n}`)
      .send({ data: { title: 'x', ...data } })
      .expect(201);
};

describe.each(adaptersFor('express'))('B3: a model changed by schema.update, on %s', (adapter) => {
  let database: TestDatabase;
  let host: Host;
  const become = async (model: Model): Promise<void> => {
    await host?.close();
    host = await startModel(database, model, adapter);
  };
  beforeAll(async () => {
    database = await createDatabase();
    await become(BEFORE);
    await fill(host);
    // Restores the state of a version that set no comments.
    await host.sql('comment on column things0.title is null; comment on column things0.pin is null');
    await become(AFTER);
  });
  afterAll(async () => {
    await host.close();
    await database.drop();
  });

  it.each(CHANGES)('%s does not become %s', async (_, name, n) => {
    expect(await things(host, n)).toMatchObject([{ title: 'x', [String(name)]: null }]);
  });

  it('leaves only removed columns to change, and drops them only if drops are allowed', async () => {
    expect(await ormOf(host).schema.getUpdateSchemaSQL({ safe: true })).toBe('');
    const all = await ormOf(host).schema.getUpdateSchemaSQL();
    expect(all.match(/drop column/g)).toHaveLength(EXAMPLES.length);
  });

  it('does not rename remaining columns to columns that are added later', async () => {
    await become(LATER);
    for (const [, , n] of CHANGES)
      expect(await things(host, n)).toMatchObject([{ third: null, fourth: null }]);
  });
});

describe.each([
  ['with', true],
  ['without', false],
] as const)('B3: a model changed by a migration %s a snapshot', (_, snapshot) => {
  const folder = join(import.meta.dirname, '..', `.tmp-columns-${process.pid}-${String(snapshot)}`);
  let database: TestDatabase;
  let host: Host;
  let made = 0;

  /** Starts with a model and migrates the tables to it; returns the code of the migration. */
  const migrate = async (model: Model): Promise<string> => {
    const fileName = (): string => `Migration${(made += 1)}`;
    const migrations = { path: folder, pathTs: folder, emit: 'ts', snapshot, fileName } as const;
    const options = { preferTs: true, logger: () => undefined, extensions: [Migrator], migrations };
    host = await startHost(
      () => ({
        imports: [
          ContentModule.forRoot({
            ...model,
            access: { public: { '*': '*' } },
            database: { ...options, clientUrl: database.url },
          }),
        ],
      }),
      { database },
    );
    const { migrator } = ormOf(host) as unknown as {
      migrator: { create(): Promise<{ code: string }>; up(): Promise<unknown> };
    };
    const { code } = await migrator.create();
    await migrator.up();
    return code;
  };

  let code: string;
  beforeAll(async () => {
    await mkdir(folder, { recursive: true });
    database = await createDatabase();
    await migrate(BEFORE);
    await fill(host);
    await host.close();
    code = await migrate(AFTER);
  });
  afterAll(async () => {
    await host.close();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(CHANGES)('%s does not become %s', async (_before, name, n) => {
    expect(await things(host, n)).toMatchObject([{ title: 'x', [String(name)]: null }]);
  });

  it('drops and adds columns, up and down, and renames none', () => {
    expect(code.match(/drop column/g)).toHaveLength(2 * EXAMPLES.length);
    expect(code).not.toMatch(/rename column/);
  });
});
