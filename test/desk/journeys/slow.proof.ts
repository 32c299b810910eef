/** Journeys of an editor on a slow network. */
import { setTimeout as sleep } from 'node:timers/promises';
import { hasBrowser, holdRequests } from './browser.ts';
import type { Editor } from './editor.ts';
import { startVisit, type Visit } from './visit.ts';

(hasBrowser ? describe : describe.skip)('an editor on a slow network', () => {
  let visit: Visit;
  let ann: Editor;
  const loaders = async (): Promise<number> => (await ann.page.$$('[aria-label=Loading]')).length;
  const top = (): Promise<number> =>
    ann.page.$eval('h1', (one) => (one as unknown as { offsetTop: number }).offsetTop);

  beforeAll(async () => {
    visit = await startVisit('express');
    ann = await visit.arrive('ann');
    await visit.api('post', '/articles?status=draft', { data: { title: 'A long way' } });
  }, 120_000);
  afterAll(() => visit?.end());
  afterEach(() => expect(visit.complaints()).toEqual([]));

  it('sees no wrong title while a document is loading, and nothing moves when it is there', async () => {
    await ann.open('/content/article');
    const release = await holdRequests(ann.page, '*/api/articles/*');
    await ann.follow('A long way');
    await ann.until('loading', async () => (await loaders()) > 0);
    expect(await ann.texts('h1')).toEqual(['']);
    const before = await top();
    await release();
    await ann.heading('A long way');
    expect(await top()).toBe(before);
  });

  it('reads why a list is empty without a network, and sees it when the network is there again', async () => {
    await ann.open('/content/article');
    await ann.page.setOfflineMode(true);
    await ann.follow('Authors');
    await ann.sees('The content could not be loaded: The server cannot be reached.');
    await ann.page.setOfflineMode(false);
    await ann.sees('No documents yet.');
    await ann.open('/content/article');
    await ann.follow('A long way');
    await ann.heading('A long way');
  });

  it('sees that the rows are still those of the former search, and clears a search before it is sent', async () => {
    await ann.open('/content/article');
    await ann.sees('1 to 1 of 1');
    const former = async (): Promise<number> => (await ann.page.$$('.desk-former[aria-busy=true]')).length;
    expect(await former()).toBe(0);
    const release = await holdRequests(ann.page, '*/api/articles?*');
    await ann.fill('Search in Articles', 'way');
    await ann.until('former rows', async () => (await former()) === 1);
    await release();
    await ann.until('rows of the search', async () => (await former()) === 0);
    await ann.fill('Search in Articles', 'way back');
    await ann.press('Clear search and filters');
    await ann.until('no search', () => Promise.resolve(!ann.page.url().includes('q=')));
    await sleep(500);
    expect(ann.page.url()).not.toContain('q=');
    expect(await ann.texts('tbody .desk-row-link')).toEqual(['A long way']);
  });

  it('finds the new title in the list that it has opened before the last save was stored', async () => {
    const { documentId } = await visit.api('post', '/articles?status=draft', { data: { title: 'Before' } });
    await ann.open('/content/article');
    await ann.follow('Before');
    await ann.heading('Before');
    const release = await holdRequests(ann.page, '*/api/articles/*');
    await ann.fill('Title', 'After');
    await ann.page.goBack();
    await ann.until('the list', async () => (await ann.texts('tbody .desk-row-link')).includes('Before'));
    await release();
    await ann.until('the title', async () => (await ann.texts('tbody .desk-row-link')).includes('After'));
    await visit.api('delete', `/articles/${documentId}`);
  });

  it('asks no longer for a document that it left before the server refused it', async () => {
    const { documentId } = await visit.api('post', '/articles?status=draft', { data: { title: 'Left' } });
    await ann.open('/content/article');
    const requests: string[] = [];
    ann.page.on('request', (request) => requests.push(request.url()));
    const refuse = await holdRequests(ann.page, `*/api/articles/${documentId}*`, 'refuse');
    const reads = (): number => requests.filter((url) => url.includes(`/articles/${documentId}?`)).length;
    await ann.follow('Left');
    await ann.until('asked', () => Promise.resolve(reads() === 1));
    await ann.open('/content/tag');
    await ann.heading('Tags');
    await refuse();
    // Longer than the pause before another attempt.
    await sleep(4500);
    expect(reads()).toBe(1);
    await visit.api('delete', `/articles/${documentId}`);
  });

  it('has a document once that a proxy has given up waiting for', async () => {
    await ann.open('/content/article/new');
    await ann.fill('Title', 'Behind a proxy');
    const proxied = await ann.page.createCDPSession();
    proxied.on('Fetch.requestPaused', ({ requestId }) => {
      const response = { requestId, responseCode: 524, responsePhrase: 'Late', responseHeaders: [] };
      void proxied.send('Fetch.fulfillRequest', response).then(() => proxied.detach());
    });
    await proxied.send('Fetch.enable', { patterns: [{ urlPattern: '*/api/*', requestStage: 'Response' }] });
    await ann.press('Save');
    await ann.sees('No connection.');
    await ann.status('Draft');
    expect(await visit.api('get', '/articles?status=draft&filters[title]=Behind a proxy')).toHaveLength(1);
  });

  it('reads that a document was not published, not that it was not saved', async () => {
    const data = { title: 'Too early' };
    const { documentId } = await visit.api('post', '/articles?status=draft', { data });
    await ann.open(`/content/article/${documentId}`);
    await ann.heading('Too early');
    await ann.page.setOfflineMode(true);
    await ann.press('Publish');
    await ann.sees('Not published: The server cannot be reached.');
    await ann.page.setOfflineMode(false);
    await ann.press('Publish');
    await ann.status('Published');
  });

  it('stores what was typed while a publication failed', async () => {
    const data = { title: 'Typed meanwhile' };
    const { documentId } = await visit.api('post', '/articles?status=draft', { data });
    await ann.open(`/content/article/${documentId}`);
    await ann.heading('Typed meanwhile');
    await ann.page.setOfflineMode(true);
    await ann.press('Publish');
    await ann.type('Lead', 'In the meantime');
    await ann.sees('Not published: The server cannot be reached.');
    await ann.page.setOfflineMode(false);
    await ann.until('stored', async () => {
      const { lead } = await visit.api('get', `/articles/${documentId}?status=draft`);
      return lead === 'In the meantime';
    });
  });

  it('keeps the page when a part cannot be loaded, and opens it with the network again', async () => {
    const id = (await visit.api('post', '/articles?status=draft', { data: { title: 'On a train' } }))
      .documentId;
    await ann.openAnew(`/content/article/${id}`);
    await ann.page.waitForSelector('[data-path=story] .ProseMirror');
    await ann.page.setOfflineMode(true);
    await ann.type('Lead', 'Written in a tunnel');
    await ann.press('Generate from Title');
    await ann.press('Create: Author');
    await ann.sees('The content could not be loaded: The server cannot be reached.');
    await ann.press('Try again');
    await ann.until(
      'refused',
      async () => (await ann.page.$$('.desk-not-opened [data-loading]')).length === 0,
    );
    expect(await ann.valueOf('Lead')).toBe('Written in a tunnel');
    expect(await ann.texts('.mantine-InputWrapper-error')).toContain('The server cannot be reached.');
    await ann.page.setOfflineMode(false);
    await ann.press('Try again');
    await ann.until('a new page', async () => (await ann.page.$$('.desk-not-opened')).length === 0);
    await ann.press('Create: Author');
    await ann.until('a drawer', async () => (await ann.texts('[role=dialog] h2')).includes('New: Author'));
    expect(await ann.valueOf('Lead')).toBe('Written in a tunnel');
    expect(visit.complaints().every((one) => one.includes('dynamically imported'))).toBe(true);
    await ann.page.keyboard.press('Escape');
  });

  it('sees that the library opens before its files have arrived', async () => {
    const release = await holdRequests(ann.page, '*file-picker*');
    await ann.page
      .locator('[data-path=cover] ::-p-aria([name="Choose from the library"][role="button"])')
      .click();
    await ann.until('loading', async () => (await loaders()) > 0);
    await release();
    await ann.until('library', async () => (await ann.texts('[role=dialog] h2')).includes('Media library'));
  });

  // The tests above need a browser that has no part of the drawer in its cache.
  it('links the document of a drawer that it closes during the first save', async () => {
    const { documentId } = await visit.api('post', '/articles?status=draft', {
      data: { title: 'By a drawer' },
    });
    await ann.open(`/content/article/${documentId}`);
    await ann.press('Create: Author');
    await ann.fill('Name', 'Hasty');
    const release = await holdRequests(ann.page, '*/api/authors*');
    await ann.page.locator('[role=dialog] ::-p-aria([name="Save"][role="button"])').click();
    await ann.until('saving', async () =>
      (await ann.texts('[role=dialog] [role=status]')).includes('Saving'),
    );
    await ann.page.keyboard.press('Escape');
    await ann.page.keyboard.press('Escape');
    await release();
    await ann.until('linked', async () => (await ann.texts('[data-path=author]')).join().includes('Hasty'));
    await ann.until('closed', async () => (await ann.page.$$('[role=dialog]')).length === 0);
    await ann.saved();
  });

  it('keeps a slug that it writes while one is made from the title', async () => {
    const { documentId } = await visit.api('post', '/articles?status=draft', { data: { slug: null } });
    await ann.open(`/content/article/${documentId}`);
    await ann.heading('Untitled');
    const asked = ann.page.waitForRequest((request) => request.url().includes('startsWith'));
    const release = await holdRequests(ann.page, '*startsWith*');
    await ann.fill('Title', 'Made from the title');
    await asked;
    await ann.fill('Slug', 'mine');
    await release();
    await ann.saved();
    expect(await ann.valueOf('Slug')).toBe('mine');
    const path = `/articles/${documentId}?status=draft`;
    expect(await visit.api('get', path)).toMatchObject({ title: 'Made from the title', slug: 'mine' });
    await visit.api('delete', `/articles/${documentId}`);
  });
});
