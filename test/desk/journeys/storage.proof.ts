/** Journeys of an editor in a browser without a database that works, as in some private windows. */
import { hasBrowser, openPage } from './browser.ts';
import { Editor } from './editor.ts';
import { startVisit, type Visit } from './visit.ts';

const DATABASES = [
  ['never responds', 'IDBFactory.prototype.open = () => new EventTarget()'],
  ['is refused', 'IDBFactory.prototype.open = () => { throw new DOMException("No", "SecurityError"); }'],
  ['does not exist', 'Object.defineProperty(window, "indexedDB", { value: undefined })'],
] as const;

(hasBrowser ? describe : describe.skip)('an editor whose browser has no database', () => {
  let visit: Visit;
  let ann: Editor;
  beforeAll(async () => {
    visit = await startVisit('express');
    ann = await visit.arrive('ann');
  }, 120_000);
  afterAll(() => visit?.end());
  afterEach(() => expect(visit.complaints()).toEqual([]));

  it.each(DATABASES)('opens, saves and recovers a document if it %s', async (_case, script) => {
    const data = { title: 'Without a database' };
    const { documentId } = await visit.api('post', '/articles?status=draft', { data });
    const opened = await openPage(ann.page.browserContext(), visit.room.url);
    await opened.page.evaluateOnNewDocument(script);
    const editor = new Editor(opened.page, visit.room.desk);
    await editor.open(`/content/article/${documentId}`);
    await editor.fill('Lead', 'Saved');
    await editor.saved();
    expect((await visit.api('get', `/articles/${documentId}?status=draft`)).lead).toBe('Saved');
    await opened.page.setOfflineMode(true);
    await editor.fill('Lead', 'Kept');
    await editor.sees('Your changes are kept on this device');
    await opened.page.goto('about:blank');
    await opened.page.setOfflineMode(false);
    await editor.open(`/content/article/${documentId}`);
    await editor.until('the kept text', async () => (await editor.valueOf('Lead')) === 'Kept');
    expect((await visit.api('get', `/articles/${documentId}?status=draft`)).lead).toBe('Kept');
    expect(opened.complaints).toEqual([]);
    await opened.close();
  });
});
