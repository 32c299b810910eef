/**
 * Each screen in light and dark, and as wide as a phone: no serious finding of axe, and no scrolling sideways.
 * `npm run desk:screenshots` writes the pictures of the documentation.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'puppeteer-core';
import sharp from 'sharp';
import { findings } from './axe.ts';
import { hasBrowser, launch, type Opened, openPage } from './browser.ts';
import { Editor } from './editor.ts';
import { type Newsroom, startNewsroom } from './newsroom.ts';

const PASSWORD = 'a long password of an editor';
const FOLDER = process.env['DESK_SCREENSHOTS'];

interface View {
  readonly name: string;
  readonly scheme: 'light' | 'dark';
  readonly width: number;
}

/** Elements that make the page wider than the window, unless they scroll on their own. */
const OVERFLOWING = `document.documentElement.scrollWidth <= innerWidth ? [] :
  [...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
    .map((one) => one.outerHTML.slice(0, 120)).slice(0, 5)`;

/** Titles of another editor, in turn. */
const BY_BEN = ['Harbours of the far north', 'Harbours, seen from the sea'];

const VIEWS: readonly View[] = [
  { name: 'light', scheme: 'light', width: 1280 },
  { name: 'dark', scheme: 'dark', width: 1280 },
  { name: 'phone', scheme: 'light', width: 390 },
];

(hasBrowser ? describe : describe.skip)('every screen', () => {
  let room: Newsroom;
  let browser: Browser;
  let opened: Opened;
  let ann: Editor;
  let article = '';
  let visits = 0;

  beforeAll(async () => {
    room = await startNewsroom('express');
    browser = await launch();
    opened = await openPage(browser, room.url);
    ann = new Editor(opened.page, room.desk);
    await ann.acceptInvitation(await room.invite('ann@example.org'), PASSWORD);
    article = await fill(room);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await room?.close();
  });

  /** Shows a screen in a view, and waits until it stands still. */
  async function show({ scheme, width }: View, visit: () => Promise<void>): Promise<void> {
    await ann.page.setViewport({ width, height: 860, deviceScaleFactor: 1 });
    await ann.page.emulateMediaFeatures([
      { name: 'prefers-color-scheme', value: scheme },
      { name: 'prefers-reduced-motion', value: 'reduce' },
    ]);
    await visit();
    await sleep(400);
  }

  const SCREENS: readonly (readonly [string, () => Promise<void>])[] = [
    ['list', () => ann.open('/content/article')],
    ['document', () => ann.open(`/content/article/${article}`)],
    ['new', () => ann.open('/content/author/new')],
    [
      'conflict',
      async () => {
        await ann.open(`/content/article/${article}`);
        if ((await ann.text()).includes('Take theirs')) {
          await ann.press('Take theirs: Title');
          await ann.seesNot('Take theirs');
        }
        await room.sql(
          `update articles set title = $2, revision = revision + 1
           where document_id = $1 and locale = 'en' and not published`,
          [article, BY_BEN[(visits += 1) % 2]],
        );
        await ann.fill('Title', 'Harbours in winter');
        await ann.press('Save');
        await ann.sees('Another editor has changed the same fields');
      },
    ],
    [
      'library',
      async () => {
        await ann.open(`/content/article/${article}`);
        await ann.page
          .locator('[data-path=gallery] ::-p-aria([name="Choose from the library"][role="button"])')
          .click();
        await ann.page.waitForSelector('.desk-tile img');
      },
    ],
    [
      'drawer',
      async () => {
        await ann.open(`/content/article/${article}`);
        await ann.press('Create: Author');
        await ann.page.waitForSelector('.mantine-Drawer-content [data-path=name]');
      },
    ],
  ];

  it.each(
    SCREENS.flatMap(([screen, visit]) => VIEWS.map((view) => ({ screen, name: view.name, view, visit }))),
  )('$screen in $name', async ({ screen, view, visit }) => {
    await show(view, visit);
    if (FOLDER !== undefined) {
      await mkdir(FOLDER, { recursive: true });
      const png = await ann.page.screenshot();
      await sharp(png)
        .png({ palette: true, quality: 90, effort: 10 })
        .toFile(join(FOLDER, `desk-${screen}-${view.name}.png`));
    }
    expect(await findings(ann.page)).toEqual([]);
    expect(await ann.page.evaluate(OVERFLOWING)).toEqual([]);
    expect(opened.complaints.splice(0)).toEqual([]);
  });

  it('sign-in in all views', async () => {
    await ann.open('/content/article');
    await ann.press('Account');
    await ann.item('Sign out');
    await ann.sees('Sign in to write and publish.');
    for (const view of VIEWS) {
      await show(view, () => ann.open('/content/article'));
      if (FOLDER !== undefined)
        await ann.page.screenshot({ path: join(FOLDER, `desk-sign-in-${view.name}.png`) });
      expect(await findings(ann.page)).toEqual([]);
    }
  });
});

