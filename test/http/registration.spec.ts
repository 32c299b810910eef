import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable, Module, type ModuleMetadata } from '@nestjs/common';
import { EntitySchema, MikroORM } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import { getMikroORMToken, MikroOrmModule } from '@mikro-orm/nestjs';
import { PostgreSqlDriver, SqlEntityManager } from '@mikro-orm/postgresql';
import {
  CONTENT_ORM,
  contentEntities,
  ContentError,
  ContentModelError,
  ContentModule,
  type ContentService,
  type DocumentOf,
  defineCollectionType,
  getContentToken,
  InjectContent,
  Permissions,
} from 'nestjs-content-api';
import supertest from 'supertest';
import { type author as Author, blog } from '../fixtures/blog.ts';
import { adaptersFor } from '../support/adapters.ts';
import type { Adapter } from '../support/app.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { failure, type Host, startHost } from './helpers.ts';

/** Entity of the application, in addition to the content. */
interface Invoice {
  id: number;
  number: string;
}
const InvoiceSchema = new EntitySchema<Invoice>({
  name: 'Invoice',
  tableName: 'invoices',
  properties: { id: { type: 'integer', primary: true, autoincrement: true }, number: { type: 'string' } },
});

const mikro = ({ url }: TestDatabase, more: object = {}) =>
  MikroOrmModule.forRoot({
    driver: PostgreSqlDriver,
    clientUrl: url,
    autoLoadEntities: true,
    preferTs: false,
    ...more,
  } as never);

@Injectable()
class Config {
  readonly locales = ['en', 'fr'];
  readonly grants = { author: ['find', 'findOne', 'create'] } as const;
}
@Module({ providers: [Config], exports: [Config] })
class ConfigModule {}

const WAYS: readonly [string, (database: TestDatabase) => ModuleMetadata][] = [
  [
    'with a database of its own',
    (database) => ({ imports: [ContentModule.forRoot({ ...blog, database: { clientUrl: database.url } })] }),
  ],
  [
    'in the MikroORM of the host',
    (database) => ({
      imports: [mikro(database), MikroOrmModule.forFeature([InvoiceSchema]), ContentModule.forRoot(blog)],
    }),
  ],
  [
    'in the MikroORM of the host, imported after the content',
    (database) => ({
      imports: [ContentModule.forRoot(blog), mikro(database), MikroOrmModule.forFeature([InvoiceSchema])],
    }),
  ],
  [
    'with entities that the host lists itself',
    (database) => ({
      imports: [
        mikro(database, { autoLoadEntities: false, entities: [InvoiceSchema, ...contentEntities(blog)] }),
        ContentModule.forRoot({ ...blog, registerEntities: false }),
      ],
    }),
  ],
  [
    'in a named context of the host',
    (database) => ({
      imports: [
        mikro(database, { contextName: 'content', registerRequestContext: false }),
        MikroOrmModule.forFeature([InvoiceSchema], 'content'),
        ContentModule.forRoot({ ...blog, contextName: 'content' }),
      ],
    }),
  ],
  [
    'from a factory',
    (database) => {
      const { contentTypes, components } = blog;
      const useFactory = (config: Config) => ({ locales: config.locales, access: { public: config.grants } });
      return {
        imports: [
          mikro(database),
          MikroOrmModule.forFeature([InvoiceSchema]),
          ContentModule.forRootAsync({
            contentTypes,
            components,
            imports: [ConfigModule],
            inject: [Config],
            useFactory,
          }),
        ],
      };
    },
  ],
  [
    'from a factory, with a database of its own',
    (database) => {
      const { contentTypes, components } = blog;
      const useFactory = async (config: Config) => ({
        locales: config.locales,
        access: { public: config.grants },
        database: { clientUrl: database.url },
      });
      return {
        imports: [
          ContentModule.forRootAsync({
            contentTypes,
            components,
            ownDatabase: true,
            imports: [ConfigModule],
            inject: [Config],
            useFactory,
          }),
        ],
      };
    },
  ],
];

/**
 * MikroORM's Nest module stores the entities of features for the whole process, so that each start must clear
 * them.
 */
const forget = (): void => ['default', 'content'].forEach((context) => MikroOrmModule.clearStorage(context));
afterEach(forget);

