/** Incomplete or wrong setups: the application does not start, or a log line names the error. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MikroORM } from '@mikro-orm/core';
import {
  Controller,
  type DynamicModule,
  Inject,
  Injectable,
  Module,
  type ModuleMetadata,
  Optional,
  Scope,
} from '@nestjs/common';
import { Test } from '@nestjs/testing';
import {
  BeforeContent,
  CONTENT_ORM,
  ContentModule,
  type ContentModuleOptions,
  type ContentService,
  defineCollectionType,
  getContentToken,
  InjectContent,
} from 'nestjs-content-api';
import { ApiTokensModule, apiTokenType, UsersModule, userTypes } from 'nestjs-content-api/accounts';
import { EventsModule, OnContentEvent, webhookType } from 'nestjs-content-api/events';
import { DeskModule } from 'nestjs-content-api/desk';
import { FilesModule, LocalStorage } from 'nestjs-content-api/files';
import { AuditModule } from 'nestjs-content-api/history';
import { ReleasesModule } from 'nestjs-content-api/releases';
import pg from 'pg';
import supertest from 'supertest';
import { SECRET } from '../accounts/helpers.ts';
import { startHost } from '../http/helpers.ts';
import { ADAPTERS } from '../support/app.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { note } from '../support/notes.ts';

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  database = await createDatabase();
  folder = mkdtempSync(join(tmpdir(), 'content-api-setup-'));
});
afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true });
});

const content = (options: Partial<ContentModuleOptions> = {}) =>
  ContentModule.forRoot({ contentTypes: [note], database: { clientUrl: database.url }, ...options });
const files = () => FilesModule.forRoot({ storage: new LocalStorage(folder) });
const users = () => UsersModule.forRoot({ secret: SECRET });
const typeAt = (pluralApiId: string) =>
  defineCollectionType({ singularApiId: 'thing', pluralApiId, attributes: {} });

/** Returns the reason why an application does not start, or null. Adds its warnings to `warned`. */
async function refusal(
  metadata: ModuleMetadata,
  warned: string[] = [],
  logged: string[] = [],
): Promise<string | null> {
  const ignore = (): void => undefined;
  const log = (message: string): void => void logged.push(message);
  const logger = { log, error: ignore, warn: (message: string) => void warned.push(message) };
  try {
    const module = await Test.createTestingModule(metadata).setLogger(logger).compile();
    const app = module.createNestApplication();
    try {
      await app.init();
    } finally {
      await app.close();
    }
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

describe('hooks of a provider without an instance at start', () => {
  @Injectable({ scope: Scope.REQUEST })
  class PerRequest {
    @BeforeContent('note', 'create')
    look(): void {}
  }

  @Injectable({ scope: Scope.TRANSIENT })
  class Transient {
    @BeforeContent('note', 'create')
    look(): void {}
  }

  @Injectable({ scope: Scope.REQUEST })
  class Tenant {}

  @Injectable()
  class NeedsTenant {
    constructor(@Inject(Tenant) readonly tenant: Tenant) {}

    @BeforeContent('note', 'create')
    look(): void {}
  }

  @Controller({ scope: Scope.REQUEST })
  class PerRequestController {
    @BeforeContent('note', 'create')
    look(): void {}
  }

  it.each([
    ['a request-scoped provider', { providers: [PerRequest] }, 'PerRequest'],
    ['a transient provider', { providers: [Transient] }, 'Transient'],
    ['a provider that injects a request-scoped one', { providers: [Tenant, NeedsTenant] }, 'NeedsTenant'],
    ['a request-scoped controller', { controllers: [PerRequestController] }, 'PerRequestController'],
  ])('stop the start: %s', async (_title, host, name) => {
    expect(await refusal({ imports: [content()], ...host })).toBe(
      `The hooks have 1 mistake:\n  - ${name}.look: a hook needs one instance for all requests, but this provider, or ` +
        'one that it injects, is request-scoped or transient; resolve that one inside the hook with ModuleRef.resolve()',
    );
  });
});

describe('routes of two controllers', () => {
  const both = (route: string, controller: string): string =>
    `The routes have 1 mistake:\n  - route "${route}": the type "thing" and ${controller} both have it`;

  it('stop the start: a type at the route of FilesModule, in either order of imports', async () => {
    const types = content({ contentTypes: [typeAt('upload')] });
    expect(await refusal({ imports: [types, files()] })).toBe(both('upload', 'FilesController'));
    expect(await refusal({ imports: [files(), types] })).toMatch(
      /"upload": FilesController and the type "thing"/,
    );
  });

  it.each([
    ['auth', 'AuthController'],
    ['users-permissions', 'RolesController'],
  ])('stop the start: a type at "%s", a route of UsersModule', async (route, controller) => {
    const types = content({ contentTypes: [typeAt(route), ...userTypes()] });
    expect(await refusal({ imports: [types, users()] })).toBe(both(route, controller));
  });

  it('stop the start: a type at the page of OpenAPI, unless the page is off', async () => {
    const contentTypes = [typeAt('openapi')];
    const page = content({ contentTypes, openapi: { page: true } });
    expect(await refusal({ imports: [page] })).toBe(both('openapi', 'OpenApiPageController'));
    expect(await refusal({ imports: [content({ contentTypes })] })).toBeNull();
  });

  it('stop the start: the same types in two imports of ContentModule', async () => {
    expect(await refusal({ imports: [content(), content()] })).toBe(
      'The routes have 1 mistake:\n  - route "/api/notes": two imports of ContentModule have it; import it once',
    );
    expect(await refusal({ imports: [content(), content({ prefix: 'other' })] })).toBeNull();
  });
});

describe('services of types that the model does not have', () => {
  @Injectable()
  class Shop {
    constructor(@InjectContent('noet') readonly notes: ContentService) {}
  }
  @Injectable()
  class Shelf {
    @InjectContent('nowhere') readonly authors?: ContentService;
  }
  const stock = { provide: 'stock', useFactory: () => 1, inject: [getContentToken('nots')] };

  it.each([
    ['a constructor', Shop, 'Shop: "noet" is not a content type; did you mean "note"?'],
    ['a property', Shelf, 'Shelf: "nowhere" is not a content type; available: file, note'],
    ['a factory', stock, 'a factory: "nots" is not a content type; did you mean "note"?'],
  ])('stop the start with the types that exist: %s', async (_where, provider, mistake) => {
    @Module({ providers: [provider] })
    class Feature {}
    const expected = `The providers have 1 mistake:\n  - ${mistake}`;
    expect(await refusal({ imports: [Feature, content()] })).toBe(expected);
    expect(await refusal({ imports: [content(), Feature] })).toBe(expected);
  });

  it('are those of another import of ContentModule', async () => {
    @Injectable()
    class Things {
      constructor(@InjectContent('thing') readonly things: ContentService) {}
    }
    const others = content({ contentTypes: [typeAt('things')], prefix: 'other' });
    expect(await refusal({ imports: [content(), others], providers: [Things] })).toBeNull();
  });

  it('may be optional', async () => {
    @Injectable()
    class Spare {
      constructor(@Optional() @InjectContent('noet') readonly notes?: ContentService) {}
    }
    expect(await refusal({ imports: [content()], providers: [Spare] })).toBeNull();
  });
});

describe('incomplete setups', () => {
  @Injectable()
  class SearchIndex {
    @OnContentEvent('search-index')
    follow(): void {}
  }

  it.each([
    ['FilesModule', files],
    ['UsersModule', users],
  ])('%s without ContentModule stops the start with a line that names it', async (name, module) => {
    expect((await refusal({ imports: [module()] }))?.split('\n')[0]).toMatch(
      new RegExp(`${name}.*ContentModule: import ContentModule\\.forRoot`),
    );
  });

  const TOKENS = expect.stringMatching(/^The model has apiTokenType, .* import ApiTokensModule$/);
  const HANDLER = 'No event reaches SearchIndex.follow: import EventsModule.forRoot()';
  const WEBHOOKS = 'The model has webhookType, but webhooks send nothing: import EventsModule.forRoot()';
  const USERS = 'The model has userTypes(), but no user can sign in: import UsersModule.forRoot()';
  const person = defineCollectionType({ singularApiId: 'user', pluralApiId: 'people', attributes: {} });
  const NOTHING = expect.stringMatching(/^Nothing is granted, .* 401\. Grant .*"access\.public"/);

  it.each([
    ['apiTokenType without ApiTokensModule', {}, [], [NOTHING, TOKENS]],
    ['a grant to a role, and apiTokenType', { access: { roles: { editor: { note: '*' } } } }, [], [TOKENS]],
    ['API tokens', {}, [ApiTokensModule], []],
  ] as const)('log a warning at start: %s', async (_title, options, imports, expected) => {
    const warned: string[] = [];
    const module = content({ contentTypes: [note, apiTokenType], ...options });
    expect(await refusal({ imports: [module, ...imports] }, warned)).toBeNull();
    expect(warned.filter((line) => !line.startsWith('The database lacks'))).toEqual(expected);
  });

  it.each([
    ['userTypes() without UsersModule', userTypes(), [], [USERS]],
    ['userTypes() with UsersModule', userTypes(), [users()], []],
    ['a type "user" of the application', [person], [], []],
  ])('log a warning at start: %s', async (_title, types, imports, expected) => {
    const warned: string[] = [];
    const module = content({ contentTypes: [note, ...types], access: { public: { note: '*' } } });
    expect(await refusal({ imports: [module, ...imports] }, warned)).toBeNull();
    expect(warned.filter((line) => line.includes('import UsersModule'))).toEqual(expected);
  });

  it.each([
    ['handlers of events and webhookType without EventsModule', [], [WEBHOOKS, HANDLER]],
    ['with EventsModule', [EventsModule.forRoot()], []],
  ])('log a warning at start: %s', async (_title, imports, expected) => {
    const warned: string[] = [];
    const module = content({ contentTypes: [note, webhookType], access: { public: { note: '*' } } });
    const host = { imports: [module, ...imports], providers: [SearchIndex] };
    expect(await refusal(host, warned)).toBeNull();
    expect(warned.filter((line) => line.includes('import EventsModule'))).toEqual(expected);
  });

  it.each([
    ['audit', 'AuditModule', () => AuditModule.forRoot()],
    ['desk', 'DeskModule', () => DeskModule.forRoot()],
    ['releases', 'ReleasesModule', () => ReleasesModule.forRoot()],
  ])('warn of a grant on "%s" without %s', async (subject, name, create) => {
    const start = async (...imports: DynamicModule[]): Promise<string[]> => {
      const warned: string[] = [];
      const access = { roles: { editor: { [subject]: ['open'] } } } as const;
      const types = [note, ...userTypes()];
      const module = content({ contentTypes: types, access });
      expect(await refusal({ imports: [module, users(), ...imports] }, warned)).toBeNull();
      return warned.filter((line) => line.startsWith('The grants'));
    };
    expect(await start()).toEqual([`The grants on "${subject}" open nothing: import ${name}.forRoot()`]);
    expect(await start(create())).toEqual([]);
  });

  it('name the types to list: a relation and a grant to users, without userTypes()', async () => {
    const cure = '"user" is not a content type: list ...userTypes() in contentTypes';
    const owner = { type: 'relation', relation: 'manyToOne', target: 'user' } as const;
    const owned = { ...note, attributes: { owner } };
    expect(() => content({ contentTypes: [owned] })).toThrow(`note.owner: target ${cure}`);
    const granted = content({ access: { public: { user: ['find'] } } });
    expect(await refusal({ imports: [granted] })).toContain(`access.public: ${cure}`);
  });
});

describe('types without a public grant', () => {
  it.each([
    [{ public: { note: ['find'] } }, ['Types without a grant in "access.public": thing']],
    [{ roles: { editor: { note: '*' } } }, ['Types without a grant in "access.public": note, thing']],
    [{ public: { note: [{ actions: ['find'], fields: ['title'] }], thing: ['create'] } }, []],
    [{ public: { '*': ['find'] } }, []],
  ] as const)('are named in one line at the start: %j', async (access, expected) => {
    const logged: string[] = [];
    const module = content({ contentTypes: [note, typeAt('things')], access });
    expect(await refusal({ imports: [module] }, [], logged)).toBeNull();
    expect(logged.filter((line) => line.startsWith('Types without'))).toEqual(expected);
  });
});

describe('the URL of a database', () => {
  it.each([
    ['mysql://root:geheim@localhost/content', 'the scheme is "mysql"'],
    ['localhost:5432/content', 'the scheme is missing'],
    [undefined, 'the URL is undefined (is an environment variable missing?)'],
  ])('%s stops the start', async (clientUrl, mistake) => {
    expect(await refusal({ imports: [content({ database: { clientUrl } })] })).toBe(
      `The options have 1 mistake:\n  - database.clientUrl: ${mistake}; give an address such as ` +
        'postgresql://user@localhost:5432/name',
    );
  });

  it('of a replica is checked like that of the primary', async () => {
    const start = (replica: object): Promise<string | null> =>
      refusal({ imports: [content({ database: { clientUrl: database.url, replicas: [replica] } })] });
    expect(await start({ clientUrl: undefined })).toContain(
      'database.replicas[0].clientUrl: the URL is undefined',
    );
    const { hostname: host, port } = new URL(database.url);
    expect(await start({ clientUrl: undefined, host, port: Number(port) })).toBeNull();
  });

  it('of a missing database is reported, and schema.update() creates none', async () => {
    const { href: clientUrl } = new URL('/content_api_misspelt', database.url);
    const warned: string[] = [];
    const imports = [content({ access: { public: { note: '*' } }, database: { clientUrl } })];
    expect(await refusal({ imports }, warned)).toBeNull();
    expect(warned).toEqual([expect.stringMatching(/"content_api_misspelt" does not exist/)]);
    const module = await Test.createTestingModule({ imports }).compile();
    const update = module.get<MikroORM>(CONTENT_ORM, { strict: false }).schema.update({ safe: true });
    await expect(update).rejects.toThrow('database "content_api_misspelt" does not exist');
    await module.close();
    const client = new pg.Client(database.url);
    await client.connect();
    const { rows } = await client.query(`select from pg_database where datname = 'content_api_misspelt'`);
    await client.end();
    expect(rows).toEqual([]);
  });
});

describe.each(ADAPTERS)('missing tables on %s', (adapter) => {
  const env = process.env.NODE_ENV;
  afterEach(() => {
    process.env.NODE_ENV = env;
  });

  it.each([
    [
      'development',
      'The tables of the content model are missing: run "npx nestjs-content-api migration" and the migrations, ' +
        'or orm.schema.update({ safe: true })',
    ],
    ['production', 'The database is not available'],
  ])('return 503 if NODE_ENV is %s: %s', async (mode, message) => {
    process.env.NODE_ENV = mode;
    const access = { public: { note: '*' } } as const;
    const host = await startHost(() => ({ imports: [content({ access })] }), { adapter, database });
    const { body } = await supertest(host.url).get('/api/notes').expect(503).expect('Retry-After', '1');
    expect(body.error.message).toBe(message);
    await host.close();
  });
});
