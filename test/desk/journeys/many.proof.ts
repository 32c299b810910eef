/** Journeys of an editor with many types and documents: palette, saved views, and reports of bulk actions. */
import { defineCollectionType, defineComponent, defineSingleType } from 'nestjs-content-api';
import { hasBrowser, openPage } from './browser.ts';
import { Editor } from './editor.ts';
import { checkViews } from './views.ts';
import { startVisit, type Visit } from './visit.ts';

const teaser = defineComponent({
  uid: 'part.teaser',
  attributes: {
    author: { type: 'relation', relation: 'oneToOne', target: 'author' },
    subject: { type: 'relation', relation: 'morphToOne' },
    text: { type: 'richtext' },
    heading: { type: 'string', desk: { label: 'Heading of the teaser' } },
    anchor: { type: 'uid', targetField: 'heading' },
  },
});
const page = defineCollectionType({
  singularApiId: 'page',
  pluralApiId: 'pages',
  draftAndPublish: true,
  attributes: {
    title: { type: 'string' },
    subjects: { type: 'relation', relation: 'morphToMany', targets: ['author', 'tag', 'homepage'] },
    parts: { type: 'dynamiczone', components: ['part.teaser'] },
    text: { type: 'blocks' },
    body: { type: 'richtext' },
  },
});

const imprint = defineSingleType({
  singularApiId: 'imprint',
  pluralApiId: 'imprints',
  draftAndPublish: true,
  localized: true,
  attributes: { text: { type: 'richtext', localized: true } },
});