const ormOf = (host: Host): MikroORM => host.app.get<MikroORM>(CONTENT_ORM);
const start = (
  way: (database: TestDatabase) => ModuleMetadata,
  adapter: Adapter,
  database?: TestDatabase,
): Promise<Host> =>
  startHost(way, {
    adapter,
    ready: (app) => app.get<MikroORM>(CONTENT_ORM).schema.update(),
    ...(database === undefined ? {} : { database }),
  });

describe.each(adaptersFor('fastify'))('registration on %s', (adapter) => {
  it.each(WAYS)('%s serves the content, and the schema is complete after one update', async (_name, way) => {
    const host = await start(way, adapter);
    const http = supertest.agent(host.url);
    try {
      expect(await ormOf(host).schema.getUpdateSchemaSQL()).toBe('');
      const { body } = await http
        .post('/api/authors')
        .send({ data: { name: 'Ann' } })
        .expect(201);
      expect((await http.get('/api/authors').expect(200)).body.data).toEqual([body.data]);
      const tables = await host.sql(`select tablename from pg_tables where schemaname = 'public'`);
      const hasInvoices = tables.some(({ tablename }) => tablename === 'invoices');
      expect(hasInvoices).toBe(!_name.includes('of its own'));
    } finally {
      await host.close();
    }
  });

  it('uses the grants and locales of a factory', async () => {
    const host = await start(
      (WAYS.find(([name]) => name === 'from a factory') as (typeof WAYS)[number])[1],
      adapter,
    );
    const http = supertest.agent(host.url);
    try {
      expect((await http.delete('/api/authors/x').expect(403)).body).toEqual(
        failure(403, 'ForbiddenError', 'Forbidden'),
      );
      await http.get('/api/articles').expect(403);
    } finally {
      await host.close();
    }
  });

  it('keeps two applications in one process apart', async () => {
    const book = defineCollectionType({
      singularApiId: 'book',
      pluralApiId: 'books',
      attributes: { title: { type: 'string' } },
    });
    const author = defineCollectionType({
      singularApiId: 'author',
      pluralApiId: 'authors',
      attributes: { nickname: { type: 'string' } },
    });
    const other = (database: TestDatabase): ModuleMetadata => ({
      imports: [
        ContentModule.forRoot({
          contentTypes: [book, author],
          prefix: 'two',
          defaultLocale: 'de',
          access: { public: { '*': '*' } },
          database: { clientUrl: database.url },
        }),
      ],
    });
    const [one, two] = [
      await start((WAYS[0] as (typeof WAYS)[number])[1], adapter),
      await start(other, adapter),
    ];
    const [first, second] = [supertest.agent(one.url), supertest.agent(two.url)];
    try {
      await first
        .post('/api/authors')
        .send({ data: { name: 'Ann' } })
        .expect(201);
      const { body } = await second
        .post('/two/authors')
        .send({ data: { nickname: 'Nan' } })
        .expect(201);
      expect(body.data).toMatchObject({ nickname: 'Nan', locale: 'de' });
      expect(body.data).not.toHaveProperty('name');
      expect((await first.get('/api/authors').expect(200)).body.data).toEqual([
        expect.objectContaining({ name: 'Ann', locale: 'en' }),
      ]);
      await first.get('/api/books').expect(404);
      await second.get('/two/books').expect(200);
      await second.get('/api/authors').expect(404);
    } finally {
      await one.close();
      await two.close();
    }
  });
});

it.each([
  ['', {}],
  [', in a schema of its own', { schema: 'cms' }],
])('a separate connection does not change other tables%s', async (_where, options) => {
  const database = await createDatabase();
  const table = await startHost(() => ({}), { database });
  try {
    await table.sql(
      'create table host_things (id int); create schema other; create table other.things (id int)',
    );
    const host = await startHost(
      ({ url }) => ({
        imports: [ContentModule.forRoot({ ...blog, ...options, database: { clientUrl: url } })],
      }),
      { database: { ...database, drop: async () => undefined } },
    );
    await ormOf(host).schema.update();
    expect(
      await host.sql(`select to_regclass('public.host_things') as a, to_regclass('other.things') as b`),
    ).toEqual([{ a: 'host_things', b: 'other.things' }]);
    expect(await ormOf(host).schema.getUpdateSchemaSQL()).toBe('');
    await host.close();
  } finally {
    await table.close();
  }
});

