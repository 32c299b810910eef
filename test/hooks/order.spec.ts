/**
 * Order of application code: hooks run after authorisation, independently of each other, and only if the
 * write can succeed.
 */
import { jest } from '@jest/globals';
import { Injectable, Logger } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import {
  AfterContent,
  type AuthStrategy,
  BeforeContent,
  type ContentEvent,
  ContentModule,
  ContentService,
  type Credentials,
  defineCollectionType,
  getContentToken,
  type Identity,
  OnContentCommitted,
} from 'nestjs-content-api';
import { UsersModule, userTypes } from 'nestjs-content-api/accounts';
import { raw, withinTransaction } from '../http/helpers.ts';
import { adaptersFor } from '../support/adapters.ts';
import { countStatements, createTestApp, type TestApp } from '../support/app.ts';
import { createDatabase } from '../support/database.ts';

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  owner: 'author',
  draftAndPublish: true,
  attributes: {
    text: { type: 'string' },
    meta: { type: 'json' },
    secret: { type: 'string', private: true, maxLength: 5 },
    author: { type: 'string' },
  },
});
const plain = defineCollectionType({
  singularApiId: 'plain',
  pluralApiId: 'plains',
  attributes: { text: { type: 'string' }, meta: { type: 'json' } },
});

const seen: string[] = [];

@Injectable()
class Watcher {
  @BeforeContent('note', 'create', 'update', 'delete', 'publish', 'unpublish', 'discardDraft')
  before({ action, data }: ContentEvent): void {
    seen.push(`before ${action}`);
    if (data['text'] === 'stamp') Object.assign(data, { secret: 'longer than five' });
  }

  @AfterContent('note', 'create', 'update', 'delete', 'publish', 'unpublish', 'discardDraft')
  after({ action }: ContentEvent): void {
    seen.push(`after ${action}`);
  }

  @OnContentCommitted('note', 'create', 'update', 'delete', 'publish', 'unpublish', 'discardDraft')
  first({ action, data }: ContentEvent): void {
    seen.push(`first ${action} ${Object.keys(data).length}`);
    throw new Error('the first one fails');
  }

  @OnContentCommitted('note', 'create')
  async second(): Promise<void> {
    seen.push('second');
    await Promise.reject(new Error('the second one fails'));
  }

  @OnContentCommitted('note', 'create')
  third(): void {
    seen.push('third');
  }
}

class UserHeader implements AuthStrategy {
  readonly name = 'user-header';
  authenticate({ headers }: Credentials): Identity | null {
    const [id, role] = [headers['x-user'], headers['x-role']];
    return typeof id === 'string'
      ? { kind: 'user', id, roles: [typeof role === 'string' ? role : 'member'] }
      : null;
  }
}

const WRITES = ['create', { actions: ['update', 'delete'], own: true }] as const;

describe.each(adaptersFor('express'))('the order of hooks on %s', (adapter) => {
  let test: TestApp;
  let hers: string;
  const nobody = 'abcdefghijklmnopqrstuvwx';
  const service = (type: string): ContentService<{ documentId: string }> =>
    test.app.get(getContentToken(type), { strict: false });

  beforeAll(async () => {
    test = await createTestApp(
      {
        contentTypes: [note, plain],
        access: {
          public: { plain: '*' },
          roles: { member: { note: WRITES }, finder: { note: ['findOne', ...WRITES] } },
        },
        auth: { strategies: [new UserHeader()] },
        providers: [Watcher],
      },
      adapter,
    );
    hers = (await service('note').create({ text: 'hers', author: 'ann' })).documentId;
  });
  afterAll(() => test.close());
  beforeEach(() => {
    seen.length = 0;
  });
  const bob = (method: 'put' | 'post' | 'delete', path: string, role = 'member') =>
    test.http[method](`/api/${path}`).set({ 'x-user': 'bob', 'x-role': role });

  it.each([
    ['member', 404, 204],
    ['finder', 403, 403],
  ])('H2 R13: run for no document that is unknown or of another owner (%s)', async (role, put, gone) => {
    for (const query of ['', '?status=draft'])
      await bob('put', `notes/${hers}${query}`, role)
        .send({ data: { text: 'his' } })
        .expect(put);
    await bob('put', `notes/${nobody}`, role)
      .send({ data: { text: 'x' } })
      .expect(404);
    await bob('delete', `notes/${hers}`, role).expect(gone);
    await bob('delete', `notes/${nobody}`, role).expect(204);
    expect(seen).toEqual([]);
    expect(await service('note').findOne(hers)).toMatchObject({ text: 'hers' });
  });

  it('H2: run for no document that a method of the service does not find', async () => {
    for (const verb of ['publish', 'unpublish', 'discardDraft'] as const)
      await expect(service('note')[verb](nobody)).rejects.toMatchObject({ name: 'NotFoundError' });
    await service('note').delete(nobody);
    expect(seen).toEqual([]);
  });

  it('R13: run for no body with an invalid key', async () => {
    for (const data of [{ nope: 1 }, { id: 1 }, { author: 'bob' }, { secret: { a: 1 }, createdAt: 1 }]) {
      await bob('post', 'notes').send({ data }).expect(400);
      await bob('put', `notes/${hers}`).send({ data }).expect(400);
    }
    await bob('post', 'notes').send({}).expect(400);
    expect(seen).toEqual([]);
  });

  it('D27: errors contain no value that a hook adds to a body', async () => {
    const refused = await bob('post', 'notes')
      .send({ data: { text: 'stamp' } })
      .expect(400);
    expect(JSON.stringify(refused.body)).not.toContain('longer than five');
  });

  it('H1: each hook after the commit runs, and each error is logged', async () => {
    const lines = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    await bob('post', 'notes?status=draft')
      .send({ data: { text: 'new' } })
      .expect(201);
    const logged = lines.mock.calls.map(([line]) => String(line).split('\n')[0]);
    lines.mockRestore();
    expect(seen).toEqual(['before create', 'after create', 'first create 0', 'second', 'third']);
    expect(logged).toEqual([
      expect.stringMatching(
        /^A hook after the create of note [a-z0-9]{24} by request \S+ has failed: Error: the first one fails$/,
      ),
      expect.stringMatching(
        /^A hook after the create of note [a-z0-9]{24} by request \S+ has failed: Error: the second one fails$/,
      ),
    ]);
  });

  it.each([
    [99, 201],
    [1000, 400],
    [4000, 400],
    [20_000, 400],
  ])('R7: a value of %i levels returns %i, before a hook or a connection is used', async (depth, status) => {
    const send = async (path: string): Promise<string> => {
      const body = `{"data":{"text":"deep","meta":${'['.repeat(depth - 2)}${']'.repeat(depth - 2)}}}`;
      const response = await raw(
        test.url,
        'POST',
        path,
        { 'content-type': 'application/json', 'x-user': 'bob' },
        body,
      );
      expect(response.status).toBe(status);
      return response.text;
    };
    const statements = await countStatements(async () => {
      const hooked = await send('/api/notes');
      if (status === 400) expect(JSON.parse(hooked).error).toMatchObject({ details: { limit: 'bodyDepth' } });
    });
    if (status === 400) expect([seen, statements]).toEqual([[], []]);
  });

  it('a write without hooks needs no additional statement', async () => {
    const { documentId } = await service('plain').create({ text: 'a' });
    const put = () =>
      test.http
        .put(`/api/plains/${documentId}`)
        .send({ data: { text: 'b' } })
        .expect(200);
    await put();
    // Lock, load, and write with the response.
    expect(withinTransaction(await countStatements(put))).toHaveLength(3);
  });
});

