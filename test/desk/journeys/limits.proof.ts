/** Journeys of editors whose grants cover some documents only: nothing is offered that the API refuses. */
import { defineCollectionType, defineSingleType, type Grants } from 'nestjs-content-api';
import { hasBrowser } from './browser.ts';
import { Editor } from './editor.ts';
import { startVisit, type Visit } from './visit.ts';

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  owner: 'owner',
  draftAndPublish: true,
  actions: true,
  history: true,
  attributes: { title: { type: 'string' }, owner: { type: 'string' } },
});
const notice = defineSingleType({
  singularApiId: 'notice',
  draftAndPublish: true,
  localized: true,
  actions: true,
  history: true,
  attributes: { title: { type: 'string', localized: true }, area: { type: 'string' } },
});
const memo = defineCollectionType({
  singularApiId: 'memo',
  pluralApiId: 'memos',
  draftAndPublish: true,
  actions: true,
  history: true,
  attributes: { title: { type: 'string' }, area: { type: 'string' } },
});
const column = defineCollectionType({
  singularApiId: 'column',
  pluralApiId: 'columns',
  draftAndPublish: true,
  publishBy: 'right',
  attributes: { title: { type: 'string' } },
});
const READS = ['find', 'findOne', 'readDrafts'] as const;
const CHANGES = ['update', 'delete', 'publish'] as const;
const ROLES: Readonly<Record<string, Grants>> = {
  noter: {
    desk: ['open'],
    locale: ['find'],
    article: [...READS, 'create', { actions: CHANGES, where: () => ({ locale: 'fr' }) }],
    note: [...READS, 'create', { actions: CHANGES, own: true }],
    notice: ['find', 'readDrafts', { actions: CHANGES, where: () => ({ area: 'his' }) }],
    column: [...READS, 'create', 'update'],
    memo: [...READS, 'create', { actions: CHANGES, where: () => ({ area: 'his' }) }],
  },
  local: {
    desk: ['open'],
    locale: ['find'],
    article: [{ actions: [...READS, 'create', 'update'], where: () => ({ locale: 'fr' }) }],
    column: ['find', 'readDrafts'],
  },
  issuing: { desk: ['open'], locale: ['find'], article: [...READS, 'publish'] },
  sending: { desk: ['open'], memo: ['find', 'readDrafts', 'publish'] },
  writing: { desk: ['open'], memo: ['create'] },
  retitling: {
    desk: ['open'],
    memo: [...READS, { actions: ['update'], fields: ['title'] }],
  },
  blind: {
    desk: ['open'],
    memo: [{ actions: [...READS], fields: ['title'] }, 'create', 'update'],
  },
};

