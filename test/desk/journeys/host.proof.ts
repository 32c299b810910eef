/** Fields and screens of the host: the example of the documentation, served by the application itself. */
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { defineCollectionType } from 'nestjs-content-api';
import { hasBrowser } from './browser.ts';
import type { Editor } from './editor.ts';
import { checkViews } from './views.ts';
import { startVisit, type Visit } from './visit.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** Example of the page about the desk, as JavaScript. */
async function example(): Promise<string> {
  const page = await readFile(join(ROOT, 'docs/desk.md'), 'utf8');
  const code = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text = '']) => text);
  return stripTypeScriptTypes(code.find((one) => one.includes('const extension: DeskExtension')) ?? '');
}

const page = defineCollectionType({
  singularApiId: 'page',
  pluralApiId: 'pages',
  draftAndPublish: true,
  desk: { group: 'Magazine', plural: { en: 'Pages', de: 'Seiten' }, label: { en: 'Page', de: 'Seite' } },
  attributes: {
    title: { type: 'string', desk: { label: { en: 'Title', de: 'Titel' } } },
    accent: {
      type: 'string',
      regex: '^#(?!bad)[0-9a-f]{6}$',
      desk: { field: 'colour', description: 'Of the heading.' },
    },
    other: { type: 'string', desk: { field: 'unknown' } },
  },
});

(hasBrowser ? describe : describe.skip)('a desk with parts of the host', () => {
  let visit: Visit;
  let eva: Editor;
  /** Chooses a colour as the input of the browser does. */
  const choose = (colour: string): Promise<unknown> =>
    eva.page.$eval(
      '[data-path=accent] input',
      (input, value) => {
        const field = input as unknown as { value: string; dispatchEvent: (event: object) => void };
        field.value = value;
        field.dispatchEvent(new Event('input', { bubbles: true }));
      },
      colour,
    );
  const colour = (): Promise<string> =>
    eva.page.$eval('[data-path=accent] input', (input) => (input as unknown as { value: string }).value);

  beforeAll(async () => {
    const script = await example();
    visit = await startVisit('express', {
      contentTypes: [page],
      desk: {
        extension: '/desk-extension.js',
        look: {
          title: 'Newsroom',
          colour: 'cyan',
          logo: '/logo.svg',
          welcome: {
            en: 'Sign in to write for the magazine.',
            de: 'Hier schreiben Sie für das Magazin.',
          },
        },
      },
      prepare: (app) => {
        const express = app as NestExpressApplication;
        express.use(
          '/desk-extension.js',
          (_request: object, response: { type: (name: string) => { send: (text: string) => void } }) =>
            response.type('text/javascript').send(script),
        );
        express.use(
          '/logo.svg',
          (_request: object, response: { type: (name: string) => { send: (text: string) => void } }) =>
            response
              .type('image/svg+xml')
              .send(
                '<svg xmlns="http://www.w3.org/2000/svg" width="28" height="28"><circle cx="14" cy="14" r="12" fill="#087f5b"/></svg>',
              ),
        );
      },
    });
    eva = await visit.arrive('eva', 'chief');
  }, 120_000);
  afterAll(() => visit?.end());
  afterEach(() => expect(visit.complaints()).toEqual([]));

  it('edits a value by a field of the host: it is saved, and read again', async () => {
    await eva.open('/content/page/new');
    await eva.fill('Title', 'In colour');
    await choose('#ff8800');
    await eva.saved();
    const [stored] = await visit.room.sql('select document_id, accent from pages');
    expect(stored).toMatchObject({ accent: '#ff8800' });
    await eva.openAnew(`/content/page/${String(stored?.['document_id'])}`);
    expect(await colour()).toBe('#ff8800');
    await eva.sees('Of the heading.');
  });

  it('follows changes of the form, and gets its problems from the server', async () => {
    await choose('#00ff00');
    await eva.sees('Unsaved changes');
    await eva.press('More actions');
    await eva.item('Discard unsaved changes');
    await eva.until('reverted', async () => (await colour()) === '#ff8800');
    await choose('#bad000');
    await eva.press('Publish');
    await eva.until('problem', async () => (await eva.page.$$('[data-path=accent] [role=alert]')).length > 0);
    await choose('#ff8800');
    await eva.saved();
  });

  it('has a screen of the host, which reads the API with the session of the editor', async () => {
    await eva.follow('Statistics');
    await eva.heading('Statistics');
    await eva.sees('0 pages');
  });

  it('shows its own field for a name that the module does not have', async () => {
    const [stored] = await visit.room.sql('select document_id from pages');
    await eva.open(`/content/page/${String(stored?.['document_id'])}`);
    await eva.fill('Other', 'As usual');
    await eva.saved();
    expect(await visit.room.sql('select other from pages')).toEqual([{ other: 'As usual' }]);
  });

  it('looks as the host wants, and is readable in its colour', async () => {
    const found = await checkViews(eva.page, 'desk-host', () => eva.open('/content/page'));
    expect(found).toEqual([]);
    expect(await eva.page.title()).toBe('Pages · Newsroom');
    await eva.page.setViewport({ width: 1280, height: 900 });
  });

  it('has its texts in the language of the desk that the editor chooses', async () => {
    await eva.press('Language of the desk');
    await Promise.all([eva.page.waitForNavigation(), eva.item('Deutsch')]);
    await eva.heading('Seiten');
    expect(await eva.texts('nav a')).toContain('Seiten');
    await eva.follow('In colour');
    expect(await eva.valueOf('Titel')).toBe('In colour');
    await eva.press('Konto');
    await eva.item('Abmelden');
    await eva.sees('Hier schreiben Sie für das Magazin.');
    await eva.page.evaluate("localStorage.setItem('content-desk language', 'en')");
    await eva.openAnew('/content/page');
    await eva.sees('Sign in to write for the magazine.');
  });
});
