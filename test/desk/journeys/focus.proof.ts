/** Keyboard and screen reader: where the focus is after each action, and what is announced. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Editor } from './editor.ts';
import { startVisit, type Visit } from './visit.ts';

/** Notes each text of a live region that is announced. It runs in the page. */
const LISTEN = `(() => {
  window.announced = [];
  const regions = () => document.querySelectorAll('[role=status], [role=alert], [aria-live]');
  const known = new Map([...regions()].map((one) => [one, one.textContent]));
  new MutationObserver(() => {
    for (const one of regions()) {
      // A status that is inserted with its text is not announced everywhere.
      const isHeard = known.has(one) ? one.ariaLive !== 'off' : one.role === 'alert';
      if (isHeard && known.get(one) !== one.textContent) window.announced.push(one.textContent);
      known.set(one, one.textContent);
    }
  }).observe(document.body, { childList: true, subtree: true, characterData: true, attributes: true });
})()`;

/** Whether a control cannot be pressed. It runs in the page. */
const isDisabled = (control: unknown): boolean => (control as { disabled?: boolean }).disabled === true;

describe('Editors who use a keyboard or a screen reader', () => {
  let visit: Visit;
  let ann: Editor;

  /** Presses a control by the keyboard, as it is named in the page or in one of its parts. */
  async function enter(role: string, name: string, within = ''): Promise<void> {
    const control = await ann.page.waitForSelector(`${within} ::-p-aria([name="${name}"][role="${role}"])`);
    await ann.until(`${name} enabled`, async () => !(await control?.evaluate(isDisabled)));
    await control?.focus();
    await ann.page.keyboard.press('Enter');
  }

  const reaches = (name: string): Promise<void> =>
    ann.until(`focus on "${name}"`, async () => (await ann.focused()) === name);

  async function hears(text: string): Promise<void> {
    const announced = () => ann.page.evaluate('window.announced') as Promise<string[]>;
    await ann.until(`announced "${text}"`, async () => (await announced()).includes(text));
  }

  async function open(data: object): Promise<string> {
    const { documentId } = await visit.api('post', '/articles?status=draft', { data });
    await ann.openAnew(`/content/article/${documentId}`);
    await ann.page.waitForSelector('[data-path=sections]');
    await ann.page.evaluate(LISTEN);
    return documentId;
  }

  beforeAll(async () => {
    visit = await startVisit('express');
    ann = await visit.arrive('ann', 'auditor');
    await visit.api('post', '/authors', { data: { name: 'Ben Okafor' } });
    await visit.upload('Harbour.png', '#2a6f97');
  }, 120_000);
  afterAll(() => visit?.end());
  afterEach(() => expect(visit.complaints()).toEqual([]));

  it('announces a chosen document, and focuses the one that is brought back', async () => {
    await open({ title: 'Relations' });
    await ann.link('Choose Author', 'Ben', 'Ben Okafor');
    await hears('Added: Ben Okafor');
    await enter('button', 'Remove Ben Okafor');
    await reaches('Bring back Ben Okafor');
    await ann.page.keyboard.press('Enter');
    await reaches('Edit Ben Okafor');
  });

  it('announces a chosen file, with the focus on the button that opened the library', async () => {
    await open({ title: 'Files' });
    await enter('button', 'Choose from the library', '[data-path=cover]');
    await enter('button', 'Harbour.png', '[role=dialog]');
    await hears('Added: Harbour.png');
    await reaches('Choose from the library');
  });

  it('focuses the first field of an added entry, and an entry that is brought back', async () => {
    await open({ title: 'Entries', sections: [{ __component: 'part.quote', text: 'One' }] });
    await enter('button', 'Add Sections');
    await reaches('');
    await ann.page.keyboard.press('ArrowDown');
    await ann.page.keyboard.press('Enter');
    await reaches('Text');
    await enter('button', 'Remove One');
    await reaches('Bring back One');
    await ann.page.keyboard.press('Enter');
    await reaches('OneQuote');
  });

  it('brings back each of several removed entries at its place', async () => {
    const sections = ['One', 'Two', 'Three', 'Four'].map((text) => ({ __component: 'part.quote', text }));
    const documentId = await open({ title: 'Several removed', sections });
    for (const text of ['Two', 'Four', 'One']) {
      await enter('button', `Remove ${text}`);
      await reaches(`Bring back ${text}`);
    }
    await ann.saved();
    for (const text of ['Two', 'One', 'Four']) {
      await enter('button', `Bring back ${text}`);
      await reaches(`${text}Quote`);
    }
    await ann.saved();
    const stored = await visit.api('get', `/articles/${documentId}?status=draft&populate=sections`);
    expect(stored.sections.map(({ text }: { text: string }) => text)).toEqual([
      'One',
      'Two',
      'Three',
      'Four',
    ]);
  });

  it('cancels the move of an entry once another field has the focus', async () => {
    const sections = ['One', 'Two', 'Three'].map((text) => ({ __component: 'part.quote', text }));
    const documentId = await open({ title: 'Picked up', sections });
    await ann.move('Two', []);
    await ann.until('handle', async () => (await ann.focused()) === 'Move Two');
    await ann.page.keyboard.press('Space');
    await hears('Place 2 of 3');
    await ann.page.keyboard.press('ArrowUp');
    await hears('Place 1 of 3');
    await ann.type('Title', ' and left there');
    await ann.saved();
    expect(await ann.valueOf('Title')).toBe('Picked up and left there');
    const stored = await visit.api('get', `/articles/${documentId}?status=draft&populate=sections`);
    expect(stored.sections.map(({ text }: { text: string }) => text)).toEqual(['One', 'Two', 'Three']);
  });

  it('distinguishes entries without a title by their places', async () => {
    const quote = { __component: 'part.quote', text: '' };
    await open({ title: 'Untitled entries', sections: [quote, { ...quote, text: 'Two' }, quote] });
    const names = await ann.page.$$eval('[data-path=sections] [data-entry] button', (all) =>
      all.map((one) => one.getAttribute('aria-label')),
    );
    expect(names.filter((name) => name?.startsWith('Remove'))).toEqual([
      'Remove Quote 1',
      'Remove Two',
      'Remove Quote 3',
    ]);
  });

  it('focuses the first field of an added component, and of one that is brought back', async () => {
    await open({ title: 'Components' });
    await enter('button', 'Add Seo');
    await reaches('Title for search engines');
    await enter('button', 'Remove Seo');
    await reaches('Bring back Seo');
    await ann.page.keyboard.press('Enter');
    await reaches('Title for search engines');
  });

  it('leaves the focus on the buttons that save and publish, and announces the result only', async () => {
    await open({ title: 'Buttons' });
    await ann.fill('Title', 'Buttons and bars');
    await enter('button', 'Save');
    await ann.savesItself();
    expect(await ann.focused()).toBe('Save');
    await enter('button', 'Publish');
    await hears('Published');
    expect(await ann.focused()).toBe('Publish');
    const announced = (await ann.page.evaluate('window.announced')) as string[];
    expect(announced.filter((text) => text === 'Saving' || text === 'Unsaved changes')).toEqual([]);
    expect(announced.filter((text) => text.startsWith('Saved at')).length).toBeGreaterThan(0);
  });

  it('leads to a decision and back to its field, without news of what the editor has decided', async () => {
    const documentId = await open({ title: 'First' });
    await visit.api('put', `/articles/${documentId}?status=draft`, { data: { title: 'Theirs', rating: 3 } });
    await ann.fill('Title', 'Mine');
    await enter('button', 'Save');
    await reaches('Keep yours: Title');
    await ann.page.keyboard.press('Enter');
    await reaches('Title');
    await hears('Another editor has changed: Rating. Their changes are in the form.');
    await ann.savesItself();
    expect(await ann.valueOf('Title')).toBe('Mine');
  });

  it('moves the focus to the next control if a row is removed', async () => {
    const { documentId } = await visit.api('post', '/articles?status=draft', { data: { title: 'Binned' } });
    await visit.api('delete', `/articles/${documentId}`);
    await ann.openAnew('/trash/article');
    await ann.page.evaluate(LISTEN);
    await enter('button', 'Restore Binned');
    await reaches('Cancel');
    await enter('button', 'Restore', '[role=dialog]');
    await ann.sees('“Binned” is restored');
    await sleep(500);
    expect(await ann.page.evaluate('document.activeElement === document.body')).toBe(false);
  });

  it('leaves the focus on the buttons that save and revert the grants of a role', async () => {
    await ann.openAnew('/people/roles');
    await ann.follow('Authenticated');
    const toggle = async (): Promise<void> => {
      const box = await ann.page.waitForSelector('::-p-aria([name="Read lists: Articles"][role="checkbox"])');
      await box?.focus();
      await ann.page.keyboard.press('Space');
    };
    await toggle();
    await enter('button', 'Save');
    await ann.until('message', async () => (await ann.texts('.desk-message')).join() === 'Saved');
    expect(await ann.focused()).toBe('Save');
    await toggle();
    await enter('button', 'Discard unsaved changes');
    await sleep(200);
    expect(await ann.focused()).toBe('Discard unsaved changes');
  });

  it('closes only the upper dialog by a key, and returns the focus through both', async () => {
    await ann.openAnew('/media');
    await enter('button', 'Harbour.png');
    await ann.sees('No document that you may see uses this file.');
    await enter('button', 'Delete', '[role=dialog]');
    await reaches('Cancel');
    await ann.page.keyboard.press('Escape');
    await reaches('Delete');
    expect(await ann.page.$$('[role=dialog]')).toHaveLength(1);
    await ann.page.keyboard.press('Escape');
    await reaches('Harbour.png');
  });

  it('returns the focus to the page after a dialog that another one replaced', async () => {
    await ann.openAnew('/people/users');
    await enter('button', 'Invite a user');
    await ann.fill('User name', 'ben');
    await ann.fill('E-mail', 'ben@example.org');
    await ann.page.locator('::-p-aria([name="Role"][role="combobox"])').click();
    await ann.option('Writer');
    await enter('button', 'Create and show the link');
    await reaches('Invitation link');
    await ann.page.keyboard.press('Escape');
    await reaches('Invite a user');
  });

  it('announces the report of an action on several documents', async () => {
    await visit.api('post', '/articles?status=draft', { data: { title: 'Announced' } });
    await visit.api('post', '/articles?status=draft', { data: { lead: 'Announced without a title' } });
    await ann.openAnew('/content/article?q=announced');
    await ann.page.waitForSelector('tbody tr:nth-child(2)');
    await ann.page.evaluate(LISTEN);
    await ann.check('Select all on this page');
    await enter('button', 'Publish', '.desk-bulk');
    await reaches('Cancel');
    await enter('button', 'Publish', '[role=dialog]');
    await hears('Published: 1 document. 1 document refused:');
    await sleep(500);
    expect(await ann.page.evaluate('document.activeElement === document.body')).toBe(false);
  });

  it('announces what the check of a release and the dialog of its undo show', async () => {
    const { documentId } = await visit.api('post', '/articles?status=draft', { data: { title: 'Heard' } });
    const { id } = await visit.api('post', '/releases', { data: { name: 'Heard' } });
    await visit.api('post', `/releases/${id}/entries`, {
      data: { type: 'article', documentId, locale: 'en' },
    });
    await ann.openAnew(`/releases/${id}`);
    await ann.page.waitForSelector('tbody tr');
    await ann.page.evaluate(LISTEN);
    await enter('button', 'Check');
    await hears('The document can be released.');
    await enter('button', 'Release now');
    await reaches('Cancel');
    await enter('button', 'Release now', '[role=dialog]');
    await ann.sees('To change it, undo it first.');
    await enter('button', 'Undo release');
    await hears('1 document can be undone.');
    await ann.press('Cancel');
  });

  it('says which documents and actions a search shows, and which of them is chosen', async () => {
    await open({ title: 'Searched' });
    const chosen = (): Promise<unknown> =>
      ann.page.evaluate(`(() => {
        const { activeElement: one } = document;
        const option = document.getElementById(one.getAttribute('aria-activedescendant') ?? '');
        const list = document.getElementById(one.getAttribute('aria-controls') ?? '');
        return [one, list, option].map((part) => part?.role ?? null).concat(one.ariaExpanded, option?.textContent ?? null);
      })()`);
    const field = await ann.field('Choose Author');
    await field.focus();
    expect(await chosen()).toEqual(['combobox', null, null, 'false', null]);
    await field.type('Ben');
    await ann.page.waitForSelector('[role=option]');
    const first = ['combobox', 'listbox', 'option', 'true'];
    // The results of the whole word replace those of its first letters, and their choice.
    await ann.until('option', async () => {
      if (String(await chosen()) === String([...first, 'Ben Okafor'])) return true;
      await ann.page.keyboard.press('ArrowDown');
      return false;
    });
    await ann.page.keyboard.press('Escape');
    await ann.page.keyboard.down('Control');
    await ann.page.keyboard.press('k');
    await ann.page.keyboard.up('Control');
    await ann.page.waitForSelector('[role=dialog] input:focus');
    await ann.fill('Go to', 'Art');
    await ann.until('first action', async () => String(await chosen()).startsWith(String(first)));
    const before = String(await chosen());
    await ann.page.keyboard.press('ArrowDown');
    await ann.until('second action', async () => String(await chosen()) !== before);
    await ann.page.keyboard.press('Escape');
  });

  it('distinguishes documents with the same title', async () => {
    for (const lead of ['One', 'Two'])
      await visit.api('post', '/articles?status=draft', { data: { title: 'Twin', lead } });
    await ann.openAnew('/content/article?q=twin');
    await ann.page.waitForSelector('tbody tr:nth-child(2)');
    const names = (selector: string): Promise<(string | null)[]> =>
      ann.page.$$eval(selector, (all) => all.map((one) => one.getAttribute('aria-label')));
    expect(await names('tbody input')).toEqual(['Select Twin', 'Select Twin, 2']);
    expect(await names('tbody a')).toEqual([null, 'Twin, 2']);
    await ann.open('/content/homepage');
    const input = await ann.field('Add to Highlights');
    await input.click();
    await input.type('Twin');
    const shown = async (): Promise<string[]> =>
      (await ann.texts('[role=option]')).filter((text) => text.startsWith('Twin'));
    await ann.until('two options', async () => (await shown()).length === 2);
    expect(await shown()).toEqual([
      expect.stringMatching(/^Twin Changed .+/),
      expect.stringMatching(/^Twin, 2 Changed .+/),
    ]);
    await ann.page.keyboard.press('Escape');
  });

  it('says in the audit log what the details are of', async () => {
    await ann.openAnew('/audit');
    await ann.page.waitForSelector('.desk-audit');
    const described = () =>
      ann.page.$$eval('.desk-audit [aria-expanded]', (all) =>
        all.map(
          (one) => one.ownerDocument.getElementById(one.getAttribute('aria-describedby') ?? '')?.textContent,
        ),
      );
    // The titles of documents arrive after the entries.
    await ann.until('the title of the document', async () =>
      (await described()).includes('ann (you) deleted Binned (Article, English)'),
    );
  });
});
