/** Journeys of an editor who releases documents together: add, check, release, and a time. */
import type { Grants } from 'nestjs-content-api';
import { failRequests, hasBrowser } from './browser.ts';
import type { Editor } from './editor.ts';
import { checkViews } from './views.ts';
import { startVisit, type Visit } from './visit.ts';

/** Grants of an editor who sees the news only. */
const NEWS = [
  { actions: ['find', 'findOne', 'readDrafts', 'publish'], where: { kind: 'news' } },
] as const satisfies Grants[string];

(hasBrowser ? describe : describe.skip)('an editor who releases documents together', () => {
  let visit: Visit;
  let ann: Editor;
  let api: Visit['api'];
  const ids: string[] = [];
  const inDialog = (name: string): Promise<void> =>
    ann.page.locator(`.mantine-Modal-content ::-p-aria([name="${name}"][role="button"])`).click();
  const setTime = (value: string): Promise<unknown> =>
    ann.page.evaluate(`(() => {
      const input = document.querySelector('input[type=datetime-local]');
      const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
      set.call(input, '${value}');
      input.dispatchEvent(new Event('input', { bubbles: true }));
    })()`);
  const isLive = async (id: string): Promise<boolean> =>
    (await api('get', `/articles?filters[documentId]=${id}`)).length === 1;

  beforeAll(async () => {
    visit = await startVisit('express', {
      roles: { local: { desk: ['open'], locale: ['find'], releases: ['open'], article: NEWS } },
    });
    ann = await visit.arrive('ann');
    api = visit.api.bind(visit);
    for (const title of ['Snow in the north', 'Snow in the south', 'Snow in town'])
      ids.push((await api('post', '/articles?status=draft', { data: { title } })).documentId);
    await api('put', '/homepage?status=draft', { data: { headline: 'Winter' } });
  }, 120_000);
  afterAll(() => visit?.end());
  afterEach(() => expect(visit.complaints()).toEqual([]));

  it('adds a document to a new release', async () => {
    await ann.open(`/content/article/${ids[0]}`);
    await ann.heading('Snow in the north');
    await ann.press('More actions');
    await ann.item('Add to a release');
    await ann.until('first field', async () => (await ann.focused()) === 'Release');
    await ann.fill('Name', 'Winter issue');
    await inDialog('Create and add');
    await ann.sees('Added to “Winter issue”');
    await ann.until('focus', async () => (await ann.focused()) === 'More actions');
  });

  it('adds the selected rows of a list, and a single type', async () => {
    await ann.open('/content/article?q=snow');
    await ann.check('Select all on this page');
    await ann.press('Add to a release');
    const dialog = (): Promise<void> => ann.sees('Add 3 documents to a release');
    expect(await checkViews(ann.page, 'desk-release-add', dialog)).toEqual([]);
    await ann.page.setViewport({ width: 1280, height: 900 });
    await inDialog('Add to this release');
    await ann.sees('Added to “Winter issue”');
    await ann.open('/content/homepage');
    await ann.press('More actions');
    await ann.item('Add to a release');
    await inDialog('Add to this release');
    await ann.sees('Added to “Winter issue”');
  });

  it('reads the whole message about it on a phone', async () => {
    const name = 'Everything about the winter in the north and in the south';
    const { id } = await api('post', '/releases', { data: { name } });
    await ann.page.setViewport({ width: 390, height: 844 });
    await ann.openAnew(`/content/article/${ids[2]}`);
    await ann.press('More actions');
    await ann.item('Add to a release');
    await inDialog('Add to this release');
    await ann.sees(`Added to “${name}”`);
    const isWhole = await ann.page.$eval('.desk-message span', (one) => {
      const { clientHeight, scrollHeight, getBoundingClientRect: rect } = one as any;
      const { left, right, bottom } = rect.call(one);
      return scrollHeight <= clientHeight && left > 0 && right < 390 && bottom < 844;
    });
    expect(isWhole).toBe(true);
    await ann.page.setViewport({ width: 1280, height: 900 });
    await api('delete', `/releases/${id}`);
  });

  it('adds to the release that the dialog shows, whatever another editor does to releases meanwhile', async () => {
    const { id } = await api('post', '/releases', { data: { name: 'Spring issue' } });
    const release = (): Promise<string> =>
      ann.page.$eval('::-p-aria([name="Release"][role="combobox"])', (input) => String(input.value));
    const reread = async (work: Promise<unknown>): Promise<void> => {
      await work;
      const read = ann.page.waitForResponse((response) => response.url().includes('/api/releases?'));
      await ann.page.evaluate(`dispatchEvent(new Event('visibilitychange'))`);
      await read;
    };
    await ann.openAnew(`/content/article/${ids[1]}`);
    await ann.press('More actions');
    await ann.item('Add to a release');
    await ann.until('release', async () => (await release()) === 'Spring issue');
    await reread(api('post', '/releases', { data: { name: 'Before spring' } }));
    expect(await release()).toBe('Spring issue');
    await reread(api('delete', `/releases/${id}`));
    expect(await release()).toBe('Spring issue');
    await inDialog('Add to this release');
    await ann.until('reason', async () => (await ann.page.$$('[role=dialog] [role=alert]')).length === 1);
    await ann.page.keyboard.press('Escape');
    const [earlier] = await api('get', '/releases?filters[name]=Before spring');
    expect(earlier).toMatchObject({ size: 0 });
    await api('delete', `/releases/${earlier.id}`);
  });

  it('adds what was selected, also if the list goes back under the dialog', async () => {
    await ann.open('/content/article');
    await ann.open('/content/article?q=snow');
    await ann.sees('1 to 3 of 3');
    await ann.check('Select all on this page');
    await ann.press('Add to a release');
    await ann.sees('Add 3 documents to a release');
    await ann.page.goBack();
    await ann.until('the list', async () => (await ann.page.evaluate('location.search')) === '');
    await ann.rests();
    expect(await ann.text()).toContain('Add 3 documents to a release');
    await ann.page.keyboard.press('Escape');
  });

  it('is told that the releases cannot be read, and tries again', async () => {
    await ann.openAnew(`/content/article/${ids[1]}`);
    const end = await failRequests(ann.page, '*/api/releases?*');
    await ann.press('More actions');
    await ann.item('Add to a release');
    await ann.sees('The server is busy or under maintenance.');
    await end();
    await inDialog('Try again');
    await ann.sees('Add to this release');
    await ann.page.keyboard.press('Escape');
  });

  it('sees the documents by their type, and which of them cannot be published', async () => {
    await api('put', `/articles/${ids[2]}?status=draft`, { data: { title: null } });
    await ann.open('/releases');
    await ann.follow('Winter issue');
    await ann.heading('Winter issue');
    await ann.until('entries', async () => (await ann.texts('tbody tr')).length === 4);
    expect(await ann.texts('h2')).toEqual(['Articles', 'Homepage']);
    await ann.press('Release now');
    await inDialog('Release now');
    await ann.sees('1 document cannot be released.');
    await ann.sees('Title: Required');
    expect(await isLive(ids[0] ?? '')).toBe(false);
  });

  it('releases in all views', async () => {
    const show = async (): Promise<void> => {
      await ann.press('Check');
      await ann.sees('Title: Required');
    };
    expect(await checkViews(ann.page, 'desk-release', show)).toEqual([]);
    const list = (): Promise<void> => ann.open('/releases').then(() => ann.sees('Winter issue'));
    expect(await checkViews(ann.page, 'desk-releases', list)).toEqual([]);
    await ann.page.setViewport({ width: 1280, height: 900 });
  });

  it('removes a document, and releases the others together', async () => {
    await ann.open('/releases');
    await ann.follow('Winter issue');
    await ann.press('Remove Untitled from the release');
    await ann.until('removed', async () => (await ann.texts('tbody tr')).length === 3);
    await ann.press('Check');
    await ann.sees('All 3 documents can be released.');
    await ann.press('Release now');
    await inDialog('Release now');
    await ann.sees('To change it, undo it first.');
    expect([await isLive(ids[0] ?? ''), await isLive(ids[1] ?? '')]).toEqual([true, true]);
    expect(await ann.text()).not.toContain('Release now');
  });

  it('is told what cannot be undone, before the decision', async () => {
    await api('put', `/articles/${ids[0]}`, { data: { title: 'Snow in the far north' } });
    await ann.press('Undo release');
    await ann.sees('1 document cannot be undone, so nothing can.');
    await ann.sees('It was published again or changed since the release.');
    const isDisabled = await ann.page.$$eval('.mantine-Modal-content button', (all) =>
      all.filter((one) => one.textContent === 'Undo release').map((one) => one.hasAttribute('disabled')),
    );
    expect(isDisabled).toEqual([true]);
    const dialog = (): Promise<void> => ann.sees('cannot be undone');
    expect(await checkViews(ann.page, 'desk-release-undo', dialog)).toEqual([]);
    await ann.page.setViewport({ width: 1280, height: 900 });
    await inDialog('Cancel');
  });

  it('undoes a release as a whole', async () => {
    const title = 'Snow on the hills';
    const { documentId } = await api('post', '/articles?status=draft', { data: { title } });
    const { id } = await api('post', '/releases', { data: { name: 'Hills' } });
    const entry = { type: 'article', documentId, locale: 'en', action: 'publish' };
    await api('post', `/releases/${id}/entries`, { data: entry });
    await api('post', `/releases/${id}/actions/publish`);
    await ann.open(`/releases/${id}`);
    await ann.heading('Hills');
    await ann.press('Undo release');
    await ann.sees('1 document can be undone.');
    expect(await isLive(documentId)).toBe(true);
    await inDialog('Undo release');
    await ann.sees('“Hills” is undone');
    await ann.sees('No time set');
    expect(await isLive(documentId)).toBe(false);
    await api('delete', `/releases/${id}`);
  });

  it('sets a time in its own zone, and takes it back', async () => {
    await ann.open('/releases');
    await ann.press('Create a release');
    await ann.fill('Name', 'Spring issue');
    await inDialog('Create a release');
    await ann.heading('Spring issue');
    await ann.sees('No time set');
    await ann.press('Name and time');
    await ann.sees('Time zone:');
    await setTime('2020-03-01T06:00');
    await inDialog('Save');
    await ann.page.waitForSelector('[role=dialog] input:focus:invalid');
    await setTime('2999-03-01T06:00');
    await inDialog('Save');
    await ann.sees('Is released on Mar 1, 2999, 6:00');
    const [{ id }] = await api('get', '/releases?filters[state]=scheduled');
    await ann.press('Name and time');
    await ann.sees('Time zone:');
    await setTime('');
    await inDialog('Save');
    await ann.sees('No time set');
    expect(await api('get', `/releases/${id}`)).toMatchObject({ state: 'open', at: null });
    await ann.press('Delete');
    await inDialog('Delete');
    await ann.heading('Releases');
  });

  it('renames a release that has failed, without another attempt', async () => {
    const { id } = await api('post', '/releases', { data: { name: 'Late issue' } });
    const at = '2020-03-01T06:00:00.000Z';
    await visit.room.sql(`update content_release set due_at = '${at}', failed_at = now() where id = ${id}`);
    await ann.open(`/releases/${id}`);
    await ann.press('Name and time');
    await ann.type('Name', ' again');
    await inDialog('Save');
    await ann.heading('Late issue again');
    expect(await api('get', `/releases/${id}`)).toMatchObject({
      name: 'Late issue again',
      state: 'failed',
      at,
    });
  });

  it('renames a release whose time another editor takes back meanwhile', async () => {
    const at = '2999-03-01T06:00:00.000Z';
    const { id } = await api('post', '/releases', { data: { name: 'Not yet', at } });
    await ann.open(`/releases/${id}`);
    await ann.press('Name and time');
    await ann.sees('Time zone:');
    await api('put', `/releases/${id}`, { data: { at: null } });
    await ann.type('Name', ' ready');
    await inDialog('Save');
    await ann.heading('Not yet ready');
    expect(await api('get', `/releases/${id}`)).toMatchObject({ state: 'open', at: null });
    await ann.press('Name and time');
    await inDialog('Save');
    await ann.until('closed', async () => (await ann.page.$$('[role=dialog]')).length === 0);
  });

  it('sees that a document that it cannot see keeps a release back', async () => {
    const hidden = await api('post', '/articles?status=draft', { data: { kind: 'report', title: null } });
    const { id } = await api('post', '/releases', { data: { name: 'Kept back' } });
    const entries = [ids[0], hidden.documentId].map((documentId) => ({ type: 'article', documentId }));
    const data = entries.map((entry) => ({ ...entry, locale: 'en', action: 'publish' }));
    await api('post', `/releases/${id}/entries`, { data });
    const lou = await visit.arrive('lou', 'local');
    await lou.open(`/releases/${id}`);
    await lou.press('Release now');
    await lou.page.locator('.mantine-Modal-content ::-p-aria([name="Release now"][role="button"])').click();
    await lou.until('closed', async () => (await lou.page.$$('.mantine-Modal-content')).length === 0);
    await lou.sees('1 document that you cannot see cannot be released.');
  });

  it('is shown no releases without the right', async () => {
    const ben = await visit.arrive('ben', 'writer');
    expect(await ben.texts('nav a')).not.toContain('Releases');
    await ben.open(`/content/article/${ids[0]}`);
    await ben.press('More actions');
    await ben.seesNot('Add to a release');
    await ben.open('/releases');
    await ben.heading('This page does not exist.');
  });
});
