/**
 * Locales, states and both sides of every relation stay consistent in any order of writes. Regression tests;
 * S1 to M7 are the numbers of review findings.
 */
import { type ContentService, defineCollectionType, getContentToken } from 'nestjs-content-api';
import { stories } from '../fixtures/stories.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { dose } from '../support/dose.ts';
import { all, BOTH_STATES, EVERYWHERE, Writer } from './writer.ts';

let test: TestApp;
let w: Writer;
beforeAll(async () => {
  test = await createTestApp(stories);
  w = new Writer(test);
});
afterAll(() => test.close());

const text = (id: string): string => `stories/${id}`;
const made = async (data: object, query = ''): Promise<string> =>
  (await w.post(`stories${query}`, data)).documentId;

describe('S1: a shared relation has the same targets in all locales, in any order of writes (D20)', () => {
  it('D20 S1: a value sent while adding a locale changes all locales', async () => {
    const [t, u] = await w.several('topics', 'tu');
    const id = await made({ title: 'a', topics: [t] });
    await w.put(`${text(id)}?locale=fr`, { title: 'fr', topics: [u] });
    expect(await w.everywhere(text(id), 'topics')).toEqual(all('u', ...EVERYWHERE));
    await w.put(text(id), {});
    await w.put(`${text(id)}?locale=fr`, {});
    expect(await w.everywhere(text(id), 'topics')).toEqual(all('u', ...EVERYWHERE));
  });

  it('D20 S1: a value sent while adding a draft of a locale changes the drafts of all locales', async () => {
    const [t, u] = await w.several('topics', 'tu');
    const id = await made({ title: 'a', topics: [t] });
    await w.put(`${text(id)}?locale=fr&status=draft`, { title: 'fr', topics: [u] });
    expect(await w.everywhere(text(id), 'topics')).toEqual({
      'en published': 't',
      'en draft': 'u',
      'fr published': 'missing',
      'fr draft': 'u',
    });
    await w.put(`${text(id)}?locale=fr`, {});
    expect(await w.everywhere(text(id), 'topics')).toEqual(all('u', ...EVERYWHERE));
  });

  it.each(['topics', 'gallery'])(
    'D20 S1: without drafts, %s sent while adding a locale changes all locales',
    async (list) => {
      const values = list === 'gallery' ? await w.files(2) : await w.several('topics', 'ab');
      const { documentId } = await w.post('cards', { title: 'a', [list]: [values[0]] });
      await w.put(`cards/${documentId}?locale=fr`, { title: 'fr', [list]: [values[1]] });
      for (const locale of ['en', 'fr'])
        expect(await w.labels(`cards/${documentId}`, list, `&locale=${locale}`)).toBe('b');
    },
  );

  it('D20 S1: stays equal after the first publish, and after publishing the other locale later', async () => {
    const [t, u] = await w.several('topics', 'tu');
    const id = await made({ title: 'a', topics: [t] }, '?status=draft');
    await w.put(`${text(id)}?locale=fr&status=draft`, { title: 'fr' });
    await w.put(text(id), { topics: [u] });
    const published = { 'en published': 'u', 'en draft': 'u', 'fr published': 'missing', 'fr draft': 'u' };
    expect(await w.everywhere(text(id), 'topics')).toEqual(published);
    await w.put(`${text(id)}?locale=fr`, {});
    expect(await w.everywhere(text(id), 'topics')).toEqual(all('u', ...EVERYWHERE));
  });

  it('D20 S1: applies to a locale that is added after the relation was set from the other side', async () => {
    const [t] = await w.several('topics', 't');
    const id = await made({ title: 'a' });
    await w.put(`topics/${t}`, { stories: [id] });
    await w.put(`${text(id)}?locale=fr`, { title: 'fr' });
    expect(await w.everywhere(text(id), 'topics')).toEqual(all('t', ...EVERYWHERE));
  });
});

