/** Undo of releases as a whole, and the order in which links are published. */
import { Injectable } from '@nestjs/common';
import {
  type AuthStrategy,
  type ContentEvent,
  type Credentials,
  defineCollectionType,
  defineComponent,
  defineSingleType,
  type Identity,
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
    next: { type: 'relation', relation: 'oneToOne', target: 'page' },
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
  /** The rows and links of drafts, with all columns. */
  const drafts = async (documentId: string): Promise<unknown> => [
    await test.sql('select * from pages where document_id = $1 and not published order by locale', [documentId]),
    await test.sql('select * from pages_tags_lnk where not published order by 1, 2').catch(() => []),
  ];

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
    await edit(`pages/${old}`, { title: 'New', code: 'blue', slug: null, parts: [{ text: 'c' }], tags: [t2], next: fresh });
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
    const then = { old: await drafts(old), gone: await shown(`pages/${gone}?status=draft`), fresh: await drafts(fresh) };
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
    expect({ old: await drafts(old), gone: await shown(`pages/${gone}?status=draft`), fresh: await drafts(fresh) }).toEqual(
      then,
    );
    expect(await test.sql('select secret from pages where document_id = $1 and published', [old])).toEqual([
      { secret: 's1' },
    ]);
    expect([...seen].sort()).toEqual(['publish en Gone', 'publish en Old', 'unpublish en Fresh', 'update en Gone'].sort());
    const [latest] = (await send('GET', `pages/${old}/versions?status=published`)).data;
    expect(latest).toMatchObject({ action: 'update', by: { kind: 'user', id: 'all' } });
    expect((await send('POST', `releases/${id}/actions/publish`)).data.state).toBe('released');
    expect(await shown(`pages/${old}`)).toMatchObject({ title: 'Later', tags: [] });
    expect((await undo(id)).status).toBe(200);
    expect(await shown(`pages/${old}`)).toEqual(before.old);
  });
});
