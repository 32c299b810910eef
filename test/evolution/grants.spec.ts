/** Grants on some attributes of a type, stored in the database, when those attributes change. */
import { ContentModule, defineCollectionType, migrateContent } from 'nestjs-content-api';
import { ApiTokens, ApiTokensModule, apiTokenType } from 'nestjs-content-api/accounts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type Host, startHost } from '../http/helpers.ts';
import { applyStatements, ormOf } from './run.ts';

type Attributes = Parameters<typeof defineCollectionType>[0]['attributes'];

const text = { type: 'string' } as const;

const modelOf = (name: string, attributes: Attributes, more: object = {}) => ({
  contentTypes: [
    defineCollectionType({ singularApiId: name, pluralApiId: `${name}s`, attributes, ...more }),
    apiTokenType,
  ],
});

describe('a grant on some attributes', () => {
  let database: TestDatabase;
  let host: Host;
  let token: string;
  const start = async (model: ReturnType<typeof modelOf>): Promise<void> => {
    host = await startHost(
      () => ({
        imports: [
          ContentModule.forRoot({ ...model, database: { clientUrl: database.url } }),
          ApiTokensModule,
        ],
      }),
      { database },
    );
  };
  /** Migrates to a model, and starts an application of it. Returns the statements of the way back. */
  const become = async (model: ReturnType<typeof modelOf>): Promise<readonly string[] | null> => {
    const { down } = await migrateContent({ orm: ormOf(host), model });
    await host.close();
    await start(model);
    return down;
  };
  const seen = async (path: string): Promise<unknown> => {
    const answer = await fetch(`${host.url}/api/${path}`, { headers: { authorization: `Bearer ${token}` } });
    const { data } = (await answer.json()) as any;
    return data === null
      ? answer.status
      : data.map(
          ({
            id: _,
            documentId: __,
            createdAt: ___,
            updatedAt: ____,
            publishedAt: _____,
            locale: ______,
            ...rest
          }: any) => rest,
        );
  };

  beforeAll(async () => {
    database = await createDatabase();
    const model = modelOf('post', { title: text, body: text, secret: text });
    await start(model);
    await migrateContent({ orm: ormOf(host), model });
    await host.sql(`insert into posts (document_id, created_at, updated_at, published, locale, title, body, secret)
      values ('d', now(), now(), true, 'en', 'the title', 'the body', 'the secret')`);
    const grants = { post: [{ actions: ['find' as const], fields: ['title', 'body'] }, 'findOne' as const] };
    ({ token } = await host.app
      .get(ApiTokens, { strict: false })
      .create({ name: 'narrow', kind: 'custom', grants }));
    expect(await seen('posts')).toEqual([{ title: 'the title', body: 'the body' }]);
  });
  afterAll(async () => {
    await host.close();
    await database.drop();
  });

  it('follows renamed attributes, and covers nothing else; also on the way back', async () => {
    const old = modelOf('post', { title: text, body: text, secret: text });
    const down = await become(
      modelOf(
        'story',
        { headline: { ...text, previousName: 'title' }, body: text, secret: text },
        { previousName: 'post' },
      ),
    );
    expect(await seen('storys')).toEqual([{ headline: 'the title', body: 'the body' }]);
    await applyStatements(host, down ?? []);
    await host.close();
    await start(old);
    expect(await seen('posts')).toEqual([{ title: 'the title', body: 'the body' }]);
  });

  it('loses a removed attribute: a later one of its name is not granted', async () => {
    await become(modelOf('post', { title: text, secret: text }, { removed: ['body'] }));
    expect(await seen('posts')).toEqual([{ title: 'the title' }]);
    await become(modelOf('post', { title: text, body: { ...text, previousName: 'secret' } }));
    expect(await seen('posts')).toEqual([{ title: 'the title' }]);
    expect(await host.sql('select grants from content_api_tokens')).toEqual([
      { grants: { post: [{ actions: ['find'], fields: ['title'] }, 'findOne'] } },
    ]);
  });

  it('on a removed type is removed', async () => {
    await become({ ...modelOf('other', { title: text }), removed: ['post'] } as ReturnType<typeof modelOf>);
    expect(await host.sql('select grants from content_api_tokens')).toEqual([{ grants: {} }]);
    await become(modelOf('post', { title: text }, { previousName: 'other' }));
    expect(await seen('posts')).toBe(403);
  });

  it('in code stops the start if it names a removed attribute (strategies: a missing one)', async () => {
    const model = modelOf('post', { headline: { ...text, previousName: 'title' } });
    const access = { public: { post: [{ actions: ['find' as const], fields: ['title'] }] } };
    await expect(
      startHost(
        () => ({
          imports: [ContentModule.forRoot({ ...model, access, database: { clientUrl: database.url } })],
        }),
        { database },
      ),
    ).rejects.toThrow('"title" is not an attribute of post');
  });
});
