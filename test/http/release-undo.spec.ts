/** Undo of releases as a whole, and the order in which links are published. */
import { Injectable } from '@nestjs/common';
import {
  AfterContent,
  type AuthStrategy,
  type ContentEvent,
  type ContentService,
  type Credentials,
  defineCollectionType,
  defineComponent,
  defineSingleType,
  type Identity,
  InjectContent,
  OnContentCommitted,
} from 'nestjs-content-api';
import { HistoryModule } from 'nestjs-content-api/history';
import { ReleasesModule } from 'nestjs-content-api/releases';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';
import { snapshot } from './helpers.ts';

const part = defineComponent({
  uid: 'test.part',
  attributes: { text: { type: 'string' }, note: { type: 'string', private: true } },
});
const page = defineCollectionType({
  singularApiId: 'page',
  pluralApiId: 'pages',
  draftAndPublish: true,
  localized: true,
  history: true,
  stages: { idea: { to: ['ready'] }, ready: { to: ['idea'], publish: true } },
  attributes: {
    title: { type: 'string', required: true, localized: true },
    code: { type: 'string' },
    secret: { type: 'string', private: true },
    slug: { type: 'string', unique: true, localized: true },
    parts: { type: 'component', component: 'test.part', repeatable: true, localized: true },
    next: { type: 'relation', relation: 'oneToOne', target: 'page', inversedBy: 'previous' },
    previous: { type: 'relation', relation: 'oneToOne', target: 'page', mappedBy: 'next' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'tag', inversedBy: 'pages' },
  },
});
const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  draftAndPublish: true,
  history: true,
  attributes: {
    name: { type: 'string', required: true },
    pages: { type: 'relation', relation: 'manyToMany', target: 'page', mappedBy: 'tags' },
  },
});
const plain = defineCollectionType({
  singularApiId: 'plain',
  pluralApiId: 'plains',
  draftAndPublish: true,
  attributes: { name: { type: 'string' } },
});
const front = defineSingleType({
  singularApiId: 'front',
  draftAndPublish: true,
  history: true,
  attributes: { title: { type: 'string' } },
});

const OPEN = { releases: ['open'] } as const;
const READ = ['find', 'findOne', 'readDrafts'] as const;
const ROLES = {
  all: { '*': '*' },
  publisher: { ...OPEN, page: [...READ, 'publish'], tag: [...READ, 'publish'] },
  writer: { ...OPEN, page: [...READ, 'update'] },
  titles: { ...OPEN, page: [...READ, 'publish', { actions: ['update'], fields: ['title'] }], tag: '*' },
  tagless: { ...OPEN, page: '*' },
  openTags: { ...OPEN, page: '*', tag: [{ actions: READ, where: { name: 'open' } }] },
  red: { ...OPEN, page: [{ actions: '*', where: { code: 'red' } }] },
} as const;

class UserHeader implements AuthStrategy {
  readonly name = 'user-header';
  authenticate({ headers }: Credentials): Identity | null {
    const role = headers['x-role'];
    return typeof role === 'string' ? { kind: 'user', id: role, roles: [role] } : null;
  }
}

const seen: string[] = [];

@Injectable()
class Watcher {
  constructor(@InjectContent('tag') private readonly tags: ContentService) {}

  @AfterContent('page', 'publish')
  async rename({ document, em }: ContentEvent): Promise<void> {
    const named = /^Names (\w+)$/.exec(String(document?.['title']))?.[1];
    if (named !== undefined && em !== null) await this.tags.update(named, { name: 'by a hook' }, {}, { em });
  }

  @OnContentCommitted('page', 'create', 'update', 'publish', 'unpublish')
  on({ action, locale, document }: ContentEvent): void {
    seen.push(`${action} ${String(locale)} ${String(document?.['title'])}`);
  }
}

