/** Journeys on a server whose pages are smaller than those that the desk asks for. */
import { hasBrowser, holdRequests } from './browser.ts';
import type { Editor } from './editor.ts';
import { startVisit, type Visit } from './visit.ts';

const LIMIT = 3;
const NAMES = ['Ada', 'Bea', 'Cyd', 'Dan', 'Eve'];

(hasBrowser ? describe : describe.skip)('an editor on a server with small pages', () => {
  let visit: Visit;
  let ann: Editor;
  const rows = (): Promise<string[]> => ann.texts('tbody .desk-row-link');
  /** Opens another page of the list, and does not wait for its rows. */
  const goTo = (query: string): Promise<unknown> =>
    ann.page.evaluate(`history.pushState(null, '', location.pathname + '${query}')`);
  const shows = (names: readonly string[]): Promise<void> =>
    ann.until(names.join(), async () => (await rows()).join() === names.join());

  beforeAll(async () => {
    visit = await startVisit('express', { maxLimit: LIMIT });
    ann = await visit.arrive('ann', 'auditor');
    for (const [at, name] of NAMES.entries())
      await visit.api('post', '/authors', { data: { name, position: (at + 1) * 100 } });
    for (const title of NAMES) {
      const { documentId } = await visit.api('post', '/articles?status=draft', { data: { title } });
      await visit.api('delete', `/articles/${documentId}`);
    }
    for (const name of NAMES) await visit.room.invite(`${name.toLowerCase()}@example.org`);
  }, 120_000);
  afterAll(() => visit?.end());
  afterEach(() => expect(visit.complaints()).toEqual([]));

  it('counts the rows of a page as they are', async () => {
    await ann.open('/content/author?page=2');
    await ann.sees('4 to 5 of 5');
    await shows(['Dan', 'Eve']);
  });

  it('moves a row of the second page', async () => {
    await ann.open('/content/author?page=2');
    await shows(['Dan', 'Eve']);
    await ann.move('Eve', ['ArrowUp']);
    await ann.sees('The order is saved');
    await shows(['Eve', 'Dan']);
    const first = await visit.api('get', '/authors?sort=position');
    expect(first.map(({ name }: { name: string }) => name)).toEqual(['Ada', 'Bea', 'Cyd']);
  });

  it('moves no row while the page shows those of another one', async () => {
    await ann.open('/content/author');
    await shows(['Ada', 'Bea', 'Cyd']);
    const writes: string[] = [];
    const note = (one: { method: () => string; url: () => string }): void => {
      if (one.method() === 'PUT') writes.push(one.url());
    };
    ann.page.on('request', note);
    const release = await holdRequests(ann.page, '*/api/authors?*');
    // A page that was not open before.
    await goTo('?page=2&pageSize=50');
    await ann.page.waitForSelector('.desk-former');
    await ann.move('Cyd', ['ArrowUp']);
    await release();
    await ann.sees('4 to 5 of 5');
    await ann.rests();
    ann.page.off('request', note);
    expect(writes).toEqual([]);
  });

  it('stays on a page that the list before did not have', async () => {
    await ann.open('/content/author?filter=name+%24eqi+Ada');
    await shows(['Ada']);
    await goTo('?page=2&pageSize=10');
    await ann.sees('4 to 5 of 5');
    expect(await ann.page.evaluate('location.search')).toBe('?page=2&pageSize=10');
  });

  it('sees all deleted documents', async () => {
    await ann.open('/trash/article');
    await ann.sees('Eve');
    await ann.press('Page 2');
    await ann.sees('Ada');
  });

  it('sees all users of a page', async () => {
    await ann.open('/people/users');
    for (const name of NAMES) await ann.sees(`${name.toLowerCase()}@example.org`);
  });

  it('sees the whole audit log', async () => {
    for (const label of ['Sea', 'Land', 'Air', 'Fire']) await visit.api('post', '/tags', { data: { label } });
    await ann.open('/audit?type=tag');
    await ann.sees('3 entries');
    await ann.press('Show older entries');
    await ann.sees('4 entries');
    await ann.seesNot('Show older entries');
  });

  it('sees the names of all releases in the audit log', async () => {
    for (const name of ['Spring', 'Summer', 'Autumn', 'Winter'])
      await visit.api('post', '/releases', { data: { name } });
    await ann.open('/audit?type=releases');
    await ann.press('Show older entries');
    await ann.sees('created Spring');
  });
});
