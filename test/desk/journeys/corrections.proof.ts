/** Journeys of an editor whose values the server refuses. */
import { defineCollectionType, defineComponent } from 'nestjs-content-api';
import { hasBrowser } from './browser.ts';
import type { Editor } from './editor.ts';
import { startVisit, type Visit } from './visit.ts';

const report = defineCollectionType({
  singularApiId: 'report',
  pluralApiId: 'reports',
  draftAndPublish: true,
  actions: true,
  attributes: {
    title: { type: 'string' },
    summary: { type: 'blocks', required: true },
    search: { type: 'component', component: 'part.seo', required: true },
    quotes: { type: 'component', component: 'part.quote', repeatable: true, min: 1, required: true },
    notes: { type: 'component', component: 'part.quote', repeatable: true },
  },
});

const event = defineCollectionType({
  singularApiId: 'event',
  pluralApiId: 'events',
  draftAndPublish: true,
  actions: true,
  attributes: {
    name: { type: 'string', required: true },
    host: { type: 'relation', relation: 'manyToOne', target: 'author', required: true },
    search: { type: 'component', component: 'part.share' },
  },
});
const share = defineComponent({
  uid: 'part.share',
  attributes: { image: { type: 'media', required: true, allowedTypes: ['images'] } },
});

(hasBrowser ? describe : describe.skip)('an editor whose values are refused', () => {
  let visit: Visit;
  let ann: Editor;
  let id: string;
  const stored = (): Promise<any> => visit.api('get', `/articles/${id}?status=draft&populate=*`);

  const paste = async (path: string, text: string): Promise<void> => {
    await ann.page.waitForSelector(`[data-path=${path}] [contenteditable=true]`);
    await ann.page.evaluate(`{
      const data = new DataTransfer();
      data.setData('text/plain', ${text});
      document.querySelector('[data-path=${path}] [contenteditable=true]')
        .dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    }`);
  };

  beforeAll(async () => {
    visit = await startVisit('express', { contentTypes: [report, event], components: [share] });
    ann = await visit.arrive('ann', 'chief');
  }, 120_000);
  beforeEach(async () => {
    id = (await visit.api('post', '/articles?status=draft', { data: { title: 'Corrected' } })).documentId;
    await ann.open(`/content/article/${id}`);
    await ann.heading('Corrected');
  });
  afterAll(() => visit?.end());
  afterEach(() => expect(visit.complaints()).toEqual([]));

  it('removes an entry that prevents the publication, and publishes', async () => {
    await ann.press('Add Sections');
    await ann.item('Quote A sentence with its speaker.');
    await ann.press('Publish');
    await ann.sees('Not published. Correct the marked fields.');
    await ann.press('Remove Quote');
    await ann.press('Publish');
    await ann.status('Published');
    expect((await stored()).sections).toEqual([]);
  });

  it('removes a component with a value that is too long, and everything is saved', async () => {
    await ann.press('Add Seo');
    await ann.type('Title for search engines', 'x'.repeat(61));
    await ann.sees('Not everything is saved. Correct the marked fields.');
    await ann.press('Remove Seo');
    await ann.seesNot('Not everything is saved.');
    await ann.type('Title', ' again');
    await ann.saved();
    expect(await stored()).toMatchObject({ title: 'Corrected again', seo: null });
  });

  it('stores two fields one after the other that are too large together', async () => {
    await ann.fill('Lead', 'Between them');
    await ann.page.setOfflineMode(true);
    await paste('body', "'Long line of text.\\n'.repeat(30_000)");
    await paste('story', "'A very long paragraph. '.repeat(25_000)");
    await ann.page.setOfflineMode(false);
    await ann.saved();
    const { body, story, lead } = await stored();
    expect([lead, body.length]).toEqual(['Between them', 570_000]);
    expect(story[0].children[0].text.length).toBeGreaterThan(570_000);
  });

  it('sees which field is too large for the server, which stores the others', async () => {
    await paste('body', "'Far too long.\\n'.repeat(100_000)");
    await ann.fill('Lead', 'Short enough');
    await ann.sees('Not everything is saved. Correct the marked fields.');
    await ann.until('lead', async () => (await stored()).lead === 'Short enough');
    const reason = 'This is larger than the server accepts. Shorten it, or ask an administrator.';
    expect(await ann.texts('[data-problem], .mantine-InputWrapper-error')).toEqual([reason]);
    await (await ann.page.$('[data-path=body] [contenteditable=true]'))?.focus();
    await ann.page.keyboard.down('Control');
    await ann.page.keyboard.press('a');
    await ann.page.keyboard.up('Control');
    await ann.page.keyboard.type('Just right.');
    await ann.saved();
    expect(await stored()).toMatchObject({ lead: 'Short enough', body: 'Just right.' });
  });

  it('discards the removal of an entry, which is in the list once', async () => {
    const sections = ['One', 'Two'].map((text) => ({ __component: 'part.quote', text }));
    await visit.api('put', `/articles/${id}?status=draft`, { data: { sections } });
    await ann.openAnew(`/content/article/${id}`);
    await ann.sees('2 entries');
    // Nothing is saved before the editor discards it.
    await ann.page.setOfflineMode(true);
    await ann.press('Remove Two');
    await ann.sees('Removed: Two');
    await ann.press('More actions');
    await ann.item('Discard unsaved changes');
    await ann.sees('2 entries');
    await ann.seesNot('Removed: Two');
    await ann.page.setOfflineMode(false);
    expect(await ann.texts('[data-path=sections] [role=group] bdi')).toEqual(['One', 'Two']);
  });

  it('brings back an entry of a component that it has closed and opened again', async () => {
    const rows = ['One', 'Two'].map((heading) => ({ heading }));
    const sections = [{ __component: 'part.table', caption: 'Prices', rows }];
    await visit.api('put', `/articles/${id}?status=draft`, { data: { sections } });
    await ann.openAnew(`/content/article/${id}`);
    await ann.press('Prices Table');
    await ann.press('Remove Two');
    await ann.until('focus', async () => (await ann.focused()) === 'Bring back Two');
    await ann.saved();
    await ann.press('Prices Table');
    await ann.press('Prices Table');
    await ann.sees('Removed: Two');
    expect(await ann.focused()).toContain('Prices');
    await ann.press('Bring back Two');
    await ann.saved();
    const path = `/articles/${id}?status=draft&populate[sections][on][part.table][populate]=rows`;
    const [table] = (await visit.api('get', path)).sections;
    expect(table.rows.map(({ heading }: { heading: string }) => heading)).toEqual(['One', 'Two']);
  });

  it('sees which fields a publication needs, components and lists too', async () => {
    await ann.open('/content/report/new');
    await ann.heading('New: Report');
    const labels = await ann.texts('.mantine-InputWrapper-label');
    expect(labels).toEqual(['Title', 'Summary *', 'Search *', 'Quotes *', 'Notes']);
  });

  it('is asked before it publishes without required links, and fills one', async () => {
    await ann.open('/content/event/new');
    await ann.fill('Name', 'Regatta');
    await ann.press('Add Search');
    await ann.saved();
    const found = async (): Promise<number> => (await visit.api('get', '/events')).length;
    await ann.press('Publish');
    await ann.sees('Marked as required, but empty: Host, Search: Image.');
    await ann.press('Cancel');
    await ann.until('focus', async () => (await ann.focused()) === 'Publish');
    expect(await found()).toBe(0);
    const { documentId } = await visit.api('post', '/authors', { data: { name: 'Ida' } });
    await ann.link('Choose Host', 'Ida', 'Ida');
    await ann.press('Publish');
    await ann.sees('Marked as required, but empty: Search: Image.');
    await ann.press('Publish anyway');
    await ann.status('Published');
    const [stored] = await visit.api('get', '/events?populate=host');
    expect(stored.host).toMatchObject({ documentId });
  });

  it('sees which of several documents it publishes without required links', async () => {
    const { documentId: host } = await visit.api('post', '/authors', { data: { name: 'Ole' } });
    const events = [{ name: 'Gala' }, { name: 'Market', host }, { name: 'Opera', host, search: {} }];
    for (const data of events) await visit.api('post', '/events?status=draft', { data });
    await ann.open('/content/event?filter=status $eq draft');
    await ann.heading('Events');
    await ann.check('Select all on this page');
    await ann.press('Publish');
    await ann.sees('without required fields');
    const titles = await ann.texts('[role=dialog] li');
    expect(titles).toEqual([
      'Gala (without required fields: Host)',
      'Opera (without required fields: Search: Image)',
      'Market',
    ]);
    await ann.page.locator('.mantine-Modal-content ::-p-aria([name="Publish"][role="button"])').click();
    await ann.sees('Published: 3 documents');
  });

  it('is led to a refused text, component and list, one after the other', async () => {
    const { documentId } = await visit.api('post', '/reports?status=draft', { data: { title: 'Bare' } });
    await ann.open(`/content/report/${documentId}`);
    await ann.heading('Bare');
    const isLedTo = async (path: string): Promise<void> => {
      await ann.press('Publish');
      await ann.until(
        `focus in ${path}`,
        async () => (await ann.page.$(`[data-path=${path}]:focus-within [data-problem]`)) !== null,
      );
    };
    await isLedTo('summary');
    await ann.page.keyboard.type('All of it.');
    await isLedTo('search');
    await ann.page.keyboard.press('Enter');
    await isLedTo('quotes');
    await ann.page.keyboard.press('Enter');
    await ann.until('the entry', async () => (await ann.focused()) === 'Text');
    await ann.page.keyboard.type('The wind sings.');
    await ann.press('Publish');
    await ann.status('Published');
  });

  it('sees the stored title of a linked document whose drawer it closes without a save', async () => {
    const { documentId } = await visit.api('post', '/authors', { data: { name: 'Rea' } });
    await visit.api('put', `/articles/${id}?status=draft`, { data: { author: documentId } });
    await ann.openAnew(`/content/article/${id}`);
    await ann.press('Edit Rea');
    await ann.type('Name', ' Unsaved');
    await ann.page.keyboard.press('Escape');
    await ann.until('closed', async () => (await ann.page.$$('[role=dialog]')).length === 0);
    expect(await ann.texts('[data-path=author] bdi')).toEqual(['Rea']);
    await ann.press('Edit Rea');
    await ann.press('Keep them');
    await ann.page.locator('[role=dialog] ::-p-aria([name="Save"][role="button"])').click();
    await ann.savesItself('[role=dialog]');
    await ann.page.keyboard.press('Escape');
    await ann.until('the new title', async () =>
      (await ann.texts('[data-path=author] bdi')).includes('Rea Unsaved'),
    );
  });
});
