/**
 * Schema updates and migrations of one application change no objects of other owners in the same database.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { MikroORM } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import {
  CONTENT_ORM,
  contentMigration,
  ContentModule,
  type ContentModuleOptions,
  defineCollectionType,
  migrateContent,
} from 'nestjs-content-api';
import { type Host, startHost } from '../http/helpers.ts';
import { copyDatabase, createDatabase, type TestDatabase } from '../support/database.ts';

type Model = Pick<ContentModuleOptions, 'contentTypes' | 'schema' | 'removed'>;
type Attributes = Parameters<typeof defineCollectionType>[0]['attributes'];

const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  attributes: { name: { type: 'string' } },
});
const noteWith = (attributes: Attributes, removed: readonly string[]) =>
  defineCollectionType({
    singularApiId: 'note',
    pluralApiId: 'notes',
    attributes,
    ...(removed.length === 0 ? {} : { removed }),
  });
const BEFORE = {
  contentTypes: [
    noteWith(
      {
        title: { type: 'string', unique: true },
        text: { type: 'text' },
        score: { type: 'integer', index: true },
        gone: { type: 'string' },
        tags: { type: 'relation', relation: 'manyToMany', target: 'tag' },
      },
      [],
    ),
    tag,
  ],
};
/** Model changes: no longer unique, without an index, with another attribute, without a type. */
const AFTER = {
  contentTypes: [
    noteWith(
      {
        title: { type: 'string' },
        text: { type: 'text' },
        score: { type: 'integer' },
        more: { type: 'string' },
      },
      ['gone', 'tags'],
    ),
  ],
  removed: ['tag'],
};

const SCHEMAS = ['public', 'one', 'two'] as const;
const placeOf = (schema: (typeof SCHEMAS)[number]): Pick<Model, 'schema'> =>
  schema === 'public' ? {} : { schema };

const MINE = `create function public.mine() returns trigger language plpgsql as 'begin return new; end'`;
/** Indexes created by SQL: one with a name of PostgreSQL, one with a name like the library's, one unique. */
const byHand = (schema: string): string => `
  create index newest on "${schema}".notes (created_at desc);
  create index on "${schema}".notes (updated_at, title);
  create index notes_created_at_index on "${schema}".notes (created_at);
  create index on "${schema}".notes using gin (to_tsvector('simple', text));
  create unique index once on "${schema}".notes (document_id) where title = 'once';
  alter table "${schema}".notes add constraint short check (length(text) < 1000000);
  create trigger mine after update on "${schema}".notes for each row execute function public.mine();`;
/** Objects of other owners, in the module's schema and in another one. */
const OTHERS = (schema: string): string => `
  create table "${schema}".things (id int primary key, note text);
  create view "${schema}".thing_ids as select id from "${schema}".things;
  create materialized view "${schema}".thing_count as select count(*) from "${schema}".things;
  create type "${schema}".mood as enum ('good', 'bad');
  create function "${schema}".twice(n int) returns int language sql as 'select 2 * n';`;

/** Returns everything in the database with its definition, except the objects of the content in a schema. */
const everythingElse = (schema: string): string => `
  with places as (select oid from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'),
  own as (select oid from pg_class where relnamespace = '"${schema}"'::regnamespace
    and (relname like 'content%' or relname ~ '^(notes|tags|files|notes_tags_links)(_id_seq)?$')
    or relname ~ '^mikro_orm_migrations'),
  made as (select indexrelid as oid from pg_index i join pg_class c on c.oid = i.indexrelid
    where indrelid in (select oid from own) and (c.relname ~ '_(pkey|unique|by_target|for_totals|for_pages|one_per_version)$'
      or c.relname in ('notes_title_index', 'notes_score_index')))
  select 'relation' as kind, oid::regclass::text as name, case relkind when 'i' then pg_get_indexdef(oid) end as text
    from pg_class where relnamespace in (select oid from places)
      and oid not in (select oid from own union all select oid from made)
  union all select 'column', attrelid::regclass || '.' || attname, format_type(atttypid, null)
    from pg_attribute join pg_class c on c.oid = attrelid where relnamespace in (select oid from places)
      and relkind in ('r', 'v', 'm') and not attisdropped and attnum > 0 and c.oid not in (select oid from own)
  union all select 'function', oid::regprocedure::text, prosrc from pg_proc
    where pronamespace in (select oid from places)
      and not (proname like 'content_note_%' and pronamespace = '"${schema}"'::regnamespace)
  union all select 'constraint', conrelid::regclass || ' ' || conname, pg_get_constraintdef(oid) from pg_constraint
    where connamespace in (select oid from places) and (conrelid not in (select oid from own) or conname = 'short')
  union all select 'trigger', tgrelid::regclass || ' ' || tgname, pg_get_triggerdef(oid) from pg_trigger
    where tgrelid not in (select oid from own) or tgname = 'mine'
  union all select 'type', enumtypid::regtype::text, enumlabel::text from pg_enum
  union all select 'schema', nspname, null from pg_namespace where oid in (select oid from places)
  order by 1, 2, 3`;

const ormOf = (host: Pick<Host, 'app'>): MikroORM => host.app.get<MikroORM>(CONTENT_ORM);
interface MigratorLike {
  create(): Promise<{ code: string }>;
  up(): Promise<unknown>;
}
const migratorOf = (host: Host): MigratorLike =>
  (ormOf(host) as unknown as { migrator: MigratorLike }).migrator;