describe('S2: a shared one-to-one changes its owner in all locales (D23)', () => {
  const pair = async (): Promise<[string, string, string]> => {
    const [t] = await w.several('topics', 't');
    const [a, b] = [await made({ title: 'a', emblem: t }), await made({ title: 'b' })];
    await w.put(`${text(a)}?locale=fr`, { title: 'a fr' });
    return [a, b, t!];
  };

  it('D23 S2: moved in a draft, then published', async () => {
    const [a, b, t] = await pair();
    await w.put(`${text(b)}?locale=fr`, { title: 'b fr' });
    await w.put(`${text(b)}?status=draft`, { emblem: t });
    await w.put(text(b), {});
    expect(await w.everywhere(text(a), 'emblem')).toEqual(all(null, ...EVERYWHERE));
    expect(await w.everywhere(text(b), 'emblem')).toEqual(all('t', ...EVERYWHERE));
  });

  it('D23 S2: moved in a draft, then published with a new locale', async () => {
    const [a, b, t] = await pair();
    await w.put(`${text(b)}?status=draft`, { emblem: t });
    await w.put(`${text(b)}?locale=fr`, { title: 'b fr' });
    expect(await w.everywhere(text(a), 'emblem')).toEqual(all(null, ...EVERYWHERE));
    expect(await w.everywhere(text(b), 'emblem')).toEqual(all('t', ...EVERYWHERE));
  });

  it('D23 S2: moved in a draft, then restored by discarding the draft of the former owner', async () => {
    const [a, b, t] = await pair();
    await w.put(`${text(b)}?locale=fr`, { title: 'b fr' });
    await w.put(`${text(b)}?status=draft`, { emblem: t });
    await w.service('story').discardDraft(a, {});
    expect(await w.everywhere(text(a), 'emblem')).toEqual(all('t', ...EVERYWHERE));
    expect(await w.everywhere(text(b), 'emblem')).toEqual(all(null, ...EVERYWHERE));
  });

  it('D23 S2: moved to a document of one locale, it leaves the former owner in all locales', async () => {
    const [a, b, t] = await pair();
    await w.put(text(b), { emblem: t });
    expect(await w.everywhere(text(a), 'emblem')).toEqual(all(null, ...EVERYWHERE));
    expect(await w.everywhere(text(b), 'emblem', ['en'])).toEqual(all('t', ...BOTH_STATES));
  });

  it('D23 S2: moved from the other side', async () => {
    const [a, b, t] = await pair();
    await w.put(`topics/${t}`, { emblemOf: b });
    expect(await w.everywhere(text(a), 'emblem')).toEqual(all(null, ...EVERYWHERE));
    expect(await w.everywhere(text(b), 'emblem', ['en'])).toEqual(all('t', ...BOTH_STATES));
  });
});

