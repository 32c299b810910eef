/** A sample of `npm run evolution`, and the output of the command and of the functions for hosts. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MikroORM } from '@mikro-orm/postgresql';
import {
  contentEntities,
  contentMigration,
  type ContentTypeDefinition,
  migrateContent,
} from 'nestjs-content-api';
import { runMigration } from '../../src/module/migration-command.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { dose } from '../support/dose.ts';
import { snippetWith } from '../support/snippets.ts';
import { CHANGES } from './cases.ts';
import { HARD } from './hard-cases.ts';
import { isReversible, type Model, runChange } from './run.ts';
import { runWorlds } from './worlds.ts';

/** Changes of each kind: of a value, a name, a relation, a component, states, locales. */
const FEW = [
  'string → integer, other texts',
  'the other side owns a manyToMany',
  'an attribute of a component in a zone is renamed',
  'drafts off, with drafts',
  'two types swap their plurals',
  'localized off, with one value in two locales',
  'localized off, equal versions and documents without the default locale',
  'an attribute is shared by locales and gets a default',
  'targets of polymorphic links in a component are narrowed',
  'a manyToOne targets another type',
  'an attribute of a nested component becomes unique, with duplicates',
  'a relation with a long name on a type with a long plural is renamed',
  'two-way → one-way manyToMany',
  'the other side, without drafts, owns a manyToMany of documents with changed drafts',
];
const SAMPLE = dose(FEW, [
  ...FEW,
  'a private attribute is renamed and stays hidden',
  'two-way manyToOne → manyToMany',
  'a target of polymorphic links is renamed',
  'a plural moves to the type before it, empty',
  'an attribute becomes a number with duplicates',
  'a unique attribute is added with a default',
  'a component is renamed while it moves into a zone, and an attribute of it becomes a number',
  'a type gets locales and the application another default one',
  'a to-one relation in a component becomes polymorphic',
  'a two-way relation becomes one of each side',
  'a oneToOne targets its own type instead of a removed one',
  'an attribute of a component in a zone becomes unique, converted',
  'a list in a component, with at most one each, is made single',
  'values in a component are unique once locales are switched off',
  'two-way → one-way manyToOne',
  'names that are alike in the database, in types and components',
]);

const ALL = [...CHANGES, ...HARD];

describe('a model that changes', () => {
  it('has a table of at least 90 changes, each with its own name', () => {
    expect(ALL.length).toBeGreaterThanOrEqual(90);
    expect(new Set(ALL.map(({ name }) => name)).size).toBe(ALL.length);
  });

  it.each(SAMPLE)('%s: loses, duplicates and exposes no value', async (name) => {
    const change = ALL.find((one) => one.name === name);
    if (change === undefined) throw new Error(`There is no change "${name}"`);
    const outcome = await runChange(change);
    expect(outcome.back).toBe(isReversible(change));
  });

  it('databases that differ only in hidden content respond alike before and after a change, and back', async () => {
    const change = CHANGES.find(({ name }) => name === 'a private attribute is renamed and stays hidden');
    if (change === undefined) throw new Error('There is no such change');
    expect(await runWorlds(change)).toMatchObject({ differ: true });
    // A caller who may read drafts can distinguish them, so the comparison can fail.
    await expect(runWorlds(change, ['readDrafts'])).rejects.toThrow(/distinguishes the databases/);
  });
});

