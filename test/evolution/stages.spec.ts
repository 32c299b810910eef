/** Stages under new names: drafts, stored versions and grants of the database. */
import { Logger } from '@nestjs/common';
import { ContentModule, defineCollectionType, type Grants, migrateContent } from 'nestjs-content-api';
import {
  ApiTokens,
  ApiTokensModule,
  apiTokenType,
  UsersModule,
  userTypes,
} from 'nestjs-content-api/accounts';
import { HistoryModule } from 'nestjs-content-api/history';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type Host, startHost } from '../http/helpers.ts';
import { type Model, ormOf } from './run.ts';

type Stages = Readonly<Record<string, { to: readonly string[]; publish?: boolean; previousName?: string }>>;

const modelOf = (stages: Stages): Model => ({
  contentTypes: [
    defineCollectionType({
      singularApiId: 'story',
      pluralApiId: 'stories',
      draftAndPublish: true,
      history: true,
      actions: true,
      stages: stages as never,
      attributes: { title: { type: 'string' } },
    }),
    apiTokenType,
    ...userTypes(),
  ],
});
const BEFORE = modelOf({
  draft: { to: ['review'] },
  review: { to: ['draft', 'legal', 'ready'] },
  legal: { to: ['ready'] },
  ready: { to: ['review'], publish: true },
});
const AFTER = modelOf({
  draft: { to: ['reading'] },
  reading: { to: ['draft', 'approved'], previousName: 'review' },
  approved: { to: ['reading'], publish: true, previousName: 'ready' },
});
const MERGED = modelOf({
  draft: { to: ['reading'], previousName: 'legal' },
  reading: { to: ['draft', 'approved'], previousName: 'review' },
  approved: { to: ['reading'], publish: true, previousName: 'ready' },
});

