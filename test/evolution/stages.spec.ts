/** Stages under new names: drafts, stored versions and grants of the database. */
import { ContentModule, defineCollectionType, type Grants, migrateContent } from 'nestjs-content-api';
import { ApiTokens, ApiTokensModule, apiTokenType } from 'nestjs-content-api/accounts';
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

  const open = async (model: Model): Promise<Host> => {
    const host = await startHost(
      () => ({
        imports: [
          ContentModule.forRoot({
            ...model,
            access: { public: { '*': '*' } },
            database: { clientUrl: database.url },
          }),
          HistoryModule.forRoot(),
          ApiTokensModule,
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
});
