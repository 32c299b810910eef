/** Journeys of an editor with many types and documents: palette, saved views, and reports of bulk actions. */
import { hasBrowser, openPage } from './browser.ts';
import { Editor } from './editor.ts';
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
  const confirm = (name: string): Promise<void> =>
    ann.page.locator(`.mantine-Modal-content ::-p-aria([name="${name}"][role="button"])`).click();
  const options = (): Promise<string[]> => ann.texts('[role=dialog] [role=option]');

  beforeAll(async () => {
    visit = await startVisit('fastify', { roles: { guest: { desk: ['open'] } } });
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

  it('gets an empty form for each new document, also right after it has stored one', async () => {
    await ann.fill('Label', 'First');
    await ann.press('Save');
    await ann.heading('First');
    await ann.until('an address', () => Promise.resolve(!ann.page.url().endsWith('/new')));
    await palette();
    await ann.page.keyboard.type('new: tag');
    await ann.until('entry', async () => (await options()).length === 1);
    await ann.page.keyboard.press('Enter');
    await ann.heading('New: Tag');
    expect(await ann.valueOf('Label')).toBe('');
  });

  it('is told that no role of it includes content', async () => {
    const opened = await openPage(await visit.browser.createBrowserContext(), visit.room.url);
    visit.pages.push(opened);
    const guest = new Editor(opened.page, visit.room.desk);
    await guest.page.goto(await visit.room.invite('guest@example.org', 'guest'));
    await guest.fill('New password', 'a long password of a guest');
    await guest.press('Set password and sign in');
    await guest.heading('There is no content for you yet');
  });

  it('finds documents before screens that have the letters inside a word', async () => {
    await palette();
    await ann.page.keyboard.type('ra');
    await ann.until('documents', async () => (await options()).some((one) => one.startsWith('Rain')));
    const found = await options();
    const documents = found.filter((one) => one.startsWith('Rain')).length;
    expect(found.findIndex((one) => one.startsWith('Media library'))).toBeGreaterThanOrEqual(documents);
    expect(found[0]).toMatch(/^Rain/);
    await ann.page.keyboard.press('Escape');
    await ann.until('closed', async () => (await ann.page.$$('[role=dialog]')).length === 0);
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

  it('is told which selected documents others have changed, before and while all are published', async () => {
    const [spring, autumn] = (await visit.api(
      'get',
      '/articles?status=draft&_q=rain&sort=title:desc',
    )) as any[];
    const change = (documentId: string): Promise<unknown> =>
      visit.api('put', `/articles/${documentId}?status=draft`, { data: { rating: 4 } });
    await ann.open('/content/article?q=rain');
    await ann.check('Select all on this page');
    await ann.sees('2 documents selected');
    await change(spring.documentId);
    await ann.press('Publish');
    await ann.sees('Rain in spring (changed since you opened the list)');
    await ann.seesNot('Looking for changes');
    await change(autumn.documentId);
    await confirm('Publish');
    await ann.sees('Published: 1 document');
    await ann.sees('Rain in autumn: Another editor has just changed it.');
    expect(await visit.api('get', '/articles?_q=rain')).toHaveLength(1);
  });

  it('publishes all that match, also those of other pages', async () => {
    for (let i = 0; i < 12; i += 1)
      await visit.api('post', '/articles?status=draft', { data: { title: `Hail ${i}` } });
    await ann.open('/content/article?q=hail&pageSize=10');
    await ann.check('Select all on this page');
    await ann.press('Select all 12 that match');
    await ann.press('Publish');
    await ann.sees('Publish 12 documents?');
    await confirm('Publish');
    await ann.sees('Published: 12 documents');
    expect(await visit.api('get', '/articles?_q=hail')).toHaveLength(12);
  });

  it('deletes several documents, which the trash keeps', async () => {
    await ann.open('/content/article?q=hail&pageSize=10');
    await ann.check('Select all on this page');
    await ann.press('Delete');
    await ann.sees('You can restore the documents from the trash.');
    await confirm('Delete');
    await ann.sees('Deleted: 10 documents');
    await ann.follow('Trash');
    await ann.until('trash', async () => (await ann.texts('tbody tr')).length === 10);
  });

  it('sees where a document is used, also before it is deleted', async () => {
    const author = await visit.api('post', '/authors', { data: { name: 'Nora' } });
    const data = { title: 'Written by Nora', author: author.documentId };
    await visit.api('post', '/articles?status=draft', { data });
    const uses = async (): Promise<string[]> => ann.texts('[role=dialog] [aria-label="Used by"] li');
    const seen = (): Promise<void> =>
      ann.until('the article', async () => (await uses()).join() === 'Written by Nora · Article');
    await ann.open(`/content/author/${author.documentId}`);
    await ann.press('More actions');
    await ann.item('Where it is used');
    await seen();
    await ann.follow('Written by Nora');
    await ann.heading('Written by Nora');
    // The list of articles of an author is the other side of the author of an article.
    await ann.press('More actions');
    await ann.item('Where it is used');
    await ann.sees('No document that you may see links to this one.');
    await ann.page.keyboard.press('Escape');
    await ann.open(`/content/author/${author.documentId}`);
    await ann.press('More actions');
    await ann.item('Delete');
    await seen();
    await confirm('Delete');
    await ann.heading('Authors');
  });

  it.each([['palette', palette]] as const)('%s in all views', async (name, show) => {
    await ann.open('/content/article');
    expect(await checkViews(ann.page, `desk-${name}`, show)).toEqual([]);
    await ann.page.setViewport({ width: 1280, height: 900 });
  });
});