(hasBrowser ? describe : describe.skip)('an editor with much content', () => {
  let visit: Visit;
  let ann: Editor;
  const palette = async (): Promise<void> => {
    await ann.page.keyboard.down('Control');
    await ann.page.keyboard.press('k');
    await ann.page.keyboard.up('Control');
    await ann.page.waitForSelector('[role=dialog] input:focus');
  };
  const confirm = (name: string): Promise<void> =>
    ann.page.locator(`.mantine-Modal-content ::-p-aria([name="${name}"][role="button"])`).click();
  const options = (): Promise<string[]> => ann.texts('[role=dialog] [role=option]');

  beforeAll(async () => {
    visit = await startVisit('fastify', {
      contentTypes: [page, imprint],
      components: [teaser],
      roles: { guest: { desk: ['open'] } },
    });
    ann = await visit.arrive('ann', 'chief');
    for (const title of ['Rain in spring', 'Rain in autumn', 'Snow'])
      await visit.api('post', '/articles?status=draft', {
        data: { title, kind: title === 'Snow' ? 'news' : 'report' },
      });
  }, 120_000);
  afterAll(() => visit?.end());
  afterEach(() => expect(visit.complaints()).toEqual([]));

  it('goes to a list and to a new document by keyboard alone', async () => {
    await palette();
    await ann.page.keyboard.type('auth');
    await ann.until('entries', async () => (await options())[0]?.startsWith('Authors') === true);
    await ann.page.keyboard.press('Enter');
    await ann.heading('Authors');
    await palette();
    await ann.page.keyboard.type('new: tag');
    await ann.until('entry', async () => (await options()).length === 1);
    await ann.page.keyboard.press('Enter');
    await ann.heading('New: Tag');
  });

  it('gets an empty form for each new document, also right after it has stored one', async () => {
    await ann.fill('Label', 'First');
    await ann.press('Save');
    await ann.heading('First');
    await ann.until('an address', () => Promise.resolve(!ann.page.url().endsWith('/new')));
    await palette();
    await ann.page.keyboard.type('new: tag');
    await ann.until('entry', async () => (await options()).length === 1);
    await ann.page.keyboard.press('Enter');
    await ann.heading('New: Tag');
    expect(await ann.valueOf('Label')).toBe('');
  });

  it('is told that no role of it includes content', async () => {
    const opened = await openPage(await visit.browser.createBrowserContext(), visit.room.url);
    visit.pages.push(opened);
    const guest = new Editor(opened.page, visit.room.desk);
    await guest.page.goto(await visit.room.invite('guest@example.org', 'guest'));
    await guest.fill('New password', 'a long password of a guest');
    await guest.press('Set password and sign in');
    await guest.heading('There is no content for you yet');
  });

  it('goes to a field of a long form by a few letters of its label, also in a component', async () => {
    await ann.open('/content/article/new');
    const isShown = (): Promise<unknown> =>
      ann.page.evaluate(`(() => {
        const { top, bottom } = document.activeElement.getBoundingClientRect();
        return top > 120 && bottom < innerHeight;
      })()`);
    const jump = async (letters: string, entry: string, control: string): Promise<void> => {
      await palette();
      await ann.page.keyboard.type(letters);
      await ann.until(entry, async () => (await options())[0] === entry);
      await ann.page.keyboard.press('Enter');
      await ann.until(control, async () => (await ann.focused()) === control);
      expect(await isShown()).toBe(true);
    };
    await jump('meet', 'Meeting Field', 'Meeting');
    await jump('gal', 'Gallery Field', 'Choose from the library');
    await ann.press('Add Seo');
    await jump('title for', 'Title for search engines Seo', 'Title for search engines');
    await jump('auth', 'Author Field', 'Choose Author');
    await jump('title', 'Title Field', 'Title');
    await palette();
    await ann.page.keyboard.press('Escape');
    await ann.until('closed', async () => (await ann.focused()) === 'Title');
    await ann.open('/content/article');
    await palette();
    await ann.page.keyboard.type('meet');
    await ann.sees('Nothing found');
    await ann.page.keyboard.press('Escape');
  });

  it('shows an editor who may only read no boxes to select documents, and says so on a form', async () => {
    const lou = await visit.arrive('lou', 'looker');
    await lou.sees('Rain in autumn');
    expect(await lou.page.$$('table input[type=checkbox]')).toEqual([]);
    await lou.follow('Rain in autumn');
    await lou.sees('You may read this, but not change it.');
    await lou.open('/people/users');
    await lou.follow('Back to the start');
    await lou.heading('Articles');
    await ann.open('/content/article');
    expect(await ann.page.$$('table input[type=checkbox]')).not.toEqual([]);
  });

  it('finds documents before screens that have the letters inside a word', async () => {
    await palette();
    await ann.page.keyboard.type('ra');
    await ann.until('documents', async () => (await options()).some((one) => one.startsWith('Rain')));
    const found = await options();
    const documents = found.filter((one) => one.startsWith('Rain')).length;
    expect(found.findIndex((one) => one.startsWith('Media library'))).toBeGreaterThanOrEqual(documents);
    expect(found[0]).toMatch(/^Rain/);
    await ann.page.keyboard.press('Escape');
    await ann.until('closed', async () => (await ann.page.$$('[role=dialog]')).length === 0);
  });

  it('finds no documents of an earlier search in the palette', async () => {
    await palette();
    await ann.page.keyboard.type('autumn');
    await ann.until('document', async () => (await options()).join() === 'Rain in autumn Article');
    await ann.page.evaluate(`(async () => {
      const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
      set.call(document.activeElement, 'snow');
      document.activeElement.dispatchEvent(new Event('input', { bubbles: true }));
      for (const _ of [1, 2]) await new Promise(requestAnimationFrame);
      window.shown = [...document.querySelectorAll('[role=dialog] [role=option]')].length;
    })()`);
    expect(await ann.page.evaluate('shown')).toBe(0);
    await ann.until('document', async () => (await options()).join() === 'Snow Article');
    await ann.page.keyboard.press('Escape');
    await ann.until('closed', async () => (await ann.page.$$('[role=dialog]')).length === 0);
  });

  it('ends the composition of a letter by a key that otherwise closes the palette', async () => {
    await palette();
    const keyboard = await ann.page.createCDPSession();
    const composed = { text: 'に', selectionStart: 1, selectionEnd: 1 };
    await keyboard.send('Input.imeSetComposition', composed);
    await ann.page.keyboard.press('Escape');
    await keyboard.send('Input.insertText', { text: '日' });
    await ann.until('letter', async () => (await ann.valueOf('Go to')) === '日');
    await ann.page.keyboard.press('Escape');
    await ann.until('closed', async () => (await ann.page.$$('[role=dialog]')).length === 0);
  });

  it('finds a document of any type, and opens it', async () => {
    await palette();
    await ann.page.keyboard.type('autumn');
    await ann.until('document', async () => (await options()).join() === 'Rain in autumn Article');
    await ann.page.keyboard.press('Enter');
    await ann.heading('Rain in autumn');
  });

  it('saves a view of a list, and returns to it later', async () => {
    await ann.open('/content/article?q=rain&sort=title:desc');
    await ann.sees('1 to 2 of 2');
    await ann.press('Views');
    await ann.item('Save this view');
    await ann.fill('Name of the view', 'All about rain');
    await ann.page.locator('[role=dialog] ::-p-aria([name="Save"][role="button"])').click();
    await ann.openAnew('/content/article');
    await ann.sees('1 to 3 of 3');
    await ann.press('Views');
    await ann.item('All about rain');
    await ann.sees('1 to 2 of 2');
    expect(ann.page.url()).toContain('q=rain');
    await ann.press('Views');
    await ann.press('Remove the view All about rain');
    await ann.until('removed', async () => !(await ann.text()).includes('All about rain'));
    await ann.page.keyboard.press('Escape');
  });

  it('is told that a field of a view was removed, and removes the view on a phone', async () => {
    const name = 'Everything that editors have marked as urgent, with all of its former titles';
    await ann.openAnew('/content/article?q=rain&filter=urgent+$eq+true');
    await ann.sees('A filter of this view cannot be applied');
    await ann.press('Views');
    await ann.item('Save this view');
    await ann.fill('Name of the view', name);
    await ann.press('Save');
    await ann.press('Clear search and filters');
    await ann.seesNot('A filter of this view cannot be applied');
    await ann.page.setViewport({ width: 390, height: 860 });
    await ann.press('Views');
    const button = await ann.page.waitForSelector(`[aria-label="Remove the view ${name}"]`);
    const box = await button?.boundingBox();
    expect((box?.x ?? 390) + (box?.width ?? 0)).toBeLessThan(390);
    await button?.click();
    await ann.until('removed', async () => !(await ann.text()).includes('Everything that'));
    await ann.page.keyboard.press('Escape');
    await ann.page.setViewport({ width: 1280, height: 900 });
  });

  it('is told before a view of the same name is replaced', async () => {
    const name = async (view: string): Promise<void> => {
      await ann.press('Views');
      await ann.item('Save this view');
      await ann.fill('Name of the view', view);
    };
    await ann.openAnew('/content/article?q=rain');
    await name('Weather');
    await confirm('Save');
    await ann.open('/content/article?q=snow');
    await name('Weather');
    await ann.sees('You already have a view with this name. It will be replaced.');
    await confirm('Replace');
    await ann.openAnew('/content/article');
    await ann.press('Views');
    await ann.item('Weather');
    await ann.sees('1 to 1 of 1');
    expect(ann.page.url()).toContain('q=snow');
    await ann.press('Views');
    await ann.press('Remove the view Weather');
    await ann.until('removed', async () => !(await ann.text()).includes('Weather'));
    await ann.page.keyboard.press('Escape');
  });

  it('renames a view, which keeps its place and its list', async () => {
    const names = async (): Promise<string> => (await ann.texts('[role=menuitem]')).slice(0, -1).join();
    for (const [query, view] of [
      ['rain', 'Wet'],
      ['snow', 'Cold'],
    ] as const) {
      await ann.openAnew(`/content/article?q=${query}`);
      await ann.press('Views');
      await ann.item('Save this view');
      await ann.fill('Name of the view', view);
      await confirm('Save');
    }
    await ann.press('Views');
    await ann.press('Rename the view Wet');
    await ann.until('the name', async () => (await ann.valueOf('Name of the view')) === 'Wet');
    await ann.fill('Name of the view', 'Cold');
    await ann.sees('You already have a view with this name. It will be replaced.');
    await ann.fill('Name of the view', 'Rainy');
    await confirm('Save');
    await ann.until('the button', async () => (await ann.focused()) === 'Views');
    await ann.press('Views');
    await ann.until('renamed', async () => (await names()) === 'Rainy,Cold');
    await ann.item('Rainy');
    await ann.until('its list', async () => ann.page.url().includes('q=rain'));
    for (const view of ['Rainy', 'Cold']) {
      await ann.press('Views');
      await ann.press(`Remove the view ${view}`);
      await ann.page.keyboard.press('Escape');
    }
    await ann.openAnew('/content/article');
  });

  it('keeps the views that another tab has saved', async () => {
    const save = async (editor: Editor, name: string): Promise<void> => {
      await editor.press('Views');
      await editor.item('Save this view');
      await editor.fill('Name of the view', name);
      await editor.press('Save');
    };
    const opened = await openPage(ann.page.browserContext(), visit.room.url);
    visit.pages.push(opened);
    const tab = new Editor(opened.page, visit.room.desk);
    await ann.openAnew('/content/article');
    await tab.open('/content/article?q=snow');
    await save(tab, 'Of this tab');
    await ann.page.bringToFront();
    await save(ann, 'Of the other tab');
    await ann.openAnew('/content/article');
    await ann.press('Views');
    await ann.sees('Of the other tab');
    await ann.item('Of this tab');
    await ann.sees('1 to 1 of 1');
    await opened.close();
  });

  it('selects nothing that the list does not show: after a view, a step back and a change', async () => {
    const { documentId } = await visit.api('post', '/articles?status=draft', {
      data: { title: 'Snowed in' },
    });
    await ann.openAnew('/content/article');
    await ann.check('Select all on this page');
    await ann.sees('4 documents selected');
    await ann.press('Views');
    await ann.item('Of this tab');
    await ann.sees('1 to 2 of 2');
    await ann.seesNot('selected');
    await ann.check('Select all on this page');
    await ann.sees('2 documents selected');
    await visit.api('put', `/articles/${documentId}?status=draft`, { data: { title: 'Thaw', slug: 'thaw' } });
    await ann.page.evaluate(`dispatchEvent(new Event('visibilitychange'))`);
    await ann.sees('1 document selected');
    await ann.page.goBack();
    await ann.sees('1 to 4 of 4');
    await ann.seesNot('selected');
  });

  it('is told which selected documents others have changed, before and while all are published', async () => {
    const [spring, autumn] = (await visit.api(
      'get',
      '/articles?status=draft&_q=rain&sort=title:desc',
    )) as any[];
    const change = (documentId: string): Promise<unknown> =>
      visit.api('put', `/articles/${documentId}?status=draft`, { data: { rating: 4 } });
    await ann.open('/content/article?q=rain');
    await ann.check('Select all on this page');
    await ann.sees('2 documents selected');
    await change(spring.documentId);
    await ann.press('Publish');
    await ann.sees('Rain in spring (changed since you opened the list)');
    await ann.seesNot('Looking for changes');
    await change(autumn.documentId);
    await confirm('Publish');
    await ann.sees('Published: 1 document');
    await ann.sees('Rain in autumn: Another editor has just changed it.');
    expect(await visit.api('get', '/articles?_q=rain')).toHaveLength(1);
  });

  it('is told which selected documents others have deleted', async () => {
    const [kept, gone] = await Promise.all(
      ['Sleet kept', 'Sleet gone'].map((title) =>
        visit.api('post', '/articles?status=draft', { data: { title } }),
      ),
    );
    await ann.open('/content/article?q=sleet');
    await ann.check('Select all on this page');
    await ann.sees('2 documents selected');
    await visit.api('delete', `/articles/${gone.documentId}`);
    await ann.press('Publish');
    await ann.sees('Sleet gone (deleted since you opened the list)');
    await confirm('Publish');
    await ann.sees('Sleet gone: It no longer exists.');
    await visit.api('delete', `/articles/${kept.documentId}`);
  });

  it('is told which selected documents lack the language of the list, and deletes them all the same', async () => {
    const [both, english] = await Promise.all(
      ['Mist of both', 'Mist in English'].map((title) =>
        visit.api('post', '/articles?status=draft', { data: { title } }),
      ),
    );
    const data = { title: 'Mist of both in French' };
    await visit.api('put', `/articles/${both.documentId}?status=draft&locale=fr`, { data });
    await ann.open('/content/article?q=mist&locale=fr');
    await ann.sees('1 to 2 of 2');
    await ann.check('Select all on this page');
    await ann.press('Publish');
    await ann.sees('Mist in English (has no version in this language)');
    await ann.sees('Publish 1 document?');
    await confirm('Publish');
    await ann.sees('Published: 1 document');
    await ann.seesNot('no longer exists');
    await ann.check('Select all on this page');
    await ann.press('Delete');
    await ann.sees('Delete 2 documents?');
    await ann.seesNot('Looking for changes');
    await ann.seesNot('since you opened the list');
    await confirm('Delete');
    await ann.sees('Deleted: 2 documents');
    const left = await visit.room.http.get(`/api/articles/${english.documentId}?status=draft`);
    expect(left.status).not.toBe(200);
  });

  it('publishes all that match, also those of other pages', async () => {
    for (let i = 0; i < 12; i += 1)
      await visit.api('post', '/articles?status=draft', { data: { title: `Hail ${i}` } });
    await ann.open('/content/article?q=hail&pageSize=10');
    await ann.check('Select all on this page');
    await ann.press('Select all 12 that match');
    await ann.press('Publish');
    await ann.sees('Publish 12 documents?');
    await confirm('Publish');
    await ann.sees('Published: 12 documents');
    expect(await visit.api('get', '/articles?_q=hail')).toHaveLength(12);
  });

  it('deletes several documents, which the trash keeps', async () => {
    await ann.open('/content/article?q=hail&pageSize=10');
    await ann.check('Select all on this page');
    await ann.press('Delete');
    await ann.sees('You can restore the documents from the trash.');
    await confirm('Delete');
    await ann.sees('Deleted: 10 documents');
    await ann.follow('Trash');
    const hail = async () => (await ann.texts('tbody tr')).filter((row) => row.includes('Hail'));
    await ann.until('trash', async () => (await hail()).length === 10);
  });

  it('sees where a document is used, also before it is deleted', async () => {
    const author = await visit.api('post', '/authors', { data: { name: 'Nora' } });
    const data = { title: 'Written by Nora', author: author.documentId };
    await visit.api('post', '/articles?status=draft', { data });
    const uses = async (): Promise<string[]> => ann.texts('[role=dialog] [aria-label="Used by"] li');
    const seen = (): Promise<void> =>
      ann.until('the article', async () => (await uses()).join() === 'Written by Nora · Article');
    await ann.open(`/content/author/${author.documentId}`);
    await ann.press('More actions');
    await ann.item('Where it is used');
    await seen();
    await ann.follow('Written by Nora');
    await ann.heading('Written by Nora');
    // The list of articles of an author is the other side of the author of an article.
    await ann.press('More actions');
    await ann.item('Where it is used');
    await ann.sees('No document that you may see links to this one.');
    await ann.page.keyboard.press('Escape');
    await ann.open(`/content/author/${author.documentId}`);
    await ann.press('More actions');
    await ann.item('Delete');
    await seen();
    await confirm('Delete');
    await ann.heading('Authors');
  });

  it('sees uses in zones, in relations to several types and in rich texts, by few requests', async () => {
    const { documentId } = await visit.api('post', '/authors', { data: { name: 'Olga' } });
    const url = `/authors/${documentId}`;
    const subject = { __type: 'api::author.author', documentId };
    const link = { type: 'link', url, children: [{ type: 'text', text: 'Olga' }] };
    const texts = {
      'In a zone': { parts: [{ __component: 'part.teaser', author: documentId }] },
      'Of several types in a zone': { parts: [{ __component: 'part.teaser', subject }] },
      'In a text of a zone': { parts: [{ __component: 'part.teaser', text: `[Olga](${url})` }] },
      'Of several types': { subjects: [subject] },
      'In blocks': { text: [{ type: 'paragraph', children: [link] }] },
      'In Markdown': { body: `[Olga](${url})` },
    };
    for (const [title, data] of Object.entries(texts))
      await visit.api('post', '/pages?status=draft', { data: { title, ...data } });
    await visit.api('post', '/pages', {
      data: { title: 'Without', parts: [{ __component: 'part.teaser' }] },
    });
    await visit.api('put', '/imprint?locale=fr', { data: { text: `[Olga](${url})` } });
    await ann.open(`/content/author/${documentId}`);
    await ann.heading('Olga');
    const asked: string[] = [];
    const note = (one: { url: () => string }): unknown =>
      /\/api\/(?:pages|articles|tags|homepage|imprint)/.test(one.url()) && asked.push(one.url());
    ann.page.on('request', note);
    await ann.press('More actions');
    await ann.item('Where it is used');
    const found = (): Promise<string[]> => ann.texts('[role=dialog] [aria-label="Used by"] li a');
    await ann.until('uses', async () => (await found()).length > Object.keys(texts).length);
    ann.page.off('request', note);
    expect((await found()).sort()).toEqual([...Object.keys(texts), 'Imprint'].sort());
    // Four of pages, four of articles, none of tags, and two per language of the imprint.
    expect(asked.length).toBeLessThanOrEqual(14);
    await ann.sees('Not searched: plain texts');
    await ann.page.keyboard.press('Escape');
  });

  it('is told which types have more versions than the search of zones reads', async () => {
    const many = Array.from({ length: 100 }, (_, at) => ({ data: { title: `Filler ${at}` } }));
    for (const body of many) await visit.api('post', '/pages?status=draft', body);
    const [author] = await visit.api('get', '/authors?filters[name]=Olga');
    await ann.open('/content/author');
    await ann.open(`/content/author/${author.documentId}`);
    await ann.press('More actions');
    await ann.item('Where it is used');
    await ann.sees('only the 100 versions changed last were searched');
    await ann.page.keyboard.press('Escape');
    const { documentId } = await visit.upload('unsearched.png', '#335577');
    await ann.open('/media');
    await ann.press('unsearched.png');
    await ann.sees('Not all documents could be searched.');
    expect(await ann.page.$$('::-p-text(No document that you may see)')).toHaveLength(0);
    await ann.openAnew('/content/page');
    await visit.api('delete', `/upload/files/${documentId}`);
  });

  it('chooses the kind of a document before it searches, in a relation to several types', async () => {
    await ann.open('/content/page/new');
    await ann.fill('Title', 'Chosen');
    expect(await ann.texts('[data-path=subjects] input[role=textbox]')).toHaveLength(0);
    await ann.page.locator('[aria-label="Kind of document for Subjects"]').click();
    await ann.option('Homepage');
    await (await ann.field('Add to Subjects: Homepage')).click();
    await ann.sees('Nothing found');
    await ann.page.keyboard.press('Escape');
    await ann.page.locator('[aria-label="Kind of document for Subjects"]').click();
    await ann.option('Author');
    await ann.link('Add to Subjects: Author', 'Olga', 'Olga');
    await ann.saved();
    const [stored] = await visit.api('get', '/pages?status=draft&filters[title]=Chosen&populate=subjects');
    expect(stored.subjects).toMatchObject([{ name: 'Olga', __type: 'api::author.author' }]);
    const tag = await visit.api('post', '/tags', { data: { label: 'Harbour' } });
    const subjects = { connect: [{ __type: 'api::tag.tag', documentId: tag.documentId }] };
    await visit.api('put', `/pages/${stored.documentId}?status=draft`, { data: { subjects } });
    await ann.open('/content/page?q=Chosen');
    await ann.press('Columns');
    await ann.check('Subjects');
    await ann.sees('Olga, Harbour');
    await ann.check('Subjects');
    await ann.page.keyboard.press('Escape');
  });

  it('links by a key only what the search marks, also after more letters and more results', async () => {
    const labels = Array.from({ length: 45 }, (_, at) => `Candidate ${at + 10}`);
    for (const label of labels) await visit.api('post', '/tags', { data: { label } });
    await visit.api('post', '/articles?status=draft', { data: { title: 'With candidates' } });
    await ann.open('/content/article?q=candidates');
    await ann.follow('With candidates');
    await (await ann.field('Add to Tags')).click();
    const { keyboard } = ann.page;
    const list = '[role=listbox][aria-label=Tags]';
    const shows = (count: number): Promise<void> =>
      ann.until(
        `${count} options`,
        async () => (await ann.texts(`${list} [data-combobox-option]`)).length === count,
      );
    const marked = async (): Promise<string> => (await ann.texts(`${list} [data-combobox-selected]`)).join();
    const linked = (): Promise<string[]> => ann.texts('[data-path=tags] .desk-link-title');
    await shows(21);
    for (const _ of [1, 2, 3]) await keyboard.press('ArrowDown');
    await keyboard.type('Candidate 1');
    await shows(10);
    await keyboard.press('Enter');
    expect([await marked(), await linked()]).toEqual(['', []]);
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    await ann.until('linked', async () => (await linked()).join() === 'Candidate 10');
    await shows(21);
    await keyboard.press('ArrowUp');
    expect(await marked()).toBe('Show more');
    await keyboard.press('Enter');
    await shows(41);
    await ann.until('the first new one', async () => (await marked()) === 'Candidate 30');
    await keyboard.press('Enter');
    await ann.until('linked', async () => (await linked()).join() === 'Candidate 10,Candidate 30');
    await ann.saved();
    const made = await visit.api('get', '/tags?filters[label][$startsWith]=Cand&pagination[pageSize]=50');
    for (const { documentId } of made) await visit.api('delete', `/tags/${documentId}`);
  });

  it('is offered to create the first document of an empty list', async () => {
    await ann.open('/content/tag');
    for (const { documentId } of await visit.api('get', '/tags'))
      await visit.api('delete', `/tags/${documentId}`);
    await ann.openAnew('/content/tag');
    await ann.sees('No documents yet.');
    await ann.page.locator('#content .mantine-Stack-root .mantine-Stack-root a').click();
    await ann.heading('New: Tag');
  });

  it('makes the slug of a draft without a title from the first title, also if it is taken', async () => {
    await visit.api('post', '/articles?status=draft', { data: { title: 'Größe & Maß' } });
    await ann.open('/content/article/new');
    await ann.fill('Lead', 'First the lead');
    await ann.saved();
    expect(await ann.valueOf('Slug')).toBe('');
    await ann.fill('Title', 'Größe');
    await ann.saved();
    expect(await ann.valueOf('Slug')).toBe('groesse');
    await ann.fill('Title', 'Größe & Maß');
    await ann.saved();
    expect(await ann.valueOf('Slug')).toBe('groesse-and-mass-1');
    await ann.press('Publish');
    await ann.status('Published');
    await ann.fill('Title', 'Maß');
    await ann.saved();
    expect(await ann.valueOf('Slug')).toBe('groesse-and-mass-1');
  });

  it('leaves a slug that the editor has written or cleared, and makes another by a button', async () => {
    const { documentId } = await visit.api('post', '/articles?status=draft', { data: { slug: null } });
    await ann.openAnew(`/content/article/${documentId}`);
    await ann.fill('Slug', 'mine');
    await ann.saved();
    await ann.fill('Title', 'Yours');
    await ann.saved();
    expect(await ann.valueOf('Slug')).toBe('mine');
    await ann.fill('Slug', '');
    await ann.saved();
    await ann.fill('Title', 'Ours');
    await ann.saved();
    expect(await ann.valueOf('Slug')).toBe('');
    await ann.press('Generate from Title');
    await ann.until('slug', async () => (await ann.valueOf('Slug')) === 'ours');
    await ann.saved();
  });

  it('makes the uid of an entry by a button with a plain name, and sees long titles in whole letters', async () => {
    const parts = [{ __component: 'part.teaser', heading: `${'a'.repeat(79)}🌊 by the sea` }];
    const { documentId } = await visit.api('post', '/pages?status=draft', { data: { title: 'Uids', parts } });
    await ann.open(`/content/page/${documentId}`);
    await ann.page.locator('[data-path=parts] [aria-expanded]').click();
    expect(await ann.texts('[data-path=parts] bdi')).toEqual([`${'a'.repeat(79)}…`]);
    await ann.press('Generate from Heading of the teaser');
    await ann.until('uid', async () => (await ann.valueOf('Anchor')).endsWith('-by-the-sea'));
    await ann.saved();
  });

  it.each([['palette', palette]] as const)('%s in all views', async (name, show) => {
    await ann.open('/content/article');
    expect(await checkViews(ann.page, `desk-${name}`, show)).toEqual([]);
    await ann.page.setViewport({ width: 1280, height: 900 });
  });

  it('goes to an entry of a zone by its title, and opens it', async () => {
    const sections = ['To be or not', 'The rest is silence', ''].map((text) => ({
      __component: 'part.quote',
      ...(text === '' ? {} : { text }),
    }));
    const table = { __component: 'part.table', rows: [{ heading: 'Morning' }, { heading: 'Evening' }] };
    const { documentId } = await visit.api('post', '/articles?status=draft', {
      data: { title: 'Plays', sections: [...sections, { __component: 'part.quote' }, table] },
    });
    await ann.openAnew(`/content/article/${documentId}`);
    await ann.page.waitForSelector('[data-path=sections] [aria-expanded]');
    const jump = async (letters: string, expected: readonly string[], control: string): Promise<void> => {
      await palette();
      await ann.page.keyboard.type(letters);
      await ann.until(
        letters,
        async () => (await options()).slice(0, expected.length).join() === expected.join(),
      );
      await ann.page.keyboard.press('Enter');
      await ann.until(control, async () => (await ann.focused()) === control);
    };
    await jump('silence', ['Quote: The rest is silence Sections'], 'Text');
    expect(await ann.page.$$eval('[data-path=sections] [aria-expanded=true]', (all) => all.length)).toBe(1);
    expect(await ann.page.evaluate('document.activeElement.value')).toBe('The rest is silence');
    await jump('silence', ['Quote: The rest is silence Sections'], 'Text');
    expect(await ann.page.$$eval('[data-path=sections] [aria-expanded=true]', (all) => all.length)).toBe(1);
    const named = ['Quote: To be or not Sections', 'Quote: The rest is silence Sections'];
    await jump('quote', [...named, 'Quote Sections', 'Quote Sections 2'], 'Text');
    await jump('table', ['Table Sections'], 'Caption');
    // An entry that is open stays as it is, with its closed entries.
    await jump('table', ['Table Sections'], 'Caption');
    expect(await ann.page.$$eval('[data-list=Rows] [aria-expanded=true]', (all) => all.length)).toBe(0);
    // Entries inside an open entry are on the page.
    await jump('even', ['Evening Rows'], 'Heading');
  });
});