describe.each(adaptersFor('express'))('sign-up on %s', (adapter) => {
  it('R7: returns 400 in the standard error shape for a nested body', async () => {
    const test = await createTestApp(
      {
        contentTypes: userTypes({ profile: { type: 'json' } }),
        access: { roles: { authenticated: {} } },
        imports: [UsersModule.forRoot({ secret: 'x'.repeat(32), register: { fields: ['profile'] } })],
      },
      adapter,
    );
    const register = (depth: number, name: string) =>
      raw(
        test.url,
        'POST',
        '/api/auth/local/register',
        { 'content-type': 'application/json' },
        `{"username":"${name}","email":"${name}@example.org","password":"secret1","profile":${'['.repeat(depth)}${']'.repeat(depth)}}`,
      );
    expect((await register(4000, 'deep')).status).toBe(400);
    expect((await register(50, 'flat')).status).toBe(200);
    await test.close();
  });
});

describe('H1b: a hook that never runs stops the start', () => {
  const start = async (decorator: MethodDecorator): Promise<unknown> => {
    @Injectable()
    class Wrong {
      @decorator
      hook(): void {}
    }
    const database = await createDatabase();
    const content = ContentModule.forRoot({
      contentTypes: [note, plain],
      access: { public: { note: ['find'] } },
      database: { clientUrl: database.url },
    });
    const module = await Test.createTestingModule({ imports: [content], providers: [Wrong] }).compile();
    const app = module.createNestApplication({ logger: false });
    const error: unknown = await app.init().then(
      () => null,
      (reason: unknown) => reason,
    );
    await app.close();
    await database.drop();
    return error;
  };
  const typo = 'crate' as ContentEvent['action'];

  it.each([
    [
      'an unknown type',
      BeforeContent('nota', 'create'),
      'Wrong.hook: "nota" is not a content type; did you mean "note"?',
    ],
    [
      'no action',
      AfterContent('note'),
      'Wrong.hook: names no action, so it would never run; available: create, update,',
    ],
    [
      'an unknown action',
      OnContentCommitted('*', typo),
      'Wrong.hook: "crate" is not an action; did you mean "create"?',
    ],
  ])('%s', async (_what, decorator, message) => {
    expect(await start(decorator)).toMatchObject({
      name: 'ContentModelError',
      message: expect.stringContaining(message),
    });
  });

  it('except a hook for a type of another content module of the application', async () => {
    const database = await createDatabase();
    const { clientUrl } = { clientUrl: database.url };
    @Injectable()
    class Both {
      @BeforeContent('note', 'create')
      notes(): void {}
      @BeforeContent('plain', 'create')
      plains(): void {}
    }
    const module = await Test.createTestingModule({
      imports: [
        ContentModule.forRoot({ contentTypes: [note], database: { clientUrl } }),
        ContentModule.forRoot({ contentTypes: [plain], prefix: 'other', database: { clientUrl } }),
      ],
      providers: [Both],
    }).compile();
    const app = module.createNestApplication({ logger: false });
    await app.init();
    await app.close();
    await database.drop();
  });
});
