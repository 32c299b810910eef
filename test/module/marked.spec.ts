/**
 * Decorated providers of an application: strategies, sources of grants and mail senders, found as hooks are.
 */
import {
  type DynamicModule,
  Injectable,
  Module,
  type ModuleMetadata,
  Scope,
  type Type,
} from '@nestjs/common';
import { Test } from '@nestjs/testing';
import type { MikroORM } from '@mikro-orm/core';
import {
  type AuthStrategy,
  CONTENT_ORM,
  CONTENT_SCHEMA,
  CONTENT_SETTINGS,
  ContentAccess,
  ContentAuthStrategy,
  ContentError,
  ContentModule,
  type ContentModuleOptions,
  ContentPermissionsSource,
  type ContentSchema,
  type ContentService,
  type ContentSettings,
  type Credentials,
  defineCollectionType,
  getContentToken,
  type Grants,
  type Identity,
  InjectContent,
  type PermissionsSource,
} from 'nestjs-content-api';
import {
  ContentMailSender,
  type Mail,
  type MailSender,
  UsersModule,
  userTypes,
} from 'nestjs-content-api/accounts';
import supertest from 'supertest';
import { Outbox, SECRET } from '../accounts/helpers.ts';
import { type Host, startHost } from '../http/helpers.ts';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';
import { createDatabase } from '../support/database.ts';
import { snippetWith } from '../support/snippets.ts';

const article = defineCollectionType({
  singularApiId: 'article',
  pluralApiId: 'articles',
  attributes: { title: { type: 'string' } },
});
const rule = defineCollectionType({
  singularApiId: 'rule',
  pluralApiId: 'rules',
  routes: false,
  attributes: { role: { type: 'string' }, grants: { type: 'json' } },
});
const contentTypes = [article, rule];

/** Recognises `X-Remote-User: name=role`. */
@ContentAuthStrategy()
@Injectable()
class ProxyHeader implements AuthStrategy {
  readonly name = 'proxy-header';
  readonly vary = ['X-Remote-User'];

  authenticate({ headers }: Credentials): Identity | null {
    const sent = headers['x-remote-user'];
    if (typeof sent !== 'string') return null;
    const [id = '', role = ''] = sent.split('=');
    if (role === '') throw new ContentError('UnauthorizedError', 'Unknown user');
    return { kind: 'user', id, roles: [role] };
  }
}

/** Source that reads grants from content: it injects a service of the module that uses the source. */
@ContentPermissionsSource()
@Injectable()
class Rules implements PermissionsSource {
  constructor(
    @InjectContent('rule') private readonly rules: ContentService<{ role: string; grants: Grants }>,
  ) {}

  async load(): Promise<Record<string, Grants>> {
    const { data } = await this.rules.find();
    return Object.fromEntries(data.map(({ role, grants }) => [role, grants]));
  }
}

@Module({ providers: [ProxyHeader, Rules] })
class HostModule {}

type Application = Pick<ContentModuleOptions, 'contentTypes'> & ModuleMetadata;

/** Starts an application that must fail, with one error of its providers. */
async function refuses({ contentTypes: types, imports = [], providers = [] }: Application, mistake: string) {
  const database = await createDatabase();
  const content = ContentModule.forRoot({ contentTypes: types, database: { clientUrl: database.url } });
  const module = await Test.createTestingModule({ imports: [content, ...imports], providers }).compile();
  try {
    await expect(module.init()).rejects.toThrow(`The providers have 1 mistake:\n  - ${mistake}`);
  } finally {
    await module.close();
    await database.drop();
  }
}

describe.each(ADAPTERS)('decorated providers on %s', (adapter) => {
  let test: TestApp;

  beforeAll(async () => {
    test = await createTestApp({ contentTypes, access: { maxAge: 0 }, imports: [HostModule] }, adapter);
    const rules = test.app.get<ContentService>(getContentToken('rule'));
    await rules.create({ role: 'editor', grants: { article: ['create', 'find'] } });
  });
  afterAll(() => test.close());

  it('a strategy returns the caller, a source the grants', async () => {
    const as = (user: string) => ({ 'X-Remote-User': user });
    await test.http.get('/api/articles').expect(401);
    await test.http.get('/api/articles').set(as('ann=reader')).expect(403);
    await test.http
      .post('/api/articles')
      .set(as('ann=editor'))
      .send({ data: { title: 'One' } })
      .expect(201);
    const response = await test.http.get('/api/articles').set(as('ann=editor')).expect(200);
    expect(response.body.data).toMatchObject([{ title: 'One' }]);
    expect(response.headers['vary']).toContain('X-Remote-User');
    const refused = await test.http.get('/api/articles').set(as('ann')).expect(401);
    expect(refused.body.error).toMatchObject({ name: 'UnauthorizedError', message: 'Unknown user' });
  });

  it('grants of a source can change at run time', async () => {
    const rules = test.app.get<ContentService<{ documentId: string }>>(getContentToken('rule'));
    const made = await rules.create({ role: 'public', grants: { article: ['find'] } });
    await test.http.get('/api/articles').expect(200);
    await rules.delete(made.documentId);
    await test.http.get('/api/articles').expect(401);
  });

  it('the model and the settings can be injected', () => {
    const schema = test.app.get<ContentSchema>(CONTENT_SCHEMA);
    const settings = test.app.get<ContentSettings>(CONTENT_SETTINGS);
    expect([...schema.types.keys()]).toEqual(['file', 'article', 'rule']);
    expect(settings).toMatchObject({ prefix: 'api', defaultLimit: 25 });
    expect(Object.isFrozen(settings)).toBe(true);
  });
});