describe('S3: a localized one-to-one changes its owner in one locale (D23)', () => {
  const pair = async (): Promise<[string, string, string]> => {
    const [t] = await w.several('topics', 't');
    const [a, b] = [await made({ title: 'a', localEmblem: t }), await made({ title: 'b' })];
    return [a, b, t!];
  };

  it('D23 S3: moved in fr by a new version, it stays unchanged in en', async () => {
    const [a, b, t] = await pair();
    await w.put(`${text(b)}?locale=fr`, { title: 'b fr', localEmblem: t });
    expect(await w.everywhere(text(a), 'localEmblem', ['en'])).toEqual(all('t', ...BOTH_STATES));
    expect(await w.everywhere(text(b), 'localEmblem')).toEqual({
      ...all(null, 'en published', 'en draft'),
      ...all('t', 'fr published', 'fr draft'),
    });
  });

  it('D23 S3: moved in fr from the other side', async () => {
    const [a, b, t] = await pair();
    await w.put(`${text(a)}?locale=fr`, { title: 'a fr', localEmblem: t });
    await w.put(`${text(b)}?locale=fr`, { title: 'b fr' });
    await w.put(`topics/${t}?locale=fr`, { localEmblemOf: b });
    expect(await w.everywhere(text(a), 'localEmblem')).toEqual({
      ...all('t', 'en published', 'en draft'),
      ...all(null, 'fr published', 'fr draft'),
    });
    expect(await w.everywhere(`topics/${t}`, 'localEmblemOf', ['en'])).toEqual(all('a', ...BOTH_STATES));
    expect(await w.labels(`topics/${t}`, 'localEmblemOf', '&locale=fr')).toBe('b fr');
  });

  it('D23 S3: moved in a draft of fr, published, and discarded', async () => {
    const [a, b, t] = await pair();
    await w.put(`${text(a)}?locale=fr`, { title: 'a fr', localEmblem: t });
    await w.put(`${text(b)}?locale=fr&status=draft`, { title: 'b fr', localEmblem: t });
    await w.put(`${text(b)}?locale=fr`, {});
    expect(await w.everywhere(text(a), 'localEmblem')).toEqual({
      ...all('t', 'en published', 'en draft'),
      ...all(null, 'fr published', 'fr draft'),
    });
    await w.put(`${text(a)}?status=draft`, { localEmblem: null });
    await w.service('story').discardDraft(a, {});
    expect(await w.everywhere(text(a), 'localEmblem', ['en'])).toEqual(all('t', ...BOTH_STATES));
  });
});

