/** Journeys of an editor whose values the server refuses. */
import { hasBrowser } from './browser.ts';
import type { Editor } from './editor.ts';
import { startVisit, type Visit } from './visit.ts';

(hasBrowser ? describe : describe.skip)('an editor whose values are refused', () => {
  let visit: Visit;
  let ann: Editor;
  let id: string;
  const stored = (): Promise<any> => visit.api('get', `/articles/${id}?status=draft&populate=*`);

  beforeAll(async () => {
    visit = await startVisit('express');
    ann = await visit.arrive('ann');
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
});
