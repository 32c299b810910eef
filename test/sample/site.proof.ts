/**
 * Site of the sample in a browser: search, languages, and a story that updates while it is edited. Each page in
 * light and dark, and as wide as a phone. With `DESK_SCREENSHOTS=FOLDER`, it writes their pictures.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { getContentToken } from 'nestjs-content-api';
import type { Browser } from 'puppeteer-core';
import { createAtlas } from '../../sample-app/atlas.ts';
import { AtlasLoader } from '../../sample-app/loader/atlas-loader.ts';
import { PictureLoader } from '../../sample-app/pictures/picture-loader.ts';
import { hasBrowser, launch, type Opened, openPage } from '../desk/journeys/browser.ts';
import { checkViews } from '../desk/journeys/views.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

const STORY = 'twice-from-the-sea';

(hasBrowser ? describe : describe.skip)('the site of the sample', () => {
  const home = mkdtempSync(join(tmpdir(), 'atlas-'));
  let database: TestDatabase;
  let app: NestExpressApplication;
  let browser: Browser;
  let opened: Opened;
  let url = '';

  beforeAll(async () => {
    database = await createDatabase();
    app = await createAtlas({ databaseUrl: database.url, dataFolder: join(home, 'atlas') });
    await app.get(AtlasLoader).load();
    await app.listen(0);
    url = (await app.getUrl()).replace('[::1]', 'localhost');
    await app.get(PictureLoader).load(url);
    browser = await launch();
    opened = await openPage(browser, url);
  }, 300_000);
  afterAll(async () => {
    await browser?.close();
    await app?.close();
    await database?.drop();
    rmSync(home, { recursive: true, force: true });
  });

  const open = async (page: string): Promise<void> => {
    await opened.page.goto('about:blank');
    await opened.page.goto(`${url}/#/${page}`);
    await opened.page.waitForSelector('#live[data-live=true]');
    await opened.page.waitForFunction('[...document.images].every(({ complete }) => complete)');
  };
  const text = (selector: string): Promise<string | null> =>
    opened.page.$eval(selector, (node) => node.textContent);
  const sees = (words: string): Promise<unknown> =>
    opened.page.waitForFunction(
      `document.querySelector('main').textContent.includes(${JSON.stringify(words)})`,
    );

  it.each([
    ['home', ''],
    ['countries', 'countries?q=land'],
    ['country', 'country/CHE'],
    ['stories', 'stories'],
    ['story', `story/${STORY}`],
  ])('shows the page "%s" in every view', async (name, page) => {
    expect(await checkViews(opened.page, `sample-${name}`, () => open(page))).toEqual([]);
  });

  it('finds countries while a visitor types, and keeps the search field', async () => {
    await open('countries');
    await opened.page.type('input[type=search]', 'zerl');
    await opened.page.waitForFunction('document.querySelectorAll(".countries li").length === 1');
    expect(await text('.countries strong')).toBe('Switzerland');
    await opened.page.select('#locale', 'de');
    await sees('Kein Land');
    await opened.page.evaluate('document.querySelector("input[type=search]").value = ""');
    await opened.page.type('input[type=search]', 'Schw');
    await sees('Schweden');
    expect(await opened.page.evaluate('document.activeElement.value')).toBe('Schw');
    await opened.page.select('#locale', 'fr');
    await open(`story/${STORY}`);
    await sees('Deux fois loin de la mer');
    await opened.page.select('#locale', 'en');
  });

  it('shows a change as soon as it is published, without a reload', async () => {
    await open(`story/${STORY}`);
    const stories = app.get(getContentToken('story'), { strict: false });
    const { data } = await stories.find({ filters: { slug: STORY }, fields: ['title'] });
    const { documentId } = data[0] as { documentId: string };
    await stories.update(documentId, { summary: 'Two countries, and no harbour.' }, { status: 'draft' });
    await stories.update(documentId, { summary: 'Two countries, and no harbour at all.' });
    await sees('no harbour at all.');
    expect(await text('.lead.changed')).toBe('Two countries, and no harbour at all.');
    expect(await opened.page.$('h1.changed')).toBeNull();
  });

  it('breaks no rule of its policy', () => {
    expect(opened.complaints).toEqual([]);
  });
});