describe('S4: publishing a document publishes its links on both sides (D22)', () => {
  const both = (id: string, attribute = 'stories') => w.everywhere(`topics/${id}`, attribute, ['en']);

  it.each([
    ['stories', 'topics'],
    ['localStories', 'localTopics'],
    ['leads', 'lead'],
  ])('D22 S4: publishes %s of a draft with the document, on both sides', async (attribute, back) => {
    const [t] = await w.several('topics', 't');
    const s = await made({ title: 's' });
    await w.put(`topics/${t}?status=draft`, { [attribute]: [s] });
    expect(await both(t!, attribute)).toEqual({ 'en published': '', 'en draft': 's' });
    await w.put(`topics/${t}`, {});
    expect(await both(t!, attribute)).toEqual(all('s', ...BOTH_STATES));
    expect(await w.everywhere(text(s), back, ['en'])).toEqual(all('t', ...BOTH_STATES));
  });

  it.each(['emblemOf', 'localEmblemOf'])(
    'D22 S4: publishes %s of a draft with the document',
    async (attribute) => {
      const [t] = await w.several('topics', 't');
      const s = await made({ title: 's' });
      await w.put(`topics/${t}?status=draft`, { [attribute]: s });
      expect(await both(t!, attribute)).toEqual({ 'en published': null, 'en draft': 's' });
      await w.put(`topics/${t}`, {});
      expect(await both(t!, attribute)).toEqual(all('s', ...BOTH_STATES));
    },
  );

  it('D22 S4: publishes a draft that was created with its relations', async () => {
    const s = await made({ title: 's' });
    const { documentId } = await w.post('topics?status=draft', { name: 't', stories: [s] });
    await w.put(`topics/${documentId}`, {});
    expect(await both(documentId)).toEqual(all('s', ...BOTH_STATES));
    expect(await w.labels(text(s), 'topics')).toBe('t');
  });

  it('D22 S4: publishes a relation that was emptied in the draft', async () => {
    const s = await made({ title: 's' });
    const { documentId } = await w.post('topics', { name: 't', stories: [s] });
    await w.put(`topics/${documentId}?status=draft`, { stories: [] });
    expect(await both(documentId)).toEqual({ 'en published': 's', 'en draft': '' });
    await w.put(`topics/${documentId}`, {});
    expect(await both(documentId)).toEqual(all('', ...BOTH_STATES));
    expect(await w.labels(text(s), 'topics')).toBe('');
  });

  it('D22 S4: discarding the draft restores its relations on both sides', async () => {
    const [a, b] = [await made({ title: 'a' }), await made({ title: 'b' })];
    const { documentId } = await w.post('topics', { name: 't', stories: [a] });
    await w.put(`topics/${documentId}?status=draft`, { stories: [b] });
    await w.service('topic').discardDraft(documentId, {});
    expect(await both(documentId)).toEqual(all('a', ...BOTH_STATES));
    expect(await w.everywhere(text(b), 'topics', ['en'])).toEqual(all('', ...BOTH_STATES));
  });

  it('D22 S4: a relation to an unpublished document shows after that document is published', async () => {
    const s = await made({ title: 's' }, '?status=draft');
    const [t] = await w.several('topics', 't');
    await w.put(`topics/${t}?status=draft`, { stories: [s] });
    await w.put(`topics/${t}`, {});
    expect(await both(t!)).toEqual({ 'en published': '', 'en draft': 's' });
    await w.put(text(s), {});
    expect(await both(t!)).toEqual(all('s', ...BOTH_STATES));
  });

  it.each([
    ['localEmblemOf', null],
    ['localStories', []],
  ])(
    'D22 S4: %s of one locale is set, and publishing includes the relations of other locales',
    async (inverse, nothing) => {
      const own = inverse === 'localStories' ? 'localTopics' : 'localEmblem';
      const [t] = await w.several('topics', 't', '?status=draft');
      const id = await made({ title: 'a' });
      await w.put(`${text(id)}?locale=fr`, { title: 'fr' });
      for (const locale of ['en', 'fr'])
        await w.put(`topics/${t!}?status=draft&locale=${locale}`, { [inverse]: [id] });
      await w.put(`topics/${t!}`, { [inverse]: nothing });
      const gone = own === 'localTopics' ? '' : null;
      expect(await w.everywhere(text(id), own)).toEqual({
        'en published': gone,
        'en draft': gone,
        'fr published': 't',
        'fr draft': 't',
      });
    },
  );

  it('D22 S4: publishes relations of localized owners in all locales', async () => {
    const s = await made({ title: 's' });
    await w.put(`${text(s)}?locale=fr`, { title: 'f' });
    const [t] = await w.several('topics', 't');
    await w.put(`topics/${t}?status=draft`, { stories: [s] });
    await w.put(`topics/${t}`, {});
    expect(await w.everywhere(text(s), 'topics')).toEqual(all('t', ...EVERYWHERE));
  });
});

describe('targets that are unpublished now (D13)', () => {
  it.each(['stories', 'localStories', 'leads'])(
    'D13 8.14 keep their position in %s, also if the list is written before they are published again',
    async (list) => {
      const [first, second] = (await w.several('stories', 'ab')) as [string, string];
      const topic = (await w.post('topics', { name: 't', [list]: [first] })).documentId;
      const service = test.app.get<ContentService>(getContentToken('story'));
      await service.unpublish(first);
      await w.put(`topics/${topic}`, { [list]: { connect: [second] } });
      expect(await w.labels(`topics/${topic}`, list)).toBe('b');
      await service.publish(first);
      expect(await w.labels(`topics/${topic}`, list)).toBe('ab');
    },
  );

  it('D13 D24 move to the end of the list of another owner that took them before they were published again', async () => {
    const [first, second] = (await w.several('stories', 'ab')) as [string, string];
    await w.post('topics', { name: 't', leads: [first] });
    const service = test.app.get<ContentService>(getContentToken('story'));
    await service.unpublish(first);
    const other = (await w.post('topics', { name: 'u', leads: [first, second] })).documentId;
    expect(await w.labels(`topics/${other}`, 'leads')).toBe('b');
    await service.publish(first);
    expect(await w.labels(`topics/${other}`, 'leads')).toBe('ba');
  });
});