describe('a separate PostgreSQL schema', () => {
  const inApp = { ...blog, schema: 'app' };
  const SCHEMAS: readonly [string, (database: TestDatabase) => ModuleMetadata][] = [
    [
      'in the MikroORM of the host, which has the option, too',
      (database) => ({
        imports: [
          mikro(database, { schema: 'app' }),
          MikroOrmModule.forFeature([InvoiceSchema]),
          ContentModule.forRoot(inApp),
        ],
      }),
    ],
    [
      'for the content alone',
      (database) => ({
        imports: [mikro(database), MikroOrmModule.forFeature([InvoiceSchema]), ContentModule.forRoot(inApp)],
      }),
    ],
    [
      'of a database of its own',
      (database) => ({
        imports: [ContentModule.forRoot({ ...blog, database: { clientUrl: database.url, schema: 'app' } })],
      }),
    ],
    [
      'that needs quotes',
      (database) => ({
        imports: [
          ContentModule.forRoot({ ...blog, schema: 'My-App', database: { clientUrl: database.url } }),
        ],
      }),
    ],
  ];

  it.each(SCHEMAS)('%s has all tables', async (name, way) => {
    const schema = name.includes('quotes') ? 'My-App' : 'app';
    const host = await start(way, 'express');
    const http = supertest.agent(host.url);
    try {
      expect(await ormOf(host).schema.getUpdateSchemaSQL()).toBe('');
      const tables = await host.sql(
        `select table_schema as schema, count(*)::int as n from information_schema.tables where table_name ~ '^(articles|authors|content_)' group by 1`,
      );
      expect(tables).toEqual([{ schema, n: expect.any(Number) }]);
      const author = (
        await http
          .post('/api/authors')
          .send({ data: { name: 'Ann' } })
          .expect(201)
      ).body.data;
      const data = {
        title: 'Hello',
        slug: 'hello',
        author: author.documentId,
        sections: [{ heading: 'One' }],
      };
      const { body } = await http.post('/api/articles?populate=*').send({ data }).expect(201);
      expect(body.data).toMatchObject({
        title: 'Hello',
        author: { name: 'Ann' },
        sections: [{ heading: 'One' }],
      });
      expect(
        (await http.get('/api/articles?filters[author][name]=Ann&sort=author.name:desc').expect(200)).body
          .data,
      ).toHaveLength(1);
      expect((await http.post('/api/articles').send({ data }).expect(400)).body.error.message).toBe(
        'This attribute must be unique',
      );
      await http
        .put(`/api/articles/${body.data.documentId}`)
        .send({ data: { title: 'Hello again', sections: [] } })
        .expect(200);
      await http.delete(`/api/articles/${body.data.documentId}`).expect(204);
    } finally {
      await host.close();
    }
  });
});

/** Options of the model that `forRootAsync` takes outside the factory. */
const statics = { contentTypes: blog.contentTypes, components: blog.components };