describe.each(ADAPTERS)('undo of releases on %s', (adapter) => {
  let test: TestApp;
  const options = {
    components: [part],
    contentTypes: [page, tag, plain, front],
    locales: ['en', 'fr'],
    access: { roles: ROLES },
    auth: { strategies: [new UserHeader()] },
  };
  beforeAll(async () => {
    test = await createTestApp(
      { ...options, imports: [ReleasesModule.forRoot(), HistoryModule.forRoot()], providers: [Watcher] },
      adapter,
    );
  });
  afterAll(() => test.close());

  const send = async (method: string, path: string, data?: unknown, as = 'all'): Promise<any> => {
    const response = await fetch(`${test.url}/api/${path}`, {
      method,
      headers: { 'x-role': as, 'content-type': 'application/json' },
      ...(data === undefined ? {} : { body: JSON.stringify({ data }) }),
    });
    const text = await response.text();
    return { status: response.status, ...(text === '' ? {} : (JSON.parse(text) as object)) };
  };
  const draft = async (path: string, data: object): Promise<string> => {
    const made = await send('POST', `${path}?status=draft`, data);
    expect([made.status, made.error]).toEqual([201, undefined]);
    return made.data.documentId;
  };
  const edit = async (path: string, data: object): Promise<void> => {
    const at = path.includes('?') ? `${path}&status=draft` : `${path}?status=draft`;
    const { status, error } = await send('PUT', at, data);
    expect([status, error]).toEqual([200, undefined]);
  };
  const publish = async (path: string): Promise<void> => {
    const { status, error } = await send('PUT', path, {});
    expect([status, error]).toEqual([200, undefined]);
  };
  const entry = (type: string, documentId: string, more: object = {}) => ({ type, documentId, ...more });
  const prepared = async (entries: readonly object[]): Promise<string> => {
    const { data } = await send('POST', 'releases', { name: 'Undone' });
    const added = await send('POST', `releases/${data.id}/entries`, entries);
    expect([added.status, added.error]).toEqual([200, undefined]);
    return data.id;
  };
  const released = async (entries: readonly object[]): Promise<string> => {
    const id = await prepared(entries);
    const { status, error } = await send('POST', `releases/${id}/actions/publish`);
    expect([status, error]).toEqual([200, undefined]);
    return id;
  };
  const undo = (id: string, as?: string) => send('POST', `releases/${id}/actions/undo`, undefined, as);
  const dryRun = async (id: string, as?: string): Promise<any> =>
    (await send('POST', `releases/${id}/actions/undo`, { dryRun: true }, as)).data;
  /** Documents as responses show them, without times and row ids. */
  const shown = async (path: string): Promise<any> => {
    const { status, data } = await send('GET', `${path}${path.includes('?') ? '&' : '?'}populate=*`);
    if (status !== 200) return status;
    const bare = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(bare);
      if (typeof value !== 'object' || value === null) return value;
      const { id: _id, documentId, createdAt: _c, updatedAt: _u, publishedAt: _p, ...rest } = value as any;
      const inside = Object.fromEntries(Object.entries(rest).map(([name, one]) => [name, bare(one)]));
      return 'createdAt' in value ? { documentId, ...inside } : inside;
    };
    return bare(data);
  };
  const shownTime = async (id: string): Promise<string> => (await send('GET', `pages/${id}`)).data.updatedAt;
  /** The rows and links of drafts, with all columns. */
  const drafts = async (documentId: string): Promise<unknown> => [
    await test.sql('select * from pages where document_id = $1 and not published order by locale', [
      documentId,
    ]),
    await test.sql('select * from pages_tags_links where not published order by 1, 2, 3'),
  ];

  it('27.13 keeps the private values of instances that the release has changed', async () => {
    const id = await draft('pages', { title: 'Parts', parts: [{ text: 'a', note: 'kept' }], stage: 'ready' });
    await publish(`pages/${id}`);
    const live = async (): Promise<any> =>
      (await test.sql('select parts from pages where document_id = $1 and published', [id]))[0]?.['parts'];
    const before = await live();
    await edit(`pages/${id}`, { parts: [{ id: before[0].id, text: 'b' }, { text: 'c' }] });
    expect((await undo(await released([entry('page', id, { locale: 'en' })]))).status).toBe(200);
    expect(await live()).toEqual(before);
  });

  it('27.13 publishes again what was published before writes of hooks', async () => {
    const kept = await draft('tags', { name: 'kept' });
    await publish(`tags/${kept}`);
    const fresh = await draft('tags', { name: 'fresh' });
    await edit(`tags/${kept}`, { name: 'draft' });
    for (const [one, then] of [
      [kept, 'kept'],
      [fresh, 404],
    ] as const) {
      const page = await draft('pages', { title: `Names ${one}`, stage: 'ready' });
      const id = await released([entry('tag', one), entry('page', page, { locale: 'en' })]);
      expect(await shown(`tags/${one}`)).toMatchObject({ name: 'by a hook' });
      expect((await dryRun(id)).entries.map(({ outcome }: any) => outcome)).toEqual(['changes', 'changes']);
      expect((await undo(id)).error).toBe(undefined);
      expect(await shown(`tags/${one}`)).toEqual(
        then === 404 ? then : expect.objectContaining({ name: then }),
      );
    }
  });

  it('27.13 publishes again what was published before, and leaves the drafts as they are', async () => {
    const [t1, t2] = [await draft('tags', { name: 'one' }), await draft('tags', { name: 'two' })];
    for (const one of [t1, t2]) await publish(`tags/${one}`);
    const old = await draft('pages', {
      title: 'Old',
      code: 'red',
      secret: 's1',
      slug: `slug-${adapter}`,
      stage: 'idea',
      parts: [{ text: 'a', note: 'n' }, { text: 'b' }],
      tags: [t1, t2],
    });
    await edit(`pages/${old}`, { stage: 'ready' });
    await publish(`pages/${old}`);
    const gone = await draft('pages', { title: 'Gone' });
    await edit(`pages/${gone}`, { stage: 'ready' });
    await publish(`pages/${gone}`);
    const fresh = await draft('pages', { title: 'Fresh' });
    await edit(`pages/${fresh}`, { stage: 'ready' });
    await edit(`pages/${old}`, {
      title: 'New',
      code: 'blue',
      slug: null,
      parts: [{ text: 'c' }],
      tags: [t2],
      next: fresh,
    });
    await edit(`front`, { title: 'Home' });
    const before = {
      old: await shown(`pages/${old}`),
      gone: await shown(`pages/${gone}`),
      front: await shown('front'),
    };
    const id = await released([
      entry('page', old, { locale: 'en' }),
      entry('page', fresh, { locale: 'en' }),
      entry('page', gone, { locale: 'en', action: 'unpublish' }),
      { type: 'front' },
    ]);
    expect(await shown(`pages/${old}`)).toMatchObject({ title: 'New', tags: [{ name: 'two' }] });
    await edit(`pages/${old}`, { title: 'Later', secret: 's2', tags: [] });
    const then = {
      old: await drafts(old),
      gone: await shown(`pages/${gone}?status=draft`),
      fresh: await drafts(fresh),
    };
    const report = await dryRun(id);
    expect(report.entries.map((one: any) => [one.outcome, one.error])).toEqual([
      ['changes', null],
      ['changes', null],
      ['changes', null],
      ['changes', null],
    ]);
    expect(await shown(`pages/${old}`)).toMatchObject({ title: 'New' });
    seen.length = 0;
    const undone = await undo(id);
    expect([undone.status, undone.error]).toEqual([200, undefined]);
    expect(undone.data).toMatchObject({ state: 'open', at: null, releasedAt: null, releasedBy: null });
    expect({
      old: await shown(`pages/${old}`),
      gone: await shown(`pages/${gone}`),
      front: await shown('front'),
    }).toEqual(before);
    expect(await shown(`pages/${fresh}`)).toBe(404);
    expect({
      old: await drafts(old),
      gone: await shown(`pages/${gone}?status=draft`),
      fresh: await drafts(fresh),
    }).toEqual(then);
    expect(await test.sql('select secret from pages where document_id = $1 and published', [old])).toEqual([
      { secret: 's1' },
    ]);
    expect([...seen].sort()).toEqual([
      'publish en Gone',
      'publish en Gone',
      'publish en Old',
      'unpublish en Fresh',
      'update en Gone',
    ]);
    const [latest] = (await send('GET', `pages/${old}/versions?status=published`)).data;
    expect(latest).toMatchObject({ action: 'update', by: { kind: 'user', id: 'all' } });
    expect((await send('POST', `releases/${id}/actions/publish`)).data.state).toBe('released');
    expect(await shown(`pages/${old}`)).toMatchObject({ title: 'Later', tags: [] });
    expect((await undo(id)).status).toBe(200);
    expect(await shown(`pages/${old}`)).toEqual(before.old);
  });

  it('27.13 brings back each locale, and the values that locales share', async () => {
    const id = await draft('pages', { title: 'One', code: 'a' });
    await edit(`pages/${id}`, { stage: 'ready' });
    await publish(`pages/${id}`);
    await edit(`pages/${id}?locale=fr`, { title: 'Un' });
    await edit(`pages/${id}?locale=fr`, { stage: 'ready', code: 'b' });
    const before = await shown(`pages/${id}`);
    const one = await released([entry('page', id, { locale: 'fr' })]);
    expect((await shown(`pages/${id}`)).code).toBe('b');
    expect((await dryRun(one)).entries).toMatchObject([{ outcome: 'changes', locale: 'fr' }]);
    expect((await undo(one)).status).toBe(200);
    expect([await shown(`pages/${id}`), await shown(`pages/${id}?locale=fr`)]).toEqual([before, 404]);
    await edit(`pages/${id}`, { title: 'Two' });
    for (const entries of [
      [entry('page', id, { locale: '*' })],
      ['fr', 'en'].map((locale) => entry('page', id, { locale })),
    ]) {
      const both = await released(entries);
      expect((await shown(`pages/${id}?locale=fr`)).title).toBe('Un');
      const { entries: checked } = await dryRun(both);
      expect(checked.map((e: any) => [e.outcome, e.error])).toEqual(entries.map(() => ['changes', null]));
      expect((await undo(both)).error).toBe(undefined);
      expect([await shown(`pages/${id}`), await shown(`pages/${id}?locale=fr`)]).toEqual([before, 404]);
      expect((await shown(`pages/${id}?status=draft&locale=fr`)).title).toBe('Un');
    }
  });

  it('27.14 names the entries that cannot be undone, and changes nothing', async () => {
    const names = ['fine', 'changed', 'again', 'deleted', 'lost'];
    const ids = await Promise.all(names.map((name) => draft('tags', { name })));
    const [, changed, again, deleted, lost] = ids;
    for (const id of [changed, again, deleted, lost]) await publish(`tags/${id}`);
    for (const id of ids) await edit(`tags/${id}`, { name: 'released' });
    const other = await draft('plains', { name: 'x' });
    const id = await released([...ids.map((one) => entry('tag', one)), entry('plain', other)]);
    await send('PUT', `tags/${changed}`, { name: 'by hand' });
    await send('PUT', `tags/${again}`, {});
    await send('DELETE', `tags/${deleted}`);
    await test.sql(
      `delete from content_version where document_id = $1 and published and content->>'name' = 'lost'`,
      [lost],
    );
    const before = await snapshot(test);
    const report = await dryRun(id);
    expect(await snapshot(test)).toEqual(before);
    expect(report.entries.map((e: any) => [e.outcome, e.error?.status, e.error?.details])).toEqual([
      ['changes', undefined, undefined],
      ['refused', 409, { reason: 'changed' }],
      ['refused', 409, { reason: 'changed' }],
      ['refused', 409, { reason: 'deleted' }],
      ['refused', 409, { reason: 'unknown' }],
      ['refused', 409, { reason: 'noHistory' }],
    ]);
    const refused = await undo(id);
    expect(refused.error).toMatchObject({
      status: 409,
      name: 'ConflictError',
      details: { reason: 'changed', entry: report.entries[1].id },
    });
    expect(await snapshot(test)).toEqual(before);
  });

  it('27.14 undoes all entries or none', async () => {
    const slug = `taken-${adapter}`;
    const [first, second] = [
      await draft('pages', { title: 'A', slug }),
      await draft('pages', { title: 'B' }),
    ];
    for (const id of [first, second]) await edit(`pages/${id}`, { stage: 'ready' });
    await publish(`pages/${first}`);
    await edit(`pages/${first}`, { slug: null });
    const id = await released([first, second].map((one) => entry('page', one, { locale: 'en' })));
    const taker = await draft('pages', { title: 'C', slug });
    await edit(`pages/${taker}`, { stage: 'ready' });
    await publish(`pages/${taker}`);
    const before = await snapshot(test);
    expect((await dryRun(id)).entries.map((e: any) => [e.outcome, e.error?.status])).toEqual([
      ['refused', 400],
      ['changes', undefined],
    ]);
    expect((await undo(id)).status).toBe(400);
    expect(await snapshot(test)).toEqual(before);
    await send('DELETE', `pages/${taker}`);
    expect((await undo(id)).status).toBe(200);
    expect((await shown(`pages/${first}`)).slug).toBe(slug);
    expect(await shown(`pages/${second}`)).toBe(404);
  });

  it('27.15 needs the rights to publish, to update and to see all that changes', async () => {
    const label = await draft('tags', { name: 'hidden' });
    const make = async (code: string): Promise<string> => {
      const id = await draft('pages', { title: 'Then', code, tags: [label] });
      await edit(`pages/${id}`, { stage: 'ready' });
      await publish(`pages/${id}`);
      return id;
    };
    const [titled, linked, red, blue] = [
      await make('red'),
      await make('red'),
      await make('red'),
      await make('blue'),
    ];
    await edit(`pages/${titled}`, { title: 'Now' });
    await edit(`pages/${linked}`, { title: 'Now', tags: [] });
    await edit(`pages/${red}`, { title: 'Now', code: 'blue' });
    await edit(`pages/${blue}`, { title: 'Now', code: 'red' });
    const at = { locale: 'en' };
    const [one, other, turned, back] = [
      await released([entry('page', titled, at)]),
      await released([entry('page', linked, at)]),
      await released([entry('page', red, at)]),
      await released([entry('page', blue, at)]),
    ];
    const refusals = async (id: string, as: string): Promise<unknown> => {
      const { status, error } = await undo(id, as);
      return [status, Object.keys(error.details)];
    };
    expect(await refusals(one, 'publisher')).toEqual([403, ['entry']]);
    expect(await refusals(one, 'writer')).toEqual([403, ['entry']]);
    expect((await send('POST', `releases/${one}/actions/undo`, undefined, 'stranger')).status).toBe(403);
    expect(await refusals(other, 'titles')).toEqual([403, ['entry']]);
    for (const id of [turned, back]) expect(await refusals(id, 'red')).toEqual([403, ['entry']]);
    expect((await dryRun(turned, 'red')).entries).toEqual([]);
    // Also if only titles differ: another response would tell that nothing else does.
    expect(await refusals(one, 'titles')).toEqual([403, ['entry']]);
    for (const id of [one, other, turned, back]) expect((await undo(id)).status).toBe(200);
    expect(await shown(`pages/${red}`)).toMatchObject({ title: 'Then', code: 'red' });
  });

  it('27.15 does not disclose what became of a document that the caller no longer finds', async () => {
    const fates: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
      unchanged: () => Promise.resolve(),
      changed: (id) => publish(`pages/${id}`),
      unpublished: (id) => released([entry('page', id, { locale: '*', action: 'unpublish' })]),
      deleted: (id) => send('DELETE', `pages/${id}`),
    };
    /** Response to "red" about the undo of a release of a page that has moved to a code and met its fate. */
    const told = async (code: string, fate: keyof typeof fates): Promise<unknown> => {
      const id = await draft('pages', { title: 'Then', code: 'red' });
      await edit(`pages/${id}`, { stage: 'ready' });
      const release = await released([entry('page', id, { locale: 'en' })]);
      expect((await send('PUT', `pages/${id}`, { code })).status).toBe(200);
      await fates[fate]?.(id);
      const { status, error } = await undo(release, 'red');
      return [fate, status, error?.message, error?.details.reason];
    };
    for (const fate of Object.keys(fates))
      expect(await told('blue', fate)).toEqual([fate, 403, 'Forbidden', undefined]);
    expect(await told('red', 'changed')).toContain('changed');
    expect(await told('red', 'deleted')).toEqual([
      'deleted',
      409,
      'The document has been deleted since',
      'deleted',
    ]);
  });

  it.each(['tagless', 'openTags'])(
    '27.15 puts back links that the caller may not see, and discloses nothing about them to "%s"',
    async (as) => {
      const [closed, other] = [
        await draft('tags', { name: 'closed' }),
        await draft('tags', { name: 'other' }),
      ];
      for (const one of [closed, other]) await publish(`tags/${one}`);
      /** The response to an undo, and the document after it, without what differs between documents. */
      const undone = async (
        title: string,
        [before, after]: readonly [readonly string[], readonly string[]],
      ): Promise<unknown> => {
        const id = await draft('pages', { title: 'Then', tags: before });
        await edit(`pages/${id}`, { stage: 'ready' });
        await publish(`pages/${id}`);
        await edit(`pages/${id}`, { title, tags: after });
        const release = await released([entry('page', id, { locale: 'en' })]);
        const stamp = await shownTime(id);
        const ids = [release, id].map((one) => `"${one}"`);
        const report = await dryRun(release, as);
        const responses = [
          report,
          await undo(release, as),
          await send('GET', `pages/${id}?populate=*`, undefined, as),
        ];
        const versions = await send('GET', `pages/${id}/versions?status=published`, undefined, as);
        responses.push(versions, (await shownTime(id)) > stamp);
        expect((await shown(`pages/${id}`)).tags.map((one: any) => one.documentId)).toEqual(before);
        const text = JSON.stringify([report.entries[0].outcome, responses]);
        return ids
          .reduce((rest, one) => rest.replaceAll(one, '<own>'), text)
          .replace(/"(\d+|\d{4}-[^"]*Z)"|"id":\d+/g, '<own>');
      };
      for (const title of ['Now', 'Then']) {
        const same = await undone(title, [[closed], [closed]]);
        for (const part of ['"changes"', '"title":"Then"', 'true]']) expect(same).toContain(part);
        for (const lists of [
          [[closed], []],
          [[], [closed]],
          [
            [closed, other],
            [other, closed],
          ],
        ] as const)
          expect(await undone(title, lists)).toBe(same);
      }
    },
  );

  it('27.13 gives unique values back that documents of the release have passed on', async () => {
    const slugs = ['first', 'second', 'third'].map((name) => `${name}-${adapter}`);
    const ids: string[] = [];
    for (const slug of slugs) {
      const id = await draft('pages', { title: slug, slug });
      await edit(`pages/${id}`, { stage: 'ready' });
      await publish(`pages/${id}`);
      ids.push(id);
    }
    const [gone, a, b] = ids as [string, string, string];
    await edit(`pages/${a}`, { slug: slugs[0] });
    await edit(`pages/${b}`, { slug: slugs[1] });
    const id = await released([
      entry('page', a, { locale: 'en' }),
      entry('page', b, { locale: 'en' }),
      entry('page', gone, { locale: 'en', action: 'unpublish' }),
    ]);
    const live = () => Promise.all([gone, a, b].map(async (one) => (await shown(`pages/${one}`)).slug));
    expect(await live()).toEqual([undefined, slugs[0], slugs[1]]);
    expect((await dryRun(id)).entries.map(({ outcome }: any) => outcome)).toEqual(Array(3).fill('changes'));
    expect((await undo(id)).error).toBe(undefined);
    expect(await live()).toEqual(slugs);
  });

  it('27.13 gives back the links that linked documents had changed before the release', async () => {
    const [a, b] = [await draft('tags', { name: 'a' }), await draft('tags', { name: 'b' })];
    for (const one of [a, b]) await publish(`tags/${one}`);
    const target = await draft('pages', { title: 'Target', stage: 'ready' });
    await publish(`pages/${target}`);
    const page = await draft('pages', { title: 'Page', tags: [a, b], next: target, stage: 'ready' });
    await publish(`pages/${page}`);
    await edit(`pages/${page}`, { title: 'Edited' });
    expect((await send('PUT', `tags/${a}`, { pages: [] })).status).toBe(200);
    const before = await shown(`pages/${page}`);
    expect(before.tags).toMatchObject([{ name: 'b' }]);
    // Its publication takes the target from the page, before the page itself is published.
    const rival = await draft('pages', { title: 'Rival', next: target, stage: 'ready' });
    const id = await released([
      entry('page', rival, { locale: 'en' }),
      entry('page', page, { locale: 'en' }),
    ]);
    expect((await undo(id)).error).toBe(undefined);
    expect(await shown(`pages/${page}`)).toEqual(before);
  });

  it('27.13 publishes a document again without the new links of its draft that others own', async () => {
    const [target, tagged] = [
      await draft('pages', { title: 'Target' }),
      await draft('pages', { title: 'P' }),
    ];
    const page = await draft('pages', { title: 'Previous' });
    const label = await draft('tags', { name: 'label' });
    for (const id of [target, tagged, page]) await edit(`pages/${id}`, { stage: 'ready' });
    const paths = [`pages/${page}`, `tags/${label}`, `pages/${target}`, `pages/${tagged}`];
    for (const path of paths) await publish(path);
    await edit(`pages/${page}`, { previous: target });
    await edit(`tags/${label}`, { pages: [tagged] });
    const before = await Promise.all(paths.map(shown));
    const id = await released([
      entry('page', page, { locale: 'en', action: 'unpublish' }),
      entry('tag', label, { action: 'unpublish' }),
      entry('page', target, { locale: 'en' }),
      entry('page', tagged, { locale: 'en' }),
    ]);
    expect((await undo(id)).error).toBe(undefined);
    expect(await Promise.all(paths.map(shown))).toEqual(before);
  });

  it('27.13 publishes a document again without taking a target that another one gets back', async () => {
    const target = await draft('pages', { title: 'Target', stage: 'ready' });
    const owner = await draft('pages', { title: 'Owner', next: target, stage: 'ready' });
    const paths = [`pages/${target}`, `pages/${owner}`];
    for (const path of paths) await publish(path);
    const before = await Promise.all(paths.map(shown));
    expect(before[1].next).toMatchObject({ title: 'Target' });
    // In drafts, the target follows itself, and the owner is followed by nothing.
    await edit(`pages/${target}`, { next: target });
    const id = await released([
      entry('page', target, { locale: 'en', action: 'unpublish' }),
      entry('page', owner, { locale: 'en' }),
    ]);
    expect((await shown(`pages/${owner}`)).next).toBe(null);
    expect((await undo(id)).error).toBe(undefined);
    expect(await Promise.all(paths.map(shown))).toEqual(before);
  });

  it('25.8 stores no version of a draft again that only the published version has left behind', async () => {
    const { documentId } = (await send('POST', 'tags', { name: 'same' })).data;
    expect((await undo(await released([entry('tag', documentId)]))).error).toBe(undefined);
    await edit(`tags/${documentId}`, { name: 'other' });
    const { data } = await send('GET', `tags/${documentId}/versions`);
    expect(data.map(({ action }: any) => action)).not.toContain('before');
  });

  it('27.13 answers 409 for a release that is not released, and 404 for none', async () => {
    const id = await prepared([entry('tag', await draft('tags', { name: 'open' }))]);
    for (const data of [undefined, { dryRun: true }]) {
      const { status, error } = await send('POST', `releases/${id}/actions/undo`, data);
      expect([status, error.name]).toEqual([409, 'ConflictError']);
      expect((await send('POST', 'releases/999999/actions/undo', data)).status).toBe(404);
    }
    expect((await send('POST', `releases/${id}/actions/undo`, { x: 1 })).status).toBe(400);
  });

  it.each([[[0, 1]], [[1, 0]]])(
    '27.16 publishes linked documents in the order %j with their links',
    async (order) => {
      const target = await draft('tags', { name: 'target' });
      const inverse = await draft('tags', { name: 'inverse' });
      const next = await draft('pages', { title: 'Next' });
      const from = await draft('pages', { title: 'From', next, tags: [target] });
      await edit(`tags/${inverse}`, { pages: [from] });
      for (const id of [next, from]) await edit(`pages/${id}`, { stage: 'ready' });
      const first = [entry('page', from, { locale: 'en' })];
      const rest = [entry('tag', target), entry('tag', inverse), entry('page', next, { locale: 'en' })];
      const id = await released(order.flatMap((n) => [first, rest][n] ?? []));
      expect(await shown(`pages/${from}`)).toMatchObject({
        title: 'From',
        next: { documentId: next, title: 'Next' },
        tags: [{ documentId: target }, { documentId: inverse }],
      });
      expect(await shown(`tags/${inverse}`)).toMatchObject({ pages: [{ documentId: from, title: 'From' }] });
      expect((await undo(id)).status).toBe(200);
      for (const path of [`pages/${from}`, `pages/${next}`, `tags/${target}`, `tags/${inverse}`])
        expect(await shown(path)).toBe(404);
    },
  );

  it.each([[[0, 1]], [[1, 0]]])(
    '27.16 moves an exclusive link between two published documents, order %j',
    async (order) => {
      const next = await draft('pages', { title: 'Next' });
      const [a, b] = [await draft('pages', { title: 'A', next }), await draft('pages', { title: 'B' })];
      for (const id of [next, a, b]) {
        await edit(`pages/${id}`, { stage: 'ready' });
        await publish(`pages/${id}`);
      }
      await edit(`pages/${b}`, { next });
      const id = await released(order.map((n) => entry('page', [a, b][n] as string, { locale: 'en' })));
      const links = async (): Promise<unknown> => [
        (await shown(`pages/${a}`)).next?.title,
        (await shown(`pages/${b}`)).next?.title,
      ];
      expect(await links()).toEqual([undefined, 'Next']);
      expect((await undo(id)).error).toBe(undefined);
      expect(await links()).toEqual(['Next', undefined]);
    },
  );
});
