/** Journeys of an editor who saves and publishes by keys, in rich text and in a drawer over a form. */
import type { KeyInput } from 'puppeteer-core';
import { hasBrowser } from './browser.ts';
import type { Editor } from './editor.ts';
import { startVisit, type Visit } from './visit.ts';

(hasBrowser ? describe : describe.skip)('the keys that save and publish', () => {
  let visit: Visit;
  let ann: Editor;
  const together = async (key: KeyInput, ...held: readonly KeyInput[]): Promise<void> => {
    for (const one of held) await ann.page.keyboard.down(one);
    await ann.page.keyboard.press(key);
    for (const one of held) await ann.page.keyboard.up(one);
  };
  const openDraft = async (title: string): Promise<string> => {
    const data = { title };
    const { documentId } = await visit.api('post', '/articles?status=draft', { data });
    await ann.open(`/content/article/${documentId}`);
    await ann.heading(title);
    return documentId;
  };
  const publishedTitle = async (id: string): Promise<string | null> =>
    (await visit.api('get', `/articles?filters[documentId]=${id}`))[0]?.title ?? null;
  const openDrawer = async (): Promise<void> => {
    await ann.press('Create: Author');
    await ann.until('focus in the drawer', async () => (await ann.focused()) === 'Name');
  };

  beforeAll(async () => {
    visit = await startVisit('express');
    ann = await visit.arrive('ann');
  }, 120_000);
  afterAll(() => visit?.end());
  afterEach(() => expect(visit.complaints()).toEqual([]));

  it.each(['story', 'body'])('work while it writes rich text: %s', async (field) => {
    // Autosave covers stored documents only, so the key is what saves this one.
    await ann.openAnew('/content/article/new');
    await ann.type('Title', `Keys in ${field}`);
    const area = await ann.page.waitForSelector(`[data-path=${field}] [contenteditable=true]`);
    await area?.type('Typed');
    await together('s', 'Control');
    await ann.savesItself();
    await area?.type(' and published');
    await together('p', 'Control', 'Shift');
    await ann.status('Published');
    const id = ann.page.url().replace(/.*\//, '');
    expect(await publishedTitle(id)).toBe(`Keys in ${field}`);
  });

  it('work on a keyboard without Latin letters, and by the names of keys on one with them', async () => {
    const press = (key: string, code: string, shiftKey = false): Promise<unknown> => {
      const event = { key, code, shiftKey, ctrlKey: true, bubbles: true, cancelable: true };
      const made = `new KeyboardEvent('keydown', ${JSON.stringify(event)})`;
      return ann.page.evaluate(`document.activeElement.dispatchEvent(${made})`);
    };
    await ann.openAnew('/content/article/new');
    await ann.type('Title', 'Of other letters');
    // The key of "s" on a Dvorak keyboard is that of "o" on others.
    await press('o', 'KeyS');
    await ann.rests();
    expect(ann.page.url()).toMatch(/new$/);
    // A Hebrew and a Greek keyboard.
    expect(await press('ד', 'KeyS')).toBe(false);
    await ann.savesItself();
    expect(await press('Π', 'KeyP', true)).toBe(false);
    await ann.status('Published');
    // A Russian keyboard.
    await press('л', 'KeyK');
    await ann.until('the palette', async () => (await ann.focused()) === 'Go to');
    await ann.page.keyboard.press('Escape');
    await ann.until('closed', async () => (await ann.page.$$('[role=dialog]')).length === 0);
  });

  it('concern the document of a drawer, not the form under it', async () => {
    const id = await openDraft('Under a drawer');
    await openDrawer();
    await together('p', 'Control', 'Shift');
    await ann.page.keyboard.type('Nora');
    await together('s', 'Control');
    await ann.savesItself('[role=dialog]');
    await ann.page.keyboard.press('Escape');
    await ann.until('linked', async () => (await ann.texts('[data-path=author]')).join().includes('Nora'));
    await ann.saved();
    expect(await publishedTitle(id)).toBeNull();
  });

  it('lead to the decision about two values, also from the end of the form', async () => {
    const id = await openDraft('Of two editors');
    await visit.room.sql(
      `update articles set title = 'Of the other', revision = revision + 1 where document_id = $1`,
      [id],
    );
    await ann.fill('Title', 'Of this one');
    await ann.sees('Not saved. Choose at the top of the form which values to keep.');
    await ann.type('Contact', 'ann@example.org');
    await together('s', 'Control');
    await ann.until('the decision', async () => (await ann.focused()) === 'Keep yours: Title');
    await ann.type('Contact', '.');
    await ann.press('Save');
    await ann.until('the decision', async () => (await ann.focused()) === 'Keep yours: Title');
    await ann.press('Take theirs: Title');
    await ann.fill('Contact', 'ann@example.org');
    await ann.saved();
    expect(await ann.valueOf('Title')).toBe('Of the other');
  });

  it('lead to the problem in a drawer, not to one of the form under it', async () => {
    await openDraft('Two problems');
    await ann.fill('Rating', '99');
    await ann.sees('Not everything is saved. Correct the marked fields.');
    await openDrawer();
    await ann.page.locator('[role=dialog] .desk-savebar ::-p-aria([name="Save"][role="button"])').click();
    await ann.until('a problem in the drawer', async () => (await ann.focused()) === 'Name');
    expect(await ann.page.$$('[role=dialog] [aria-invalid=true]')).toHaveLength(1);
    // The palette does not lead to a field under the drawer either.
    await together('k', 'Control');
    await ann.until('the palette', async () => (await ann.focused()) === 'Go to');
    await ann.page.keyboard.type('Rating');
    await ann.sees('Nothing found');
    await ann.page.keyboard.press('Escape');
    await ann.until('back in the drawer', async () => (await ann.focused()) === 'Name');
    await ann.page.keyboard.press('Escape');
    await ann.fill('Rating', '9');
    await ann.saved();
  });
});
