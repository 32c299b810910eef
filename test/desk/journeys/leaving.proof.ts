/** Journeys of an editor who leaves a page with work under way. */
import { EventsModule, webhookType } from 'nestjs-content-api/events';
import { hasBrowser, holdRequests } from './browser.ts';
import type { Editor } from './editor.ts';
import { startVisit, type Visit } from './visit.ts';

const UPLOAD = 'Leave during the upload?';
const CHANGES = 'Leave with unsaved changes?';
const UPLOADS = '*/api/upload';
const COVER = '[data-path=cover]';
const STORY = '[data-path=story] .ProseMirror';

(hasBrowser ? describe : describe.skip)('an editor who leaves', () => {
  let visit: Visit;
  let ann: Editor;
  const make = async (title: string): Promise<string> =>
    (await visit.api('post', '/articles?status=draft', { data: { title } })).documentId;
  const stored = (id: string): Promise<any> =>
    visit.api('get', `/articles/${id}?status=draft&populate=cover`);
  const asked = (title: string): Promise<void> =>
    ann.until(`question "${title}"`, async () => (await ann.texts('[role=dialog] h2')).includes(title));
  const unasked = (title: string): Promise<void> =>
    ann.until('no question', async () => !(await ann.texts('[role=dialog] h2')).includes(title));
  /** Presses a button of the dialog on top. */
  const answer = async (label: string, title: string): Promise<void> => {
    await ann.page.locator(`[role=dialog] ::-p-aria([name="${label}"][role="button"])`).click();
    await unasked(title);
  };
  const asksTheBrowser = async (): Promise<boolean> =>
    (await ann.page.evaluate(`!dispatchEvent(new Event('beforeunload', { cancelable: true }))`)) as boolean;

  beforeAll(async () => {
    visit = await startVisit('express', {
      contentTypes: [webhookType],
      imports: [EventsModule.forRoot({ webhooks: { allow: ['localhost'] } })],
    });
    ann = await visit.arrive('ann', 'chief');
    ann.page.on('dialog', (dialog) => void dialog.accept());
  }, 120_000);
  beforeEach(() => ann.openAnew('/content/tag'));
  afterAll(() => visit?.end());
  afterEach(() => expect(visit.complaints()).toEqual([]));

  it('stays until a picture is in its field, and finds it in the document', async () => {
    const id = await make('With a cover');
    await ann.open('/content/author');
    await ann.open(`/content/article/${id}`);
    await ann.page.waitForSelector(COVER);
    const release = await holdRequests(ann.page, UPLOADS);
    await ann.give('drop', COVER, [['harbour.png', '#2a6f97']]);
    await ann.page.waitForSelector(`${COVER} [role=progressbar]`);
    expect(await asksTheBrowser()).toBe(true);
    await ann.press('Publish');
    await ann.sees('Not published: A file is still being uploaded.');
    await ann.follow('Tags');
    await asked(UPLOAD);
    await answer('Cancel', UPLOAD);
    await ann.page.goBack();
    await asked(UPLOAD);
    await answer('Cancel', UPLOAD);
    expect(ann.page.url()).toContain(id);
    await release();
    await ann.until('picture', async () => (await ann.texts(`${COVER} button`)).includes('harbour.png'));
    await ann.press('Publish');
    await ann.status('Published');
    expect((await visit.api('get', `/articles/${id}?populate=cover`)).cover.name).toBe('harbour.png');
    await ann.page.goBack();
    await ann.heading('Authors');
    await ann.until('stored', async () => (await stored(id)).cover?.name === 'harbour.png');
    expect(await asksTheBrowser()).toBe(false);
  });

  it('leaves after the question: the picture is in the library, and nothing is asked again', async () => {
    const id = await make('Without a cover');
    await ann.open('/content/author');
    await ann.open(`/content/article/${id}`);
    await ann.page.waitForSelector(STORY);
    const release = await holdRequests(ann.page, UPLOADS);
    await ann.give('paste', `${STORY} p`, [['market.png', '#c9622b']]);
    await ann.page.waitForSelector('[data-path=story] [aria-label=Upload]');
    expect(await asksTheBrowser()).toBe(true);
    await ann.page.goBack();
    await asked(UPLOAD);
    await answer('Leave', UPLOAD);
    await ann.heading('Authors');
    await ann.follow('Tags');
    await ann.heading('Tags');
    await release();
    await ann.until(
      'in the library',
      async () => (await visit.api('get', '/upload/files?filters[name]=market.png')).length === 1,
    );
    expect((await stored(id)).story).toBeNull();
  });

  it('opens an empty form after it has stayed instead of opening a copy', async () => {
    const id = await make('Not copied');
    await ann.open(`/content/article/${id}`);
    await ann.page.waitForSelector(COVER);
    const release = await holdRequests(ann.page, UPLOADS);
    await ann.give('drop', COVER, [['pier.png', '#2a6f97']]);
    await ann.page.waitForSelector(`${COVER} [role=progressbar]`);
    await ann.press('More actions');
    await ann.item('Duplicate');
    await asked(UPLOAD);
    await answer('Cancel', UPLOAD);
    await release();
    await ann.until('stored', async () => (await stored(id)).cover?.name === 'pier.png');
    await ann.open('/content/article/new');
    await ann.heading('New: Article');
    expect(await ann.valueOf('Title')).toBe('');
  });

  it('shows another language while a picture arrives, and finds it in the text', async () => {
    const id = await make('Side by side');
    await ann.open(`/content/article/${id}`);
    await ann.page.waitForSelector(STORY);
    const release = await holdRequests(ann.page, UPLOADS);
    await ann.give('paste', `${STORY} p`, [['side.png', '#5b7553']]);
    await ann.give('drop', '[data-path=body] .cm-content', [['body.png', '#5b7553']]);
    await ann.open(`/content/article/${id}?beside=fr`);
    await ann.page.waitForSelector('[data-path=story] .desk-blocks');
    await release();
    await ann.until('stored', async () =>
      (await stored(id)).story.some(({ image }: any) => image?.name === 'side.png'),
    );
    await ann.until('stored', async () => String((await stored(id)).body).includes('![body.png]('));
  });

  it('reads that a picture was not stored, although its text is no longer on the page', async () => {
    const id = await make('Refused behind');
    await ann.open(`/content/article/${id}`);
    await ann.page.waitForSelector(`${STORY} p`);
    const refuse = await holdRequests(ann.page, UPLOADS, 'refuse');
    await ann.give('paste', `${STORY} p`, [['lost.png', '#5b7553']]);
    await ann.open(`/content/article/${id}?beside=fr`);
    await ann.page.waitForSelector('[data-path=story] .desk-blocks');
    await refuse();
    await ann.sees('lost.png was not uploaded: The server is busy or under maintenance.');
    await ann.page.waitForSelector('.desk-message .tabler-icon-alert-circle');
  });

  it('is asked before a drawer closes in which a picture arrives', async () => {
    const id = await make('In a drawer');
    await ann.open('/content/homepage');
    await ann.fill('Headline', 'Today');
    await ann.link('Add to Highlights', 'drawer', 'In a drawer');
    await ann.saved();
    await ann.press('Edit In a drawer');
    const cover = `.mantine-Drawer-content ${COVER}`;
    await ann.page.waitForSelector(cover);
    const release = await holdRequests(ann.page, UPLOADS);
    await ann.give('drop', cover, [['drawer.png', '#445566']]);
    await ann.page.waitForSelector(`${cover} [role=progressbar]`);
    await ann.page.keyboard.press('Escape');
    await asked(UPLOAD);
    await ann.page.keyboard.press('Escape');
    await unasked(UPLOAD);
    await release();
    await ann.until('picture', async () => (await ann.texts(`${cover} button`)).includes('drawer.png'));
    await ann.page.keyboard.press('Escape');
    await ann.until('closed', async () => (await ann.page.$$('.mantine-Drawer-content')).length === 0);
    await ann.until('stored', async () => (await stored(id)).cover?.name === 'drawer.png');
  });

  it('keeps the grants of a role until they are saved, or the question is answered', async () => {
    await ann.open('/people/roles');
    await ann.press('Create a role');
    await ann.fill('Name', 'Proofreader');
    await ann.page.keyboard.press('Escape');
    await asked(CHANGES);
    await answer('Cancel', CHANGES);
    expect(await ann.valueOf('Name')).toBe('Proofreader');
    await ann.page.locator('[role=dialog] ::-p-aria([name="Create"][role="button"])').click();
    await ann.follow('Proofreader');
    await ann.heading('Proofreader');
    await ann.page.waitForSelector('input[type=checkbox]');
    const toggle = async (): Promise<void> => void (await ann.page.click('input[type=checkbox]'));
    await toggle();
    expect(await asksTheBrowser()).toBe(true);
    await ann.follow('Tags');
    await asked(CHANGES);
    await answer('Cancel', CHANGES);
    await ann.press('Account');
    await ann.item('Sign out');
    await asked(CHANGES);
    await answer('Cancel', CHANGES);
    await ann.press('Save');
    await ann.until('nothing to ask', async () => !(await asksTheBrowser()));
    await toggle();
    await ann.follow('Tags');
    await asked(CHANGES);
    await answer('Leave', CHANGES);
    await ann.heading('Tags');
    expect(await asksTheBrowser()).toBe(false);
  });

  it('keeps the grants of a role that another editor has changed since', async () => {
    const tags = async (change: object = {}): Promise<any> => {
      const { roles } = await visit.api('get', '/users-permissions/roles');
      const { documentId } = roles.find(({ name }: { name: string }) => name === 'Proofreader');
      const path = `/users-permissions/roles/${documentId}`;
      const { permissions } = (await visit.api('get', path)).role;
      const { tag } = permissions['api::tag'].controllers;
      Object.assign(tag, change);
      if (Object.keys(change).length > 0) await visit.api('put', path, { permissions });
      return tag;
    };
    await ann.open('/people/roles');
    await ann.follow('Proofreader');
    await ann.heading('Proofreader');
    await ann.check('Read lists: Tags');
    await ann.press('Save');
    await ann.until('saved', async () => (await tags()).find.enabled);
    await tags({ find: { enabled: false }, create: { enabled: true } });
    await ann.check('Read one: Tags');
    await ann.press('Save');
    await ann.until('saved', async () => (await tags()).findOne.enabled);
    expect(await tags()).toMatchObject({ find: { enabled: false }, create: { enabled: true } });
    await ann.until('shown', async () =>
      ann.page.$eval('::-p-aria([name="Create: Tags"][role="checkbox"])', (one) => one.matches(':checked')),
    );
  });

  it.each([
    ['/people/users', 'Invite a user', 'User name'],
    ['/people/tokens', 'Create an API token', 'Name'],
    ['/webhooks', 'Create a webhook', 'Name'],
  ])('keeps the form of %s until it is sent or cancelled', async (path, opener, field) => {
    await ann.open(path);
    await ann.press(opener);
    await ann.page.waitForSelector('[role=dialog] form');
    await ann.page.keyboard.press('Escape');
    await ann.until('closed', async () => (await ann.page.$$('[role=dialog]')).length === 0);
    await ann.press(opener);
    await ann.fill(field, 'Nora');
    await ann.page.keyboard.press('Escape');
    await asked(CHANGES);
    await answer('Cancel', CHANGES);
    await ann.page.goBack();
    await asked(CHANGES);
    await answer('Cancel', CHANGES);
    expect(await ann.valueOf(field)).toBe('Nora');
    await ann.page.locator('[role=dialog] form ::-p-aria([name="Cancel"][role="button"])').click();
    await ann.until('closed', async () => (await ann.page.$$('[role=dialog]')).length === 0);
    await ann.page.goBack();
    await ann.heading('Tags');
  });
});
