/** Journeys of an editor with the panels next to a form: preview on the site, and two languages side by side. */
import { readFile, writeFile, mkdtemp } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Grants } from 'nestjs-content-api';
import { hasBrowser, holdRequests } from './browser.ts';
import type { Editor } from './editor.ts';
import { site } from './newsroom.ts';
import { checkViews } from './views.ts';
import { startVisit, type Visit } from './visit.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** Warnings of Chromium about every frame with both flags, and of axe about frames of other origins. */
const HARMLESS = /can escape its sandboxing|'postMessage' on 'DOMWindow'/;

/** Reads all articles, and writes the French ones. */
const TRANSLATOR: Grants = {
  desk: ['open'],
  locale: ['find'],
  article: ['find', 'findOne', 'readDrafts', { actions: ['update'], where: () => ({ locale: 'fr' }) }],
};

type ReadPreview = (api: string, token: string) => Promise<{ readonly title: string | null } | null>;

/** Returns the function of the page about previews. */
async function recipe(): Promise<ReadPreview> {
  const page = await readFile(join(ROOT, 'docs/preview.md'), 'utf8');
  const code = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text = '']) => text);
  const text = code.find((one) => one.includes('function readPreview')) ?? '';
  const file = join(await mkdtemp(join(tmpdir(), 'content-recipe-')), 'read-preview.mjs');
  await writeFile(file, stripTypeScriptTypes(text));
  return ((await import(pathToFileURL(file).href)) as { readPreview: ReadPreview }).readPreview;
}