describe('S7: the order of each side (D24)', () => {
  // A separate type, because position numbers start again with each table.
  const group = defineCollectionType({
    singularApiId: 'group',
    pluralApiId: 'groups',
    draftAndPublish: true,
    attributes: {
      name: { type: 'string' },
      people: { type: 'relation', relation: 'manyToMany', target: 'person', mappedBy: 'groups' },
      members: { type: 'relation', relation: 'oneToMany', target: 'person', mappedBy: 'home' },
    },
  });
  const person = defineCollectionType({
    singularApiId: 'person',
    pluralApiId: 'people',
    draftAndPublish: true,
    attributes: {
      name: { type: 'string' },
      groups: { type: 'relation', relation: 'manyToMany', target: 'group', inversedBy: 'people' },
      home: { type: 'relation', relation: 'manyToOne', target: 'group', inversedBy: 'members' },
    },
  });
  let fresh: TestApp;
  let f: Writer;
  beforeEach(async () => {
    fresh = await createTestApp({
      contentTypes: [group, person],
      access: { public: { '*': '*' as const } },
    });
    f = new Writer(fresh);
  });
  afterEach(() => fresh.close());
  const someone = async (name: string, data: object = {}, query = ''): Promise<string> =>
    (await f.post(`people${query}`, { name, ...data })).documentId;

  it.each([
    ['people', 'groups'],
    ['members', 'home'],
  ])(
    'D24 S7: %s that were set first keep their positions when the other side adds more',
    async (list, back) => {
      const ids = [await someone('1'), await someone('2'), await someone('3')];
      const { documentId } = await f.post('groups', { name: 'g', [list]: ids });
      const path = `groups/${documentId}`;
      const link = back === 'groups' ? { groups: [documentId] } : { home: documentId };
      const four = await someone('4', link);
      expect(await f.everywhere(path, list, ['en'])).toEqual(all('1234', ...BOTH_STATES));
      await f.put(`people/${four}`, {});
      await someone('5', link);
      expect(await f.everywhere(path, list, ['en'])).toEqual(all('12345', ...BOTH_STATES));
    },
  );

  it('D24 S7: appends at the end after the owning side reversed the order', async () => {
    const ids = [await someone('1'), await someone('2'), await someone('3')];
    const { documentId } = await f.post('groups', { name: 'g', people: ids });
    await f.put(`groups/${documentId}`, { people: [...ids].reverse() });
    await someone('4', { groups: [documentId] });
    expect(await f.everywhere(`groups/${documentId}`, 'people', ['en'])).toEqual(all('3214', ...BOTH_STATES));
  });

  it('D24 S7: a target linked in a draft comes last in the published version', async () => {
    const [one, late] = [await someone('1'), await someone('l')];
    const { documentId } = await f.post('groups', { name: 'g', people: [one] });
    await f.put(`people/${late}?status=draft`, { groups: [documentId] });
    await someone('2', { groups: [documentId] });
    await f.put(`people/${late}`, {});
    expect(await f.everywhere(`groups/${documentId}`, 'people', ['en'])).toEqual({
      'en published': '12l',
      'en draft': '1l2',
    });
  });
});

describe('M2: relations of a locale that a document does not have yet (D25)', () => {
  it('D25 M2: a relation set from the other side shows after the version is created', async () => {
    const [t] = await w.several('topics', 't');
    const s = await made({ title: 's' });
    await w.put(`topics/${t}?locale=fr`, { localStories: { connect: [s] } });
    expect(await w.labels(`topics/${t}`, 'localStories', '&locale=fr')).toBe('');
    expect(await w.labels(`topics/${t}`, 'localStories')).toBe('');
    await w.put(`${text(s)}?locale=fr`, { title: 'f' });
    expect(await w.everywhere(`topics/${t}`, 'localStories', ['fr'])).toEqual(
      all('f', 'fr published', 'fr draft'),
    );
    expect(await w.everywhere(text(s), 'localTopics')).toEqual({
      ...all('', ...BOTH_STATES),
      ...all('t', 'fr published', 'fr draft'),
    });
  });

  it('D25 M2: a one-to-one set from the other side shows after the version is created', async () => {
    const [t] = await w.several('topics', 't');
    const s = await made({ title: 's' });
    await w.put(`topics/${t}?locale=fr`, { localEmblemOf: s });
    await w.put(`${text(s)}?locale=fr`, { title: 'f' });
    expect(await w.labels(text(s), 'localEmblem', '&locale=fr')).toBe('t');
    expect(await w.labels(text(s), 'localEmblem')).toBeNull();
  });
});