describe('the source of grants in access.md', () => {
  it('is found in the application of the example, and its grants apply', async () => {
    const database = await createDatabase();
    process.env['DATABASE_URL'] = database.url;
    const { AppModule } = await snippetWith<{ AppModule: Type }>('docs/access.md', 'class GrantsTable');
    let host: Host | null = null;
    try {
      host = await startHost(() => ({ imports: [AppModule] }), {
        database,
        ready: (app) => app.get<MikroORM>(CONTENT_ORM).schema.update({ safe: true }),
      });
      await host.sql('create table my_roles (role text, grants jsonb)');
      const http = supertest.agent(host.url);
      await http.get('/api/articles').expect(401);
      await host.sql(`insert into my_roles values ('public', '{"article": ["find"]}')`);
      host.app.get(ContentAccess).refresh();
      expect((await http.get('/api/articles').expect(200)).body.data).toEqual([]);
      await http.post('/api/articles').send({ data: {} }).expect(403);
    } finally {
      delete process.env['DATABASE_URL'];
      await host?.close();
      await database.drop();
    }
  });
});

describe('the strategy in access.md', () => {
  it('is found in the application of the example', async () => {
    const { RequestUser } = await snippetWith<{ RequestUser: Type }>('docs/access.md', 'class RequestUser');
    const roles = { editor: { article: ['find'] } } as const;
    const test = await createTestApp(
      { contentTypes, access: { roles }, providers: [RequestUser] },
      'express',
      (app) =>
        app.use(
          (
            request: { user?: object; headers: Record<string, string> },
            _response: object,
            next: () => void,
          ) => {
            const { id } = request.headers;
            if (id !== undefined) request.user = { id, groups: ['editor'] };
            next();
          },
        ),
    );
    try {
      await test.http.get('/api/articles').expect(401);
      await test.http.get('/api/articles').set('id', '7').expect(200);
    } finally {
      await test.close();
    }
  });
});

describe('the mail sender', () => {
  /** Waits for the next mail. */
  const outbox = new Outbox();
  const given = new Outbox();

  @ContentMailSender()
  @Injectable()
  class Postman implements MailSender {
    send(mail: Mail): Promise<void> {
      return outbox.send(mail);
    }
  }

  const users = (more: object): DynamicModule =>
    UsersModule.forRoot({ secret: SECRET, rateLimit: false, ...more });
  const start = (more: object): Promise<TestApp> =>
    createTestApp({
      contentTypes: [...userTypes()],
      imports: [users(more)],
      providers: [Postman],
    });

  it.each([
    ['a marked provider', {}, outbox],
    ['the option, if there are both', { mail: given }, given],
  ])('is %s', async (_what, more, expected) => {
    const test = await start(more);
    try {
      const user = { username: 'Ann', email: 'ann@example.com', password: 'a good password' };
      await test.http.post('/api/auth/local/register').send(user).expect(200);
      const mail = expected.next();
      await test.http.post('/api/auth/forgot-password').send({ email: user.email }).expect(200);
      expect(await mail).toMatchObject({ to: user.email, subject: 'Reset password' });
    } finally {
      await test.close();
    }
  });

  it('is one provider: two stop the start', async () => {
    @ContentMailSender()
    @Injectable()
    class Pigeon extends Postman {}
    await refuses(
      { contentTypes: [...userTypes()], providers: [Postman, Pigeon], imports: [users({})] },
      '@ContentMailSender() decorates several providers, only one is allowed: Postman, Pigeon',
    );
  });
});

describe('an invalid decorated provider stops the start', () => {
  @ContentAuthStrategy()
  @Injectable({ scope: Scope.REQUEST })
  class PerRequest extends ProxyHeader {}

  @ContentAuthStrategy()
  @Injectable({ scope: Scope.TRANSIENT })
  class Transient extends ProxyHeader {}

  // JavaScript may decorate any class.
  @(ContentPermissionsSource() as ClassDecorator)
  @Injectable()
  class Nothing {}

  const MADE_ANEW = 'needs one instance for all requests, but this provider is request-scoped or transient';

  it.each([
    [PerRequest, `PerRequest: @ContentAuthStrategy() ${MADE_ANEW}`],
    [Transient, `Transient: @ContentAuthStrategy() ${MADE_ANEW}`],
    [Nothing, 'Nothing: @ContentPermissionsSource() needs a method "load"'],
  ])('%p', async (provider, mistake) => {
    await refuses({ contentTypes, providers: [provider] }, mistake);
  });
});
