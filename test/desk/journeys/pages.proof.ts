/**
 * Each screen in light and dark, and as wide as a phone: no serious finding of axe, and no scrolling sideways.
 * `npm run desk:screenshots` writes the pictures of the documentation.
 */
import type { Browser } from 'puppeteer-core';
import sharp from 'sharp';
import { hasBrowser, launch, type Opened, openPage } from './browser.ts';
import { Outbox } from '../../accounts/helpers.ts';
import { Editor } from './editor.ts';
import { type Newsroom, startNewsroom } from './newsroom.ts';
import { checkViews } from './views.ts';

const PASSWORD = 'a long password of an editor';
/** Site that mails name. The journey opens its links at the address of the test. */
const MAILED = 'http://magazine.example';

(hasBrowser ? describe : describe.skip)('every screen', () => {
  let room: Newsroom;
  let browser: Browser;
  let opened: Opened;
  let ann: Editor;
  let article = '';
  let release = '';
  const outbox = new Outbox();

  beforeAll(async () => {
    room = await startNewsroom('express', { mail: outbox, desk: { url: `${MAILED}/desk` } });
    browser = await launch();
    opened = await openPage(browser, room.url);
    ann = new Editor(opened.page, room.desk);
    await ann.acceptInvitation(await room.invite('ann@example.org', 'auditor'), PASSWORD);
    article = await fill(room);
    release = await fillRelease(room);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await room?.close();
  });

  const SCREENS: readonly (readonly [string, () => Promise<void>])[] = [
    ['list', () => ann.open('/content/article')],
    [
      'document',
      async () => {
        await ann.open(`/content/article/${article}`);
        await ann.page.waitForSelector('[data-path=story] [role=toolbar]');
      },
    ],
    ['new', () => ann.open('/content/author/new')],
    [
      'conflict',
      async () => {
        await ann.open(`/content/article/${article}`);
        await room.sql(
          `update articles set title = $2, revision = revision + 1
           where document_id = $1 and locale = 'en' and not published`,
          [article, 'Harbours of the far north'],
        );
        await ann.fill('Title', 'Harbours in winter');
        await ann.press('Save');
        await ann.sees('Another editor has changed the same fields');
      },
    ],
    [
      'published',
      async () => {
        await ann.press('Take theirs: Title');
        await ann.seesNot('Take theirs');
        await ann.press('Publish');
        await ann.until('message', async () => (await ann.texts('.desk-message')).join() === 'Published');
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
    [
      'history',
      async () => {
        await ann.open(`/history/article/${article}`);
        await ann.until(
          'changes',
          async () => (await ann.page.$$('[role=tabpanel] [role=group]')).length > 0,
        );
      },
    ],
    [
      'trash',
      async () => {
        await ann.open('/trash/article');
        await ann.sees('The bridge that was not built');
      },
    ],
    [
      'audit',
      async () => {
        await ann.open('/audit');
        await ann.sees('deleted');
      },
    ],
    [
      'release',
      async () => {
        await ann.open(`/releases/${release}`);
        await ann.press('Check');
        await ann.sees('All 3 documents can be released.');
      },
    ],
    [
      'filter',
      async () => {
        await ann.open('/content/article');
        await ann.press('Add a filter');
        await ann.until('the first field', async () => (await ann.focused()) === 'Attribute');
      },
    ],
    [
      'bulk',
      async () => {
        await ann.open('/content/article');
        await ann.check('Select all on this page');
        await ann.page.locator('.desk-bulk ::-p-aria([name="Delete"][role="button"])').click();
        await ann.until('titles', async () => (await ann.texts('[role=dialog] li')).length === TITLES.length);
      },
    ],
    [
      'role',
      async () => {
        await ann.open('/people/roles');
        await ann.follow('Authenticated');
        await ann.page.waitForSelector('input[type=checkbox]');
      },
    ],
    [
      'order',
      async () => {
        await ann.open('/content/author');
        await ann.move('Carla Rossi', ['ArrowUp']);
        await ann.sees('The order is saved');
      },
    ],
  ];

  it.each(SCREENS)('%s in all views', async (name, visit) => {
    expect(await checkViews(ann.page, `desk-${name}`, visit)).toEqual([]);
    expect(opened.complaints.splice(0)).toEqual([]);
  });

  it('inputs of a row are in line, and a phone has one per row', async () => {
    const inputs = `['title', 'slug'].map((path) => {
      const { top, width } = document.querySelector('[data-path=' + path + ']').getBoundingClientRect();
      return { top: Math.round(top), width: Math.round(width) };
    })`;
    const places = (): Promise<any> => ann.page.evaluate(inputs);
    await ann.page.setViewport({ width: 1280, height: 860 });
    await ann.open(`/content/article/${article}`);
    await ann.page.waitForSelector('[data-path=slug]');
    const [title, slug] = await places();
    // Only the title has a hint.
    expect(title.top).toBe(slug.top);
    expect(title.width).toBeGreaterThan(slug.width);
    await ann.page.setViewport({ width: 390, height: 860 });
    const [first, second] = await places();
    expect(second.top).toBeGreaterThan(first.top);
    expect(second.width).toBe(first.width);
  });

  it('a document on a phone begins with a short head, and the rest of it opens', async () => {
    await ann.open('/content/author');
    await ann.page.setViewport({ width: 390, height: 860 });
    await ann.open(`/content/article/${article}`);
    await ann.page.waitForSelector('[data-path=title]');
    const heights = (): Promise<any> =>
      ann.page.evaluate(`['.desk-document-head', '.desk-savebar'].map((one) =>
        Math.round(document.querySelector(one).getBoundingClientRect().height))`);
    const [head, bar] = await heights();
    // Of 860 pixels. The bar is one row.
    expect(head).toBeLessThanOrEqual(150);
    expect(bar).toBeLessThanOrEqual(60);
    const isShown = async (): Promise<boolean> => (await ann.text()).includes('Activity');
    expect(await isShown()).toBe(false);
    await ann.press('Details');
    expect(await isShown()).toBe(true);
    await ann.press('Details');
    await ann.page.setViewport({ width: 1280, height: 860 });
    expect(await isShown()).toBe(true);
  });

  it('a list on a tablet shows the states and languages without scrolling', async () => {
    await ann.page.setViewport({ width: 820, height: 860 });
    await ann.open('/content/article');
    await ann.page.waitForSelector('td .desk-status');
    const ends = await ann.page.$$eval('td .desk-status', (all) =>
      all.map(
        (one) =>
          (one as unknown as { getBoundingClientRect: () => { right: number } }).getBoundingClientRect()
            .right,
      ),
    );
    expect(Math.max(...ends)).toBeLessThanOrEqual(804);
    await ann.page.setViewport({ width: 1280, height: 860 });
  });

  it('the buttons of a document are above its form on a very wide screen', async () => {
    await ann.page.setViewport({ width: 2560, height: 1200 });
    await ann.open(`/content/article/${article}`);
    await ann.page.waitForSelector('[data-path=title]');
    const [bar, form] = (await ann.page.evaluate(`['.desk-savebar-row', '.desk-document'].map((one) =>
      document.querySelector(one).getBoundingClientRect().right)`)) as [number, number];
    expect(bar).toBe(form);
    await ann.page.setViewport({ width: 1280, height: 860 });
  });

  it('a list on a phone shows the states and languages of each document', async () => {
    await ann.page.setViewport({ width: 390, height: 860 });
    await ann.open('/content/article');
    const cut = `[...document.querySelectorAll('tbody tr')].filter((row) => {
      const shown = [...row.querySelectorAll('a, .desk-status')].filter((one) => one.checkVisibility());
      return shown.length < 5 || shown.some((one) => one.getBoundingClientRect().right > innerWidth);
    }).map((row) => row.textContent)`;
    await ann.page.waitForSelector('tbody .desk-status');
    expect(await ann.page.evaluate(cut)).toEqual([]);
  });

  it('a message covers nothing', async () => {
    await ann.open(`/content/article/${article}`);
    const boxes = `[...document.querySelectorAll('.desk-message span, header button, .desk-savebar *')].map((one) => {
      const { left, right, top, bottom } = one.getBoundingClientRect();
      return { left, right, top, bottom };
    })`;
    const overlaps = `(([message, ...others]) => others.filter((one) => one.left < message.right &&
      message.left < one.right && one.top < message.bottom && message.top < one.bottom))(${boxes})`;
    await ann.type('Lead', ' And more.');
    await ann.press('Publish');
    await ann.until('message', async () => (await ann.texts('.desk-message')).join() === 'Published');
    for (const width of [1280, 390]) {
      await ann.page.setViewport({ width, height: 860 });
      expect(await ann.page.evaluate(overlaps)).toEqual([]);
    }
  });

  it('sign-in in all views', async () => {
    await ann.open('/content/article');
    await ann.press('Account');
    await ann.item('Sign out');
    const visit = (): Promise<void> => ann.sees('Sign in to write and publish.');
    expect(await checkViews(ann.page, 'desk-sign-in', visit)).toEqual([]);
  });

  it('a forgotten password in all views: a link by mail sets a new one', async () => {
    const visit = async (): Promise<void> => {
      await ann.press('Forgot your password?');
      await ann.sees('Enter your e-mail address.');
    };
    expect(await checkViews(ann.page, 'desk-forgot', visit)).toEqual([]);
    const mail = outbox.next();
    await ann.fill('E-mail', 'ann@example.org');
    await ann.press('Send the link');
    await ann.sees('a link is on its way');
    const [link = ''] = /http:\S+/.exec((await mail).text) ?? [];
    await ann.page.goto(link.replace(MAILED, room.url));
    await ann.fill('New password', 'another long password');
    await ann.press('Set password and sign in');
    await ann.heading('Articles');
    expect(opened.complaints.splice(0)).toEqual([]);
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

/** Plans three drafts together. Returns the id of the release. */
async function fillRelease({ http }: Newsroom): Promise<string> {
  const body = { identifier: 'ann@example.org', password: PASSWORD };
  const { jwt } = (await http.post('/desk/session').send(body).expect(200)).body;
  const send = (method: 'get' | 'post', path: string) =>
    http[method](`/api${path}`).set('Authorization', `Bearer ${jwt}`);
  const articles = await send('get', '/articles?status=draft&sort=title&pagination[pageSize]=3').expect(200);
  const data = { name: 'Winter issue', at: '2027-12-01T06:00:00.000Z' };
  const { body: made } = await send('post', '/releases').send({ data }).expect(201);
  const entries = articles.body.data.map(({ documentId }: { documentId: string }) => ({
    type: 'article',
    documentId,
    locale: 'en',
  }));
  await send('post', `/releases/${made.data.id}/entries`).send({ data: entries }).expect(200);
  return made.data.id;
}

const MARKDOWN = `## The ferry

It leaves **twice a day**, and in winter only *if the ice allows it*.

- [Timetable](https://example.org/ferry)
- Tickets on board
`;

const text = (words: string, marks: object = {}) => ({ type: 'text', text: words, ...marks });

const STORY = [
  { type: 'heading', level: 2, children: [text('Before sunrise')] },
  {
    type: 'paragraph',
    children: [
      text('The first boats leave at four. '),
      text('The crews are silent', { bold: true }),
      text(', and the gulls are still asleep.'),
    ],
  },
  { type: 'quote', children: [text('The sea gives, and the sea takes.')] },
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
      body: MARKDOWN,
      story: STORY,
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
  const lead = 'A few sentences that say what the text is about, and why it is worth your time.';
  await http
    .put(`/api/articles/${last}?status=draft`)
    .set('Authorization', `Bearer ${jwt}`)
    .send({ data: { lead, rating: 8 } })
    .expect(200);
  const gone = await post('/articles', { title: 'The bridge that was not built' });
  await http
    .delete(`/api/articles/${gone.documentId}?locale=*`)
    .set('Authorization', `Bearer ${jwt}`)
    .expect(204);
  return last;
}
