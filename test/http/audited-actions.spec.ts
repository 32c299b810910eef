/** Audit log: changes of releases, and actions on webhooks. */
import { randomBytes } from 'node:crypto';
import { type AuthStrategy, defineCollectionType } from 'nestjs-content-api';
import { EventsModule, webhookType } from 'nestjs-content-api/events';
import { AuditModule, HistoryModule } from 'nestjs-content-api/history';
import { ReleasesModule } from 'nestjs-content-api/releases';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';

const news = defineCollectionType({
  singularApiId: 'news',
  pluralApiId: 'newses',
  draftAndPublish: true,
  history: true,
  attributes: { headline: { type: 'string' } },
});
const asUser: AuthStrategy = {
  name: 'header',
  vary: ['X-User'],
  authenticate: ({ headers: { 'x-user': id } }) =>
    typeof id === 'string' ? { kind: 'user', id, roles: ['editor'] } : null,
};
const editor = { news: '*', webhook: '*', releases: ['open'], audit: ['open'] } as const;

describe.each(ADAPTERS)('actions in the audit log, on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp(
      {
        contentTypes: [news, webhookType],
        access: { roles: { editor } },
        auth: { strategies: [asUser] },
        imports: [
          AuditModule.forRoot(),
          HistoryModule.forRoot(),
          ReleasesModule.forRoot(),
          EventsModule.forRoot({
            webhooks: {
              allow: ['localhost'],
              endpoints: [
                {
                  name: 'site',
                  url: 'http://localhost:9/',
                  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
                },
              ],
            },
          }),
        ],
      },
      adapter,
    );
  });
  afterAll(() => test.close());

  const send = async (
    method: 'get' | 'post' | 'put' | 'delete',
    path: string,
    data?: unknown,
  ): Promise<any> => {
    const asked = test.http[method](`/api/${path}`).set('X-User', 'ann');
    const { status, body } = await (data === undefined ? asked : asked.send({ data }));
    return { status, ...body };
  };
  const entries = async (type: string): Promise<unknown[]> => {
    const { data } = await send('get', `audit?filters[type]=${type}&sort=at:asc`);
    return data.map((one: any) => {
      expect(one.by).toEqual({ kind: 'user', id: 'ann' });
      return [one.action, one.documentId, one.status, one.attributes.join()];
    });
  };

  it('26.2 records no attempt of a caller without credentials', async () => {
    const attempts = ['releases/1/actions/publish', 'releases/1/actions/undo', 'webhooks/site/enable'];
    for (const path of attempts) expect((await test.http.post(`/api/${path}`)).status).toBe(401);
    expect(await test.sql('select * from content_audit')).toEqual([]);
  });

  it('26.2 records changes of releases, without dry runs', async () => {
    const news = (await send('post', 'newses?status=draft', { headline: 'one' })).data.documentId;
    const { id } = (await send('post', 'releases', { name: 'Spring' })).data;
    await send('put', `releases/${id}`, { at: '2999-01-01T00:00:00Z' });
    const entry = { type: 'news', documentId: news, action: 'publish' };
    const added = await send('post', `releases/${id}/entries`, [entry]);
    await send('delete', `releases/${id}/entries/${added.data.entries[0].id}`);
    const again = await send('post', `releases/${id}/entries`, [entry]);
    await send('post', `releases/${id}/actions/remove`, { entries: [again.data.entries[0].id] });
    await send('post', `releases/${id}/entries`, [entry]);
    await send('post', `releases/${id}/actions/publish`, { dryRun: true });
    await send('post', `releases/${id}/actions/publish`);
    await send('delete', `releases/${id}`);
    await send('post', `releases/${id}/actions/undo`, { dryRun: true });
    await send('post', `releases/${id}/actions/undo`);
    await send('delete', `releases/${id}`);
    expect(await entries('releases')).toEqual([
      ['create', id, 201, 'name,at'],
      ['update', id, 200, 'at'],
      ['update', id, 200, 'entries'],
      ['update', id, 204, 'entries'],
      ['update', id, 200, 'entries'],
      ['update', id, 200, 'entries'],
      ['update', id, 200, 'entries'],
      ['publish', id, 200, ''],
      ['delete', id, 409, ''],
      ['undo', id, 200, ''],
      ['delete', id, 204, ''],
    ]);
  });

  it('26.2 records webhooks that are enabled or replayed', async () => {
    await send('post', 'webhooks/site/enable');
    await send('post', 'webhooks/site/replay', { since: '2026-01-01' });
    await send('post', 'webhooks/none/replay', {});
    expect(await entries('webhook')).toEqual([
      ['enable', 'site', 200, ''],
      ['replay', 'site', 200, ''],
      ['replay', 'none', 404, ''],
    ]);
  });

  it('26.2 records an attempt on an id that is longer than an index allows', async () => {
    const before = (await entries('webhook')).length;
    await send('post', `webhooks/${randomBytes(4000).toString('base64url')}/enable`);
    // Fastify replaces long parameters.
    const shown = adapter === 'fastify' ? expect.any(String) : null;
    expect((await entries('webhook')).slice(before)).toEqual([['enable', shown, 404, '']]);
  });
});