describe('errors at start', () => {
  const refused = async (way: (database: TestDatabase) => ModuleMetadata): Promise<string> => {
    const database = await createDatabase();
    return startHost(way, { database }).then(
      async (host) => {
        await host.close();
        return 'it started';
      },
      async (error: Error) => {
        await database.drop();
        return error.message;
      },
    );
  };

  it('an application whose MikroORM lacks the entities', async () => {
    const message = await refused((database) => ({
      imports: [
        mikro(database, { autoLoadEntities: false, entities: [InvoiceSchema] }),
        ContentModule.forRoot(blog),
      ],
    }));
    expect(message).toMatch(
      /^MikroORM has no entities of this model for .*articles.*: set "autoLoadEntities: true"/,
    );
  });

  it.each([
    ['another schema', contentEntities(blog), { ...blog, schema: 'cms' }],
    [
      'an older model',
      contentEntities({
        ...blog,
        contentTypes: blog.contentTypes.map((type) => ({
          ...type,
          attributes: Object.fromEntries(Object.entries(type.attributes).filter(([key]) => key !== 'name')),
        })),
      }),
      blog,
    ],
    [
      'a part of the model',
      contentEntities(blog).filter(({ meta }) => !meta.tableName.endsWith('_links')),
      blog,
    ],
  ])('entities of %s', async (_what, entities, model) => {
    const message = await refused((database) => ({
      imports: [
        mikro(database, { autoLoadEntities: false, entities }),
        ContentModule.forRoot({ ...model, registerEntities: false }),
      ],
    }));
    expect(message).toMatch(/^MikroORM has no entities of this model for /);
  });

  it('a schema of the application that the content does not use', async () => {
    const message = await refused((database) => ({
      imports: [mikro(database, { schema: 'app', entities: [InvoiceSchema] }), ContentModule.forRoot(blog)],
    }));
    expect(message).toBe(
      `MikroORM keeps tables in the schema "app": set "schema: 'app'" in ContentModule.forRoot, too`,
    );
  });

  it('invalid settings', async () => {
    const wrong = {
      maxLimit: -1,
      defaultLimit: 'abc',
      defaultLocale: '',
      strictParams: 'yes',
      limits: { depth: 1.5 },
    } as never as object;
    const message = await refused((database) => ({
      imports: [ContentModule.forRoot({ ...blog, ...wrong, database: { clientUrl: database.url } })],
    }));
    expect(message.split('\n').slice(1)).toEqual([
      '  - defaultLocale must be a locale code',
      '  - strictParams must be true or false',
      '  - defaultLimit must be a whole number, 1 or more',
      '  - maxLimit must be a whole number, 1 or more, or Infinity',
      '  - limits.depth must be a whole number, 0 or more',
    ]);
  });

  it('M3: no database, neither in the options nor in the application', async () => {
    expect(await refused(() => ({ imports: [ContentModule.forRoot(blog)] }))).toBe(
      'ContentModule has no database, and the application has no MikroORM: give "database" to ' +
        'ContentModule.forRoot, or import MikroOrmModule.forRoot({ …, autoLoadEntities: true })',
    );
  });

  it('M3: no database in the named context, but in another one', async () => {
    const message = await refused((database) => ({
      imports: [mikro(database), ContentModule.forRoot({ ...blog, contextName: 'content' })],
    }));
    expect(message).toBe(
      'ContentModule has no database, and the application has no MikroORM with contextName "content": give "database" to ' +
        `ContentModule.forRoot, or import MikroOrmModule.forRoot({ …, contextName: 'content', autoLoadEntities: true })`,
    );
  });

  it.each([
    ['and the host has none', () => []],
    ['and the host has another', (database: TestDatabase) => [mikro(database)]],
  ])('M3: a database of a factory without "ownDatabase", %s', async (_where, imports) => {
    const message = await refused((database) => ({
      imports: [
        ...imports(database),
        ContentModule.forRootAsync({
          ...statics,
          useFactory: () => ({ database: { clientUrl: database.url } }),
        }),
      ],
    }));
    expect(message).toBe(
      'ContentModule: the factory returned "database"; set "ownDatabase: true" in forRootAsync to open it',
    );
  });

  describe('N3: unknown options', () => {
    const misspelt = {
      acces: { public: {} },
      limits: { deepth: 3 },
      access: { pubic: {}, public: {} },
      auth: { strategy: [] },
    } as never as object;
    const inside = [
      '  - unknown option "acces"; did you mean "access"?',
      '  - limits: unknown option "deepth"; did you mean "depth"?',
      '  - access: unknown option "pubic"; did you mean "public"?',
      '  - auth: unknown option "strategy"; available: strategies',
    ];

    it('in forRoot', async () => {
      const message = await refused(({ url }) => ({
        imports: [ContentModule.forRoot({ ...blog, ...misspelt, database: { clientUrl: url } })],
      }));
      expect(message.split('\n').slice(1).sort()).toEqual([...inside].sort());
    });

    it('in the return value of the factory of forRootAsync', async () => {
      const message = await refused(({ url }) => ({
        imports: [
          ContentModule.forRootAsync({
            ...statics,
            ownDatabase: true,
            useFactory: () => ({ ...misspelt, database: { clientUrl: url } }),
          }),
        ],
      }));
      expect(message.split('\n').slice(1).sort()).toEqual([...inside].sort());
    });

    it.each([
      [{ contentType: [] }, 'unknown option "contentType"; did you mean "contentTypes"?'],
      [{ access: {} }, 'access: return it from useFactory'],
    ])('in forRootAsync itself: %j', async (given, expected) => {
      const message = await refused(() => ({
        imports: [
          ContentModule.forRootAsync({
            ...statics,
            ...given,
            useFactory: () => ({}),
          }),
        ],
      }));
      expect(message).toContain(expected);
    });

    const GRANTS =
      'expected grants by type: { article: ["find"] }, or { "*": "*" } for all types and actions';

    it.each([
      [{ access: '*' }, 'access must be an object with public, roles, source and maxAge'],
      [{ access: null }, 'access must be an object with public, roles, source and maxAge'],
      [{ access: { public: '*' } }, `access.public: ${GRANTS}`],
      [{ access: { public: null } }, `access.public: ${GRANTS}`],
      [{ access: { public: ['author'] } }, `access.public: ${GRANTS}`],
      [{ access: { roles: ['editor'] } }, 'access.roles must be an object with the grants of each role'],
      [{ access: { roles: { editor: '*' } } }, `access.roles.editor: ${GRANTS}`],
      [{ access: { roles: { editor: null } } }, `access.roles.editor: ${GRANTS}`],
      [{ access: { source: null } }, 'access.source must be an object with a method "load"'],
      [{ access: { maxAge: 'x' } }, 'access.maxAge must be a number of milliseconds, 0 or more'],
      [{ auth: null }, 'auth must be an object with strategies'],
      [
        { auth: { strategies: [{}] } },
        'auth.strategies must be a list of objects with a method "authenticate"',
      ],
      [{ removed: 'author' }, 'removed must be a list of names'],
      [{ imports: {} }, 'imports must be a list of modules'],
      [
        { contentTypes: Object.assign([...blog.contentTypes], { length: 99 }) },
        'contentTypes[98]: must be a definition made by defineCollectionType or defineSingleType',
      ],
    ])('another kind of value: %j', async (given, expected) => {
      const message = await refused(({ url }) => ({
        imports: [ContentModule.forRoot({ ...blog, ...given, database: { clientUrl: url } } as never)],
      }));
      expect(message.split('\n')).toContain(`  - ${expected}`);
    });

    it.each([
      [{ contentTypes: { article: blog.contentTypes[0] } }, 'contentTypes'],
      [blog.contentTypes[0], 'contentTypes'],
      [{ contentTypes: [], components: {} }, 'components'],
    ])('a feature without lists', (feature, name) => {
      expect(() => ContentModule.forFeature(feature as never)).toThrow(
        `ContentModule.forFeature: ${name} must be a list of definitions`,
      );
    });

    it('reports a misspelt list of types together with the missing option', async () => {
      const message = await refused(() => ({
        imports: [ContentModule.forRoot({ contentTipes: [] } as never)],
      }));
      expect(message).toContain('unknown option "contentTipes"; did you mean "contentTypes"?');
      expect(message).toContain('contentTypes must be a list of definitions');
    });
  });

  it('a prefix in the return value of the factory', async () => {
    const message = await refused(({ url }) => ({
      imports: [
        ContentModule.forRootAsync({
          ...statics,
          ownDatabase: true,
          useFactory: () => ({ prefix: 'late', database: { clientUrl: url } }),
        }),
      ],
    }));
    expect(message).toContain('prefix: pass it to forRootAsync itself');
  });

  it('an invalid schema name', () => {
    expect(() => ContentModule.forRoot({ ...blog, schema: 'a"b' })).toThrow(
      'schema: "a"b" cannot name a schema',
    );
  });

  it('invalid grants of a factory', async () => {
    const useFactory = () =>
      ({
        access: { public: { autor: ['find'] } },
        database: { clientUrl: 'postgres://127.0.0.1:1/none' },
      }) as never;
    const starting = startHost(
      () => ({ imports: [ContentModule.forRootAsync({ ...statics, ownDatabase: true, useFactory })] }),
      { database: { url: 'postgres://127.0.0.1:1/none', drop: async () => undefined } },
    );
    await expect(starting).rejects.toThrow(ContentModelError);
    await expect(starting).rejects.toThrow(
      'access.public: "autor" is not a content type; did you mean "author"?',
    );
  });

  it('a factory without the database that "ownDatabase" requires', async () => {
    const starting = startHost(
      () => ({
        imports: [ContentModule.forRootAsync({ ...statics, ownDatabase: true, useFactory: () => ({}) })],
      }),
      { database: { url: '', drop: async () => undefined } },
    );
    await expect(starting).rejects.toThrow('the factory returned no "database"');
  });
});

