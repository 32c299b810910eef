/** Journeys of editors in a browser, from an empty database on, with the built desk. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, BrowserContext } from 'puppeteer-core';
import sharp from 'sharp';
import { ADAPTERS } from '../../support/app.ts';
import {
  hasBrowser,
  holdRequests,
  launch,
  loseResponses,
  type Opened,
  openPage,
  refuseOnce,
} from './browser.ts';
import { Editor } from './editor.ts';
import { type Newsroom, startNewsroom } from './newsroom.ts';

/** Writes a picture, and returns its path. */
async function picture(name: string): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'content-picture-')), name);
  const bytes = await sharp({ create: { width: 640, height: 400, channels: 3, background: '#3355aa' } })
    .png()
    .toBuffer();
  await writeFile(path, bytes);
  return path;
}

const PASSWORD = 'a long password of an editor';

(hasBrowser ? describe : describe.skip).each(ADAPTERS)('an editor at the desk, on %s', (adapter) => {
  let room: Newsroom;
  let browser: Browser;
  let context: BrowserContext;
  let opened: Opened;
  let ann: Editor;
  const complaints: string[] = [];

  beforeAll(async () => {
    room = await startNewsroom(adapter);
    browser = await launch();
    context = await browser.createBrowserContext();
    opened = await openPage(context, room.url);
    ann = new Editor(opened.page, room.desk);
  });
  afterAll(async () => {
    await browser?.close();
    await room?.close();
  });
  afterEach(() => {
    complaints.push(...opened.complaints);
    expect(opened.complaints.splice(0)).toEqual([]);
  });

  /** Request to the API with all rights, for what journeys find or check. */
  let token: string | null = null;
  const api = async (
    method: 'get' | 'post' | 'put' | 'delete',
    path: string,
    body?: object,
  ): Promise<any> => {
    token ??= await signedIn();
    const request = room.http[method](`/api${path}`).set('Authorization', `Bearer ${token}`);
    const response = await (body === undefined ? request : request.send(body));
    if (response.status >= 400) throw new Error(`${method} ${path}: ${response.status} ${response.text}`);
    return response.body.data ?? response.body;
  };
  const signedIn = async (): Promise<string> => {
    const body = { identifier: 'ann@example.org', password: PASSWORD };
    return (await room.http.post('/desk/session').send(body).expect(200)).body.jwt;
  };
  const make = async (data: object, query = '?status=draft'): Promise<any> =>
    api('post', `/articles${query}`, { data });
  const stored = (documentId: string, query = 'status=draft&populate=*'): Promise<any> =>
    api('get', `/articles/${documentId}?${query}`);

  it('accepts an invitation, and sees the list of the first type', async () => {
    await ann.acceptInvitation(await room.invite('ann@example.org'), PASSWORD);
    await ann.sees('No documents yet.');
  });

  it('cannot use the invitation a second time', async () => {
    const link = await room.invite('ben@example.org', 'writer');
    const other = await openPage(await browser.createBrowserContext(), room.url);
    const ben = new Editor(other.page, room.desk);
    await ben.acceptInvitation(link, PASSWORD);
    const third = await openPage(await browser.createBrowserContext(), room.url);
    const eve = new Editor(third.page, room.desk);
    await eve.page.goto(link);
    await eve.fill('New password', PASSWORD);
    await eve.press('Set password and sign in');
    await eve.page.waitForSelector('[role=alert]');
    await other.close();
    await third.close();
  });

  it('stays signed in after a reload, without a token in the storage of the browser', async () => {
    await ann.page.reload();
    await ann.heading('Articles');
    const kept = await ann.page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })');
    expect(kept).not.toMatch(/eyJ[\w-]+\.eyJ/);
    expect(await ann.page.evaluate('document.cookie')).toBe('');
  });

  it('writes an article with a new author in a drawer, and saves it as a draft', async () => {
    await ann.follow('Create');
    await ann.heading('New: Article');
    await ann.fill('Title', 'The first article');
    await ann.fill('Lead', 'What it is about.');
    await ann.press('Create: Author');
    await ann.fill('Name', 'Carla');
    await ann.page.locator('.mantine-Drawer-content ::-p-aria([name="Save"][role="button"])').click();
    await ann.savesItself('.mantine-Drawer-content');
    await ann.page.locator('.mantine-Drawer-content ::-p-aria([name="Close"][role="button"])').click();
    await ann.press('Save');
    await ann.saved();
    await ann.status('Draft');
    const [article] = await api('get', '/articles?status=draft&populate=author');
    expect(article).toMatchObject({
      title: 'The first article',
      slug: 'the-first-article',
      author: { name: 'Carla' },
    });
    expect(ann.page.url()).toBe(`${room.desk}/content/article/${article.documentId}`);
    expect(await ann.valueOf('Slug')).toBe('the-first-article');
  });

  it('saves a change of a draft by itself', async () => {
    const { documentId } = await make({ title: 'Saved by itself' });
    await ann.open(`/content/article/${documentId}`);
    await ann.type('Lead', 'Typed.');
    await ann.sees('Unsaved changes');
    await ann.savesItself();
    expect(await stored(documentId)).toMatchObject({ lead: 'Typed.' });
  });

  it('publishes, and sees which documents have changes that are not published', async () => {
    const { documentId } = await make({ title: 'To be published' });
    await ann.open(`/content/article/${documentId}`);
    await ann.press('Publish');
    await ann.status('Published');
    expect(await stored(documentId, 'fields=title')).toMatchObject({ title: 'To be published' });
    await ann.type('Title', ' again');
    await ann.press('Save');
    await ann.status('Modified');
    expect(await stored(documentId, 'fields=title')).toMatchObject({ title: 'To be published' });
    await ann.open('/content/article');
    await ann.sees('Modified');
  });

  it('discards changes since publishing', async () => {
    const { documentId } = await make({ title: 'As published' }, '');
    await api('put', `/articles/${documentId}?status=draft`, { data: { title: 'As drafted' } });
    await ann.open(`/content/article/${documentId}`);
    await ann.status('Modified');
    await ann.press('More actions');
    await ann.item('Discard changes since publishing');
    await ann.press('Discard changes since publishing');
    await ann.status('Published');
    expect(await ann.valueOf('Title')).toBe('As published');
  });

  it('unpublishes', async () => {
    const { documentId } = await make({ title: 'Live for a moment' }, '');
    await ann.open(`/content/article/${documentId}`);
    await ann.status('Published');
    await ann.press('More actions');
    await ann.item('Unpublish');
    await ann.press('Unpublish');
    await ann.status('Draft');
    expect((await room.http.get(`/api/articles/${documentId}`)).status).not.toBe(200);
  });

  it('sees a problem at its field, and everything else is saved', async () => {
    const { documentId } = await make({ title: 'Fine' });
    await ann.open(`/content/article/${documentId}`);
    await ann.fill('Lead', 'Stored all the same.');
    await ann.fill('Title', 'x'.repeat(90));
    await ann.sees('At most 80 characters');
    await ann.press('Save');
    await ann.sees('Not everything is saved');
    expect(await stored(documentId)).toMatchObject({ title: 'Fine', lead: 'Stored all the same.' });
    expect(await ann.valueOf('Title')).toBe('x'.repeat(90));
    await ann.fill('Title', 'Short again');
    await ann.saved();
    expect(await stored(documentId)).toMatchObject({ title: 'Short again' });
  });

  it('merges changes of others to other fields without a question', async () => {
    const { documentId } = await make({ title: 'Merged', lead: 'Old' });
    await ann.open(`/content/article/${documentId}`);
    await ann.sees('Merged');
    await api('put', `/articles/${documentId}?status=draft`, { data: { lead: 'Written by Ben' } });
    await ann.type('Title', ' by both');
    await ann.saved();
    await ann.sees('Another editor has changed: Lead');
    expect(await ann.valueOf('Lead')).toBe('Written by Ben');
    expect(await stored(documentId)).toMatchObject({ title: 'Merged by both', lead: 'Written by Ben' });
  });

  it('decides when others have changed the same field, and nothing is overwritten before', async () => {
    const { documentId } = await make({ title: 'Contested' });
    await ann.open(`/content/article/${documentId}`);
    await ann.sees('Contested');
    await api('put', `/articles/${documentId}?status=draft`, { data: { title: 'Title of Ben' } });
    await ann.fill('Title', 'Title of Ann');
    await ann.press('Save');
    await ann.sees('Another editor has changed the same fields');
    await ann.sees('Title of Ben');
    expect(await stored(documentId)).toMatchObject({ title: 'Title of Ben' });
    await ann.press('Keep yours: Title');
    await ann.saved();
    expect(await stored(documentId)).toMatchObject({ title: 'Title of Ann' });
  });

  it('sees what differs in long texts and in the format of a text before it decides', async () => {
    const start = 'The same words. '.repeat(200);
    const text = (words: string, more: object = {}): object[] => [
      { type: 'paragraph', children: [{ type: 'text', text: words, ...more }] },
    ];
    const { documentId } = await make({ title: 'Long', body: start, story: text('Plain') });
    await ann.open(`/content/article/${documentId}`);
    await ann.page.waitForSelector('[data-path=body] .cm-content');
    await ann.page.waitForSelector('[data-path=story] .ProseMirror');
    const end = `End of Ben. ${'And more. '.repeat(200)}`;
    const data = { body: `${start}${end}`, story: text('Plain', { bold: true }) };
    await api('put', `/articles/${documentId}?status=draft`, { data });
    const release = await holdRequests(ann.page, '*/api/articles/*');
    for (const [selector, keys] of [
      ['[data-path=body] .cm-content', 'End of Ann'],
      ['[data-path=story] .ProseMirror', ''],
    ] as const) {
      await ann.page.focus(selector);
      await ann.page.keyboard.down('Control');
      await ann.page.keyboard.press(keys === '' ? 'a' : 'End');
      if (keys === '') await ann.page.keyboard.press('i');
      await ann.page.keyboard.up('Control');
      await ann.page.keyboard.type(keys);
    }
    await release();
    await ann.press('Save');
    await ann.sees('Another editor has changed the same fields');
    const [body, story] = await ann.texts('[data-conflict]');
    expect(body).toMatch(/… .{0,80}End of Ann.*… .{0,80}End of Ben/s);
    expect(story).toContain('The words are the same.');
    const theirs = (await ann.page.$$('.desk-conflict'))[1];
    await theirs?.focus();
    await ann.page.keyboard.press('End');
    await ann.until('the end', async () => (await theirs?.evaluate((one) => one.scrollTop > 0)) === true);
    await ann.press('Keep yours: Body');
    await ann.press('Take theirs: Story');
    await ann.saved();
    expect(await stored(documentId)).toMatchObject({ body: `${start}End of Ann`, story: data.story });
  });

  it('keeps what it types while the server cannot be reached, and saves it afterwards', async () => {
    const { documentId } = await make({ title: 'On a train' });
    await ann.open(`/content/article/${documentId}`);
    await ann.page.setOfflineMode(true);
    await ann.type('Lead', 'In a tunnel.');
    await ann.press('Save');
    await ann.sees('No connection.');
    await ann.page.setOfflineMode(false);
    await ann.savesItself();
    expect(await stored(documentId)).toMatchObject({ lead: 'In a tunnel.' });
  });

  it('links and publishes although the server is unavailable for a moment', async () => {
    await api('post', '/tags', { data: { label: 'Patience' } });
    const { documentId } = await make({ title: 'During a restart' });
    await ann.open(`/content/article/${documentId}`);
    await refuseOnce(ann.page, ['*/api/tags?*', '*/actions/publish?*']);
    await ann.link('Add to Tags', 'Patience', 'Patience');
    await ann.saved();
    await ann.press('Publish');
    await ann.status('Published');
    const { tags } = await stored(documentId, 'populate=tags');
    expect(tags).toMatchObject([{ label: 'Patience' }]);
  });

  it('signs in again over the page when the session has ended, and the save completes', async () => {
    const { documentId } = await make({ title: 'A long break' });
    await ann.open(`/content/article/${documentId}`);
    await room.sql(`update content_users set sessions = '[]', token_version = token_version + 1`);
    token = null;
    await ann.type('Lead', 'After the break.');
    await ann.press('Save');
    await ann.sees('Your session has ended');
    expect(await ann.valueOf('E-mail or user name')).toBe('ann@example.org');
    await ann.fill('Password', PASSWORD);
    await ann.press('Sign in');
    await ann.savesItself();
    expect(await stored(documentId)).toMatchObject({ title: 'A long break', lead: 'After the break.' });
  });

  it('finds unsaved work again after a crash of the page', async () => {
    const tab = await openPage(context, room.url);
    const crashed = new Editor(tab.page, room.desk);
    await crashed.open('/content/article/new');
    await crashed.fill('Title', 'Never saved');
    await crashed.fill('Lead', 'Typed before the crash.');
    await crashed.page.goto('about:blank');
    await tab.close();
    await ann.open('/content/article/new');
    await ann.sees('were recovered');
    expect(await ann.valueOf('Lead')).toBe('Typed before the crash.');
    await ann.press('Keep them');
    await ann.press('Save');
    await ann.saved();
    expect(await api('get', '/articles?status=draft&filters[title]=Never saved')).toHaveLength(1);
  });

  it('finds unsaved work in one of two tabs that open at the same time', async () => {
    const tab = await openPage(context, room.url);
    const second = new Editor(tab.page, room.desk);
    await second.open('/content/article/new');
    await second.fill('Lead', 'Recovered once.');
    await second.page.goto('about:blank');
    await ann.page.goto('about:blank');
    await Promise.all([ann.open('/content/article/new'), second.open('/content/article/new')]);
    const leads = await Promise.all([ann.valueOf('Lead'), second.valueOf('Lead')]);
    expect(leads.toSorted()).toEqual(['', 'Recovered once.']);
    const [finder] = leads[0] === '' ? [second] : [ann];
    await finder.press('Discard unsaved changes');
    await finder.seesNot('were recovered');
    await tab.close();
  });

  it('finds unsaved work again after it has left the form', async () => {
    await ann.openAnew('/content/article/new');
    await ann.fill('Title', 'Left alone');
    await ann.follow('Authors');
    await ann.heading('Authors');
    await ann.follow('Articles');
    await ann.heading('Articles');
    await ann.follow('Create');
    await ann.sees('were recovered');
    expect(await ann.valueOf('Title')).toBe('Left alone');
    await ann.press('Discard unsaved changes');
    await ann.seesNot('were recovered');
  });

  it('saves a draft when it leaves the form', async () => {
    const { documentId } = await make({ title: 'Left in a hurry' });
    await ann.open(`/content/article/${documentId}`);
    await ann.type('Lead', 'Done.');
    await ann.follow('Authors');
    await ann.heading('Authors');
    await ann.until('saved', async () => (await stored(documentId)).lead === 'Done.');
  });

  it('goes back after a save to the list as it was, and never to an empty form', async () => {
    for (let at = 0; at < 30; at += 1) await make({ title: `Tide ${at}` });
    const place = (): Promise<number> => ann.page.evaluate('scrollY') as Promise<number>;
    await ann.open('/content/article?q=tide');
    await ann.sees('1 to 25 of 30');
    await ann.page.evaluate('scrollTo(0, 400)');
    const before = await place();
    const rows = await ann.page.$$('tbody .desk-row-link');
    await rows[12]?.click();
    await ann.field('Title');
    expect(await place()).toBe(0);
    await ann.fill('Title', 'Tide 2 and time');
    await ann.saved();
    await ann.page.goBack();
    await ann.sees('Tide 2 and time');
    expect([await place(), new URL(ann.page.url()).search]).toEqual([before, '?q=tide']);
    await ann.follow('Create');
    await ann.fill('Title', 'Tide table');
    await ann.saved();
    await ann.follow('Articles');
    await ann.heading('Articles');
    await ann.page.goBack();
    await ann.heading('Tide table');
    await ann.page.goBack();
    await ann.sees('1 to 25 of 31');
  });

  it('discards recovered work', async () => {
    const { documentId } = await make({ title: 'Kept as stored' });
    await ann.open(`/content/article/${documentId}`);
    await ann.type('Lead', 'Not wanted.');
    await ann.page.goto('about:blank');
    await ann.open(`/content/article/${documentId}`);
    await ann.sees('were recovered');
    await ann.press('Discard unsaved changes');
    await ann.seesNot('were recovered');
    expect(await ann.valueOf('Lead')).toBe('');
    await ann.page.reload();
    await ann.sees('Kept as stored');
    expect(await ann.text()).not.toContain('were recovered');
  });

  it('edits one document in two tabs, and both changes are stored', async () => {
    const { documentId } = await make({ title: 'Two tabs' });
    const tab = await openPage(context, room.url);
    const second = new Editor(tab.page, room.desk);
    await ann.open(`/content/article/${documentId}`);
    await second.open(`/content/article/${documentId}`);
    await ann.fill('Lead', 'From the first tab.');
    await second.fill('Contact', 'second@example.org');
    await ann.saved();
    await second.saved();
    await ann.until('both', async () => (await stored(documentId)).lead === 'From the first tab.');
    expect(await stored(documentId)).toMatchObject({
      lead: 'From the first tab.',
      contact: 'second@example.org',
    });
    await tab.close();
  });

  it('sees that a document was deleted meanwhile, and creates it again with its changes', async () => {
    const { documentId } = await make({ title: 'Deleted by others' });
    await ann.open(`/content/article/${documentId}`);
    await api('delete', `/articles/${documentId}?locale=*`);
    await ann.type('Lead', 'Worth keeping.');
    await ann.press('Save');
    await ann.sees('This document was deleted');
    expect(await ann.texts('.desk-savebar [role=status]')).toEqual(['This document was deleted']);
    await ann.press('More actions');
    await ann.sees('Discard unsaved changes');
    expect(await ann.texts('[role=menuitem]')).toEqual(['Discard unsaved changes']);
    await ann.page.keyboard.press('Escape');
    await ann.press('Create it again with these values');
    await ann.saved();
    const [again] = await api('get', '/articles?status=draft&filters[title]=Deleted by others');
    expect(again).toMatchObject({ lead: 'Worth keeping.' });
    expect(again.documentId).not.toBe(documentId);
    expect(ann.page.url()).toContain(`/content/article/${again.documentId}`);
  });

  it('recovers changes of a document that was deleted meanwhile, with all its values', async () => {
    const { documentId } = await make({ title: 'Deleted before the reload', rating: 4, lead: 'Old.' });
    await ann.open(`/content/article/${documentId}`);
    await ann.type('Lead', ' Kept.');
    await api('delete', `/articles/${documentId}?locale=*`);
    await ann.press('Save');
    await ann.sees('This document was deleted');
    await ann.openAnew(`/content/article/${documentId}`);
    await ann.sees('Your changes are kept below.');
    await ann.seesNot('Another editor has changed the same fields');
    expect(await ann.valueOf('Title')).toBe('Deleted before the reload');
    await ann.press('Create it again with these values');
    await ann.saved();
    const [again] = await api('get', '/articles?status=draft&filters[title]=Deleted before the reload');
    expect(again).toMatchObject({ lead: 'Old. Kept.', rating: 4 });
  });

  it('sees that its language was deleted meanwhile, and adds it to the same document again', async () => {
    const { documentId } = await make({ title: 'Deleted in French' });
    await api('put', `/articles/${documentId}?status=draft&locale=fr`, { data: { title: 'Effacé' } });
    await ann.open(`/content/article/${documentId}?locale=fr`);
    await api('delete', `/articles/${documentId}?locale=fr`);
    await ann.type('Lead', 'À garder.');
    await ann.press('Save');
    await ann.sees('This language of the document was deleted');
    expect(await ann.texts('.desk-savebar [role=status]')).toEqual([
      'This language of the document was deleted',
    ]);
    await ann.press('Create it again with these values');
    await ann.saved();
    const again = await api('get', `/articles/${documentId}?status=draft&locale=fr`);
    expect(again).toMatchObject({ title: 'Effacé', lead: 'À garder.' });
    const english = await api('get', `/articles/${documentId}?status=draft`);
    expect(english).toMatchObject({ title: 'Deleted in French' });
  });

  it('recovers changes of a language that was deleted meanwhile, with all its values', async () => {
    const { documentId } = await make({ title: 'Deleted before the visit', rating: 4 });
    const sections = [{ __component: 'part.quote', text: 'Gardez.' }];
    const data = { title: 'Effacé avant', lead: 'Vieux.', sections };
    await api('put', `/articles/${documentId}?status=draft&locale=fr`, { data });
    await ann.open(`/content/article/${documentId}?locale=fr`);
    await ann.type('Lead', ' Nouveau.');
    await api('delete', `/articles/${documentId}?locale=fr`);
    await api('put', `/articles/${documentId}?status=draft`, { data: { rating: 5 } });
    await ann.press('Save');
    await ann.sees('This language of the document was deleted');
    await ann.openAnew(`/content/article/${documentId}?locale=fr`);
    await ann.sees('were recovered.');
    await ann.seesNot('Another editor has changed the same fields');
    expect(await ann.valueOf('Title')).toBe('Effacé avant');
    await ann.press('Keep them');
    await ann.saved();
    const again = await api('get', `/articles/${documentId}?status=draft&locale=fr&populate=*`);
    expect(again).toMatchObject({
      title: 'Effacé avant',
      lead: 'Vieux. Nouveau.',
      rating: 5,
      sections: [{ text: 'Gardez.' }],
    });
  });

  it('is offered nothing for a document that does not exist, and a way back from a page that does not', async () => {
    await ann.open('/content/article/aaaaaaaaaaaaaaaaaaaaaaaa');
    await ann.sees('It no longer exists, or you may not see it.');
    expect(await ann.texts('.desk-savebar')).toEqual([]);
    await ann.open('/content/nothing');
    await ann.heading('This page does not exist.');
    await ann.follow('Back to the start');
    await ann.heading('Articles');
  });

  it('duplicates a document: the copy has its own addresses and entries, and takes no links away', async () => {
    const author = await api('post', '/authors', { data: { name: 'Copied by many' } });
    const { documentId } = await make({
      title: 'Original',
      author: author.documentId,
      sections: [{ __component: 'part.quote', text: 'The sea gives.' }],
    });
    const open = async (path: string): Promise<void> => {
      await ann.open(path);
      await ann.press('More actions');
      await ann.item('Duplicate');
      await ann.until('a new form', () => Promise.resolve(ann.page.url().endsWith('/new')));
    };
    await open(`/content/article/${documentId}`);
    await ann.until('the copy', async () => (await ann.valueOf('Title')) === 'Original');
    await ann.fill('Title', 'The copy');
    await ann.press('Save');
    await ann.savesItself();
    const sections = 'status=draft&populate[author]=true&populate[sections][populate]=*';
    const [copy] = await api('get', `/articles?filters[title]=The copy&${sections}`);
    const original = await stored(documentId, sections);
    expect(original).toMatchObject({ title: 'Original', slug: 'original', author: { name: author.name } });
    expect(copy).toMatchObject({
      slug: 'the-copy',
      author: { name: author.name },
      sections: [{ text: 'The sea gives.' }],
    });
    expect(copy.sections[0].id).not.toBe(original.sections[0].id);
    await open(`/content/author/${author.documentId}`);
    await ann.until('the copy', async () => (await ann.texts('h1')).includes('New: Author'));
    await ann.seesNot('Original');
    await ann.seesNot('The copy');
  });

  it('links, orders by keyboard and removes tags', async () => {
    for (const label of ['Alpha', 'Beta', 'Gamma']) await api('post', '/tags', { data: { label } });
    const { documentId } = await make({ title: 'With tags' });
    await ann.open(`/content/article/${documentId}`);
    for (const label of ['Alpha', 'Beta', 'Gamma']) await ann.link('Add to Tags', label, label);
    const labels = async (): Promise<string[]> =>
      (await stored(documentId)).tags.map(({ label }: { label: string }) => label);
    await ann.until('all tags', async () => (await labels()).length === 3);
    await ann.move('Gamma', ['ArrowUp', 'ArrowUp']);
    await ann.saved();
    await ann.until('order', async () => (await labels()).join() === 'Gamma,Alpha,Beta');
    await ann.press('Remove Alpha');
    await ann.saved();
    await ann.until('removed', async () => (await labels()).join() === 'Gamma,Beta');
  });

  it('chooses among very many targets by search', async () => {
    await room.sql(
      `insert into tags (document_id, created_at, updated_at, published, locale, label, revision)
       select 'many' || n, now(), now(), true, 'en', 'Number ' || n, 0 from generate_series(1, 100000) n`,
    );
    const { documentId } = await make({ title: 'One of many' });
    await ann.open(`/content/article/${documentId}`);
    await ann.link('Add to Tags', 'Number 77777', 'Number 77777');
    await ann.saved();
    await ann.until('linked', async () => (await stored(documentId)).tags?.[0]?.label === 'Number 77777');
  });

  it('writes components three levels deep in a zone', async () => {
    const { documentId } = await make({ title: 'With a table' });
    await ann.open(`/content/article/${documentId}`);
    await ann.press('Add Sections');
    await ann.item('Table Rows of cells.');
    await ann.fill('Caption', 'Prices');
    await ann.press('Add Rows');
    await ann.fill('Heading', 'First row');
    await ann.press('Add Cells');
    await ann.fill('Text', 'A cell');
    await ann.saved();
    const query = 'status=draft&populate[sections][on][part.table][populate][rows][populate]=cells';
    await ann.until(
      'stored',
      async () => (await stored(documentId, query)).sections?.[0]?.rows?.[0]?.cells?.length === 1,
    );
    expect((await stored(documentId, query)).sections).toMatchObject([
      {
        __component: 'part.table',
        caption: 'Prices',
        rows: [{ heading: 'First row', cells: [{ text: 'A cell' }] }],
      },
    ]);
  });

  it('finds the field that must be corrected open, also inside of a closed entry, and is moved to it', async () => {
    const sections = ['A quote', null].map((text) => ({ __component: 'part.quote', text }));
    const { documentId } = await make({ title: 'With an empty quote', sections });
    await ann.open(`/content/article/${documentId}`);
    await ann.heading('With an empty quote');
    await ann.sees('2 entries');
    await ann.press('Publish');
    await ann.sees('Required');
    await ann.until('the field', async () => (await ann.focused()) === 'Text');
    expect(await ann.texts('[role=img][aria-label="Correct the fields inside"]')).toHaveLength(1);
    await ann.fill('Text', 'The wind sings.');
    await ann.press('Publish');
    await ann.status('Published');
  });

  it('orders and removes components, and keeps the ids of those that stay', async () => {
    const sections = ['One', 'Two', 'Three'].map((text) => ({ __component: 'part.quote', text }));
    const { documentId } = await make({ title: 'Quotes', sections });
    const texts = async (): Promise<string> =>
      (await stored(documentId)).sections
        .map(({ id, text }: { id: number; text: string }) => `${id} ${text}`)
        .join();
    const [one, two, three] = (await texts()).split(',');
    await ann.open(`/content/article/${documentId}`);
    await ann.move('Three', ['ArrowUp', 'ArrowUp']);
    await ann.saved();
    await ann.until('order', async () => (await texts()) === [three, one, two].join());
    await ann.press('Remove One');
    await ann.saved();
    await ann.until('removed', async () => (await texts()) === [three, two].join());
    expect(await ann.focused()).toBe('Bring back One');
    await ann.page.keyboard.press('Enter');
    await ann.saved();
    await ann.until('brought back', async () => /Three,\d+ One,\d+ Two$/.test(await texts()));
  });

  it('uploads a picture, and chooses another one from the library', async () => {
    const { documentId } = await make({ title: 'With pictures' });
    await ann.open(`/content/article/${documentId}`);
    const input = await ann.page.waitForSelector('[data-path=cover] input[type=file]');
    await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(
      await picture('Cover one.png'),
    );
    await ann.sees('Cover one.png');
    await ann.saved();
    expect((await stored(documentId)).cover.name).toBe('Cover one.png');
    await ann.page
      .locator('[data-path=gallery] ::-p-aria([name="Choose from the library"][role="button"])')
      .click();
    await ann.page.locator('.desk-tile').click();
    await ann.press('Choose');
    await ann.saved();
    expect((await stored(documentId)).gallery).toHaveLength(1);
  });

  it('translates: shared values once, own values per language', async () => {
    const { documentId } = await make({ title: 'In two languages', rating: 7 });
    await ann.open(`/content/article/${documentId}?locale=fr`);
    await ann.sees('There is no version in French yet');
    expect(await ann.valueOf('Title')).toBe('');
    await ann.fill('Title', 'En deux langues');
    await ann.press('Save');
    await ann.saved();
    expect(await stored(documentId, 'status=draft&locale=fr')).toMatchObject({
      title: 'En deux langues',
      rating: 7,
    });
    await ann.open('/content/article?locale=fr&q=deux');
    await ann.sees('En deux langues');
  });

  it('writes a language from right to left', async () => {
    const { documentId } = await make({ title: 'Left to right' });
    await ann.open(`/content/article/${documentId}?locale=ar`);
    await ann.field('Title');
    const direction = 'getComputedStyle(document.querySelector("[data-path=title]")).direction';
    expect(await ann.page.evaluate(direction)).toBe('rtl');
  });

  it('keeps no question and no panel of a document when it goes to another one', async () => {
    const first = await make({ title: 'The one before' });
    const second = await make({ title: 'The one after' });
    await ann.open(`/content/article/${first.documentId}`);
    await ann.heading('The one before');
    for (const action of ['Delete', 'Where it is used']) {
      await ann.open(`/content/article/${second.documentId}`);
      await ann.heading('The one after');
      await ann.press('More actions');
      await ann.item(action);
      await ann.page.waitForSelector('[role=dialog]');
      await ann.page.goBack();
      await ann.heading('The one before');
      await ann.until('no dialog', async () => (await ann.page.$$('[role=dialog]')).length === 0);
    }
    await ann.fill('Title', 'The one before, changed');
    await ann.saved();
    await ann.open(`/content/article/${second.documentId}`);
    await ann.heading('The one after');
    expect(await ann.texts('.desk-savebar [role=status]')).toEqual(['']);
    expect(await ann.texts('[role=dialog]')).toEqual([]);
  });

  it('deletes a document after a question, in one language or in all', async () => {
    const { documentId } = await make({ title: 'To be deleted' });
    await api('put', `/articles/${documentId}?status=draft&locale=fr`, { data: { title: 'À supprimer' } });
    await ann.open(`/content/article/${documentId}?locale=fr`);
    await ann.press('More actions');
    await ann.item('Delete');
    await ann.press('Delete the version in French');
    await ann.heading('Articles');
    expect(await stored(documentId)).toMatchObject({ title: 'To be deleted' });
    await ann.open(`/content/article/${documentId}`);
    await ann.press('More actions');
    await ann.item('Delete');
    await ann.press('Delete');
    await ann.heading('Articles');
    expect(await api('get', '/articles?status=draft&filters[title]=To be deleted')).toEqual([]);
  });

  it('searches, filters and sorts the list, and the address keeps it', async () => {
    await make({ title: 'Zebra stripes', kind: 'report' });
    await make({ title: 'Zebra crossing', kind: 'interview' });
    await ann.open('/content/article');
    await ann.fill('Search in Articles', 'zebra');
    await ann.sees('1 to 2 of 2');
    await ann.press('Add a filter');
    await ann.page.locator('::-p-aria([name="Attribute"])').click();
    await ann.option('Kind');
    await ann.page.locator('::-p-aria([name="Value"])').click();
    await ann.option('report');
    await ann.press('Apply');
    await ann.sees('1 to 1 of 1');
    await ann.page.reload();
    await ann.sees('1 to 1 of 1');
    expect(await ann.text()).toContain('Kind is report');
    await ann.press('Remove Kind is report');
    await ann.sees('1 to 2 of 2');
    await ann.press('Sort by Title');
    await ann.until('sorted', async () => (await ann.texts('tbody .desk-row-link'))[0] === 'Zebra stripes');
  });

  it('keeps the chosen columns of a list', async () => {
    await make({ title: 'Column' });
    await ann.open('/content/article?q=column');
    await ann.press('Columns');
    await ann.check('Rating');
    await ann.page.keyboard.press('Escape');
    await ann.until('column', async () => (await ann.texts('th')).includes('Rating'));
    await ann.page.reload();
    await ann.until('column', async () => (await ann.texts('th')).includes('Rating'));
    // The title stays the first column, with its label.
    await ann.press('Columns');
    await ann.check('Title');
    await ann.check('Kind');
    await ann.until('no kind', async () => !(await ann.texts('th')).includes('Kind'));
    expect((await ann.texts('th')).filter((one) => /title/i.test(one))).toEqual(['Title']);
    await ann.check('Title');
    await ann.check('Kind');
    await ann.until('kind', async () => (await ann.texts('th')).includes('Kind'));
    expect((await ann.texts('th')).filter((one) => /title/i.test(one))).toEqual(['Title']);
    await ann.page.keyboard.press('Escape');
  });

  it('keeps the columns that another tab has chosen, and shows the first ones if they cannot be read', async () => {
    const opened = await openPage(ann.page.browserContext(), room.url);
    const tab = new Editor(opened.page, room.desk);
    const choose = async (editor: Editor, column: string): Promise<void> => {
      await editor.page.bringToFront();
      await editor.press('Columns');
      await editor.check(column);
      await editor.page.keyboard.press('Escape');
    };
    const headings = (): Promise<string[]> => ann.texts('th');
    await ann.openAnew('/content/article?q=column');
    await tab.open('/content/article?q=column');
    await choose(tab, 'Weight');
    await choose(ann, 'Price');
    await ann.openAnew('/content/article?q=column');
    await ann.until('columns', async () => (await headings()).includes('Weight'));
    expect(await headings()).toContain('Price');
    await ann.page.evaluate(`for (const key of Object.keys(localStorage))
      if (key.startsWith('content-desk columns') && key.endsWith(' article')) localStorage[key] = '{"title'`);
    await ann.openAnew('/content/article?q=column');
    await ann.until('columns', async () => (await headings()).includes('Kind'));
    expect(await headings()).not.toContain('Weight');
    await opened.close();
  });

  it('asks one request for a list with two columns of relations', async () => {
    const asked: string[] = [];
    const listen = (request: { url(): string }): void => void asked.push(request.url());
    await ann.open('/content/author');
    ann.page.on('request', listen);
    await ann.follow('Articles');
    await ann.heading('Articles');
    await ann.until('rows', async () => (await ann.texts('tbody tr')).length > 0);
    ann.page.off('request', listen);
    expect(asked.filter((url) => url.includes('/api/'))).toHaveLength(1);
    expect(await ann.texts('th')).toEqual(expect.arrayContaining(['Author', 'Tags']));
  });

  it('publishes several documents at once, and sees which one was refused', async () => {
    await make({ title: 'Batch one' });
    await make({ title: 'Batch two' });
    const { documentId } = await make({ title: 'Batch three' });
    await room.sql(
      `update articles set title = null, lead = 'Batch without a title' where document_id = $1`,
      [documentId],
    );
    await ann.open('/content/article?q=batch');
    await ann.check('Select all on this page');
    await ann.sees('3 documents selected');
    await ann.press('Publish');
    await ann.page.locator('.mantine-Modal-content ::-p-aria([name="Publish"][role="button"])').click();
    await ann.sees('Published: 2 documents');
    await ann.sees('1 document refused:');
    expect(await ann.texts('[role=group] ul a')).toEqual(['Untitled']);
    expect(await api('get', '/articles?_q=batch')).toHaveLength(2);
  });

  it('edits a single type', async () => {
    await ann.open('/content/homepage');
    await ann.heading('Homepage');
    await ann.fill('Headline', 'Good morning');
    await ann.press('Publish');
    await ann.status('Published');
    expect(await api('get', '/homepage')).toMatchObject({ headline: 'Good morning' });
  });

  it('sees the whole of every kind of value, and stores it unchanged', async () => {
    const values = {
      title: 'All kinds',
      lead: 'Lead',
      body: '# Body',
      story: [{ type: 'paragraph', children: [{ type: 'text', text: 'x' }] }],
      kind: 'report',
      featured: true,
      rating: 3,
      price: '12.50',
      weight: 1.5,
      views: '9007199254740993',
      appears: '2026-02-03',
      meeting: '2026-02-03T04:05:06.000Z',
      hour: '07:08:09',
      contact: 'a@example.org',
      extra: { a: [1, null] },
    };
    const { documentId } = await make(values);
    const before = await stored(documentId);
    await ann.open(`/content/article/${documentId}`);
    expect(await ann.valueOf('Views')).toBe('9007199254740993');
    await ann.type('Lead', ' changed');
    await ann.saved();
    const { updatedAt: _then, ...after } = await stored(documentId);
    const { updatedAt: _now, ...expected } = { ...before, lead: 'Lead changed' };
    expect(after).toEqual(expected);
  });

  it('writes rich text with headings, lists, marks and undo, also after a save', async () => {
    const { documentId } = await make({ title: 'Rich text' });
    await ann.open(`/content/article/${documentId}`);
    const field = await ann.field('Story');
    await field.click();
    const { keyboard } = ann.page;
    await keyboard.type('# A heading');
    await keyboard.press('Enter');
    await keyboard.type('Plain and ');
    await keyboard.down('Control');
    await keyboard.press('b');
    await keyboard.up('Control');
    await keyboard.type('bold');
    await keyboard.press('Enter');
    await keyboard.type('- one');
    await keyboard.press('Enter');
    await keyboard.type('two');
    await ann.saved();
    const plain = (text: string, more: object = {}): object => ({ type: 'text', text, ...more });
    const item = (text: string): object => ({ type: 'list-item', children: [plain(text)] });
    expect((await stored(documentId)).story).toEqual([
      { type: 'heading', level: 1, children: [plain('A heading')] },
      { type: 'paragraph', children: [plain('Plain and '), plain('bold', { bold: true })] },
      { type: 'list', format: 'unordered', children: [item('one'), item('two')] },
    ]);
    await keyboard.press('Enter');
    await keyboard.press('Enter');
    await keyboard.type('After the list');
    await keyboard.down('Control');
    for (let i = 0; i < 12; i += 1) await keyboard.press('z');
    await keyboard.up('Control');
    await ann.saved();
    expect((await stored(documentId)).story).toBeNull();
  });

  it('runs no script of stored content, whatever attribute or file name it is in', async () => {
    const attack = '<img src=x onerror="window.attacked=1"><script>window.attacked=1</script>';
    const link = {
      type: 'link',
      url: 'javascript:window.attacked=1',
      children: [{ type: 'text', text: attack }],
    };
    const { documentId: tagId } = await api('post', '/tags', { data: { label: attack } });
    const { documentId } = await make({
      title: `attack ${attack}`.slice(0, 80),
      lead: attack,
      body: attack,
      extra: { html: attack },
      seo: { metaDescription: attack },
      sections: [{ __component: 'part.quote', text: attack, speaker: attack }],
      tags: [tagId],
    });
    // The API refuses such a link. Direct SQL does not.
    const children = [{ type: 'text', text: attack }, link, { type: 'text', text: '' }];
    await room.sql('update articles set story = $2 where document_id = $1', [
      documentId,
      JSON.stringify([{ type: 'paragraph', children }]),
    ]);
    await room.sql('update content_files set name = $1, alternative_text = $1', [attack]);
    for (const path of ['/content/article?q=attack', `/content/article/${documentId}`, '/content/tag']) {
      await ann.open(path);
      await sleep(100);
    }
    await ann.open(`/content/article/${documentId}`);
    await ann.page
      .locator('[data-path=gallery] ::-p-aria([name="Choose from the library"][role="button"])')
      .click();
    await ann.page.waitForSelector('.desk-tile');
    await ann.page.keyboard.press('Escape');
    await ann.page.$$eval('.desk-blocks a, .desk-blocks span', (all) =>
      all.forEach((one) => (one as any).click()),
    );
    expect(await ann.page.evaluate('window.attacked')).toBeUndefined();
  });

  it('is refused by the API if it sends what the form does not offer', async () => {
    const { documentId } = await make({ title: 'Of Ann' });
    const other = await openPage(await browser.createBrowserContext(), room.url);
    const ben = new Editor(other.page, room.desk);
    await ben.open('/content/author');
    await ben.signIn('ben@example.org', PASSWORD);
    await ben.heading('Authors');
    const send = (method: string, path: string, body: object): Promise<unknown> =>
      other.page.evaluate(`(async () => {
        const { jwt } = await (await fetch('/desk/session/refresh', { method: 'POST' })).json();
        const headers = { 'Content-Type': 'application/json', Authorization: 'Bearer ' + jwt };
        const body = ${JSON.stringify(JSON.stringify(body))};
        return (await fetch('/api${path}', { method: '${method}', headers, body })).status;
      })()`);
    expect(await send('POST', '/authors', { data: { name: 'Not allowed' } })).toBe(403);
    expect(await send('POST', `/articles/${documentId}/actions/publish`, {})).toBe(403);
    expect(await send('PUT', '/homepage', { data: { headline: 'Not allowed' } })).toBe(403);
    await other.close();
  });

  it('works by keyboard alone: from the list to a published article', async () => {
    await ann.openAnew('/content/article');
    const press = (key: 'Tab' | 'Enter'): Promise<void> => ann.page.keyboard.press(key);
    await press('Tab');
    expect(await ann.focused()).toBe('Skip to content');
    await press('Enter');
    await ann.reach('Create');
    expect(ann.page.url()).toBe(`${room.desk}/content/article`);
    await press('Enter');
    await ann.heading('New: Article');
    for (let i = 0; i < 60; i += 1) {
      await press('Tab');
      if ((await ann.page.evaluate('document.activeElement.dataset.path')) === 'title') break;
    }
    await ann.page.keyboard.type('By keyboard');
    await ann.page.keyboard.down('Control');
    await ann.page.keyboard.press('s');
    await ann.page.keyboard.up('Control');
    await ann.saved();
    await ann.page.keyboard.down('Control');
    await ann.page.keyboard.down('Shift');
    await ann.page.keyboard.press('P');
    await ann.page.keyboard.up('Shift');
    await ann.page.keyboard.up('Control');
    await ann.status('Published');
  });

  it('reads the desk in German', async () => {
    await ann.open('/content/article');
    await ann.press('Language of the desk');
    await ann.item('Deutsch');
    await ann.sees('Anlegen');
    expect(await ann.page.$eval('html', (html) => html.getAttribute('lang'))).toBe('de');
    await ann.press('Sprache der Redaktion');
    await ann.item('English');
    await ann.sees('Create');
  });

  it('keeps the page if the server cannot be reached when the language is chosen', async () => {
    await ann.open('/content/article');
    await ann.page.setOfflineMode(true);
    await ann.press('Language of the desk');
    await ann.item('English');
    await ann.sees('The server cannot be reached.');
    await ann.page.setOfflineMode(false);
    await ann.heading('Articles');
  });

  it('sees neither buttons nor fields for what it may not do', async () => {
    const other = await openPage(await browser.createBrowserContext(), room.url);
    const ben = new Editor(other.page, room.desk);
    const { documentId } = await make({ title: 'Read by Ben', author: null });
    await ben.open('/content/author');
    await ben.signIn('ben@example.org', PASSWORD);
    await ben.heading('Authors');
    expect(await ben.text()).not.toContain('Create');
    await ben.open(`/content/article/${documentId}`);
    expect(await ben.text()).not.toContain('Create: Author');
    expect(other.complaints).toEqual([]);
    await other.close();
  });

  it('signs out in all tabs', async () => {
    const tab = await openPage(context, room.url);
    const second = new Editor(tab.page, room.desk);
    await ann.open('/content/article');
    await second.open('/content/article');
    await ann.press('Account');
    await ann.item('Sign out');
    await ann.sees('Sign in to write and publish.');
    await second.sees('Sign in');
    await tab.close();
    await ann.signIn('ann@example.org', PASSWORD);
    await ann.heading('Articles');
  });

  it('switches the language right after a change of a shared value, and meets no other editor', async () => {
    const { documentId } = await make({ title: 'Shared by languages', rating: 1 });
    await api('put', `/articles/${documentId}?status=draft&locale=fr`, { data: { title: 'Partagé' } });
    await ann.open(`/content/article/${documentId}?locale=fr`);
    await ann.fill('Rating', '2');
    await ann.open(`/content/article/${documentId}`);
    await ann.until('rating', async () => (await ann.valueOf('Rating')) === '2');
    await ann.type('Lead', 'Typed at once.');
    await ann.saved();
    expect(await ann.text()).not.toContain('Another editor');
    expect(await stored(documentId)).toMatchObject({ rating: 2, lead: 'Typed at once.' });
  });

  it('has two languages open in two tabs: neither is refused for what the other one has saved', async () => {
    const { documentId } = await make({ title: 'Two languages', rating: 1 });
    await api('put', `/articles/${documentId}?status=draft&locale=fr`, { data: { title: 'Deux langues' } });
    const tab = await openPage(context, room.url);
    const french = new Editor(tab.page, room.desk);
    const refused: number[] = [];
    for (const { page } of [ann, french])
      page.on('response', (response) => void (response.status() === 412 && refused.push(412)));
    await ann.open(`/content/article/${documentId}`);
    await french.open(`/content/article/${documentId}?locale=fr`);
    await french.fill('Rating', '5');
    await french.saved();
    await ann.until('rating', async () => (await ann.valueOf('Rating')) === '5');
    await ann.fill('Rating', '6');
    await ann.saved();
    await french.until('rating', async () => (await french.valueOf('Rating')) === '6');
    await french.type('Title', ' encore');
    await french.saved();
    expect(refused).toEqual([]);
    for (const editor of [ann, french]) expect(await editor.text()).not.toContain('Another editor');
    // A change of another editor in between is shown.
    await api('put', `/articles/${documentId}?status=draft`, { data: { lead: 'Of Ben', rating: 7 } });
    await french.fill('Lead', 'De la France');
    await french.saved();
    await french.sees('Another editor has changed: Rating');
    await ann.type('Title', '!');
    await ann.saved();
    await ann.sees('Another editor has changed: ');
    expect(await stored(documentId)).toMatchObject({ title: 'Two languages!', lead: 'Of Ben', rating: 7 });
    await tab.close();
  });

  it('publishes what another editor has just published, without a question', async () => {
    const { documentId } = await make({ title: 'Published twice' });
    await ann.open(`/content/article/${documentId}`);
    await api('post', `/articles/${documentId}/actions/publish`);
    await ann.press('Publish');
    await ann.status('Published');
    expect(await ann.text()).not.toContain('Another editor');
  });

  it('keeps JSON that is not finished when the tab is closed', async () => {
    const { documentId } = await make({ title: 'Half a thought', extra: { a: 1 } });
    const tab = await openPage(context, room.url);
    const first = new Editor(tab.page, room.desk);
    await first.open(`/content/article/${documentId}`);
    await first.fill('Extra', '{ "a": 1, "b": ');
    await first.type('Lead', 'Finished.');
    await first.press('Save');
    await first.sees('Not everything is saved');
    await tab.close();
    expect(await stored(documentId)).toMatchObject({ extra: { a: 1 }, lead: 'Finished.' });
    await ann.open(`/content/article/${documentId}`);
    await ann.sees('were recovered');
    await ann.press('Keep them');
    expect(await ann.valueOf('Extra')).toBe('{ "a": 1, "b": ');
    await ann.fill('Extra', '{ "a": 1, "b": 2 }');
    await ann.saved();
    expect(await stored(documentId)).toMatchObject({ extra: { a: 1, b: 2 } });
  });

  it('adds an item once, although the response was lost and the tab closed', async () => {
    const { documentId } = await make({ title: 'Lost response' });
    const tab = await openPage(context, room.url);
    const first = new Editor(tab.page, room.desk);
    await first.open(`/content/article/${documentId}`);
    await first.press('Add Sections');
    await first.item('Quote A sentence with its speaker.');
    await first.fill('Text', 'Said once');
    await loseResponses(tab.page);
    await first.press('Save');
    await first.sees('No connection.');
    await first.fill('Speaker', 'Typed later');
    await tab.close();
    expect((await stored(documentId)).sections).toMatchObject([{ text: 'Said once' }]);
    await ann.open(`/content/article/${documentId}`);
    await ann.sees('were recovered');
    await ann.press('Keep them');
    await ann.saved();
    expect((await stored(documentId)).sections).toMatchObject([
      { text: 'Said once', speaker: 'Typed later' },
    ]);
  });

  it('creates a document once, although the response was lost and the tab closed', async () => {
    const tab = await openPage(context, room.url);
    const first = new Editor(tab.page, room.desk);
    await first.open('/content/article/new');
    await first.fill('Title', 'Created once');
    await loseResponses(tab.page);
    await first.press('Save');
    await first.sees('No connection.');
    await tab.close();
    await ann.open('/content/article/new');
    await ann.heading('Created once');
    await ann.until('its address', async () => /article\/\w{24}$/.test(ann.page.url()));
    expect(await api('get', '/articles?status=draft&filters[title]=Created once')).toHaveLength(1);
  });

  it('moves rows of a list by keyboard and by pointer, and the order is stored', async () => {
    for (const name of ['Orla', 'Pia', 'Quentin', 'Rosa']) await api('post', '/authors', { data: { name } });
    const shown = async (): Promise<string> => {
      const names = await ann.texts('tbody .desk-row-link');
      return names.filter((name) => /^(Orla|Pia|Quentin|Rosa)$/.test(name)).join();
    };
    const order = async (): Promise<string> => {
      const all = await api('get', '/authors?sort=position:asc&pagination[pageSize]=100');
      return all
        .map(({ name }: { name: string }) => name)
        .filter((name: string) => 'Orla,Pia,Quentin,Rosa'.includes(name))
        .join();
    };
    await ann.open('/content/author');
    await ann.until('all', async () => (await shown()) === 'Orla,Pia,Quentin,Rosa');
    await ann.move('Rosa', ['ArrowUp', 'ArrowUp']);
    await ann.sees('The order is saved');
    await ann.until('order', async () => (await order()) === 'Orla,Rosa,Pia,Quentin');
    expect(await shown()).toBe('Orla,Rosa,Pia,Quentin');
    const place = async (name: string): Promise<{ x: number; y: number }> => {
      const handle = await ann.page.waitForSelector(`::-p-aria([name="Move ${name}"][role="button"])`);
      const box = await handle?.boundingBox();
      if (box === null || box === undefined) throw new Error(`No handle of ${name}`);
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    };
    const [from, to] = [await place('Orla'), await place('Quentin')];
    await ann.page.mouse.move(from.x, from.y);
    await ann.page.mouse.down();
    await ann.page.mouse.move(to.x, to.y - 10, { steps: 5 });
    await ann.page.mouse.move(to.x, to.y, { steps: 5 });
    await ann.page.mouse.up();
    await ann.until('order', async () => (await order()) === 'Rosa,Pia,Quentin,Orla');
    await ann.press('Sort by Name');
    expect(await ann.page.$$('[aria-label="Move Orla"]')).toEqual([]);
    await ann.press('Sort in the order of the editors');
    await ann.until('sorted', async () => (await shown()) === 'Rosa,Pia,Quentin,Orla');
  });

  it('continues after a deploy: unsaved work outlives the reload', async () => {
    const { documentId } = await make({ title: 'During a deploy' });
    await ann.open(`/content/article/${documentId}`);
    await ann.type('Contact', 'x');
    await ann.page.evaluate(
      `dispatchEvent(Object.assign(new Event('vite:preloadError', { cancelable: true }), {}))`,
    );
    await ann.sees('were recovered');
    expect(await ann.valueOf('Contact')).toBe('x');
  });
});