describe('stages under new names', () => {
  let database: TestDatabase;
  const hosts: Host[] = [];
  beforeEach(async () => {
    database = await createDatabase();
  });
  afterEach(async () => {
    for (const host of hosts.splice(0)) await host.close();
    await database.drop();
  });

  const open = async (model: Model, access: Grants = { '*': '*' }): Promise<Host> => {
    const host = await startHost(
      () => ({
        imports: [
          ContentModule.forRoot({
            ...model,
            access: { public: access },
            database: { clientUrl: database.url },
          }),
          HistoryModule.forRoot(),
          ApiTokensModule,
          UsersModule.forRoot({ secret: 'a secret of at least thirty-two characters' }),
        ],
      }),
      { database },
    );
    hosts.push(host);
    return host;
  };
  const sender =
    (host: Host, token?: string) =>
    async (method: string, path: string, data?: object): Promise<any> => {
      const response = await fetch(`${host.url}/api/${path}`, {
        method,
        ...(data === undefined ? {} : { body: JSON.stringify({ data }) }),
        headers: {
          'content-type': 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
      });
      return response.status === 204 ? null : response.json();
    };

  it('25.10 renames them in drafts, published and stored versions, the trash and grants', async () => {
    const old = await open(BEFORE);
    await migrateContent({ orm: ormOf(old), model: BEFORE });
    const send = sender(old);
    const make = async (title: string, ...stages: string[]): Promise<string> => {
      const { documentId } = (await send('POST', 'stories?status=draft', { title })).data;
      for (const stage of stages)
        expect((await send('PUT', `stories/${documentId}?status=draft`, { stage })).data.stage).toBe(stage);
      return documentId as string;
    };
    const grants: Grants = {
      story: [
        'find',
        'readDrafts',
        { actions: ['update', 'move'], stages: ['review', 'ready'] },
        { actions: ['move'], stages: ['legal'] },
      ],
    };
    const { token } = await old.app
      .get(ApiTokens, { strict: false })
      .create({ name: 'desk', kind: 'custom', grants });
    const reviewed = await make('reviewed', 'review');
    const live = await make('live', 'review', 'ready');
    expect((await send('POST', `stories/${live}/actions/publish`)).error).toBeUndefined();
    const deleted = await make('deleted', 'review');
    await send('DELETE', `stories/${deleted}`);

    await migrateContent({ orm: ormOf(old), model: AFTER });
    const next = await open(AFTER);
    const [after, asDesk] = [sender(next), sender(next, token)];
    const titles = async (stage: string): Promise<string[]> =>
      (await after('GET', `stories?status=draft&filters[stage]=${stage}`)).data.map((one: any) => one.title);
    expect(await titles('reading')).toEqual(['reviewed']);
    expect(await titles('approved')).toEqual(['live']);
    expect((await after('GET', `stories/${live}`)).data.stage).toBe('approved');
    expect((await after('GET', 'stories?status=draft&publicationFilter=modified')).data).toEqual([]);
    const versions = (await after('GET', `stories/${reviewed}/versions`)).data;
    const shown = await Promise.all(
      versions.map(async ({ id }: any) => (await after('GET', `stories/${reviewed}/versions/${id}`)).data),
    );
    expect(new Set(shown.map(({ content }) => content.stage))).not.toContain('review');
    expect(shown[0].content.stage).toBe('reading');
    const restored = (await after('POST', `stories/${deleted}/actions/restore`)).data;
    expect([restored.title, restored.stage]).toEqual(['deleted', 'reading']);

    expect(await next.sql('select grants from content_api_tokens')).toEqual([
      {
        grants: {
          story: [
            'find',
            'readDrafts',
            { actions: ['update', 'move'], stages: ['reading', 'approved'] },
            { actions: ['move'], stages: [] },
          ],
        },
      },
    ]);
    const move = (stage: string) => asDesk('PUT', `stories/${reviewed}?status=draft`, { stage });
    expect((await move('draft')).error.details.grant).toBe('story.move');
    expect((await move('approved')).error).toBeUndefined();
    expect((await titles('approved')).toSorted()).toEqual(['live', 'reviewed']);
  });

  it('a removed stage with documents is refused until another one names it', async () => {
    const old = await open(BEFORE);
    await migrateContent({ orm: ormOf(old), model: BEFORE });
    const send = sender(old);
    const { documentId } = (await send('POST', 'stories?status=draft', { title: 'law' })).data;
    for (const stage of ['review', 'legal'])
      await send('PUT', `stories/${documentId}?status=draft`, { stage });
    await expect(migrateContent({ orm: ormOf(old), model: AFTER })).rejects.toThrow(
      /story\.stage .*: 1 .*set previousName on the stage that replaces the old one/,
    );
    await migrateContent({ orm: ormOf(old), model: MERGED });
    const next = await open(MERGED);
    expect((await sender(next)('GET', 'stories?status=draft')).data).toMatchObject([{ stage: 'draft' }]);
  });

  it('18.29 conditions of a stored role follow renamed stages; on a removed one they grant nothing', async () => {
    const access: Grants = { role: '*', story: ['create', 'update', 'move', 'readDrafts'] };
    const lines: string[] = [];
    const spy = jest
      .spyOn(Logger.prototype, 'warn')
      .mockImplementation((line) => void lines.push(String(line)));
    const rename = async (model: Model, from: Host): Promise<Host> => {
      await migrateContent({ orm: ormOf(from), model });
      return open(model, access);
    };
    const old = await rename(BEFORE, await open(BEFORE, access));
    const send = sender(old);
    for (const stage of [null, 'review'])
      await send('POST', 'stories?status=draft', { title: stage ?? 'new', ...(stage && { stage }) });
    const save = async (host: Host, actions: object): Promise<any> => {
      const { roles } = (await (await fetch(`${host.url}/api/users-permissions/roles`)).json()) as any;
      const { id } = roles.find((role: any) => role.type === 'public');
      const permissions = { 'api::story': { controllers: { story: actions } } };
      return (
        await fetch(`${host.url}/api/users-permissions/roles/${id}`, {
          method: 'PUT',
          body: JSON.stringify({ permissions }),
          headers: { 'content-type': 'application/json' },
        })
      ).json();
    };
    const on = (leaf: object) => ({ enabled: true, policy: '', ...leaf });
    const seen = async (host: Host): Promise<unknown> => {
      const { data, error } = await sender(host)('GET', 'stories?status=draft');
      return error?.status ?? data.map((one: any) => one.title);
    };
    expect((await save(old, { find: on({ where: { stage: { $ne: 'reviw' } } }) })).error).toMatchObject({
      status: 400,
      details: { key: 'stage', path: 'permissions.api::story.controllers.story.find.where.stage' },
    });
    const stored = {
      find: on({ where: { stage: { $ne: 'review' } } }),
      create: on({ preset: { stage: 'review' } }),
    };
    expect(await save(old, stored)).toEqual({ ok: true });
    expect(await seen(old)).toEqual(['new']);
    const next = await rename(AFTER, old);
    expect(await seen(next)).toEqual(['new']);
    const removed = {
      find: on({ where: { stage: { $ne: 'approved' } } }),
      create: on({ preset: { stage: 'reading' } }),
    };
    expect(await save(next, removed)).toEqual({ ok: true });
    await next.sql("delete from stories where stage <> 'draft'");
    const last = await rename(modelOf({ draft: { to: [], publish: true } }), next);
    expect(await seen(last)).toBe(403);
    expect(lines.filter((line) => line.startsWith('Ignored grant'))).toEqual([
      expect.stringContaining('role "public".story.where: "approved" is not a value of stage'),
      expect.stringContaining('role "public".story.preset: "reading" is not a value of stage'),
    ]);
    spy.mockRestore();
    expect(await save(last, { find: on({ where: { stage: 'draft' } }) })).toEqual({ ok: true });
    expect(await seen(last)).toEqual(['new']);
  });
});
