/** Desk in a language of the host that is written from right to left, with some texts in it. */
import type { NestExpressApplication } from '@nestjs/platform-express';
import { hasBrowser } from './browser.ts';
import type { Editor } from './editor.ts';
import { checkViews } from './views.ts';
import { startVisit, type Visit } from './visit.ts';

/** Texts that are omitted here stay in English, and unknown ones are ignored. */
const MODULE = `export default {
  languages: {
    he: {
      name: 'עברית',
      texts: {
        desk: 'שולחן', search: 'חיפוש', create: 'יצירה', save: 'שמירה', publish: 'פרסום', status: 'מצב',
        published: 'פורסם', draft: 'טיוטה', library: 'ספריית מדיה',
        saved: (time) => 'נשמר ב-' + time,
        newDocument: 'no function', unknown: 'ignored',
        history: { title: 'היסטוריה' },
        audit: { title: 'יומן ביקורת' },
        panels: { copyEmpty: (locale) => 'מילוי שדות ריקים מ-' + locale },
      },
    },
    en: { name: 'Not English', texts: { save: 'Not saved' } },
  },
};`;

interface Place {
  readonly left: number;
  readonly right: number;
}

(hasBrowser ? describe : describe.skip)('a desk from right to left', () => {
  let visit: Visit;
  let ann: Editor;
  let article = '';
  const placeOf = (selector: string): Promise<Place> =>
    ann.page.$eval(selector, (one) => {
      const { left, right } = (
        one as unknown as { getBoundingClientRect: () => Place }
      ).getBoundingClientRect();
      return { left, right };
    });
  const styleOf = (selector: string, name: string): Promise<unknown> =>
    ann.page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${name}`);

  beforeAll(async () => {
    visit = await startVisit('express', {
      desk: { extension: '/languages.js' },
      prepare: (app) =>
        (app as NestExpressApplication).use(
          '/languages.js',
          (_request: object, response: { type: (name: string) => { send: (text: string) => void } }) =>
            response.type('text/javascript').send(MODULE),
        ),
    });
    ann = await visit.arrive('ann', 'auditor');
    const author = await visit.api('post', '/authors', { data: { name: 'Ann Weber' } });
    for (const title of ['Harbours of the north', 'A year of rain'])
      article = (
        await visit.api('post', '/articles?status=draft', {
          data: { title, author: author.documentId, extra: { a: 1 }, contact: 'a@example.org' },
        })
      ).documentId;
    await visit.api('put', `/articles/${article}?status=draft&locale=fr`, { data: { title: 'Pluie' } });
    await visit.upload('harbour.png', '#2a6f97');
  }, 120_000);
  afterAll(() => visit?.end());
  afterEach(() => expect(visit.complaints()).toEqual([]));

  it('is chosen in the menu of languages, next to those of the desk', async () => {
    await ann.press('Language of the desk');
    const menu = async (): Promise<string> => (await ann.texts('[role=menuitem]')).join();
    await ann.until('the languages', async () => (await menu()) === 'English,Deutsch,עברית');
    await Promise.all([ann.page.waitForNavigation(), ann.item('עברית')]);
    await ann.heading('Articles');
    expect(await ann.page.title()).toBe('Articles · שולחן');
    expect(await ann.page.evaluate('[document.documentElement.dir, document.documentElement.lang]')).toEqual([
      'rtl',
      'he',
    ]);
  });

  it('mirrors the menu, the bar and the columns of a list', async () => {
    const [menu, content] = [await placeOf('nav'), await placeOf('#content h1')];
    expect(menu.right).toBe(1280);
    expect(content.right).toBeLessThan(menu.left);
    await ann.page.waitForSelector('th:last-child');
    expect((await placeOf('th:first-child')).left).toBeGreaterThan((await placeOf('th:last-child')).right);
    await ann.open(`/content/article/${article}`);
    await ann.page.waitForSelector('[data-path=extra]');
    expect((await placeOf('.desk-savebar .desk-status')).left).toBeGreaterThan(
      (await placeOf('.desk-savebar button')).right,
    );
  });

  it('leaves JSON, addresses and Latin text from left to right', async () => {
    for (const path of ['extra', 'contact', 'slug'])
      expect(await styleOf(`[data-path=${path}]`, 'direction')).toBe('ltr');
    expect(await styleOf('[data-path=title]', 'direction')).toBe('ltr');
  });

  it('points to the other language from where it copies, which is on the left', async () => {
    await ann.open(`/content/article/${article}?beside=fr`);
    await ann.page.waitForSelector('.desk-pair .tabler-icon-arrow-left');
    const [own, other] = [
      await placeOf('.desk-pair > :first-child'),
      await placeOf('.desk-pair > :last-child'),
    ];
    expect(other.right).toBeLessThan(own.left);
    expect(await styleOf('.desk-pair .tabler-icon-arrow-left', 'scale')).toBe('-1 1');
  });

  it('shows a search in the direction of its letters, and an empty one in that of the desk', async () => {
    await ann.open('/content/article');
    const isWritten = (direction: string): Promise<void> =>
      ann.until(
        `${direction} search`,
        async () => (await styleOf('[role=searchbox]', 'direction')) === direction,
      );
    await isWritten('rtl');
    const field = await ann.page.waitForSelector('[role=searchbox]');
    await field?.type('rain');
    await isWritten('ltr');
    await ann.until('found', async () => ann.page.url().endsWith('?q=rain'));
    await ann.open('/media');
    await isWritten('rtl');
  });

  it('opens a drawer at the left, and saves from its form', async () => {
    await ann.open(`/content/article/${article}`);
    await ann.press('Edit Ann Weber');
    await ann.page.waitForSelector('.mantine-Drawer-content [data-path=name]');
    await ann.until('at its place', async () => (await placeOf('.mantine-Drawer-content')).left === 0);
    await ann.page.keyboard.press('Escape');
    await ann.until('closed', async () => (await ann.page.$$('.mantine-Drawer-content')).length === 0);
    await ann.type('Title', ' again');
    await ann.press('שמירה');
    await ann.until('saved', async () =>
      (await ann.texts('.desk-savebar [role=status]')).some((one) => one.startsWith('נשמר ב-')),
    );
  });

  it.each([
    ['list', '/content/article'],
    ['order', '/content/author'],
    ['document', () => `/content/article/${article}`],
    ['languages', () => `/content/article/${article}?beside=fr`],
    ['library', '/media'],
    ['history', () => `/history/article/${article}`],
    ['audit', '/audit'],
    ['roles', '/people/roles'],
  ] as const)('%s in all views', async (name, path) => {
    const visitPage = (): Promise<void> => ann.open(typeof path === 'string' ? path : path());
    expect(await checkViews(ann.page, `desk-mirrored-${name}`, visitPage)).toEqual([]);
    await ann.page.setViewport({ width: 1280, height: 900 });
  });
});
