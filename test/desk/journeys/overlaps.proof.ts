/** Journeys of editors whose actions overlap: late responses, changes by others, another user in the tab. */
import { hasBrowser, holdRequests } from './browser.ts';
import type { Editor } from './editor.ts';
import { startVisit, type Visit } from './visit.ts';

const PASSWORD = 'a long password of an editor';

(hasBrowser ? describe : describe.skip)('an editor whose actions overlap others', () => {
  let visit: Visit;
  let ann: Editor;
  const make = async (data: object, query = '?status=draft'): Promise<string> =>
    (await visit.api('post', `/articles${query}`, { data })).documentId;
  const stored = (id: string, query = ''): Promise<any> =>
    visit.api('get', `/articles/${id}?status=draft${query}`);
  const inDialog = (label: string): Promise<void> =>
    ann.page.locator(`[role=dialog] ::-p-aria([name="${label}"][role="button"])`).click();
  const closed = (): Promise<void> =>
    ann.until('closed dialog', async () => (await ann.page.$$('[role=dialog]')).length === 0);
  /** Shows the window again, as after a visit to another one: the desk reads what it shows again. */
  const lookAgain = async (): Promise<void> => {
    await ann.page.evaluate(`dispatchEvent(new Event('visibilitychange'))`);
    await ann.rests();
  };

  beforeAll(async () => {
    visit = await startVisit('fastify', { roles: { head: { '*': '*' } } });
    ann = await visit.arrive('ann', 'head');
  }, 120_000);
  afterAll(() => visit?.end());
  beforeEach(() => ann.openAnew('/content/tag'));
  afterEach(() => expect(visit.complaints()).toEqual([]));

  it('goes on in the same field while a save has the language beside it read again', async () => {
    const id = await make({ title: 'Harbours' }, '?status=draft&locale=en');
    await visit.api('put', `/articles/${id}?status=draft&locale=fr`, { data: { title: 'Ports' } });
    await ann.open(`/content/article/${id}?locale=fr&beside=en`);
    await ann.sees('Shared by all languages');
    await (await ann.field('Title')).evaluate((input: any) => (input.isFirst = true));
    const release = await holdRequests(ann.page, '*locale=en*');
    await ann.type('Title', ' en hiver');
    await ann.saved();
    await ann.page.keyboard.type(' froid');
    await release();
    await ann.saved();
    await ann.rests();
    expect(await (await ann.field('Title')).evaluate((input: any) => input.isFirst)).toBe(true);
    expect((await stored(id, '&locale=fr')).title).toBe('Ports en hiver froid');
  });

  it('links no document again that another editor has replaced while its drawer was open', async () => {
    const { documentId: former } = await visit.api('post', '/authors', { data: { name: 'Ada' } });
    const { documentId: author } = await visit.api('post', '/authors', { data: { name: 'Bea' } });
    const id = await make({ title: 'Of an author', author: former });
    await ann.open(`/content/article/${id}`);
    await ann.press('Edit Ada');
    await ann.until('a drawer', async () => (await ann.focused()) === 'Name');
    await visit.api('put', `/articles/${id}?status=draft`, { data: { author } });
    await ann.until('the change', async () => {
      await ann.page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
      return (await ann.texts('[data-path=author]')).join().includes('Bea');
    });
    await ann.page.keyboard.press('Escape');
    await closed();
    await ann.fill('Lead', 'Typed since');
    await ann.saved();
    expect((await stored(id, '&populate=author')).author.name).toBe('Bea');
  });

  it('leaves its unsaved changes to itself when another user signs in in the tab', async () => {
    await visit.arrive('ben', 'head');
    const id = await make({ title: 'Of two' });
    await ann.open(`/content/article/${id}`);
    await ann.fill('Lead', 'By ann');
    await ann.press('Account');
    await ann.item('Sign out');
    await ann.sees('Sign in to write and publish.');
    const writes: string[] = [];
    ann.page.on('request', (request) => request.method() === 'PUT' && writes.push(request.url()));
    await ann.signIn('ben@example.org', PASSWORD);
    await ann.heading('Of two');
    await ann.rests();
    expect(writes).toEqual([]);
    await ann.press('Account');
    await ann.item('Sign out');
    await ann.signIn('ann@example.org', PASSWORD);
    await ann.heading('Of two');
  });

  it('keeps a picture whose upload ends while another one is described', async () => {
    const { id: picture } = await visit.upload('first.png', '#2a6f97');
    const id = await make({ title: 'Pictures', gallery: [picture] });
    await ann.open(`/content/article/${id}`);
    await ann.page.waitForSelector('[data-path=gallery]');
    await ann.press('No alternative text: describe first.png');
    await ann.fill('Alternative text', 'A quay');
    const described = await holdRequests(ann.page, '*/api/upload?id=*');
    await inDialog('Save');
    await ann.give('drop', '[data-path=gallery]', [['second.png', '#c9622b']]);
    await ann.until('sent', async () =>
      (await ann.texts('[data-path=gallery]')).join().includes('second.png'),
    );
    const uploading = (): Promise<unknown[]> => ann.page.$$('[data-path=gallery] [role=progressbar]');
    await ann.until('uploaded', async () => (await uploading()).length === 0);
    await described();
    await closed();
    expect((await ann.texts('[data-path=gallery]')).join()).toContain('second.png');
    await ann.saved();
    expect((await stored(id, '&populate=gallery')).gallery).toHaveLength(2);
  });

  it('overwrites no description that it has not seen, because the file was not read yet', async () => {
    const { documentId } = await visit.upload('lake.png', '#5b7553', { folder: '/lakes' });
    const path = `/upload/files/${documentId}`;
    await ann.open('/media?folder=/lakes');
    await ann.sees('lake.png');
    await visit.api('post', `/upload?id=${documentId}`, { fileInfo: { caption: 'Newer' } });
    const release = await holdRequests(ann.page, `*/api${path}`);
    await ann.press('lake.png');
    await ann.fill('Caption', 'Mine');
    await release();
    await ann.rests();
    await inDialog('Save');
    await ann.sees('Another editor has changed it in the meantime.');
    expect((await visit.api('get', path)).caption).toBe('Newer');
    await inDialog('Save');
    await closed();
    expect((await visit.api('get', path)).caption).toBe('Mine');
  });

  it('publishes no version that it has not seen, if the list is read again behind the question', async () => {
    const id = await make({ title: 'Fog in the bay' });
    await make({ title: 'Fog in the hills' });
    await ann.open('/content/article?q=fog');
    await ann.check('Select all on this page');
    await ann.sees('2 documents selected');
    await ann.press('Publish');
    await ann.seesNot('Looking for changes');
    await visit.api('put', `/articles/${id}?status=draft`, { data: { title: 'Fog in the bay, changed' } });
    await lookAgain();
    await inDialog('Publish');
    await ann.sees('Published: 1 document');
    await ann.sees('Fog in the bay: Another editor has just changed it.');
    expect(await visit.api('get', '/articles?_q=fog')).toHaveLength(1);
  });

  it('opens the document that an action refused in the language of the list', async () => {
    const id = await make({ title: 'Dunes' }, '?status=draft&locale=en');
    await visit.api('put', `/articles/${id}?status=draft&locale=fr`, { data: { lead: 'Sans titre' } });
    await ann.open('/content/article?locale=fr');
    await ann.check('Select all on this page');
    await ann.press('Publish');
    await ann.seesNot('Looking for changes');
    await inDialog('Publish');
    await ann.page.waitForSelector(`li a[href$="/content/article/${id}?locale=fr"]`);
  });

  it('changes no grants of a role while others are being stored', async () => {
    await ann.open('/people/roles');
    await ann.press('Create a role');
    await ann.fill('Name', 'Archivist');
    await ann.press('Create');
    await ann.follow('Archivist');
    await ann.heading('Archivist');
    await ann.check('Open: Desk');
    const release = await holdRequests(ann.page, '*/api/users-permissions/roles/*');
    await ann.press('Save');
    const other = await ann.page.waitForSelector(`::-p-aria([name="Read lists: Tags"][role="checkbox"])`);
    await ann.until('disabled', async () => (await other?.evaluate((box: any) => box.disabled)) === true);
    await release();
    await ann.sees('Saved');
    await ann.check('Read lists: Tags');
    await ann.press('Save');
    await ann.rests();
    await ann.page.reload();
    await ann.until('stored', async () => (await ann.page.$$('input:checked')).length === 2);
  });

  it('finishes a form that it opened while the former one was still being sent', async () => {
    await ann.open('/people/users');
    await ann.press('Actions for ben');
    await ann.item('Change role');
    await ann.page.locator('::-p-aria([name="Role"][role="combobox"])').click();
    await ann.option('Writer');
    const release = await holdRequests(ann.page, '*/api/users/*');
    await inDialog('Save');
    await ann.page.keyboard.press('Escape');
    await closed();
    await ann.press('Invite a user');
    await ann.fill('User name', 'cleo');
    await release();
    await ann.until('the role', async () => (await ann.texts('tbody tr')).join().includes('Writer'));
    expect(await ann.valueOf('User name')).toBe('cleo');
    await ann.page.keyboard.press('Escape');
    await ann.press('Leave');
    await closed();
  });

  it('reads a link that arrives after it has opened a form, and finishes the form', async () => {
    await ann.open('/people/users');
    const release = await holdRequests(ann.page, '*/desk/users/*');
    await ann.press('Actions for ben');
    await ann.item('New invitation link');
    await ann.press('Invite a user');
    await ann.fill('User name', 'dora');
    await release();
    await ann.sees('Invitation for ben');
    await ann.page.keyboard.press('Escape');
    await ann.seesNot('Invitation for ben');
    expect(await ann.valueOf('User name')).toBe('dora');
    await ann.page.keyboard.press('Escape');
    await ann.press('Leave');
    await closed();
  });

  it('keeps documents selected that it has selected while others were being published', async () => {
    for (const title of ['Dew early', 'Dew late']) await make({ title });
    await ann.open('/content/article?q=dew');
    await ann.check('Select Dew early');
    await ann.press('Publish');
    await ann.seesNot('Looking for changes');
    const release = await holdRequests(ann.page, '*/articles/bulk');
    await inDialog('Publish');
    await ann.page.keyboard.press('Escape');
    await closed();
    await ann.check('Select Dew late');
    await release();
    await ann.sees('Published: 1 document');
    await ann.sees('1 document selected');
    await ann.page.waitForSelector('input[aria-label="Select Dew late"]:checked');
  });

  it('reads why a change was refused whose form it has closed', async () => {
    await ann.open('/people/users');
    await ann.press('Actions for ben');
    await ann.item('Change role');
    await ann.page.locator('::-p-aria([name="Role"][role="combobox"])').click();
    await ann.option('Editor');
    const refuse = await holdRequests(ann.page, '*/api/users/*', 'refuse');
    await inDialog('Save');
    await ann.page.keyboard.press('Escape');
    await closed();
    await refuse();
    await ann.sees('The server is busy or under maintenance.');
  });

  it('keeps the address if nothing can be generated from the title', async () => {
    const id = await make({ title: 'Harbours', slug: 'harbours' });
    await ann.open(`/content/article/${id}`);
    await ann.fill('Title', '日本語');
    await ann.press('Generate from Title');
    await ann.sees('Nothing can be generated from Title. Type the value yourself.');
    await ann.saved();
    expect(await stored(id)).toMatchObject({ title: '日本語', slug: 'harbours' });
  });

  it('sees the page before when the last row of a page of the trash is restored', async () => {
    for (let n = 0; n < 26; n += 1) {
      const id = await make({ title: `Thrown away ${n}` });
      await visit.api('delete', `/articles/${id}`);
    }
    await ann.open('/trash/article');
    await ann.press('Page 2');
    await ann.until('one row', async () => (await ann.texts('tbody tr')).length === 1);
    await ann.press('Restore Thrown away 0');
    await inDialog('Restore');
    await ann.until('the first page', async () => (await ann.texts('tbody tr')).length === 25);
  });

  it('stays at the document that it has opened while another one was being deleted', async () => {
    const [gone, next] = [await make({ title: 'To be deleted' }), await make({ title: 'The next one' })];
    await ann.open(`/content/article/${gone}`);
    await ann.press('More actions');
    await ann.item('Delete');
    const release = await holdRequests(ann.page, `*articles/${gone}*`);
    await inDialog('Delete');
    await ann.page.keyboard.press('Escape');
    await closed();
    await ann.open(`/content/article/${next}`);
    await ann.heading('The next one');
    await ann.press('More actions');
    await ann.item('Delete');
    await ann.page.waitForSelector('[role=dialog]');
    await release();
    await ann.sees('Deleted');
    expect(new URL(ann.page.url()).pathname).toContain(next);
    expect(await ann.page.$$('[role=dialog]')).toHaveLength(1);
    await ann.page.keyboard.press('Escape');
    await closed();
  });

  it('keeps files selected that it has selected while others were being deleted', async () => {
    for (const name of ['old.png', 'new.png']) await visit.upload(name, '#2a6f97');
    await ann.open('/media');
    await ann.check('Select old.png');
    await ann.page.locator('[role=region] ::-p-aria([name="Delete"][role="button"])').click();
    await ann.sees('No document that you may see uses it.');
    const release = await holdRequests(ann.page, '*/upload/files/*');
    await inDialog('Delete');
    await ann.page.keyboard.press('Escape');
    await closed();
    await ann.check('Select new.png');
    await release();
    await ann.sees('1 file deleted');
    await ann.page.waitForSelector('[role=region][aria-label^="1 "]');
    await ann.page.waitForSelector('input[aria-label="Select new.png"]:checked');
  });
});
