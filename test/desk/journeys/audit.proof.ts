/** Journeys of an editor who reads the audit log: sentences, filters, older entries, the way to a version. */
import { hasBrowser } from './browser.ts';
import type { Editor } from './editor.ts';
import { checkViews } from './views.ts';
import { startVisit, type Visit } from './visit.ts';

(hasBrowser ? describe : describe.skip)('an editor who reads the audit log', () => {
  let visit: Visit;
  let ann: Editor;
  let eva: Editor;
  let api: Visit['api'];
  let id = '';
  const sentences = async (): Promise<string[]> =>
    eva.page.$$eval('.desk-audit-sentence', (all) =>
      all.map((one) => (one as unknown as { innerText: string }).innerText.replace(/\s+/g, ' ')),
    );
  const shows = (wanted: readonly string[]): Promise<void> =>
    eva.until(wanted.join(' | '), async () => {
      const shown = await sentences();
      return shown.length === wanted.length && wanted.every((one, at) => shown[at] === one);
    });
  const choose = async (filter: string, option: string): Promise<void> => {
    await eva.page.locator(`::-p-aria([name="${filter}"][role="combobox"])`).click();
    await eva.option(option);
  };

  beforeAll(async () => {
    visit = await startVisit('express');
    ann = await visit.arrive('ann');
    eva = await visit.arrive('eva', 'auditor');
    api = visit.api.bind(visit);
    id = (await api('post', '/articles?status=draft', { data: { title: 'Harbours' } })).documentId;
    await api('put', `/articles/${id}?status=draft`, { data: { lead: 'Ships' } });
    await api('put', `/articles/${id}?status=draft`, { data: { title: 'Harbours of the north', rating: 4 } });
    await api('post', `/articles/${id}/actions/publish`, {});
    await api('put', `/articles/${id}?status=draft&locale=fr`, { data: { title: 'Ports du nord' } });
    const { documentId } = await api('post', '/tags', { data: { label: 'Sea' } });
    await api('delete', `/tags/${documentId}`);
    const wrong = { identifier: 'ann@example.org', password: 'wrong' };
    await visit.room.http.post('/desk/session').send(wrong).expect(400);
  }, 120_000);
  afterAll(() => visit?.end());
  afterEach(() => expect(visit.complaints()).toEqual([]));

  it('sees in plain sentences who did what, with saves of one sitting as one', async () => {
    await eva.open('/audit');
    await eva.heading('Audit log');
    await eva.sees('Ports du nord');
    const all = await sentences();
    expect(all.slice(0, 7)).toEqual([
      'A visitor: Sign-in: refused (400)',
      expect.stringMatching(/^ann deleted \w{8} \(Tag\)$/),
      expect.stringMatching(/^ann created \w{8} \(Tag, deleted or not visible to you\)$/),
      'ann created Ports du nord (Article, French)',
      'ann published Harbours of the north (Article, English)',
      'ann changed Lead, Rating, Title in Harbours of the north (Article, English) · 2 saves',
      'ann created Harbours of the north (Article, English)',
    ]);
    expect(all).toContain('eva (you) set a password by a link');
  });

  it('goes from an entry to the document, and to its version', async () => {
    await eva.open(`/audit?type=article&document=${id}`);
    await eva.follow('Ports du nord');
    await eva.heading('Ports du nord');
    await eva.open(`/audit?type=article&document=${id}&action=update`);
    await shows(['ann changed Lead, Rating, Title in Harbours of the north (Article, English) · 3 saves']);
    await eva.follow('Versions');
    await eva.heading('History of Harbours of the north');
    await eva.until('version', async () => (await eva.texts('nav [aria-current=true]')).length === 1);
    expect((await eva.texts('nav [aria-current=true]'))[0]).toContain('by ann');
    expect((await eva.texts('nav[aria-label=Versions] a')).length).toBeGreaterThan(1);
  });

  it('filters by person, type, action and day, in the address of the page', async () => {
    await eva.open('/audit');
    await choose('Content', 'Article');
    await choose('Person', 'ann');
    await choose('Action', 'Published');
    await shows(['ann published Harbours of the north (Article, English)']);
    expect(eva.page.url()).toMatch(/\?by=user\+\w+&action=publish&type=article$/);
    await eva.page.evaluate(`(() => {
      const input = document.querySelector('input[type=date]');
      const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
      set.call(input, '2999-01-01');
      input.dispatchEvent(new Event('input', { bubbles: true }));
    })()`);
    await eva.sees('No matching entries.');
    await eva.press('Clear search and filters');
    await eva.sees('eva (you) set a password by a link');
    await choose('Action', 'All refused actions');
    await shows(['A visitor: Sign-in: refused (400)']);
    await choose('Person', 'eva (you)');
    await eva.sees('No matching entries.');
  });

  it('opens the activity of a document from its head', async () => {
    await eva.open(`/content/article/${id}`);
    await eva.follow('Activity');
    await eva.sees('Only “Harbours of the north”');
    expect(await sentences()).toHaveLength(4);
    await eva.press('Remove Only one document');
    await eva.seesNot('Only “Harbours of the north”');
  });

  it('reads what was created that is not content, by its usual name', async () => {
    await api('post', '/releases', { data: { name: 'Winter' } });
    await eva.open('/people/tokens');
    await eva.press('Create an API token');
    await eva.fill('Name', 'Site');
    await eva.press('Create');
    await eva.sees('It is shown only once.');
    await eva.press('Close');
    for (const [type, sentence] of [
      ['releases', 'ann created Winter (Release)'],
      ['api-token', 'eva (you) created Site (API token)'],
    ] as const) {
      await eva.open(`/audit?type=${type}`);
      await eva.until(sentence, async () => (await sentences()).includes(sentence));
    }
  });

  it('loads older entries, without one twice while new ones arrive', async () => {
    for (let n = 0; n < 60; n += 1) await api('post', '/tags', { data: { label: `Tag ${n}` } });
    await eva.open('/audit?type=tag&action=create');
    await eva.sees('ann created Tag 59');
    expect(await sentences()).toHaveLength(50);
    await api('post', '/tags', { data: { label: 'Tag at last' } });
    await eva.press('Show older entries');
    await eva.sees('61 entries');
    // Titles arrive after the entries.
    await eva.until('61 titles', async () => new Set(await sentences()).size === 61);
    const shown = await sentences();
    expect(shown).toHaveLength(61);
    expect(shown.some((one) => one.includes('Tag at last'))).toBe(false);
    expect(await eva.text()).not.toContain('Show older entries');
  });

  it('exports what the filters show', async () => {
    await eva.open('/audit?type=article');
    await eva.sees('ann published Harbours of the north');
    await eva.page.evaluate(`(() => {
      const make = URL.createObjectURL;
      URL.createObjectURL = (blob) => (blob.text().then((text) => (globalThis.exported = text)), make(blob));
    })()`);
    await eva.press('Export as CSV');
    await eva.sees('6 entries exported');
    const lines = ((await eva.page.evaluate('exported')) as string).trimEnd().split('\r\n');
    expect(lines).toHaveLength(7);
    expect(lines[0]).toContain('"documentId","locale","attributes","by.kind"');
    expect(lines[2]).toMatch(/^"[\d:.TZ-]+","publish","","article","\w+","en","",/);
    expect(lines[2]).toContain(',"ann",');
  });

  it('sees what went wrong, and tries again', async () => {
    await visit.room.sql('alter table content_audit rename to content_audit_away');
    await eva.open('/audit?action=delete');
    await eva.sees('The content could not be loaded');
    await visit.room.sql('alter table content_audit_away rename to content_audit');
    await eva.press('Try again');
    await eva.sees('ann deleted');
  });

  it('goes from an entry of a deleted document to the trash', async () => {
    const { documentId } = await api('post', '/articles', { data: { title: 'Gone' } });
    await api('delete', `/articles/${documentId}?locale=*`);
    await eva.open(`/audit?type=article&document=${documentId}`);
    await shows([
      'ann deleted Gone (Article, All languages)',
      'ann published Gone (Article, English, in the trash)',
      'ann created Gone (Article, English, in the trash)',
    ]);
    await eva.follow('Trash');
    await eva.heading('Trash: Articles');
  });

  it('is shown no log without the right', async () => {
    expect(await ann.texts('nav a')).not.toContain('Audit log');
    await ann.open(`/content/article/${id}`);
    await ann.heading('Harbours of the north');
    expect(await ann.text()).not.toContain('Activity');
    await ann.open('/audit');
    await ann.heading('This page does not exist.');
  });

  it('audit in all views', async () => {
    const show = async (): Promise<void> => {
      await eva.open('/audit?by=public');
      await eva.open('/audit?to=2999-01-01');
      await eva.sees('ann created Tag at last');
      await eva.press('Details');
      await eva.sees('Address');
    };
    expect(await checkViews(eva.page, 'desk-audit', show)).toEqual([]);
    await eva.page.setViewport({ width: 1280, height: 900 });
  });
});