describe('M4, M5: unchanged positions (D24)', () => {
  it('D24 M4: a document sent with its unchanged parent keeps its position', async () => {
    const ids = await w.several('nodes', 'xyz');
    const { documentId } = await w.post('nodes', { name: 'p', children: ids });
    const path = `nodes/${documentId}`;
    await w.put(`nodes/${ids[0]}`, { name: 'X', parent: documentId });
    expect(await w.everywhere(path, 'children', ['en'])).toEqual(all('Xyz', ...BOTH_STATES));
    await w.put(`nodes/${ids[1]}?status=draft`, { parent: { connect: [documentId] } });
    await w.put(`nodes/${ids[1]}`, { parent: { set: [documentId] } });
    expect(await w.everywhere(path, 'children', ['en'])).toEqual(all('Xyz', ...BOTH_STATES));
  });

  it('D24 M4: a shared to-one sent through another locale keeps its position', async () => {
    const [t] = await w.several('topics', 't');
    const [a, b] = [await made({ title: 'a', lead: t }), await made({ title: 'b', lead: t })];
    await w.put(`${text(a)}?locale=fr`, { title: 'a', lead: t });
    expect(await w.everywhere(`topics/${t}`, 'leads', ['en'])).toEqual(all('ab', ...BOTH_STATES));
    await w.put(`${text(b)}?locale=fr`, { title: 'b' });
    expect(await w.everywhere(`topics/${t}`, 'leads')).toEqual(all('ab', ...EVERYWHERE));
  });

  it('D24 M5: locales share the order of a shared one-to-many', async () => {
    const ids = await w.several('chapters', '123');
    const s = await made({ title: 's', chapters: [ids[1], ids[2], ids[0]] });
    await w.put(`${text(s)}?locale=fr`, { title: 'f' });
    for (const [i, id] of ids.entries()) await w.put(`chapters/${id}?locale=fr`, { title: String(i + 1) });
    expect(await w.everywhere(text(s), 'chapters')).toEqual(all('231', ...EVERYWHERE));
    await w.put(`${text(s)}?locale=fr`, { chapters: [...ids].reverse() });
    expect(await w.everywhere(text(s), 'chapters')).toEqual(all('321', ...EVERYWHERE));
  });

  it('D24 M5: locales share the order of a shared many-to-many', async () => {
    const ids = await w.several('topics', '123');
    const s = await made({ title: 's', topics: [ids[1], ids[2], ids[0]] });
    await w.put(`${text(s)}?locale=fr`, { title: 'f', topics: ids });
    expect(await w.everywhere(text(s), 'topics')).toEqual(all('123', ...EVERYWHERE));
  });
});