describe('migrations of content', () => {
  const text = { type: 'string' } as const;
  const model = (attributes: ContentTypeDefinition['attributes']) => ({
    contentTypes: [
      { kind: 'collectionType', singularApiId: 'post', pluralApiId: 'posts', attributes } as const,
    ],
  });
  const before = model({ title: text });
  let database: TestDatabase;
  let folder: string;
  let orm: MikroORM;
  beforeAll(async () => {
    database = await createDatabase();
    folder = await mkdtemp(join(tmpdir(), 'content-migrations-'));
    orm = await MikroORM.init({ clientUrl: database.url, entities: contentEntities(before) });
  });
  afterAll(async () => {
    await orm.close();
    await rm(folder, { recursive: true, force: true });
    await database.drop();
  });

  it('detects the model of tables that were created without them, and reports it', async () => {
    await orm.schema.update({ safe: true });
    await orm.em
      .getConnection()
      .execute(
        `insert into posts (document_id, created_at, updated_at, published, locale, title) values ('d', now(), now(), true, 'en', 'kept')`,
      );
    const { changes, refusals } = await contentMigration({ orm, model: model({ title: text, body: text }) });
    expect(refusals).toEqual([]);
    expect(changes).toEqual([
      expect.stringContaining('The database has no stored content model'),
      'post.body is new',
    ]);
    await migrateContent({ orm, model: before });
    expect((await contentMigration({ orm, model: before })).up).toEqual([]);
  });

  it('gives the triggers of a renamed type its name, if the tables were created without them', async () => {
    const other = await createDatabase();
    const post = { ...before.contentTypes[0], tableName: 'posts' } as ContentTypeDefinition;
    const connected = await MikroORM.init({
      clientUrl: other.url,
      entities: contentEntities({ contentTypes: [post] }),
    });
    const execute = (statement: string): Promise<any[]> => connected.em.getConnection().execute(statement);
    const story = { ...post, singularApiId: 'story', pluralApiId: 'stories', previousName: 'post' } as const;
    try {
      await connected.schema.update({ safe: true });
      await migrateContent({ orm: connected, model: { contentTypes: [story] } });
      expect(
        await execute(`select distinct encode(tgargs, 'escape') as args from pg_trigger
          where tgrelid = 'posts'::regclass and not tgisinternal`),
      ).toEqual([{ args: 'story\\000' }]);
    } finally {
      await connected.close();
      await other.drop();
    }
  });

  it('names a new or removed type once, without its attributes', async () => {
    const other = await createDatabase();
    const connected = await MikroORM.init({ clientUrl: other.url, entities: contentEntities(before) });
    const withNotes = (related: ContentTypeDefinition['attributes'], posts: typeof related): Model => ({
      contentTypes: [
        ...model({ title: text, ...posts }).contentTypes,
        {
          kind: 'collectionType',
          singularApiId: 'note',
          pluralApiId: 'notes',
          attributes: {
            title: text,
            first: { type: 'relation', relation: 'oneToOne', target: 'post' },
            many: { type: 'relation', relation: 'manyToMany', target: 'post' },
            ...related,
          },
        },
      ],
    });
    const changesTo = async (next: Model) => {
      const { changes, refusals } = await contentMigration({ orm: connected, model: next });
      return [...changes, ...refusals.map((one) => one.text)];
    };
    const link = { type: 'relation', relation: 'manyToOne', target: 'post', inversedBy: 'notes' } as const;
    const inverse = { type: 'relation', relation: 'oneToMany', target: 'note', mappedBy: 'post' } as const;
    const both = withNotes({ post: link }, { notes: inverse });
    try {
      await migrateContent({ orm: connected, model: before });
      expect(await changesTo(withNotes({}, {}))).toEqual(['note is new']);
      expect(await changesTo(both)).toEqual(['note is new', 'post.notes is new']);
      await migrateContent({ orm: connected, model: both });
      await connected.em.getConnection().execute(
        `insert into notes (document_id, created_at, updated_at, published, locale, post_document_id, first_document_id)
         values ('n', now(), now(), true, 'en', 'p', 'p')`,
      );
      expect(await changesTo(before)).toEqual([
        'post has its grants on notes changed to the new names, or removed',
        'note is removed',
        'post.notes is removed',
        expect.stringMatching(/^note is removed; .*: 1 .*set removed: \['note'\] next to contentTypes$/),
        expect.stringMatching(
          /^post\.notes is removed; .*: 1 .*set removed: \['note'\] next to contentTypes$/,
        ),
      ]);
    } finally {
      await connected.close();
      await other.drop();
    }
  });

  it('leaves room for updates in the pages of its tables, like MikroORM', async () => {
    const settingOf = async (one: MikroORM): Promise<unknown> =>
      one.em.getConnection().execute(`select reloptions from pg_class where relname = 'posts'`);
    expect(await settingOf(orm)).toEqual([{ reloptions: ['fillfactor=80'] }]);
    const other = await createDatabase();
    const connected = await MikroORM.init({ clientUrl: other.url, entities: contentEntities(before) });
    try {
      await migrateContent({ orm: connected, model: before });
      expect(await settingOf(connected)).toEqual([{ reloptions: ['fillfactor=80'] }]);
      expect(await connected.schema.getUpdateSchemaSQL()).toBe('');
      // A value of the operator stays.
      await connected.em.getConnection().execute('alter table posts set (fillfactor = 60)');
      await migrateContent({ orm: connected, model: model({ title: text, body: text }) });
      expect(await settingOf(connected)).toEqual([{ reloptions: ['fillfactor=60'] }]);
    } finally {
      await connected.close();
      await other.drop();
    }
  });

  it('refuses a loss by name, number and choice, and changes nothing', async () => {
    const change = migrateContent({ orm, model: model({}) });
    await expect(change).rejects.toThrow(
      `post.title is removed; these values would be deleted: 1 (d (en)); set removed: ['title'] on post`,
    );
    expect(await orm.em.getConnection().execute('select title from posts')).toEqual([{ title: 'kept' }]);
  });

  it('names five of the rows that a loss has, also drafts', async () => {
    const other = await createDatabase();
    const drafts = (attributes: ContentTypeDefinition['attributes']): Model => ({
      contentTypes: [
        { ...model(attributes).contentTypes[0], draftAndPublish: true } as ContentTypeDefinition,
      ],
    });
    const connected = await MikroORM.init({
      clientUrl: other.url,
      entities: contentEntities(drafts({ title: text })),
    });
    try {
      await migrateContent({ orm: connected, model: drafts({ title: text }) });
      const rows = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => `('${id}', now(), now(), false, 'en', 'x')`);
      await connected.em
        .getConnection()
        .execute(
          `insert into posts (document_id, created_at, updated_at, published, locale, title) values ${rows.join()}`,
        );
      const { refusals } = await contentMigration({ orm: connected, model: drafts({}) });
      expect(refusals.map((one) => one.text)).toEqual([
        expect.stringContaining(
          ': 6 (a (en, draft), b (en, draft), c (en, draft), d (en, draft), e (en, draft), …);',
        ),
      ]);
    } finally {
      await connected.close();
      await other.drop();
    }
  });

  it('docs/migrations.md: the definitions of the page have the described effects', async () => {
    const { model: later } = await snippetWith<{ model: Model }>(
      'docs/migrations.md',
      "previousName: 'article'",
    );
    const other = await createDatabase();
    const connected = await MikroORM.init({ clientUrl: other.url, entities: contentEntities(later) });
    const execute = (statement: string): Promise<any[]> => connected.em.getConnection().execute(statement);
    try {
      const article = {
        kind: 'collectionType',
        singularApiId: 'article',
        pluralApiId: 'articles',
        draftAndPublish: true,
        attributes: {
          title: text,
          pin: text,
          rank: { type: 'decimal' },
          state: { type: 'enumeration', enum: ['open', 'done', 'pending', 'lost'] },
          seo: { type: 'component', component: 'shared.seo' },
        },
      } as const;
      const page = { kind: 'singleType', singularApiId: 'page', attributes: { title: text } } as const;
      const parts = [{ uid: 'shared.seo', attributes: { metaTitle: text } }];
      await migrateContent({ orm: connected, model: { contentTypes: [article, page], components: parts } });
      const columns = 'document_id, created_at, updated_at, published, locale, title, pin, rank, state, seo';
      const row = (id: string, published: boolean, state: string): string =>
        `('${id}', now(), now(), ${published}, 'en', '${id}', 'x', 2.6, '${state}', '{"id":1,"metaTitle":"m"}')`;
      const rows = [
        row('a', true, 'pending'),
        row('b', true, 'lost'),
        row('c', true, 'done'),
        row('c', false, 'open'),
      ];
      await execute(`insert into articles (${columns}) values ${rows.join(', ')}`);
      await execute(`insert into page (document_id, created_at, updated_at, published, locale, title)
        values ('p', now(), now(), true, 'en', 'gone')`);
      await migrateContent({ orm: connected, model: later });
      expect(await execute('select headline, rank, state, seo from stories order by headline')).toEqual(
        (
          [
            ['a', 'open'],
            ['b', null],
            ['c', 'done'],
          ] as const
        ).map(([headline, state]) => ({
          headline,
          rank: 3,
          state,
          seo: { id: 1, pageTitle: 'm' },
        })),
      );
      expect(await execute(`select to_regclass('page') as gone`)).toEqual([{ gone: null }]);
    } finally {
      await connected.close();
      await other.drop();
    }
  });

  it('the command requires the module, and writes files that MikroORM runs', async () => {
    await expect(runMigration([])).rejects.toThrow('Usage: nestjs-content-api migration');
    const file = join(import.meta.dirname, 'app.fixture.ts');
    process.env['EVOLUTION_DATABASE'] = database.url;
    const page = await readFile(join(import.meta.dirname, '../../docs/migrations.md'), 'utf8');
    const [, line = ''] = /^npx nestjs-content-api migration (--.*)$/m.exec(page) ?? [];
    const words = line.replace('dist/app.module.js#AppModule', `${file}#App`).split(' ');
    const output = await runMigration([...words, '--path', folder]);
    expect(output).toContain('post.headline is renamed from title');
    const [name = ''] = await readdir(folder);
    expect(name).toMatch(/^Migration\d{14}_headline\.cjs$/);
    const written = await readFile(join(folder, name), 'utf8');
    expect(written).toContain('//   post.headline is renamed from title');
    expect(written).toContain('rename column "title" to "headline"');
    expect(written).not.toContain('cannot be reverted');
    expect(await runMigration(['--module', `${file}#App`, '--apply'])).toContain('Done');
    expect(await runMigration(['--module', `${file}#App`])).toBe(
      'The content in the database matches the model',
    );
  });

  it('the command says why the first migration cannot be reverted, and so does its file', async () => {
    const file = join(import.meta.dirname, 'app.fixture.ts');
    process.env['EVOLUTION_DATABASE'] = database.url;
    await orm.em.getConnection().execute('drop schema public cascade; create schema public');
    const path = join(folder, 'first');
    const reason =
      'it is the first one, so going back would drop all content. Use a new database to start again';
    const output = await runMigration(['--module', `${file}#App`, '--path', path]);
    expect(output).toMatch(new RegExp(`\\.cjs\\. It cannot be reverted: ${reason}$`));
    const [name = ''] = await readdir(path);
    expect(await readFile(join(path, name), 'utf8')).toContain(
      `throw new Error('This migration cannot be reverted: ${reason}')`,
    );
  });
});