/** Starts a site that follows the recipes: it renders the version of a token, or a 404. */
async function startSite(api: () => string): Promise<{ readonly server: Server; readonly url: string }> {
  const readPreview = await recipe();
  const server = createServer((request, response) => {
    const token = new URL(request.url ?? '/', 'http://site').searchParams.get('token') ?? '';
    void readPreview(api(), token).then((page) => {
      response.writeHead(page === null ? 404 : 200, {
        'Content-Type': 'text/html; charset=utf-8',
        'Referrer-Policy': 'no-referrer',
      });
      response.end(`<!doctype html><html lang="en"><title>Site</title><link rel="icon" href="data:,">
        <h1>${(page?.title ?? 'Not found').replaceAll('<', '&lt;')}</h1><p id="width"></p>`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

(hasBrowser ? describe : describe.skip)('panels next to a form', () => {
  let visit: Visit;
  let ann: Editor;
  let server: Server;
  let article = '';
  const make = async (data: object, query = '?status=draft'): Promise<any> =>
    visit.api('post', `/articles${query}`, { data });
  const choose = async (field: string, option: string): Promise<void> => {
    await ann.page.locator(`::-p-aria([name="${field}"][role="combobox"])`).click();
    await ann.option(option);
  };
  const framed = async (): Promise<string> => {
    const frame = ann.page.frames().find((one) => one.url().startsWith(site.url));
    return frame === undefined
      ? ''
      : frame.$eval('h1', (heading) => (heading as unknown as { textContent: string }).textContent);
  };
  const shows = (text: string): Promise<void> =>
    ann.until(`page "${text}"`, async () => (await framed()) === text);

  beforeAll(async () => {
    const started = await startSite(() => visit.room.url);
    [server, site.url] = [started.server, started.url];
    visit = await startVisit('fastify', {
      desk: { origins: { frames: [site.url] } },
      roles: { translator: TRANSLATOR },
    });
    ann = await visit.arrive('ann');
    const made = await make({ title: 'Harbours', lead: 'Of ships.', kind: 'report' });
    article = made.documentId;
  }, 120_000);
  afterAll(async () => {
    await visit?.end();
    server?.close();
  });
  afterEach(() =>
    expect(visit.complaints().filter((one) => !one.startsWith(site.url) && !HARMLESS.test(one))).toEqual([]),
  );

  it('sees the draft on the site next to the form, and again after each save', async () => {
    await ann.open(`/content/article/${article}`);
    await ann.press('Preview');
    await shows('Harbours');
    await ann.fill('Title', 'Harbours in <winter>');
    await ann.savesItself();
    await shows('Harbours in <winter>');
    expect((await visit.room.http.get(`/api/articles/${article}`)).status).not.toBe(200);
  });

  it('sees the page as wide as a phone, a tablet and a desktop', async () => {
    const width = async (name: string): Promise<unknown> => {
      await ann.page.locator(`.desk-preview label ::-p-text(${name})`).click();
      await ann.until('width', async () => (await framed()) !== '');
      return ann.page.$eval(
        '.desk-preview iframe',
        (one) => (one as unknown as { clientWidth: number }).clientWidth,
      );
    };
    expect(await width('Phone')).toBeGreaterThanOrEqual(388);
    expect(await width('Tablet')).toBeGreaterThanOrEqual(818);
    expect(await width('Desktop')).toBeGreaterThanOrEqual(1278);
  });

  it('shares a link to the form with its panels, and returns with the button of the browser', async () => {
    expect(ann.page.url()).toContain('preview');
    await ann.press('Close the preview');
    await ann.until('closed', async () => (await ann.page.$$('iframe')).length === 0);
    await ann.page.goBack();
    await shows('Harbours in <winter>');
    await ann.press('Close the preview');
  });

  it('gets another token for an old link to the page, and no further one', async () => {
    await ann.openAnew(`/content/article/${article}?preview`);
    await shows('Harbours in <winter>');
    await ann.page.evaluate('{ const { now } = Date; Date.now = () => now() + 60_000; }');
    const asked: string[] = [];
    const listen = (request: { url(): string }): void => {
      if (request.url() === `${visit.room.desk}/preview`) asked.push(request.url());
    };
    ann.page.on('request', listen);
    const link = await ann.page.waitForSelector('::-p-aria([name="Open in a new tab"][role="link"])');
    for (let times = 0; times < 3; times += 1) {
      await link?.hover();
      await ann.rests();
      await ann.page.mouse.move(0, 0);
    }
    ann.page.off('request', listen);
    expect(asked).toHaveLength(1);
    await ann.openAnew('/content/article');
  });

  it('is offered neither a preview nor times for a language without a version', async () => {
    const asked: string[] = [];
    const listen = (request: { url(): string }): void => void asked.push(request.url());
    ann.page.on('request', listen);
    await ann.open(`/content/article/${article}?preview`);
    await shows('Harbours in <winter>');
    await ann.open(`/content/article/${article}?preview&locale=ar`);
    await ann.sees('Save the document to see a preview.');
    expect(await ann.page.$$('.desk-preview iframe')).toHaveLength(0);
    expect(await ann.text()).not.toContain('The preview cannot be shown');
    await ann.press('More actions');
    await ann.sees('Where it is used');
    expect(await ann.texts('[role=menuitem]')).not.toContain('Schedule');
    await ann.page.keyboard.press('Escape');
    ann.page.off('request', listen);
    expect(asked.filter((url) => url.includes('schedule?locale=ar'))).toEqual([]);
    await ann.open(`/content/article/${article}`);
    await ann.press('More actions');
    await ann.item('Schedule');
    await ann.press('Cancel');
  });

  it('translates with the other language beside it, and copies what is empty', async () => {
    await ann.open(`/content/article/${article}?locale=fr`);
    await ann.sees('There is no version in French yet. Saving creates it.');
    await ann.press('Show English next to it, to copy from');
    await ann.sees('Shared by all languages');
    await ann.press('Copy Lead from English');
    expect(await ann.valueOf('Lead')).toBe('Of ships.');
    await ann.fill('Title', 'Ports en hiver');
    await ann.press('Fill empty fields from English');
    await ann.saved();
    const french = await visit.api('get', `/articles/${article}?status=draft&locale=fr`);
    expect(french).toMatchObject({ title: 'Ports en hiver', lead: 'Of ships.', kind: 'report' });
    const english = await visit.api('get', `/articles/${article}?status=draft&locale=en`);
    expect(english.title).toBe('Harbours in <winter>');
  });

  it('copies components as new ones: a change of one language does not change the other', async () => {
    const sections = [{ __component: 'part.quote', text: 'The sea gives.', speaker: 'A fisher' }];
    const { documentId } = await make({ title: 'With a quote', sections });
    await ann.open(`/content/article/${documentId}?locale=fr`);
    await choose('Show another language next to this one', 'English');
    await ann.fill('Title', 'Avec citation');
    await ann.press('Copy Sections from English');
    await ann.saved();
    const read = (locale: string): Promise<any> =>
      visit.api('get', `/articles/${documentId}?status=draft&locale=${locale}&populate=sections`);
    const [english, french] = [await read('en'), await read('fr')];
    expect(french.sections[0]).toMatchObject({ text: 'The sea gives.', speaker: 'A fisher' });
    expect(french.sections[0].id).not.toBe(english.sections[0].id);
  });

  it('translates as a translator of one language, who changes neither others nor shared values', async () => {
    const { documentId } = await make({ title: 'For translators', lead: 'A lead.', kind: 'interview' });
    const tim = await visit.arrive('tim', 'translator');
    await tim.open('/content/article');
    const release = await holdRequests(tim.page, '*/desk/verbs?*');
    await tim.follow('For translators');
    await tim.until(
      'loading',
      async () => (await tim.page.$$('.desk-opening [aria-label=Loading]')).length > 0,
    );
    await release();
    await tim.heading('For translators');
    await tim.open(`/content/article/${documentId}?locale=fr&beside=en`);
    await tim.press('Copy Lead from English');
    await tim.fill('Title', 'Pour traducteurs');
    await tim.saved();
    const french = await visit.api('get', `/articles/${documentId}?status=draft&locale=fr`);
    expect(french).toMatchObject({ title: 'Pour traducteurs', lead: 'A lead.', kind: 'interview' });
    await tim.fill('Title', 'Pour les traducteurs');
    await tim.saved();
    await tim.open(`/content/article/${documentId}`);
    await tim.sees('For translators');
    const title = await tim.page.$('::-p-aria([name="Title"])');
    expect(await title?.evaluate((field) => field.matches(':read-write'))).toBe(false);
  });

  it('sees in a list which documents lack the language, and which language is shown instead', async () => {
    await make({ title: 'Only in English' });
    await ann.open('/content/article?locale=fr');
    await ann.sees('Shown in English, because this language is missing');
    const missing = await ann.texts('tr:has(.desk-status-missing)');
    expect(missing.some((row) => row.includes('Only in English'))).toBe(true);
    expect(
      missing.filter((row) => row.includes('Ports en hiver')).every((row) => !row.includes('Shown in')),
    ).toBe(true);
  });

  it('opens a language by its badge', async () => {
    await ann.open(`/content/article/${article}`);
    await ann.press('fr, French: Draft');
    await ann.heading('Ports en hiver');
  });

  it('opens a document without the default language from its uses, the palette and the trash', async () => {
    const author = await visit.api('post', '/authors', { data: { name: 'Zoé' } });
    const data = { title: 'Seulement en français', author: author.documentId };
    const { documentId } = await visit.api('post', '/articles?status=draft&locale=fr', { data });
    await ann.open(`/content/author/${author.documentId}`);
    await ann.press('More actions');
    await ann.item('Where it is used');
    await ann.follow(data.title);
    await ann.heading(data.title);
    await ann.open('/content/article?locale=fr');
    await ann.page.keyboard.down('Control');
    await ann.page.keyboard.press('k');
    await ann.page.keyboard.up('Control');
    await ann.page.waitForSelector('[role=dialog] input:focus');
    await ann.page.keyboard.type('Seulement');
    await ann.until('entry', async () => (await ann.texts('[role=dialog] [role=option]')).length === 1);
    await ann.page.keyboard.press('Enter');
    await ann.heading(data.title);
    await visit.api('delete', `/articles/${documentId}?locale=fr`);
    await ann.open('/trash/article');
    await ann.press(`Restore ${data.title}`);
    await ann.page.locator('[role=dialog] ::-p-aria([name="Restore"][role="button"])').click();
    await ann.follow('Open');
    await ann.heading(data.title);
    await ann.openAnew(`/content/article/${article}`);
  });

  it('opens a document and its list in the default language instead of one that does not exist', async () => {
    const { documentId } = await visit.api('post', '/articles?status=draft', { data: { title: 'Old link' } });
    await ann.open(`/content/article/${documentId}?locale=tlh`);
    await ann.heading('Old link');
    await ann.fill('Lead', 'Written after all');
    await ann.saved();
    const { lead } = await visit.api('get', `/articles/${documentId}?status=draft`);
    expect(lead).toBe('Written after all');
    await ann.open('/content/article?q=old+link&locale=tlh');
    await ann.follow('Old link');
    await ann.heading('Old link');
    expect(ann.page.url()).not.toContain('locale');
  });

  it('sees no status of another language, and nothing to unpublish, in one that is missing', async () => {
    const { documentId } = await visit.api('post', '/articles', { data: { title: 'English only' } });
    await ann.open(`/content/article/${documentId}?locale=ar`);
    await ann.sees('There is no version in Arabic yet.');
    expect(await ann.texts('.desk-savebar .desk-status')).toEqual([]);
    await ann.press('More actions');
    await ann.sees('Duplicate');
    const items = await ann.texts('[role=menuitem]');
    expect(items.filter((one) => ['Unpublish', 'Discard changes since publishing'].includes(one))).toEqual(
      [],
    );
    await ann.page.keyboard.press('Escape');
  });

  it('writes no missing language without changes, and publishes the others', async () => {
    const { documentId } = await make({ title: 'Untouched' });
    const data = { title: 'Intact' };
    await visit.api('put', `/articles/${documentId}?status=draft&locale=fr`, { data });
    await ann.open(`/content/article/${documentId}?locale=ar`);
    await ann.sees('There is no version in Arabic yet.');
    const sent: string[] = [];
    const listen = (request: { method(): string; url(): string }): void => {
      if (request.method() !== 'GET' && request.url().includes(documentId)) sent.push(request.url());
    };
    ann.page.on('request', listen);
    await ann.page.keyboard.down('Control');
    await ann.page.keyboard.press('s');
    await ann.page.keyboard.down('Shift');
    await ann.page.keyboard.press('p');
    await ann.page.keyboard.up('Shift');
    await ann.page.keyboard.up('Control');
    await ann.rests();
    ann.page.off('request', listen);
    expect(sent).toEqual([]);
    await ann.sees('There is no version in Arabic yet.');
    const read = async (query: string): Promise<string[]> =>
      (await visit.api('get', `/articles?filters[documentId]=${documentId}&sort=locale&${query}`)).map(
        ({ title }: { title: string }) => title,
      );
    await ann.press('More actions');
    await ann.item('Publish all languages');
    await ann.press('Publish all languages');
    await ann.until('published', async () => (await read('locale=*')).join() === 'Untouched,Intact');
    expect(await read('status=draft&locale=ar&fallbackLocale=false')).toEqual([]);
  });

  it('publishes all languages together or none, and takes them back', async () => {
    const { documentId } = await make({ title: 'Together' });
    const put = (locale: string, data: object): Promise<unknown> =>
      visit.api('put', `/articles/${documentId}?status=draft&locale=${locale}`, { data });
    await put('fr', { title: null, lead: 'Ensemble' });
    const live = async (): Promise<string[]> =>
      (await visit.api('get', `/articles?filters[documentId]=${documentId}&locale=*&sort=locale`)).map(
        ({ title }: { title: string }) => title,
      );
    await ann.openAnew(`/content/article/${documentId}`);
    await ann.press('More actions');
    await ann.item('Publish all languages');
    await ann.sees('All of these languages, or none of them: English, French.');
    await ann.press('Publish all languages');
    await ann.sees('French, Title: Required');
    expect(await live()).toEqual([]);
    await ann.press('Cancel');
    await put('fr', { title: 'Ensemble' });
    await ann.type('Title', ' again');
    await ann.press('More actions');
    await ann.item('Publish all languages');
    await ann.press('Publish all languages');
    await ann.status('Published');
    await ann.seesNot('Another editor');
    expect(await live()).toEqual(['Together again', 'Ensemble']);
    await ann.press('More actions');
    await ann.item('Unpublish all languages');
    await ann.press('Unpublish all languages');
    await ann.status('Draft');
    expect(await live()).toEqual([]);
  });

  it('unpublishes one of two languages, which the question names', async () => {
    const { documentId } = await make({ title: 'Of both' }, '');
    await visit.api('put', `/articles/${documentId}?locale=fr`, { data: { title: 'Des deux' } });
    await ann.open(`/content/article/${documentId}?locale=fr`);
    await ann.heading('Des deux');
    await ann.press('More actions');
    await ann.item('Unpublish');
    await ann.sees('Readers no longer see it. The draft stays. Only French is affected.');
    await ann.page.locator('[role=dialog] ::-p-aria([name="Unpublish"][role="button"])').click();
    await ann.status('Draft');
    expect(await visit.api('get', `/articles/${documentId}`)).toMatchObject({ title: 'Of both' });
  });

  it('reads and writes from right to left, with labels from left to right', async () => {
    const tag = await visit.api('post', '/tags', { data: { label: 'سفر (2026)' } });
    const { documentId } = await make({ title: 'Bread', slug: 'bread', tags: [tag.documentId] });
    await visit.api('put', `/articles/${documentId}?status=draft&locale=ar`, {
      data: { title: 'خبز وملح!' },
    });
    const direction = (selector: string): Promise<string[]> =>
      ann.page.$$eval(selector, (all) =>
        all.map((one) => {
          const { getComputedStyle: styleOf } = globalThis as unknown as {
            getComputedStyle: (element: unknown) => { direction: string };
          };
          return styleOf(one).direction;
        }),
      );
    await ann.open('/content/article?locale=ar');
    await ann.sees('خبز وملح!');
    const titles = await ann.texts('.desk-row-link');
    expect((await direction('.desk-row-link'))[titles.indexOf('خبز وملح!')]).toBe('rtl');
    expect((await ann.texts('tbody tr')).join()).toContain('\u2068سفر (2026)\u2069');
    await ann.open(`/content/article/${documentId}?beside=ar`);
    await ann.until('both', async () => (await ann.page.$$('[data-path=title]')).length === 2);
    expect(await direction('input[data-path=title], input[data-path=slug]')).toEqual([
      'ltr',
      'rtl',
      'ltr',
      'ltr',
    ]);
    expect(new Set(await direction('label, .mantine-InputWrapper-description'))).toEqual(new Set(['ltr']));
    expect(await direction('[data-path=tags] bdi')).toEqual(['rtl']);
  });

  it('reads titles from right to left in a language from left to right', async () => {
    const title = 'שלום, עולם!';
    const { documentId } = await make({ title });
    const { id } = await visit.api('post', '/releases', { data: { name: title } });
    const entry = { type: 'article', documentId, locale: 'en', action: 'publish' };
    await visit.api('post', `/releases/${id}/entries`, { data: entry });
    await ann.open(`/content/article/${documentId}`);
    await ann.heading(title);
    const bidi = `getComputedStyle(document.querySelector('[data-path=title]')).unicodeBidi`;
    expect(await ann.page.evaluate(bidi)).toBe('plaintext');
    await ann.open(`/releases/${id}`);
    await ann.heading(`\u2068${title}\u2069`);
    expect(await ann.texts('tbody a')).toEqual([`\u2068${title}\u2069`]);
    await visit.api('delete', `/releases/${id}`);
    await visit.api('delete', `/articles/${documentId}?locale=*`);
  });

  it('sees each paragraph of a text in its own direction', async () => {
    const paragraph = (text: string): object => ({ type: 'paragraph', children: [{ type: 'text', text }] });
    const story = [paragraph('She wrote:'), paragraph('מים רבים')];
    const { documentId } = await make({ title: 'Water', slug: 'water', story });
    await ann.open(`/content/article/${documentId}`);
    await ann.sees('מים רבים');
    // Texts that are shorter than a line start at one side of their paragraphs.
    const sides = await ann.page.$$eval('.ProseMirror p', (all) =>
      all.map((one) => {
        const page = globalThis as unknown as {
          document: { createRange: () => Box & { selectNodeContents: (node: unknown) => void } };
        };
        interface Box {
          readonly getBoundingClientRect: () => { readonly left: number; readonly right: number };
        }
        const range = page.document.createRange();
        range.selectNodeContents(one);
        const [text, block] = [range, one as unknown as Box].map((box) => box.getBoundingClientRect());
        return text?.left === block?.left ? 'left' : text?.right === block?.right && 'right';
      }),
    );
    expect(sides).toEqual(['left', 'right']);
  });

  it('sees entries of lists and quotations next to their signs, and lines in their own direction', async () => {
    const children = [{ type: 'text', text: 'מים רבים' }];
    const story = [
      { type: 'list', format: 'unordered', children: [{ type: 'list-item', children }] },
      { type: 'quote', children },
    ];
    const { documentId } = await make({ title: 'Waters', slug: 'waters', lead: 'מים\nWater', story });
    await ann.open(`/content/article/${documentId}`);
    await ann.sees('מים רבים');
    const distances = (await ann.page.evaluate(`(() => {
      const all = [...document.querySelectorAll('.ProseMirror li, .ProseMirror blockquote')];
      return all.map((one) => {
        const range = document.createRange();
        range.selectNodeContents(one);
        return range.getBoundingClientRect().left - one.getBoundingClientRect().left;
      });
    })()`)) as number[];
    expect(distances).toHaveLength(2);
    for (const distance of distances) expect(distance).toBeLessThan(24);
    const lead = `getComputedStyle(document.querySelector('textarea[data-path=lead]')).unicodeBidi`;
    expect(await ann.page.evaluate(lead)).toBe('plaintext');
  });

  it('closes a notice by a button that a finger can reach', async () => {
    const { documentId } = await make({ title: 'Reach', slug: 'reach' });
    await ann.open(`/content/article/${documentId}`);
    await ann.heading('Reach');
    await visit.api('put', `/articles/${documentId}?status=draft`, { data: { lead: 'Of others' } });
    await ann.fill('Title', 'Reached');
    await ann.sees('Another editor has changed: Lead.');
    const size = `(({ width, height }) => Math.min(width, height))(
      document.querySelector('.mantine-Alert-closeButton').getBoundingClientRect())`;
    expect(await ann.page.evaluate(size)).toBeGreaterThanOrEqual(24);
    await ann.savesItself();
  });

  it('sees what all languages share in one that is missing, and keeps it', async () => {
    const tags = ['Salt', 'Bread'];
    const [salt] = await Promise.all(
      tags.map(async (label) => (await visit.api('post', '/tags', { data: { label } })).documentId),
    );
    const data = { title: 'All share', kind: 'report', rating: 7, tags: [salt], lead: 'English' };
    const { documentId } = await visit.api('post', '/articles?status=draft', { data });
    await ann.open(`/content/article/${documentId}?locale=fr`);
    await ann.sees('There is no version in French yet.');
    expect(await ann.valueOf('Rating')).toBe('7');
    expect(await ann.valueOf('Kind')).toBe('report');
    expect(await ann.valueOf('Lead')).toBe('');
    expect((await ann.texts('[data-path=tags]')).join()).toContain('Salt');
    await ann.type('Title', 'Partagé');
    await ann.link('Add to Tags', 'Bread', 'Bread');
    await ann.saved();
    for (const [locale, lead] of [
      ['en', 'English'],
      ['fr', null],
    ])
      expect(
        await visit.api('get', `/articles/${documentId}?status=draft&locale=${locale}&populate=tags`),
      ).toMatchObject({ kind: 'report', rating: 7, lead, tags: tags.map((label) => ({ label })) });
  });

  it('leaves room for the title next to the preview', async () => {
    await ann.open(`/content/article/${article}?preview`);
    await shows('Harbours in <winter>');
    const height = await ann.page.$eval(
      'h1',
      (one) => (one as unknown as { clientHeight: number }).clientHeight,
    );
    expect(height).toBeLessThan(80);
  });

  it.each([
    [
      'preview',
      () => ann.open(`/content/article/${article}?preview`).then(() => shows('Harbours in <winter>')),
    ],
    [
      'languages',
      async () => {
        await ann.open(`/content/article/${article}?locale=fr&beside=en`);
        await ann.sees('Shared by all languages');
      },
    ],
  ] as const)('%s in all views', async (name, show) => {
    expect(await checkViews(ann.page, `desk-${name}`, show)).toEqual([]);
    await ann.page.setViewport({ width: 1280, height: 900 });
  });
});
