/** Journeys of editors whose grants cover some documents only: nothing is offered that the API refuses. */
import { defineCollectionType, type Grants } from 'nestjs-content-api';
import { hasBrowser } from './browser.ts';
import type { Editor } from './editor.ts';
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
const READS = ['find', 'findOne', 'readDrafts'] as const;
const CHANGES = ['update', 'delete', 'publish'] as const;
const ROLES: Readonly<Record<string, Grants>> = {
  noter: {
    desk: ['open'],
    locale: ['find'],
    article: [...READS, 'create', { actions: CHANGES, where: () => ({ locale: 'fr' }) }],
    note: [...READS, 'create', { actions: CHANGES, own: true }],
  },
};

(hasBrowser ? describe : describe.skip)('an editor of some documents', () => {
  let visit: Visit;
  let ben: Editor;
  let article = '';
  beforeAll(async () => {
    visit = await startVisit('express', { contentTypes: [note], roles: ROLES });
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

  it('writes, publishes and unpublishes an own document', async () => {
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
    await ben.saved();
  });
});