const TITLES = [
  'Harbours of the north',
  'The quiet pass',
  'A year of rain',
  'Bread and salt',
  'Night trains return',
  'What the river keeps',
  'The last cinema',
  'Letters from the island',
];

/** Fills the newsroom, and returns the id of an article that has everything. */
async function fill({ http, desk: _desk }: Newsroom): Promise<string> {
  const body = { identifier: 'ann@example.org', password: PASSWORD };
  const { jwt } = (await http.post('/desk/session').send(body).expect(200)).body;
  const post = async (path: string, data: object): Promise<any> =>
    (await http.post(`/api${path}`).set('Authorization', `Bearer ${jwt}`).send({ data }).expect(201)).body
      .data;
  const authors = await Promise.all(
    ['Ann Weber', 'Ben Okafor', 'Carla Rossi'].map((name) => post('/authors', { name })),
  );
  const tags = await Promise.all(
    ['Travel', 'Food', 'Politics', 'Culture'].map((label) => post('/tags', { label })),
  );
  const files: number[] = [];
  for (const [name, colour] of [
    ['Harbour.png', '#2a6f97'],
    ['Market.png', '#c9622b'],
    ['Station.png', '#5b7553'],
  ] as const) {
    const bytes = await sharp({ create: { width: 900, height: 600, channels: 3, background: colour } })
      .png()
      .toBuffer();
    const { body: stored } = await http
      .post('/api/upload')
      .set('Authorization', `Bearer ${jwt}`)
      .attach('files', bytes, name)
      .expect(201);
    files.push(stored[0].id);
  }
  let last = '';
  for (const [at, title] of [...TITLES].reverse().entries()) {
    const isLive = at % 3 !== 0;
    const made = await post(`/articles${isLive ? '' : '?status=draft'}`, {
      title,
      lead: 'Some sentences that say what the text is about, and why it is worth your time.',
      kind: ['news', 'report', 'interview'][at % 3],
      rating: at,
      appears: '2026-11-24',
      author: authors[at % 3].documentId,
      tags: [tags[at % 4].documentId, tags[(at + 1) % 4].documentId],
      cover: files[at % 3],
      gallery: files.slice(0, 2),
      seo: { metaTitle: title },
      sections: [
        { __component: 'part.quote', text: 'The sea gives, and the sea takes.', speaker: 'A fisher' },
        {
          __component: 'part.table',
          caption: 'Departures',
          rows: [{ heading: 'Morning', cells: [{ text: '6:40' }] }],
        },
      ],
    });
    const change = (query: string, data: object) =>
      http
        .put(`/api/articles/${made.documentId}?${query}`)
        .set('Authorization', `Bearer ${jwt}`)
        .send({ data });
    if (at % 2 === 1) await change('status=draft&locale=fr', { title: `${title} (fr)` }).expect(200);
    if (at % 4 === 1) await change('status=draft', { rating: 9 }).expect(200);
    last = made.documentId;
  }
  return last;
}
