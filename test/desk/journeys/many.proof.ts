/** Journeys of an editor with many types and documents: palette, saved views, and reports of bulk actions. */
import { hasBrowser } from './browser.ts';
import type { Editor } from './editor.ts';
import { checkViews } from './views.ts';
import { startVisit, type Visit } from './visit.ts';

(hasBrowser ? describe : describe.skip)('an editor with much content', () => {
  let visit: Visit;
  let ann: Editor;
  const palette = async (): Promise<void> => {
    await ann.page.keyboard.down('Control');
    await ann.page.keyboard.press('k');
    await ann.page.keyboard.up('Control');
    await ann.page.waitForSelector('[role=dialog] input');
  };
  const options = (): Promise<string[]> => ann.texts('[role=dialog] [role=option]');

  beforeAll(async () => {
    visit = await startVisit('fastify');
    ann = await visit.arrive('ann');
    for (const title of ['Rain in spring', 'Rain in autumn', 'Snow'])
      await visit.api('post', '/articles?status=draft', {
        data: { title, kind: title === 'Snow' ? 'news' : 'report' },
      });
  }, 120_000);
  afterAll(() => visit?.end());
  afterEach(() => expect(visit.complaints()).toEqual([]));

  it('goes to a list and to a new document by keyboard alone', async () => {
    await palette();
    await ann.page.keyboard.type('auth');
    await ann.until('entries', async () => (await options())[0]?.startsWith('Authors') === true);
    await ann.page.keyboard.press('Enter');
    await ann.heading('Authors');
    await palette();
    await ann.page.keyboard.type('new: tag');
    await ann.until('entry', async () => (await options()).length === 1);
    await ann.page.keyboard.press('Enter');
    await ann.heading('New: Tag');
  });

  it('finds a document of any type, and opens it', async () => {
    await palette();
    await ann.page.keyboard.type('autumn');
    await ann.until('document', async () => (await options()).join() === 'Rain in autumn Article');
    await ann.page.keyboard.press('Enter');
    await ann.heading('Rain in autumn');
  });

  it('saves a view of a list, and returns to it later', async () => {
    await ann.open('/content/article?q=rain&sort=title:desc');
    await ann.sees('1 to 2 of 2');
    await ann.press('Views');
    await ann.item('Save this view');
    await ann.fill('Name of the view', 'All about rain');
    await ann.page.locator('[role=dialog] ::-p-aria([name="Save"][role="button"])').click();
    await ann.openAnew('/content/article');
    await ann.sees('1 to 3 of 3');
    await ann.press('Views');
    await ann.item('All about rain');
    await ann.sees('1 to 2 of 2');
    expect(ann.page.url()).toContain('q=rain');
    await ann.press('Views');
    await ann.press('Remove the view All about rain');
    await ann.until('removed', async () => !(await ann.text()).includes('All about rain'));
    await ann.page.keyboard.press('Escape');
  });

  it.each([['palette', palette]] as const)('%s in all views', async (name, show) => {
    await ann.open('/content/article');
    expect(await checkViews(ann.page, `desk-${name}`, show)).toEqual([]);
    await ann.page.setViewport({ width: 1280, height: 900 });
  });
});
