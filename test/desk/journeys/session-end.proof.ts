/** Journeys of an editor whose session ends while it writes: the focus returns to where it was. */
import { failRequests, hasBrowser, holdRequests } from './browser.ts';
import type { Editor } from './editor.ts';
import { startVisit, type Visit } from './visit.ts';

(hasBrowser ? describe : describe.skip)('an editor whose session ends', () => {
  let visit: Visit;
  let ann: Editor;
  let id: string;
  const hasFocus = (name: string): Promise<void> =>
    ann.until(`focus on ${name}`, async () => (await ann.focused()) === name);
  const save = async (): Promise<void> => {
    await ann.page.keyboard.down('Control');
    await ann.page.keyboard.press('s');
    await ann.page.keyboard.up('Control');
  };
  const signIn = async (): Promise<void> => {
    await hasFocus('Password');
    await ann.page.keyboard.type('a long password of an editor');
    await ann.page.keyboard.press('Enter');
  };

  beforeAll(async () => {
    visit = await startVisit('express');
    ann = await visit.arrive('ann');
  }, 120_000);
  beforeEach(async () => {
    const data = { title: 'A long break' };
    id = (await visit.api('post', '/articles?status=draft', { data })).documentId;
    await ann.open(`/content/article/${id}`);
    await ann.heading('A long break');
  });
  afterAll(() => visit?.end());
  afterEach(() => expect(visit.complaints()).toEqual([]));

  it('goes on writing in the text', async () => {
    await (await ann.page.waitForSelector('[data-path=story] [contenteditable=true]'))?.type('Before');
    await visit.endSessions();
    await save();
    await signIn();
    await hasFocus('Story');
    const caret = (): Promise<unknown> => ann.page.evaluate('getSelection().anchorOffset');
    await ann.until('the caret', async () => (await caret()) === 'Before'.length);
    await ann.page.keyboard.type(' and after');
    await ann.until('saved', async () =>
      JSON.stringify((await visit.api('get', `/articles/${id}?status=draft`)).story).includes(
        '"Before and after"',
      ),
    );
  });

  it('reads that it is still signed in if the server cannot be asked to end the session', async () => {
    const release = await failRequests(ann.page, '*/desk/session');
    await ann.press('Account');
    await ann.item('Sign out');
    await ann.sees('You are still signed in');
    await ann.sees('The server is busy or under maintenance.');
    await ann.heading('A long break');
    await release();
    await ann.page.setOfflineMode(true);
    await ann.press('Sign out');
    await ann.sees('The server cannot be reached.');
    await ann.page.setOfflineMode(false);
    await ann.press('Sign out');
    await ann.sees('Sign in to write and publish.');
    await ann.signIn('ann@example.org', 'a long password of an editor');
    await ann.heading('A long break');
  });

  it('goes on writing in a drawer, which a key does not close meanwhile', async () => {
    await ann.press('Create: Author');
    await hasFocus('Name');
    await ann.page.keyboard.type('Nora');
    // Another request may find out first that the session has ended. Its dialog would take the key.
    const release = await holdRequests(ann.page, '*/api/authors*');
    await save();
    await visit.endSessions();
    await release();
    await hasFocus('Password');
    await ann.page.keyboard.press('Escape');
    await signIn();
    await hasFocus('Name');
    await ann.savesItself('[role=dialog]');
    await ann.page.keyboard.type(' Ash');
    await save();
    await ann.until('saved', async () => (await visit.api('get', '/authors'))[0]?.name === 'Nora Ash');
    await ann.page.keyboard.press('Escape');
    await ann.until('linked', async () =>
      (await ann.texts('[data-path=author]')).join().includes('Nora Ash'),
    );
    await ann.saved();
  });
});
