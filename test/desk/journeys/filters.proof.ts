/** Journeys of an editor who looks for documents by their status, days and authors. */
import { defineCollectionType } from 'nestjs-content-api';
import { hasBrowser, holdRequests } from './browser.ts';
import type { Editor } from './editor.ts';
import { checkViews } from './views.ts';
import { startVisit, type Visit } from './visit.ts';

const report = defineCollectionType({
  singularApiId: 'report',
  pluralApiId: 'reports',
  draftAndPublish: true,
  actions: true,
  authors: true,
  attributes: { title: { type: 'string', required: true } },
});

(hasBrowser ? describe : describe.skip)('an editor who filters a list', () => {
  let visit: Visit;
  let ann: Editor;
  const rows = (): Promise<string[]> => ann.texts('tbody .desk-row-link');
  const shows = (...wanted: string[]): Promise<void> =>
    ann.until(wanted.join(), async () => (await rows()).join() === wanted.join());
  const add = async (attribute: string, option: string | null): Promise<void> => {
    await ann.press('Add a filter');
    await ann.page.locator('::-p-aria([name="Attribute"])').click();
    await ann.option(attribute);
    if (option === null) return;
    await ann.page.locator('::-p-aria([name="Value"])').click();
    await ann.option(option);
    await ann.press('Apply');
  };

  beforeAll(async () => {
    visit = await startVisit('fastify', { contentTypes: [report] });
    ann = await visit.arrive('ann', 'chief');
    const make = async (title: string): Promise<string> =>
      (await visit.api('post', '/reports?status=draft', { data: { title } })).documentId;
    await make('Alone');
    const changed = await make('Before');
    const live = await make('Live');
    for (const id of [changed, live]) await visit.api('post', `/reports/${id}/actions/publish`);
    await visit.api('put', `/reports/${changed}?status=draft`, { data: { title: 'Changed' } });
    await visit.room.sql(`update reports set created_at = '2020-02-03T12:00:00Z' where document_id = $1`, [
      live,
    ]);
    await visit.room.sql(
      `update reports set published_at = '2020-02-03T12:00:00Z' where document_id = $1 and published`,
      [live],
    );
  }, 120_000);
  afterAll(() => visit?.end());
  afterEach(() => expect(visit.complaints()).toEqual([]));

  it('drops a search when another page opens before it starts, also while that page is loaded', async () => {
    await ann.open('/content/report');
    await shows('Alone', 'Changed', 'Live');
    const release = await holdRequests(ann.page, '*/assets/media-screen*');
    await (await ann.page.waitForSelector('[role=searchbox]'))?.type('al');
    await ann.page.evaluate(`document.querySelector('nav a[href$="/media"]').click()`);
    await ann.page.waitForSelector('#content [aria-label=Loading]');
    await ann.page.evaluate('new Promise((resolve) => setTimeout(resolve, 500))');
    await release();
    await ann.heading('Media library');
    expect(ann.page.url()).toBe(`${visit.room.desk}/media`);
    expect(await ann.texts('[role=searchbox]')).toEqual(['']);
  });

  it('keeps a space at the end of a search in which the editor goes on', async () => {
    await ann.open('/content/report');
    const field = await ann.page.waitForSelector('[role=searchbox]');
    await field?.type('al ');
    await ann.until('searched', async () => ann.page.url().endsWith('?q=al'));
    await field?.type('one');
    await ann.until('searched again', async () => ann.page.url().endsWith('?q=al+one'));
    await ann.page.locator('.desk-list-tools ::-p-aria([name="Clear search and filters"])').click();
    await shows('Alone', 'Changed', 'Live');
    expect(new URL(ann.page.url()).search).toBe('');
  });

  it('keeps a search for an encoded character as it was typed', async () => {
    const field = (): Promise<string> =>
      ann.page.$eval('[role=searchbox]', (input) => (input as unknown as { value: string }).value);
    await ann.open('/content/report');
    await (await ann.page.waitForSelector('[role=searchbox]'))?.type('caf%C3%A9 %26');
    await ann.until('searched', async () => ann.page.url().endsWith('?q=caf%25C3%25A9+%2526'));
    await shows();
    expect(await field()).toBe('caf%C3%A9 %26');
    await ann.openAnew('/content/report?q=caf%25C3%25A9+%2526');
    expect(await field()).toBe('caf%C3%A9 %26');
  });

  it('finds drafts, modified and published documents, each by one request', async () => {
    await ann.open('/content/report');
    await shows('Alone', 'Changed', 'Live');
    const asked: string[] = [];
    const listen = (request: { url(): string }): void => void asked.push(request.url());
    ann.page.on('request', listen);
    await add('Status', 'Modified');
    await shows('Changed');
    ann.page.off('request', listen);
    expect(asked.filter((url) => url.includes('/api/'))).toHaveLength(1);
    await ann.sees('Status is Modified');
    await add('Status', 'Published');
    await shows('Live');
    await ann.seesNot('Status is Modified');
    await add('Status', 'Draft');
    await shows('Alone');
    await ann.page.reload();
    await shows('Alone');
  });

  it('keeps the status in a saved view', async () => {
    await ann.press('Views');
    await ann.item('Save this view');
    await ann.fill('Name of the view', 'Not live yet');
    await ann.press('Save');
    await ann.open('/content/report');
    await shows('Alone', 'Changed', 'Live');
    await ann.press('Views');
    await ann.item('Not live yet');
    await shows('Alone');
  });

  it('finds documents of a day, by keyboard alone', async () => {
    await ann.openAnew('/content/report');
    await shows('Alone', 'Changed', 'Live');
    await ann.reach('Add a filter');
    await ann.page.keyboard.press('Enter');
    await ann.reach('Attribute');
    await ann.page.keyboard.press('Enter');
    await ann.pick('Created at');
    await ann.reach('Condition');
    await ann.page.keyboard.press('Enter');
    await ann.pick('is not after');
    await ann.reach('Value');
    await ann.page.keyboard.type('02042020');
    await ann.page.keyboard.press('Enter');
    await shows('Live');
    await ann.sees('Created at is not after Feb 4, 2020');
  });

  it('finds what was published on a day, and says that the list shows it', async () => {
    await ann.open('/content/report?filter=publishedAt+%24gte+2020-02-05');
    await shows('Before');
    await ann.sees('The list shows the published versions.');
    await ann.press('Remove Published at is not before Feb 5, 2020');
    await shows('Alone', 'Changed', 'Live');
  });

  it('finds documents by their author', async () => {
    await add('Created by', null);
    await ann.fill('Value', 'ann');
    await ann.press('Apply');
    await ann.sees('Created by contains ann');
    await shows('Alone', 'Changed', 'Live');
    await ann.open('/content/report?filter=updatedBy+%24containsi+ben');
    await ann.sees('No matching documents.');
  });

  it('reads days and times in its language and zone, in lists, filters, history and conflicts', async () => {
    const { documentId } = await visit.api('post', '/articles?status=draft', {
      data: { title: 'Feast', appears: '2026-12-24', meeting: '2026-12-24T10:30:15.000Z' },
    });
    await ann.page.emulateTimezone('America/New_York');
    await ann.open('/content/article');
    await ann.press('Columns');
    await ann.check('Appears');
    await ann.check('Meeting');
    await ann.page.keyboard.press('Escape');
    await ann.page.evaluate("localStorage.setItem('content-desk language', 'de')");
    await ann.openAnew('/content/article?filter=appears+%24eq+2026-12-24&filter=appears+%24notNull');
    await ann.sees('Appears ist 24.12.2026');
    await ann.until('row', async () => (await ann.texts('tbody tr')).length === 1);
    const cells = await ann.texts('tbody td');
    for (const text of ['24.12.2026', '24.12.2026, 05:30:15']) expect(cells).toContain(text);
    await ann.open(`/history/article/${documentId}`);
    await ann.sees('24.12.2026, 05:30:15');
    expect(await ann.text()).not.toContain('2026-12-24');
    await ann.open(`/content/article/${documentId}`);
    await ann.heading('Feast');
    await visit.api('put', `/articles/${documentId}?status=draft`, {
      data: { meeting: '2026-12-25T10:30:00.000Z' },
    });
    const input = await ann.page.waitForSelector('input[data-path=meeting]');
    await input?.focus();
    await ann.page.keyboard.press('ArrowUp');
    await ann.until('conflict', async () => (await ann.texts('[data-conflict]')).length === 1);
    expect((await ann.texts('.desk-conflict'))[1]).toBe('25.12.2026, 05:30');
    await ann.page.emulateTimezone('UTC');
    await ann.page.evaluate("localStorage.removeItem('content-desk language')");
  });

  it('is shown in all views', async () => {
    const show = async (): Promise<void> => {
      await ann.openAnew('/content/report?filter=status+%24eq+draft&filter=createdAt+%24gte+2020-02-05');
      await shows('Alone');
      await ann.press('Add a filter');
    };
    expect(await checkViews(ann.page, 'desk-filters', show)).toEqual([]);
  });
});
