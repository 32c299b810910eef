/** Journey of an editor whose application reads from replicas that lag. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { MikroORM } from '@mikro-orm/core';
import { CONTENT_ORM, ContentModule, defineCollectionType } from 'nestjs-content-api';
import { UsersModule, userTypes } from 'nestjs-content-api/accounts';
import { DeskInvitations, DeskModule } from 'nestjs-content-api/desk';
import type { Browser } from 'puppeteer-core';
import supertest from 'supertest';
import { SECRET } from '../../accounts/helpers.ts';
import { type Replicated, startReplicated } from '../../support/replicas.ts';
import { hasBrowser, launch, openPage } from './browser.ts';
import { Editor } from './editor.ts';

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  draftAndPublish: true,
  attributes: { title: { type: 'string' } },
});
const PASSWORD = 'a long password of an editor';

(hasBrowser ? describe : describe.skip)('an editor whose application reads from replicas', () => {
  let servers: Replicated;
  let app: INestApplication;
  let browser: Browser;

  beforeAll(async () => {
    servers = await startReplicated();
    const content = ContentModule.forRoot({
      contentTypes: [note, ...userTypes()],
      access: { roles: { editor: { desk: ['open'], note: '*' } } },
      database: {
        clientUrl: servers.primary.url,
        replicas: servers.replicas.map(({ url }) => ({ clientUrl: url })),
      },
      cache: false,
      // The machine may be busy.
      maxReplicaLag: 60_000,
    });
    const imports = [
      content,
      UsersModule.forRoot({ secret: SECRET, refresh: true, rateLimit: false }),
      DeskModule.forRoot(),
    ];
    app = await NestFactory.create({ module: class {}, imports }, { logger: ['fatal'] });
    await app.listen(0, '127.0.0.1');
    await app.get<MikroORM>(CONTENT_ORM, { strict: false }).schema.create();
    browser = await launch();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await app?.close();
    await servers?.stop();
  });

  /** Reads until the application has measured the lag of its replicas: until then, the primary responds. */
  const measure = async (): Promise<void> => {
    const http = supertest(await app.getUrl());
    const account = { identifier: 'ann@example.org', password: PASSWORD };
    const { jwt } = (await http.post('/desk/session').send(account).expect(200)).body;
    for (let reads = 0; reads < 20; reads += 1) {
      await http.get('/api/notes?status=draft').set('Authorization', `Bearer ${jwt}`).expect(200);
      await sleep(100);
    }
  };

  it('sees each save at once, in the list and in the form', async () => {
    const url = await app.getUrl();
    const invitations = app.get(DeskInvitations, { strict: false });
    const link = await invitations.invite({ email: 'ann@example.org', url: `${url}/desk` });
    const { page, complaints } = await openPage(browser, url);
    const ann = new Editor(page, `${url}/desk`);
    await ann.acceptInvitation(link, PASSWORD, 'Notes');
    await ann.open('/content/note/new');
    await ann.fill('Title', 'Before');
    await ann.saved();
    await measure();
    for (const replica of servers.replicas) await replica.sql('select pg_wal_replay_pause()');
    await ann.fill('Title', 'After');
    await ann.savesItself();
    await ann.until('stored', async () => {
      const [row] = await servers.primary.sql('select title from notes');
      return row?.['title'] === 'After';
    });
    // The editor returns to the tab.
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
    await sleep(500);
    expect(await ann.text()).not.toContain('Another editor');
    await ann.openAnew('/content/note');
    await ann.sees('After');
    expect(complaints).toEqual([]);
  });
});
