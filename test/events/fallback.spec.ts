/** Events of one locale of types with a fallback locale, whose versions may be hidden or unpublished. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AuthStrategy, defineCollectionType, type Grants } from 'nestjs-content-api';
import { EventsModule, webhookType } from 'nestjs-content-api/events';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';
import { LocalServer } from '../support/local-server.ts';
import { eventually } from './helpers.ts';
import { LiveClient } from './live-client.ts';

const article = defineCollectionType({
  singularApiId: 'article',
  pluralApiId: 'articles',
  draftAndPublish: true,
  actions: true,
  localized: true,
  fallbackLocale: 'en',
  attributes: { title: { type: 'string', localized: true } },
});

const READ = ['find', 'findOne', 'readDrafts'] as const;
const ROLES: Readonly<Record<string, Grants>> = {
  editor: { '*': '*' },
  english: { webhook: '*', article: [{ actions: READ, where: { locale: 'en' } }] },
};
const byHeader: AuthStrategy = {
  name: 'header',
  vary: ['X-Role'],
  authenticate: ({ headers: { 'x-role': role } }) =>
    typeof role === 'string' ? { kind: 'user', id: role, roles: [role] } : null,
};

type Sent = Readonly<Record<'path' | 'event' | 'locale', unknown>>;

class Receiver extends LocalServer {
  readonly received: Sent[] = [];

  protected respond(text: string, { url }: IncomingMessage, response: ServerResponse): void {
    const { event, entry } = JSON.parse(text) as { event: string; entry: { locale: string } };
    this.received.push({ path: url, event, locale: entry.locale });
    response.end();
  }
}

describe.each(ADAPTERS)('events of types with a fallback locale on %s', (adapter) => {
  let test: TestApp;
  const receiver = new Receiver();
  beforeAll(async () => {
    await receiver.start();
    test = await createTestApp(
      {
        contentTypes: [article, webhookType],
        locales: ['en', 'fr'],
        access: { roles: ROLES },
        auth: { strategies: [byHeader] },
        imports: [
          EventsModule.forRoot({
            pollMilliseconds: 50,
            webhooks: { allow: ['localhost'] },
            live: { secret: 'a secret of the tests, which is long enough' },
          }),
        ],
      },
      adapter,
    );
  });
  afterAll(async () => {
    await test.close();
    receiver.stop();
  });

  const send = async (method: 'post' | 'put', path: string, data: object = {}, as = 'editor') =>
    (await test.http[method](`/api/${path}`).set('X-Role', as).send({ data })).body.data;
  const hook = (name: string, more: object, as?: string) =>
    send('post', 'webhooks', { name, url: `${receiver.url}/${name}`, ...more }, as);

  it('21.11, 21.19: a version of another locale does not stand for a hidden or unpublished one', async () => {
    const { documentId } = await send('post', 'articles', { title: 'English' });
    await hook('english', { role: 'english' }, 'english');
    await hook('titled', { types: ['article'], filters: { title: { $notNull: true } } });
    const streams = await Promise.all(
      ['locale=*', 'locale=fr', 'status=draft&locale=*'].map((query) =>
        LiveClient.open(`${test.url}/api/live/articles?${query}`, undefined, { 'X-Role': 'english' }),
      ),
    );
    await Promise.all(streams.map((stream) => stream.first()));
    await send('put', `articles/${documentId}?locale=fr`, { title: 'French' });
    await send('post', `articles/${documentId}/actions/unpublish?locale=fr`);
    // The last event of each receiver: those of the other locale come before it.
    await send('put', `articles/${documentId}`, { title: 'English again' });
    const isLast = ({ event, locale }: Sent): boolean => event === 'entry.publish' && locale === 'en';
    await eventually(() => receiver.received.filter(isLast), 2);
    const [all] = streams;
    await eventually(() => all?.of('message') ?? [], 1);
    for (const stream of streams) stream.close();
    const locales = streams.flatMap((stream) => stream.of('message').map((one) => (one as Sent).locale));
    expect(new Set(locales)).toEqual(new Set(['en']));
    const at = (path: string) => receiver.received.filter((one) => one.path === path);
    expect(at('/english')).toEqual([
      { path: '/english', event: 'entry.update', locale: 'en' },
      { path: '/english', event: 'entry.publish', locale: 'en' },
    ]);
    expect(at('/titled').filter(isLast)).toHaveLength(1);
  });
});
