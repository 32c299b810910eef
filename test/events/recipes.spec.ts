/** Recipes of docs/events.md, run as they are. */
import type { Type } from '@nestjs/common';
import { PgBoss } from 'pg-boss';
import { type ContentService, defineCollectionType, getContentToken } from 'nestjs-content-api';
import { EventsModule } from 'nestjs-content-api/events';
import { Webhook } from 'standardwebhooks';
import { createTestApp, type TestApp } from '../support/app.ts';
import { snippetWith } from '../support/snippets.ts';
import { eventually } from './helpers.ts';

const PAGE = 'docs/events.md';

const article = defineCollectionType({
  singularApiId: 'article',
  pluralApiId: 'articles',
  draftAndPublish: true,
  attributes: { title: { type: 'string', required: true } },
});

interface Searches {
  search(text: string): readonly string[];
}

type ContentChanged = (
  revalidateTag: (tag: string, profile: string) => void,
) => (request: Request) => Promise<Response>;

describe('recipes for events', () => {
  const builds: (readonly string[])[] = [];
  const jobs: { readonly data: object; readonly singletonKey: string }[] = [];
  let failures = 1;
  let test: TestApp;
  let SearchIndex: Type<Searches>;
  beforeAll(async () => {
    ({ SearchIndex } = await snippetWith<{ SearchIndex: Type<Searches> }>(
      PAGE,
      'class SearchIndex {\n  private',
    ));
    const { StaticPages } = await snippetWith<{ StaticPages: new (build: unknown) => object }>(
      PAGE,
      'class StaticPages',
    );
    const { Jobs } = await snippetWith<{ Jobs: Type<object> }>(PAGE, 'class Jobs');
    const build = (ids: readonly string[]): Promise<void> => {
      builds.push(ids);
      failures -= 1;
      return failures >= 0 ? Promise.reject(new Error('no build')) : Promise.resolve();
    };
    test = await createTestApp({
      contentTypes: [article],
      access: { public: { article: '*' } },
      imports: [EventsModule.forRoot({ pollMilliseconds: 50 })],
      providers: [
        SearchIndex,
        Jobs,
        { provide: StaticPages, useFactory: () => new StaticPages(build) },
        {
          provide: PgBoss,
          useValue: {
            send: (_queue: string, data: object, { singletonKey }: { singletonKey: string }) => {
              jobs.push({ data, singletonKey });
              return Promise.resolve(singletonKey);
            },
          },
        },
      ],
    });
  });
  afterAll(() => test.close());

  it('keep a search index, hand events to a queue, and build pages until it works', async () => {
    const articles: ContentService = test.app.get(getContentToken('article'), { strict: false });
    const index = test.app.get<Searches>(SearchIndex);
    const made = await Promise.all(
      ['Red fox', 'Blue whale'].map((title) => articles.create({ title }) as Promise<{ documentId: string }>),
    );
    await eventually(() => index.search('fox'), 1);
    await articles.update(made[0]?.documentId ?? '', { title: 'Grey wolf' });
    await eventually(() => index.search('wolf'), 1);
    expect(index.search('fox')).toEqual([]);
    await articles.unpublish(made[0]?.documentId ?? '');
    await eventually(() => index.search('wolf'), 0);
    expect(index.search('wha')).toEqual(['Blue whale']);
    await eventually(() => jobs, 7);
    expect(new Set(jobs.map(({ singletonKey }) => singletonKey)).size).toBe(7);
    // The first build failed: its events are retried in 5 s.
    const failed = (): Promise<Record<string, unknown>[]> =>
      test.sql(`select 1 from content_event_attempt where reader = 'handler static-pages' limit 1`);
    await eventually(failed, 1);
    expect(builds[0]?.length).toBeGreaterThan(0);
  });

  it('revalidate tags of a page after a verified webhook alone', async () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const { contentChanged } = await snippetWith<{ contentChanged: ContentChanged }>(PAGE, 'contentChanged');
    const tags: string[] = [];
    const handle = contentChanged((tag) => tags.push(tag));
    const change = {
      event: 'entry.publish',
      model: 'article',
      entry: { documentId: 'a' },
      tags: ['t1', 't2'],
    };
    const body = JSON.stringify(change);
    const now = new Date();
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign('evt_1', now, body),
    };
    const request = (): Request => new Request('http://site.example/', { method: 'POST', body, headers });
    process.env['WEBHOOK_SECRET'] = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
    expect((await handle(request())).status).toBe(401);
    expect(tags).toEqual([]);
    process.env['WEBHOOK_SECRET'] = secret;
    expect((await handle(request())).status).toBe(204);
    expect(tags).toEqual(['article', 'article:a', 't1', 't2']);
    delete process.env['WEBHOOK_SECRET'];
  });
});