(hasBrowser ? describe : describe.skip)('an editor of some documents', () => {
  let visit: Visit;
  let ben: Editor;
  let article = '';
  beforeAll(async () => {
    visit = await startVisit('express', { contentTypes: [note, notice, column, memo], roles: ROLES });
    await visit.arrive('ann', 'chief');
    await visit.api('post', '/notes?status=published', { data: { title: 'Of Ann' } });
    const data = {
      title: 'In English',
      story: [{ type: 'paragraph', children: [{ type: 'text', text: 'A' }] }],
    };
    ({ documentId: article } = await visit.api('post', '/articles?status=published', { data }));
    await visit.api('put', `/articles/${article}?locale=fr`, { data: { title: 'In French' } });
    ben = await visit.arrive('ben', 'noter');
  }, 120_000);
  afterAll(() => visit?.end());
  afterEach(() => expect(visit.complaints()).toEqual([]));

  const buttons = (): Promise<string[]> => ben.texts('.desk-savebar button');
  const items = async (): Promise<string[]> => {
    await ben.press('More actions');
    await ben.sees('Where it is used');
    const found = await ben.texts('[role=menuitem]');
    await ben.page.keyboard.press('Escape');
    await ben.seesNot('Where it is used');
    return found;
  };

  it('reads the document of another one, and is offered nothing that changes it', async () => {
    await ben.open('/content/note');
    await ben.follow('Of Ann');
    await ben.heading('Of Ann');
    await ben.sees('You may read this, but not change it.');
    expect((await buttons()).filter((name) => name !== '')).toEqual([]);
    expect(await items()).toEqual(['Discard unsaved changes', 'Duplicate', 'Where it is used']);
    expect(await ben.texts('.desk-head-more a')).toEqual([]);
  });

  it('writes, publishes and unpublishes a document of its own', async () => {
    await ben.open('/content/note/new');
    await ben.fill('Title', 'Of Ben');
    await ben.press('Publish');
    await ben.status('Published');
    await ben.openAnew('/content/note');
    await ben.follow('Of Ben');
    await ben.heading('Of Ben');
    expect(await items()).toEqual(expect.arrayContaining(['Schedule', 'Unpublish', 'Delete']));
    expect(await ben.texts('.desk-head-more a')).toEqual(['History']);
  });

  it('changes the language that a condition names, and reads the others', async () => {
    await ben.openAnew(`/content/article/${article}`);
    await ben.sees('You may read this, but not change it.');
    expect(await ben.page.$$('.ProseMirror[contenteditable=true]')).toHaveLength(0);
    await ben.open(`/content/article/${article}?locale=fr`);
    await ben.heading('In French');
    await ben.seesNot('You may read this, but not change it.');
    await ben.fill('Title', 'Also in French');
    // All languages share the kind, so that a change of it would change the English version.
    expect(await ben.page.$$('[data-path=kind][readonly], [data-path=kind]:disabled')).toHaveLength(1);
    expect((await buttons()).filter((name) => name !== '')).toEqual(['Save']);
    await ben.saved();
  });

  it('reads a single type whose document the grant does not cover, in a missing language, too', async () => {
    await visit.api('put', '/notice?status=draft', { data: { title: 'Of Ann', area: 'hers' } });
    for (const path of ['/content/notice', '/content/notice?locale=ar']) {
      await ben.openAnew(path);
      await ben.sees('You may read this, but not change it.');
      await ben.seesNot('Saving creates it.');
      expect((await buttons()).filter((name) => name !== '')).toEqual([]);
    }
    await visit.api('put', '/notice?status=draft', { data: { area: 'his' } });
    await ben.openAnew('/content/notice?locale=ar');
    await ben.sees('Saving creates it.');
    await ben.fill('Title', 'Of Ben');
    await ben.saved();
    await ben.press('Publish');
    await ben.status('Published');
  });

  it('is not offered a publication that would store a draft', async () => {
    await ben.openAnew('/content/column/new');
    await ben.fill('Title', 'Draft of Ben');
    expect((await buttons()).filter((name) => name !== '')).toEqual(['Save']);
    await ben.press('Save');
    await ben.status('Draft');
    expect((await buttons()).filter((name) => name !== '')).toEqual(['Save']);
  });

  it('creates in the language of the grant only', async () => {
    const lea = await visit.arrive('lea', 'local');
    await lea.openAnew('/content/article/new');
    await lea.sees('You may not create documents in English. Choose another language.');
    expect((await lea.texts('.desk-savebar button')).filter((name) => name !== '')).toEqual([]);
    await lea.open('/content/article/new?locale=fr');
    await lea.fill('Title', 'En français');
    await lea.press('Save');
    await lea.status('Draft');
  });

  it('publishes what is stored, and is not offered a publication that would write', async () => {
    const ida = await visit.arrive('ida', 'issuing');
    const offered = async (): Promise<string[]> =>
      (await ida.texts('.desk-savebar button')).filter((name) => name !== '');
    await visit.api('put', `/articles/${article}?status=draft`, { data: { lead: 'Changed' } });
    await ida.openAnew(`/content/article/${article}`);
    await ida.press('Publish');
    await ida.status('Published');
    expect(await offered()).toEqual(['Publish']);
    await ida.open(`/content/article/${article}?locale=ar`);
    await ida.sees('There is no version in Arabic yet.');
    expect(await offered()).toEqual([]);
    await ida.open('/content/article/new');
    await ida.sees('This page does not exist.');
    expect(await offered()).toEqual([]);
  });

  it('sees a list without links to documents that cannot be opened', async () => {
    const [, , lea = ben] = visit.pages.map(({ page }) => new Editor(page, visit.room.desk));
    await lea.openAnew('/content/column');
    await lea.sees('Draft of Ben');
    expect(await lea.texts('tbody a')).toEqual([]);
  });

  it('is told which documents of a list others have changed or deleted, without opening any', async () => {
    const [kept, gone] = await Promise.all(
      ['Kept', 'Gone'].map((title) => visit.api('post', '/memos?status=draft', { data: { title } })),
    );
    const sue = await visit.arrive('sue', 'sending', 'Memos');
    await sue.sees('Gone');
    await sue.check('Select all on this page');
    await visit.api('put', `/memos/${kept.documentId}?status=draft`, { data: { area: 'new' } });
    await visit.api('delete', `/memos/${gone.documentId}`);
    await sue.press('Publish');
    await sue.sees('Kept (changed since you opened the list)');
    await sue.sees('Gone (deleted since you opened the list)');
    await sue.press('Cancel');
    await visit.api('delete', `/memos/${kept.documentId}`);
  });

  it('is offered what the grant allows on a document that the form has just stored', async () => {
    await ben.openAnew('/content/memo/new');
    await ben.fill('Title', 'For others');
    await ben.fill('Area', 'hers');
    await ben.press('Save');
    await ben.sees('You may read this, but not change it.');
    expect((await buttons()).filter((name) => name !== '')).toEqual([]);
    await ben.openAnew('/content/memo/new');
    await ben.fill('Area', 'his');
    await ben.press('Save');
    await ben.status('Draft');
    await ben.seesNot('You may read this, but not change it.');
    await ben.fill('Title', 'For me');
    await ben.press('Publish');
    await ben.status('Published');
  });

  it('is not offered to restore a version of a document whose draft the grant does not cover', async () => {
    const isOffered = async (): Promise<boolean> => (await ben.texts('section button')).includes('Restore');
    const data = { title: 'Shared', area: 'his' };
    const { documentId } = await visit.api('post', '/memos?status=published', { data });
    await ben.openAnew(`/history/memo/${documentId}`);
    await ben.until('Restore', isOffered);
    await visit.api('put', `/memos/${documentId}?status=draft`, { data: { area: 'hers' } });
    await ben.openAnew(`/history/memo/${documentId}`);
    await ben.until('a version', async () => (await ben.texts('section [role=tab]')).length > 0);
    // The button would follow the last response.
    await ben.page.evaluate('new Promise((resolve) => setTimeout(resolve, 500))');
    expect(await isOffered()).toBe(false);
  });

  it('reads which values of a restored version it may not change', async () => {
    const { documentId } = await visit.api('post', '/memos', { data: { title: 'One', area: 'old' } });
    await visit.api('put', `/memos/${documentId}`, { data: { title: 'Two', area: 'new' } });
    const tim = await visit.arrive('tim', 'retitling', 'Memos');
    await tim.open(`/history/memo/${documentId}`);
    await tim.until('versions', async () => (await tim.texts('nav[aria-label=Versions] a')).length > 1);
    await (await tim.page.$$('nav[aria-label=Versions] a')).at(-1)?.click();
    await tim.sees('This is the first version.');
    await tim.press('Restore');
    await tim.page.locator('.mantine-Modal-content ::-p-aria([name="Restore"][role="button"])').click();
    const dialog = (): Promise<string> => tim.texts('[role=dialog]').then((all) => all.join());
    const sentence = 'Restored, except fields that you may not change: Area';
    await tim.until('the sentence', async () => (await dialog()).includes(sentence));
    await tim.until('focus on the button', async () => (await tim.focused()) === 'Close');
    await tim.page.keyboard.press('Enter');
    await tim.until('closed dialog', async () => (await dialog()) === '');
    expect(await visit.api('get', `/memos/${documentId}?status=draft`)).toMatchObject({
      title: 'One',
      area: 'new',
    });
  });

  it('finds the form of a new document without a right to see the list', async () => {
    const wim = await visit.arrive('wim', 'writing', 'Create');
    await wim.follow('New: Memo');
    await wim.heading('New: Memo');
    await wim.fill('Title', 'For the chief');
    await wim.fill('Area', 'hers');
    await wim.press('Save');
    await wim.sees('You may not open this document again.');
    await wim.heading('For the chief');
    expect(await wim.valueOf('Area')).toBe('hers');
    await wim.page.reload();
    await wim.sees('The content could not be loaded: You do not have the right to do this.');
    expect(await wim.text()).not.toContain('Try again');
    await wim.follow('Create');
    await wim.heading('New: Memo');
    expect(await wim.valueOf('Area')).toBe('');
    await wim.open('/content/memo');
    await wim.sees('This page does not exist.');
  });

  it('goes on with a value that it may write, but not read', async () => {
    const kim = await visit.arrive('kim', 'blind', 'Memos');
    await kim.open('/content/memo/new');
    await kim.fill('Title', 'Half in the dark');
    await kim.fill('Area', 'hers');
    await kim.press('Save');
    await kim.status('Draft');
    await kim.type('Area', ' and his');
    await kim.fill('Title', 'Half in the light');
    await kim.saved();
    expect(await kim.valueOf('Area')).toBe('hers and his');
    const [stored] = await visit.api('get', '/memos?status=draft&filters[title]=Half in the light');
    expect(stored.area).toBe('hers and his');
  });
});
