/** Orders of deployment, and stored data outside of definitions: schedules, digests, unknown instances. */
import { setTimeout as sleep } from 'node:timers/promises';
import { MikroORM } from '@mikro-orm/postgresql';
import {
  contentEntities,
  contentMigration,
  type ContentTypeDefinition,
  migrateContent,
} from 'nestjs-content-api';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import type { Host } from '../http/helpers.ts';
import { ADMIN, type Model, start } from './run.ts';

type Attributes = ContentTypeDefinition['attributes'];
type Options = Partial<Omit<ContentTypeDefinition, 'attributes' | 'kind'>>;

type Placed = Model & { readonly schema?: string };

const TEXT = { type: 'string' } as const;

const post = (attributes: Attributes, options: Options = {}): Model => ({
  contentTypes: [
    { kind: 'collectionType', singularApiId: 'post', pluralApiId: 'posts', attributes, ...options } as const,
  ],
  locales: ['en', 'fr'],
});

describe('migrations in any order', () => {
  let database: TestDatabase;
  let orm: MikroORM;
  const hosts: Host[] = [];
  beforeEach(async () => {
    database = await createDatabase();
    orm = await MikroORM.init({ clientUrl: database.url, entities: contentEntities(post({ title: TEXT })) });
  });
  afterEach(async () => {
    for (const host of hosts.splice(0)) await host.close();
    await orm.close();
    await database.drop();
  });

  const execute = (statement: string): Promise<any[]> => orm.em.getConnection().execute(statement);
  const migrate = (model: Placed) => migrateContent({ orm, model });
  const plan = (model: Placed) => contentMigration({ orm, model });
  const open = async (model: Model): Promise<Host> => {
    const host = await start(database, model);
    hosts.push(host);
    return host;
  };
  const run = (statements: readonly string[] | null): Promise<void> =>
    orm.em.getConnection().transactional(async (context) => {
      for (const statement of statements ?? [])
        await orm.em.getConnection().execute(statement, [], 'run', context);
    });
  const version = (id: string, values: Readonly<Record<string, unknown>>): Promise<any[]> => {
    const row = { document_id: id, locale: 'en', published: true, ...values };
    const names = Object.keys(row).map((name) => `"${name}"`);
    const texts = Object.values(row).map((value) => (value === null ? 'null' : `'${String(value)}'`));
    return execute(
      `insert into posts (created_at, updated_at, ${names.join(', ')}) values (now(), now(), ${texts.join(', ')})`,
    );
  };
  const schedule = (id: string, locale: string): Promise<any[]> =>
    execute(
      `insert into content_schedule (type, document_id, locale, action, due_at, attempts) values ('post', '${id}', '${locale}', 'publish', '2099-01-01', 0)`,
    );
  const schedules = async (): Promise<string[]> =>
    (await execute('select type, document_id, locale from content_schedule order by 2, 3')).map((row) =>
      Object.values(row).join(' '),
    );

  it('creates the PostgreSQL schema of the model if it is missing', async () => {
    const model = { ...post({ title: TEXT }), schema: 'Blog-1' };
    const { up } = await migrate(model);
    expect(up[0]).toBe('create schema if not exists "Blog-1"');
    expect(await execute('select count(*)::int as n from "Blog-1".posts')).toEqual([{ n: 0 }]);
    expect((await plan(model)).up).toEqual([]);
    // A role may lack the privilege to create schemas.
    const next = await plan({ ...post({ title: TEXT, text: TEXT }), schema: 'Blog-1' });
    expect(next.up.join('\n')).not.toContain('create schema');
  });

  it('a migration from another model stops, and changes nothing', async () => {
    const [first, second] = [
      post({ a: { type: 'enumeration', enum: ['x', 'y'] } }),
      post({ a: TEXT, b: TEXT }),
    ];
    const swapped = post({ a: { type: 'enumeration', enum: ['y', 'z'], convert: { x: 'y', y: 'z' } } });
    await migrate(first);
    await version('d', { a: 'x' });
    const [made, other] = [await plan(swapped), await plan(second)];
    await run(made.up);
    // A second run would change the data of the neighbour, and lose data of the other.
    await expect(run(made.up)).rejects.toThrow(
      'The database has another content model than this migration expects',
    );
    await expect(run(other.up)).rejects.toThrow('The database has another content model');
    await expect(run(other.down)).rejects.toThrow('The database has another content model');
    expect(await execute('select a from posts')).toEqual([{ a: 'y' }]);
    expect((await plan(swapped)).up).toEqual([]);
  });

  it('concurrent processes migrate once', async () => {
    await migrate(post({ title: TEXT }));
    await version('d', { title: '7' });
    const later = post({ rank: { type: 'integer', previousName: 'title' } }, { draftAndPublish: true });
    await Promise.all([migrate(later), migrate(later), migrate(later)]);
    expect(await execute('select rank, published from posts order by published')).toEqual([
      { rank: 7, published: false },
      { rank: 7, published: true },
    ]);
  });

  it('migrates despite a transaction that reads several tables while one of them is dropped', async () => {
    const tag = {
      kind: 'collectionType',
      singularApiId: 'tag',
      pluralApiId: 'tags',
      attributes: {},
    } as const;
    const model = (attributes: Attributes, options: Options = {}): Model => {
      const { contentTypes, ...rest } = post({ title: TEXT, ...attributes }, options);
      return { ...rest, contentTypes: [...contentTypes, tag] };
    };
    await migrate(model({ tags: { type: 'relation', relation: 'manyToMany', target: 'tag' } }));
    const connection = orm.em.getConnection();
    let migrating: Promise<unknown> = Promise.resolve();
    await connection.transactional(async (context) => {
      const read = (table: string): Promise<unknown> =>
        connection.execute(`select * from ${table}`, [], 'all', context);
      await read('posts');
      migrating = migrate(model({ more: TEXT }, { removed: ['tags'] }));
      migrating.catch(() => undefined);
      await sleep(400);
      await read('posts_tags_links');
    });
    await migrating;
    expect(await execute('select more from posts')).toEqual([]);
  });

  it('former names span two releases, and a missing one is refused', async () => {
    const models = [
      post({ title: TEXT }),
      post({ headline: { ...TEXT, previousName: 'title' } }),
      post({ heading: { ...TEXT, previousName: 'headline' } }),
    ] as const;
    await migrate(models[0]);
    await version('d', { title: 'kept' });
    await expect(migrate(models[2])).rejects.toThrow(
      'post.title is removed; these values would be deleted: 1 (d (en))',
    );
    await migrate(models[1]);
    await migrate(models[2]);
    expect(await execute('select heading from posts')).toEqual([{ heading: 'kept' }]);
    await expect(migrate(models[1])).rejects.toThrow(
      'post.heading is removed; these values would be deleted',
    );
  });

  it('a name that is freed in the same release belongs to a new attribute, and the loss is reported', async () => {
    await migrate(post({ a: TEXT, b: TEXT }));
    await version('d', { a: 'of a', b: 'of b' });
    const later = post({ b: { ...TEXT, previousName: 'a' } });
    await expect(migrate(later)).rejects.toThrow(
      `post.a is removed; these values would be deleted: 1 (d (en)); set removed: ['a'] on post`,
    );
    const swapped = post({ a: { ...TEXT, previousName: 'b' }, b: { ...TEXT, previousName: 'a' } });
    expect(() => plan(swapped)).toThrow(
      '"b" is the name of a current definition; a former name must not be in use',
    );
    expect(await execute('select a, b from posts')).toEqual([{ a: 'of a', b: 'of b' }]);
  });

  it('the next release shows no hash that a process of the previous release writes', async () => {
    await migrate(post({ title: TEXT, pin: { type: 'password' } }));
    const later = post({ title: TEXT, pin: TEXT }, { removed: ['pin'] });
    await expect(migrate(later)).rejects.toThrow('post.pin has the name of a former password');
    await migrate(post({ title: TEXT }, { removed: ['pin'] }));
    await migrate(later);
  });

  it('drafts without a digest are compared by their content', async () => {
    const drafts = post({ title: TEXT }, { draftAndPublish: true });
    await migrate(drafts);
    for (const id of ['a', 'b']) {
      await version(id, { title: 'same', published_at: '2024-01-01' });
      await version(id, { title: 'same', published: false });
    }
    // As the guide instructs: SQL that changes content sets the revision to 0.
    await execute(`update posts set title = 'DRAFT', revision = 0 where document_id = 'a' and not published`);
    await expect(migrate(post({ title: TEXT }))).rejects.toThrow(
      'post loses its drafts; these have unpublished content: 1 (a (en, draft))',
    );
    const located = post({ title: { ...TEXT, localized: true } }, { localized: true, draftAndPublish: true });
    await migrate(located);
    await execute(`insert into posts (document_id, created_at, updated_at, published, locale, title)
      values ('b', now(), now(), true, 'fr', 'other'), ('a', now(), now(), true, 'fr', 'same')`);
    await execute('update posts set revision = 0');
    await expect(migrate(drafts)).rejects.toThrow(
      'post is no longer localized; these versions are in other locales: 1 (b (fr))',
    );
  });

  it('a remaining version keeps its publication time', async () => {
    const title = { ...TEXT, localized: true };
    await migrate(post({ title }, { localized: true, draftAndPublish: true }));
    for (const [id, locale] of [
      ['both', 'en'],
      ['both', 'fr'],
      ['french', 'fr'],
    ] as const) {
      await version(id, { title: 'x', locale, published: false });
      await schedule(id, locale);
    }
    const removed = ['localizations', 'drafts'];
    const later = post({ title: TEXT }, { draftAndPublish: true, removed });
    await migrate(later);
    expect(await schedules()).toEqual(['post both en', 'post french en']);
    await migrate({
      ...later,
      contentTypes: [
        {
          kind: 'collectionType',
          singularApiId: 'story',
          pluralApiId: 'stories',
          previousName: 'post',
          removed,
          attributes: { title: TEXT },
        },
      ],
    });
    expect(await schedules()).toEqual([]);
  });

  it('a renamed type has its new name in the links of stored versions', async () => {
    const named = (singularApiId: string, more: object = {}) =>
      ({
        kind: 'collectionType',
        singularApiId,
        pluralApiId: `${singularApiId}s`,
        attributes: {},
        ...more,
      }) as const;
    const page = (targets: readonly string[]) =>
      named('page', {
        history: true,
        attributes: { about: { type: 'relation', relation: 'morphToMany', targets } },
      });
    const links = JSON.stringify({ about: ['tag:note:1', 'note:a', 'note:b'], title: 'note:c' });
    await migrate({ contentTypes: [named('note'), named('tag'), page(['note', 'tag'])] });
    await execute(`insert into content_version (id, type, document_id, locale, published, action, since, at, actor, content)
      values (1, 'page', 'p', 'en', true, 'create', now(), now(), 'system', '${links}')`);
    const memo = named('memo', { previousName: 'note' });
    await migrate({ contentTypes: [memo, named('tag'), page(['memo', 'tag'])] });
    expect(await execute('select content from content_version')).toEqual([
      { content: { about: ['tag:note:1', 'memo:a', 'memo:b'], title: 'note:c' } },
    ]);
  });

  it('a removed default locale takes only the schedules of its own versions along', async () => {
    const page = {
      kind: 'collectionType',
      singularApiId: 'page',
      pluralApiId: 'pages',
      draftAndPublish: true,
      attributes: { title: TEXT },
    } as const;
    const located = post({ title: { ...TEXT, localized: true } }, { localized: true, draftAndPublish: true });
    const contentTypes = [...located.contentTypes, page];
    await migrate({ ...located, contentTypes, locales: ['en', 'de'], defaultLocale: 'en' });
    await version('both', { title: 'x', locale: 'en', published: false });
    await version('both', { title: 'x', locale: 'de', published: false });
    await schedule('both', 'en');
    await schedule('both', 'de');
    await execute(`insert into pages (document_id, created_at, updated_at, published, locale, title)
      values ('p', now(), now(), false, 'en', 'x')`);
    await execute(`insert into content_schedule (type, document_id, locale, action, due_at, attempts)
      values ('page', 'p', 'en', 'publish', '2099-01-01', 0)`);
    await migrate({ ...located, contentTypes, locales: ['de'], defaultLocale: 'de', removed: ['en'] });
    expect(await schedules()).toEqual(['post both de', 'page p de']);
  });

  it('instances of unknown components stay', async () => {
    const zone = (names: readonly string[], of: string): Model => ({
      ...post({ parts: { type: 'dynamiczone', components: [...names] } }),
      components: names.map((uid) => ({
        uid,
        attributes:
          uid === 'p.text' ? { [of]: of === 'words' ? { ...TEXT, previousName: 'body' } : TEXT } : {},
      })),
    });
    await migrate(zone(['p.text', 'p.line'], 'body'));
    const unknown = { id: 2, __component: 'p.newer', body: 'unknown' };
    const parts = [{ id: 1, __component: 'p.text', body: 'known' }, unknown];
    await version('d', { parts: JSON.stringify(parts) });
    await migrate(zone(['p.text', 'p.line'], 'words'));
    expect(await execute('select parts from posts')).toEqual([
      { parts: [{ id: 1, __component: 'p.text', words: 'known' }, unknown] },
    ]);
  });

  it('one file becomes several, in types and components, and back', async () => {
    const model = (multiple: boolean, convert?: 'fit'): Model => {
      const cover = { type: 'media', multiple, ...(convert === undefined ? {} : { convert }) } as const;
      return {
        ...post({ cover, part: { type: 'component', component: 'p.part' } }),
        components: [{ uid: 'p.part', attributes: { cover } }],
      };
    };
    await migrate(model(false));
    const host = await open(model(false));
    for (const name of ['one', 'two'])
      await execute(`insert into content_files (document_id, created_at, updated_at, published, locale, name, hash, ext, mime, size, url, provider)
        values ('${name}', now(), now(), true, 'en', '${name}', '${name}', '.png', 'image/png', 1, '/${name}', 'local')`);
    const send = (url: string, method: string, data: object): Promise<any> =>
      fetch(url, {
        method,
        body: JSON.stringify({ data }),
        headers: { ...ADMIN, 'content-type': 'application/json' },
      }).then((answer) => answer.json());
    const files = (await execute(`select id from content_files order by name`)).map(({ id }) => id as number);
    const [first = 0, second = 0] = files;
    const made = await send(`${host.url}/api/posts`, 'POST', { cover: first, part: { cover: first } });
    expect(made.error).toBeUndefined();
    const path = `/api/posts/${made.data.documentId}?populate[cover]=true&populate[part][populate]=cover`;
    const shown = async ({ url }: Host): Promise<unknown> => {
      const { data } = (await (await fetch(url + path, { headers: ADMIN })).json()) as any;
      const named = (value: any): unknown => (Array.isArray(value) ? value.map(named) : value?.name);
      return [named(data.cover), named(data.part.cover)];
    };
    expect(await shown(host)).toEqual(['one', 'one']);
    await migrate(model(true));
    const several = await open(model(true));
    expect(await shown(several)).toEqual([['one'], ['one']]);
    const { data } = await send(several.url + path, 'PUT', {
      cover: [second, first],
      part: { id: made.data.part?.id, cover: [second, first] },
    });
    expect(data.documentId).toBe(made.data.documentId);
    await expect(migrate(model(false))).rejects.toThrow(
      /p\.part\.cover becomes a single value; these have several: 1 .*\n.*post\.cover becomes a relation to one document; these have several: 1 /,
    );
    await migrate(model(false, 'fit'));
    expect(await shown(await open(model(false)))).toEqual(['two', 'two']);
  });
});