type AuthorDocument = DocumentOf<typeof Author>;

/** Provider of the application that uses content and its own entities. */
@Injectable()
class Publisher {
  constructor(
    @InjectContent('author') readonly authors: ContentService<AuthorDocument>,
    @InjectContent('article') readonly articles: ContentService,
    @InjectContent('homepage') readonly homepage: ContentService,
  ) {}
}

describe('the typed service in a provider of the application', () => {
  let host: Host;
  let publisher: Publisher;
  beforeAll(async () => {
    forget();
    host = await start(
      (database) => ({
        imports: [mikro(database), MikroOrmModule.forFeature([InvoiceSchema]), ContentModule.forRoot(blog)],
        providers: [Publisher],
      }),
      'express',
    );
    publisher = host.app.get(Publisher);
  });
  afterAll(() => host.close());
  beforeEach(() => host.sql('truncate authors, articles, homepage, invoices restart identity cascade'));

  it('creates, finds, counts, updates and deletes', async () => {
    const { authors } = publisher;
    const ann = await authors.create({ name: 'Ann' });
    const bob = await authors.create({ name: 'Bob' }, { fields: ['name'] });
    expect(Object.keys(bob)).toEqual(['id', 'documentId', 'name']);
    expect(ann).toMatchObject({
      name: 'Ann',
      locale: 'en',
      documentId: expect.stringMatching(/^[a-z][a-z0-9]{23}$/),
    });
    const list = await authors.find({ sort: ['name:desc'], pagination: { pageSize: 1 } });
    expect(list).toMatchObject({
      data: [{ name: 'Bob' }],
      meta: { pagination: { page: 1, pageSize: 1, pageCount: 2, total: 2 } },
    });
    expect(await authors.count()).toBe(2);
    expect(await authors.count({ filters: { name: { $eq: 'Ann' } } })).toBe(1);
    expect(await authors.findOne(ann.documentId)).toEqual(ann);
    expect((await authors.update(ann.documentId, { name: 'Anna' })).name).toBe('Anna');
    await authors.delete(ann.documentId);
    expect(await authors.findOne(ann.documentId)).toBeNull();
    expect(await authors.count()).toBe(1);
  });

  it('supports single types, drafts and locales', async () => {
    const { homepage, articles } = publisher;
    expect(await homepage.findOne(null)).toBeNull();
    const { documentId } = (await homepage.update(null, { headline: 'Hi' })) as { documentId: string };
    expect(await homepage.findOne(null)).toMatchObject({ documentId, headline: 'Hi' });
    await homepage.delete(null);
    expect(await homepage.findOne(null)).toBeNull();
    const draft = await articles.create({ title: 'Brouillon' }, { status: 'draft', locale: 'fr' });
    expect(draft).toMatchObject({ publishedAt: null, locale: 'fr' });
    expect(await articles.findOne(draft.documentId, { locale: 'fr' })).toBeNull();
    expect(await articles.findOne(draft.documentId, { status: 'draft', locale: 'fr' })).toEqual(draft);
  });

  it('validates as HTTP does', async () => {
    const { authors } = publisher;
    const refused = authors.create({ name: 1, nope: 2 });
    await expect(refused).rejects.toBeInstanceOf(ContentError);
    await expect(refused).rejects.toMatchObject({
      name: 'ValidationError',
      status: 400,
      message: '2 errors occurred',
    });
    await expect(authors.find({ populate: ['nope'] })).rejects.toMatchObject({ message: 'Invalid key nope' });
    await expect(authors.update('a'.repeat(24), { name: 'x' })).rejects.toMatchObject({
      name: 'NotFoundError',
    });
    expect(await authors.count()).toBe(0);
  });

  it('acts with the permissions of a given caller', async () => {
    const { authors } = publisher;
    await authors.create({ name: 'Ann', profile: null });
    const as = {
      kind: 'token',
      id: '1',
      permissions: Permissions.of({ author: ['find', 'update'] }),
    } as const;
    const { data } = await authors.find({ populate: '*' }, { as });
    expect(data[0]).not.toHaveProperty('profile');
    expect((await authors.find({ populate: '*' })).data[0]).toHaveProperty('profile', null);
    await expect(authors.find({ filters: { profile: { bio: 'x' } } }, { as })).rejects.toMatchObject({
      message: 'Invalid key profile',
    });
    await expect(authors.create({ name: 'Bob' }, {}, { as })).rejects.toMatchObject({
      name: 'ForbiddenError',
    });
  });

  it('joins a transaction of the application: both writes are stored, or neither', async () => {
    const em = (host.app.get(MikroORM).em as unknown as SqlEntityManager).fork();
    const both = (fail: boolean) =>
      em.fork().transactional(async (inner) => {
        inner.persist(inner.create(InvoiceSchema, { number: fail ? 'lost' : 'kept' } as never));
        await inner.flush();
        const ann = await publisher.authors.create({ name: fail ? 'Lost' : 'Kept' }, {}, { em: inner });
        await publisher.authors.update(ann.documentId, { name: fail ? 'Lost!' : 'Kept!' }, {}, { em: inner });
        if (fail) throw new Error('The host changed its mind');
      });
    await expect(both(true)).rejects.toThrow('The host changed its mind');
    expect(await host.sql('select name from authors union all select number from invoices')).toEqual([]);
    await both(false);
    expect(
      await host.sql('select name from authors union all select number from invoices order by 1'),
    ).toEqual(expect.arrayContaining([{ name: 'kept' }, { name: 'Kept!' }]));
  });

  it('refuses to write with an entity manager that is in no transaction', async () => {
    const em = (host.app.get(MikroORM).em as unknown as SqlEntityManager).fork();
    const writing = publisher.authors.create({ name: 'Ann' }, {}, { em });
    await expect(writing).rejects.toThrow('is not in a transaction');
    expect(await publisher.authors.count({}, { em })).toBe(0);
  });

  it('undoes a delete with the transaction of the application', async () => {
    const ann = await publisher.authors.create({ name: 'Ann' });
    const em = host.app.get(MikroORM).em as unknown as SqlEntityManager;
    await expect(
      em.fork().transactional(async (inner) => {
        await publisher.authors.delete(ann.documentId, {}, { em: inner });
        expect(await inner.execute('select 1 from authors')).toEqual([]);
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(await publisher.authors.count()).toBe(1);
  });

  it('is also exported under a token', () => {
    expect(host.app.get<ContentService>(getContentToken('author'))).toBe(publisher.authors);
    expect(host.app.get<MikroORM>(CONTENT_ORM)).toBe(host.app.get(MikroORM));
  });
});

describe('a named context', () => {
  it('provides the content of that context', async () => {
    const host = await start((WAYS[4] as (typeof WAYS)[number])[1], 'express');
    expect(ormOf(host)).toBe(host.app.get(getMikroORMToken('content')));
    await host.close();
  });
});

describe('migrations', () => {
  const folder = join(import.meta.dirname, '..', `.tmp-${process.pid}`);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('are generated, run and undone by MikroORM, with nothing left to change', async () => {
    await mkdir(folder, { recursive: true });
    const database = await createDatabase();
    const migrations = { path: folder, pathTs: folder, emit: 'ts', snapshot: false } as const;
    const options = {
      clientUrl: database.url,
      preferTs: true,
      logger: () => undefined,
      extensions: [Migrator],
      migrations,
    };
    const host = await startHost(
      () => ({ imports: [ContentModule.forRoot({ ...blog, database: options })] }),
      { database },
    );
    try {
      const { migrator } = ormOf(host) as unknown as {
        migrator: {
          create(): Promise<{ fileName: string }>;
          up(): Promise<unknown>;
          down(): Promise<unknown>;
        };
      };
      const { fileName } = await migrator.create();
      expect(await readdir(folder)).toEqual([fileName]);
      await migrator.up();
      expect(await ormOf(host).schema.getUpdateSchemaSQL()).toBe('');
      const http = supertest.agent(host.url);
      await http
        .post('/api/articles')
        .send({ data: { title: 'Migrated', sections: [{ heading: 'One' }] } })
        .expect(201);
      await migrator.down();
      expect(await host.sql(`select tablename from pg_tables where schemaname = 'public'`)).toEqual([
        { tablename: 'mikro_orm_migrations' },
      ]);
    } finally {
      await host.close();
      await database.drop();
    }
  });
});