describe('M6: updatedAt and the modified state of a version (D21)', () => {
  const stamp = async (path: string, query = ''): Promise<string> =>
    (await w.get(`${path}?${query}`)).updatedAt;
  const modified = async (plural: string, id: string, query = ''): Promise<boolean> => {
    const path = `${plural}?status=draft&filters[documentId]=${id}${query}&publicationFilter=`;
    const [yes, no] = [await w.get(`${path}modified`), await w.get(`${path}unmodified`)];
    expect(yes.length + no.length).toBe(1);
    return yes.length === 1;
  };
  const localized = async (data: object = {}): Promise<string> => {
    const id = await made({ title: 's', ...data });
    await w.put(`${text(id)}?locale=fr`, { title: 'f' });
    return id;
  };

  it('D21 M6: a shared value written through one locale changes updatedAt in all', async () => {
    const id = await localized();
    const before = [await stamp(text(id)), await stamp(text(id), 'status=draft')];
    await w.put(`${text(id)}?locale=fr`, { rank: 7 });
    expect((await stamp(text(id))) > before[0]!).toBe(true);
    expect((await stamp(text(id), 'status=draft')) > before[1]!).toBe(true);
  });

  it('D21 M6: a localized value changes updatedAt in its own locale only', async () => {
    const id = await localized();
    const before = await stamp(text(id));
    await w.put(`${text(id)}?locale=fr`, { title: 'f2' });
    expect(await stamp(text(id))).toBe(before);
    expect(await modified('stories', id)).toBe(false);
  });

  it.each([
    ['a value', { rank: 8 }],
    ['a list', { topics: [] }],
  ])(
    'D21 M6: %s that is shared, in a draft of one locale, marks all locales as modified',
    async (_, data) => {
      const id = await localized({ rank: 5, topics: await w.several('topics', 't') });
      expect([await modified('stories', id), await modified('stories', id, '&locale=fr')]).toEqual([
        false,
        false,
      ]);
      await w.put(`${text(id)}?locale=fr&status=draft`, data);
      expect([await modified('stories', id), await modified('stories', id, '&locale=fr')]).toEqual([
        true,
        true,
      ]);
      await w.put(`${text(id)}?locale=fr`, {});
      expect([await modified('stories', id), await modified('stories', id, '&locale=fr')]).toEqual([
        false,
        false,
      ]);
    },
  );

  it('D21 M6: relations changed from the other side modify their owner and not the target', async () => {
    const id = await localized();
    const [t] = await w.several('topics', 't');
    const before = { story: await stamp(text(id), 'status=draft'), topic: await stamp(`topics/${t}`) };
    await w.put(`topics/${t}?status=draft`, { stories: [id] });
    expect(await modified('stories', id)).toBe(true);
    expect((await stamp(text(id), 'status=draft')) > before.story).toBe(true);
    await w.put(text(id), {});
    expect(await modified('stories', id)).toBe(false);
    expect(await stamp(`topics/${t}`)).toBe(before.topic);
  });

  it('D21: moving a target from one relation to another modifies the document', async () => {
    const [x, y] = await w.several('topics', 'xy');
    const id = await made({ title: 'a', localTopics: [x, y] });
    await w.put(`${text(id)}?status=draft`, { localEmblem: x, localTopics: [y] });
    expect(await modified('stories', id)).toBe(true);
    await w.put(`${text(id)}?status=draft`, { localEmblem: null, localTopics: [x, y] });
    expect(await modified('stories', id)).toBe(false);
  });

  it('D21 M6: a document that becomes a target does not change', async () => {
    const [t] = await w.several('topics', 't');
    const before = await stamp(`topics/${t}`);
    await made({ title: 's', topics: [t], lead: t, emblem: t });
    expect(await stamp(`topics/${t}`)).toBe(before);
    expect(await modified('topics', t!)).toBe(false);
  });

  it('D21 M6: a document that loses a one-to-one target changes', async () => {
    const [t] = await w.several('topics', 't');
    const [a, b] = [await made({ title: 'a', emblem: t }), await made({ title: 'b' })];
    const before = await stamp(text(a));
    await w.put(`${text(b)}?status=draft`, { emblem: t });
    expect([await stamp(text(a)), await modified('stories', a)]).toEqual([before, true]);
    await w.put(text(b), {});
    expect((await stamp(text(a))) > before).toBe(true);
    expect(await modified('stories', a)).toBe(false);
  });

  it('D20 D21: an unmodified published document accepts a moved target in every locale and on both sides', async () => {
    const [t, u, v] = await w.several('topics', 'tuv');
    const id = await localized({ rank: 5, topics: [t, u], lead: t, localTopics: [u] });
    await w.put(text(id), { title: 'n', rank: 6, lead: v });
    const stored = await test.sql(
      `select locale, title, rank, lead_document_id as lead, revision::text, updated_at from stories
       where document_id = $1 order by locale, published`,
      [id],
    );
    for (const [draft, published] of [stored.slice(0, 2), stored.slice(2)]) expect(published).toEqual(draft);
    const given = { rank: 6, lead: v };
    expect([stored[0], stored[2]]).toMatchObject([
      { title: 'n', ...given },
      { title: 'f', ...given },
    ]);
    expect(await w.everywhere(text(id), 'topics')).toEqual(all('tu', ...EVERYWHERE));
    expect(await w.everywhere(text(id), 'localTopics', ['en'])).toEqual(all('u', ...BOTH_STATES));
    for (const [topic, leads] of [
      [t, ''],
      [v, 'n'],
    ])
      expect(await w.everywhere(`topics/${topic}`, 'leads', ['en'])).toEqual(all(leads, ...BOTH_STATES));
  });

  it('D21 D24: freed positions change no document', async () => {
    const [t] = await w.several('topics', 't');
    const id = await made({ title: 's', lead: t });
    await w.put(`${text(id)}?status=draft`, { lead: null });
    await w.put(`topics/${t}`, {});
    const before = await stamp(text(id));
    await w.put(`${text(id)}?locale=fr`, { title: 'f', lead: null });
    expect(await stamp(text(id))).toBe(before);
  });

  it('D21: publishes rows without a known revision completely', async () => {
    const id = await made({ title: 's', rank: 1 });
    const write = `update stories set revision = 0, rank = case when published then 1 else 9 end where document_id = $1`;
    await test.sql(write, [id]);
    await w.put(text(id), { title: 'x' });
    expect(await w.get(text(id))).toMatchObject({ title: 'x', rank: 9 });
  });

  it('D21 M6: a discarded draft is unmodified in all locales', async () => {
    const id = await localized({ rank: 1 });
    await w.put(`${text(id)}?locale=fr&status=draft`, { rank: 2, title: 'g' });
    await w.service('story').discardDraft(id, { locale: 'fr' });
    expect([await modified('stories', id), await modified('stories', id, '&locale=fr')]).toEqual([
      false,
      false,
    ]);
  });
});