interface SchemaGeneratorLike {
  getUpdateSchemaMigrationSQL(): Promise<{ up: string; down: string }>;
}

/** Migrates the tables to the model; returns the statements up and down. */
type Way = (host: Host, model: Model) => Promise<string>;
const WAYS: readonly (readonly [string, Way])[] = [
  [
    'schema.update()',
    async (host) => {
      const sql = await ormOf(host).schema.getUpdateSchemaSQL();
      await ormOf(host).schema.update();
      return sql;
    },
  ],
  [
    'schema.update({ safe: true })',
    async (host) => {
      const sql = await ormOf(host).schema.getUpdateSchemaSQL({ safe: true });
      await ormOf(host).schema.update({ safe: true });
      return sql;
    },
  ],
  [
    "MikroORM's migrator",
    async (host) => {
      const generator = ormOf(host).schema as unknown as SchemaGeneratorLike;
      const { up, down } = await generator.getUpdateSchemaMigrationSQL();
      const { code } = await migratorOf(host).create();
      await migratorOf(host).up();
      return [up, down, code].join('\n');
    },
  ],
  [
    'the migration of content',
    async (host, model) => {
      const { up, down } = await contentMigration({ orm: ormOf(host), model });
      await migrateContent({ orm: ormOf(host), model });
      return [...up, ...(down ?? [])].join('\n');
    },
  ],
];

const folderOf = ({ schema = 'public' }: Model): string =>
  join(import.meta.dirname, '..', `.tmp-own-tables-${process.pid}`, schema);
let original: TestDatabase;
let made = 0;

const start = (database: TestDatabase, model: Model): Promise<Host> => {
  const path = folderOf(model);
  const migrations = {
    path,
    pathTs: path,
    emit: 'ts',
    snapshot: false,
    fileName: () => `Migration${(made += 1)}`,
  } as const;
  const options = { preferTs: true, logger: () => undefined, extensions: [Migrator], migrations };
  return startHost(
    ({ url }) => ({
      imports: [
        ContentModule.forRoot({ ...model, startCheck: null, database: { ...options, clientUrl: url } }),
      ],
    }),
    { database },
  );
};

beforeAll(async () => {
  for (const schema of SCHEMAS) await mkdir(folderOf({ ...BEFORE, schema }), { recursive: true });
  original = await createDatabase();
  for (const schema of SCHEMAS) {
    const model = { ...BEFORE, ...placeOf(schema) };
    const host = await start(original, model);
    await host.sql(`create schema if not exists ${schema}`);
    await migrateContent({ orm: ormOf(host), model });
    if (schema === 'public') await host.sql(MINE);
    await host.sql(byHand(schema));
    await host.sql(OTHERS(schema));
    await host.close();
  }
});
afterAll(async () => {
  await original.drop();
  await rm(join(folderOf(BEFORE), '..'), { recursive: true, force: true });
});

describe.each(['public', 'two'] as const)('an application with its tables in the schema %s', (schema) => {
  const place = placeOf(schema);
  const neighbours = SCHEMAS.filter((name) => name !== schema);

  it('has nothing to change', async () => {
    const host = await start(original, { ...BEFORE, ...place });
    const { schema: generator } = ormOf(host);
    const both = [await generator.getUpdateSchemaSQL(), await generator.getUpdateSchemaSQL({ safe: true })];
    const way = await (generator as unknown as SchemaGeneratorLike).getUpdateSchemaMigrationSQL();
    await host.close();
    expect([...both, way]).toEqual(['', '', { up: '', down: '' }]);
  });

  it.each(WAYS)('%s leaves all other objects unchanged', async (_name, way) => {
    const database = await copyDatabase(original.url);
    const model = { ...AFTER, ...place };
    const host = await start(database, model);
    try {
      const before = await host.sql(everythingElse(schema));
      expect(before.filter(({ name }) => /newest|things/.test(String(name))).length).toBeGreaterThan(5);
      const statements = await way(host, model);
      expect(statements).toContain('"more"');
      for (const neighbour of neighbours) expect(statements).not.toContain(`"${neighbour}"`);
      expect(statements).not.toMatch(/things|mood|twice|newest|\bshort\b|\bmine\b/);
      expect(await host.sql(everythingElse(schema))).toEqual(before);
      // Objects of the content are migrated nevertheless.
      const left = await host.sql(
        `select indexname as name from pg_indexes where schemaname = $1 and tablename = 'notes' 
         and (indexname like 'notes_%_index' or indexname like 'notes_%_unique') order by 1`,
        [schema],
      );
      expect(left).toEqual([{ name: 'notes_created_at_index' }]);
    } finally {
      await host.close();
      await database.drop();
    }
  });

  it('schema.drop() drops only its own tables', async () => {
    const host = await start(original, { ...BEFORE, ...place });
    const statements = await ormOf(host).schema.getDropSchemaSQL();
    await host.close();
    expect(statements).toContain('"notes"');
    for (const neighbour of neighbours) expect(statements).not.toContain(`"${neighbour}"`);
    expect(statements).not.toMatch(/things|mood|twice/);
  });
});