describe('M7: concurrent writers of one table', () => {
  it('M7: concurrent writes of one relation type from both sides do not deadlock', async () => {
    const ids = await w.several('nodes', 'abcdef');
    const deadlocks = async (): Promise<number> =>
      Number(
        (await test.sql('select deadlocks from pg_stat_database where datname = current_database()'))[0]?.[
          'deadlocks'
        ],
      );
    const before = await deadlocks();
    const pick = (i: number): string => ids[i % ids.length]!;
    const work = Array.from({ length: dose(96, 240) }, (_, i) => {
      const bodies = [
        { partnerOf: pick(i + 1) },
        { children: [pick(i + 2), pick(i + 5)] },
        { partner: pick(i + 3), parent: pick(i + 4) },
      ];
      return () => test.http.put(`/api/nodes/${pick(i * 7)}`).send({ data: bodies[i % 3] });
    });
    const statuses: number[] = [];
    for (let at = 0; at < work.length; at += 24)
      statuses.push(
        ...(await Promise.all(work.slice(at, at + 24).map((send) => send()))).map(({ status }) => status),
      );
    expect(new Set(statuses)).toEqual(new Set([200]));
    // A session reports its deadlock statistics when it ends, at the latest.
    await test.sql(
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
    );
    expect((await deadlocks()) - before).toBe(0);
  });
});
