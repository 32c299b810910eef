/** Stored versions and entries of releases in states, locales and types that a migration has removed. */
import {
  ContentModule,
  type ContentModuleOptions,
  defineCollectionType,
  defineComponent,
  migrateContent,
} from 'nestjs-content-api';
import { HistoryModule } from 'nestjs-content-api/history';
import { ReleasesModule } from 'nestjs-content-api/releases';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type Host, startHost } from '../http/helpers.ts';
import { type Model, ormOf } from './run.ts';

type Grants = NonNullable<NonNullable<ContentModuleOptions['access']>['public']>;
type Send = (method: string, path: string, data?: object) => Promise<any>;

const type = (name: string, more: object = {}) =>
  defineCollectionType({
    singularApiId: name,
    pluralApiId: `${name}s`,
    history: true,
    attributes: { title: { type: 'string' } },
    ...more,
  });
const localized = { localized: true, attributes: { title: { type: 'string', localized: true } } };
const zone = (component: string) => ({
  attributes: { zone: { type: 'dynamiczone', components: [component] } },
});
const part = (uid: string, more: object = {}) =>
  defineComponent({ uid, attributes: { text: { type: 'string' } }, ...more });

describe('versions of an earlier model', () => {
  let database: TestDatabase;
  const hosts: Host[] = [];

  /** Migrates the database to a model, and starts an application with it. */
  async function open(model: Model, access: Grants = { '*': '*', releases: ['open'] }): Promise<Send> {
    const imports = () => [
      ContentModule.forRoot({ ...model, access: { public: access }, database: { clientUrl: database.url } }),
      HistoryModule.forRoot(),
      ReleasesModule.forRoot(),
    ];
    const host = await startHost(() => ({ imports: imports() }), { database });
    hosts.push(host);
    await migrateContent({ orm: ormOf(host), model });
    return async (method, path, data) => {
      const response = await fetch(`${host.url}/api/${path}`, {
        method,
        ...(data === undefined ? {} : { body: JSON.stringify({ data }) }),
        headers: { 'content-type': 'application/json' },
      });
      return response.status === 204 ? null : response.json();
    };
  }
  const created = async (send: Send, path: string, data: object): Promise<string> =>
    (await send('POST', path, data)).data.documentId;
  const titles = async (send: Send, path: string): Promise<string[]> =>
    (await send('GET', path)).data.map((one: { title: string }) => one.title);

  beforeEach(async () => {
    database = await createDatabase();
  });
  afterEach(async () => {
    for (const host of hosts.splice(0)) await host.close();
    await database.drop();
  });

  it('25.14 are not shown or restored in states that their type no longer has', async () => {
    const old = await open({ contentTypes: [type('page', { draftAndPublish: true })] });
    const page = await created(old, 'pages', { title: 'published' });
    const draft = await created(old, 'pages?status=draft', { title: 'SECRET draft' });
    const live = await created(old, 'pages', { title: 'live' });
    for (const id of [page, live]) await old('PUT', `pages/${id}?status=draft`, { title: 'SECRET edit' });
    for (const id of [page, draft]) await old('DELETE', `pages/${id}`);

    const model = { contentTypes: [type('page', { removed: ['drafts'] })] };
    const next = await open(model, { page: ['find', 'findOne', 'create', 'update'] });
    expect(await titles(next, 'pages/trash')).toEqual(['published']);
    expect((await next('POST', `pages/${page}/actions/restore`)).data.title).toBe('published');
    expect((await next('POST', `pages/${draft}/actions/restore`)).error.status).toBe(404);
    expect((await titles(next, 'pages')).toSorted()).toEqual(['live', 'published']);
    const versions = (await next('GET', `pages/${live}/versions`)).data;
    expect(versions.map((one: { status: string }) => one.status)).toEqual(['published']);
  });

  it('25.14 are restored in the locales that are left', async () => {
    const settings = { locales: ['en', 'fr', 'de'], defaultLocale: 'en' };
    const old = await open({ ...settings, contentTypes: [type('story', localized), type('tip', localized)] });
    const story = await created(old, 'storys', { title: 'English' });
    const french = await created(old, 'storys?locale=fr', { title: 'only French' });
    const kept = await created(old, 'storys?locale=fr', { title: 'kept French' });
    const tip = await created(old, 'tips', { title: 'English' });
    await old('PUT', `storys/${story}?locale=fr`, { title: 'French' });
    await old('PUT', `tips/${tip}?locale=de`, { title: 'German' });
    for (const path of [`storys/${story}`, `storys/${french}`, `tips/${tip}`])
      await old('DELETE', `${path}?locale=*`);

    const next = await open({
      ...settings,
      locales: ['en', 'fr'],
      contentTypes: [type('story', { removed: ['localizations'] }), type('tip', localized)],
    });
    for (const path of [`storys/${story}`, `storys/${french}`, `tips/${tip}`])
      expect((await next('POST', `${path}/actions/restore`)).data.documentId).toBe(path.split('/')[1]);
    expect((await titles(next, 'storys')).toSorted()).toEqual(['English', 'kept French', 'only French']);
    expect(await titles(next, 'tips?locale=*')).toEqual(['English']);
    expect((await next('GET', `storys/${kept}/versions`)).data).toHaveLength(1);
  });

  it('27.18 publishes no document for a locale that its type no longer has', async () => {
    const settings = { locales: ['en', 'fr'], defaultLocale: 'en' };
    const drafts = { draftAndPublish: true };
    const old = await open({ ...settings, contentTypes: [type('story', { ...localized, ...drafts })] });
    const story = await created(old, 'storys', { title: 'English' });
    await old('PUT', `storys/${story}?status=draft`, { title: 'English edit' });
    await old('PUT', `storys/${story}?status=draft&locale=fr`, { title: 'French' });
    const french = await created(old, 'storys?locale=fr&status=draft', { title: 'only French' });
    const release = (await old('POST', 'releases', { name: 'France' })).data.id;
    const entries = [story, french].map((documentId) => ({ type: 'story', documentId, locale: 'fr' }));
    await old('POST', `releases/${release}/entries`, entries);

    const plain = type('story', { ...drafts, removed: ['localizations'] });
    const next = await open({ ...settings, contentTypes: [plain] });
    expect((await next('GET', `releases/${release}`)).data.size).toBe(1);
    await next('POST', `releases/${release}/actions/publish`);
    expect((await titles(next, 'storys')).toSorted()).toEqual(['English', 'only French']);
  });

  it('27.18 are published again by an undo after another default locale', async () => {
    const model = { locales: ['en', 'fr'], contentTypes: [type('page', { draftAndPublish: true })] };
    const old = await open({ ...model, defaultLocale: 'en' });
    const page = await created(old, 'pages', { title: 'before' });
    await old('PUT', `pages/${page}?status=draft`, { title: 'after' });
    const release = (await old('POST', 'releases', { name: 'Spring' })).data.id;
    await old('POST', `releases/${release}/entries`, { type: 'page', documentId: page });
    await old('POST', `releases/${release}/actions/publish`);

    const next = await open({ ...model, defaultLocale: 'fr' });
    expect(await titles(next, 'pages')).toEqual(['after']);
    expect((await next('POST', `releases/${release}/actions/undo`)).data.state).toBe('open');
    expect(await titles(next, 'pages')).toEqual(['before']);
  });

  it('25.10 keep the components of zones under new names', async () => {
    const old = await open({ contentTypes: [type('page', zone('x.old'))], components: [part('x.old')] });
    const page = await created(old, 'pages', { zone: [{ __component: 'x.old', text: 'kept' }] });
    await old('PUT', `pages/${page}`, { zone: [] });

    const renamed = part('x.new', { previousName: 'x.old' });
    const next = await open({ contentTypes: [type('page', zone('x.new'))], components: [renamed] });
    const first = (await next('GET', `pages/${page}/versions`)).data.at(-1);
    await next('POST', `pages/${page}/versions/${first.id}/actions/restore`);
    const { data } = await next('GET', `pages/${page}?populate=*`);
    expect(data.zone).toEqual([expect.objectContaining({ __component: 'x.new', text: 'kept' })]);
  });

  it('25.10 have the values of new attribute types', async () => {
    const attributes = (more: object) => ({ attributes: { n: { type: 'string' }, kind: more } });
    const before = attributes({ type: 'enumeration', enum: ['a', 'b'] });
    const old = await open({ contentTypes: [type('page', before)] });
    const page = await created(old, 'pages', { n: '12', kind: 'b' });
    const text = await created(old, 'pages', { n: 'twelve', kind: 'a' });
    for (const id of [page, text]) await old('DELETE', `pages/${id}`);

    const convert = { kind: { type: 'enumeration', enum: ['a', 'c'], convert: { b: 'c' } } };
    const must = { type: 'string', required: true, default: 'd' };
    const next = await open({
      contentTypes: [type('page', { attributes: { n: { type: 'integer' }, ...convert, must } })],
    });
    expect((await next('POST', `pages/${page}/actions/restore`)).data).toMatchObject({ n: 12, kind: 'c' });
    const { data, meta } = await next('POST', `pages/${text}/actions/restore`);
    expect(data).toMatchObject({ n: null, kind: 'a', must: 'd' });
    expect(meta).toEqual({ leftOut: ['n'] });
  });

  it('25.10 have the values of new types in components and zones, at any depth', async () => {
    const inner = (attributes: object) => part('x.inner', { attributes });
    const outer = part('x.outer', {
      attributes: { inner: { type: 'component', component: 'x.inner', repeatable: true } },
    });
    const kind = (values: readonly string[], more: object = {}) => ({
      type: 'enumeration',
      enum: values,
      ...more,
    });
    const shape = (uid: string, more: object = {}) => ({
      attributes: {
        one: { type: 'component', component: uid },
        zone: { type: 'dynamiczone', components: ['x.outer', uid] },
      },
      ...more,
    });
    const components = [
      inner({
        text: { type: 'string' },
        n: { type: 'string' },
        kind: kind(['a', 'b']),
        gone: { type: 'string' },
      }),
      outer,
    ];
    const old = await open({ contentTypes: [type('page', shape('x.inner'))], components });
    const item = (n: string) => ({ text: 'kept', n, kind: 'b', gone: 'gone' });
    const zoned = [
      { __component: 'x.outer', inner: [item('12'), item('twelve')] },
      { __component: 'x.inner', ...item('7') },
    ];
    const page = await created(old, 'pages', { one: item('3'), zone: zoned });
    const deleted = await created(old, 'pages', { one: item('4'), zone: zoned });
    await old('PUT', `pages/${page}`, { one: null, zone: [] });
    await old('DELETE', `pages/${deleted}`);

    const renamed = part('x.part', {
      previousName: 'x.inner',
      removed: ['gone'],
      attributes: {
        body: { type: 'string', previousName: 'text' },
        n: { type: 'integer' },
        kind: kind(['a', 'c'], { convert: { b: 'c' } }),
      },
    });
    const next = await open({
      contentTypes: [type('sheet', { ...shape('x.part'), previousName: 'page' })],
      components: [
        renamed,
        part('x.outer', {
          attributes: { inner: { type: 'component', component: 'x.part', repeatable: true } },
        }),
      ],
    });
    const first = (await next('GET', `sheets/${page}/versions`)).data.at(-1);
    const { content } = (await next('GET', `sheets/${page}/versions/${first.id}`)).data;
    const shown = (n: unknown) => ({ body: 'kept', n, kind: 'c' });
    expect(content).toMatchObject({
      one: shown(3),
      zone: [
        { __component: 'x.outer', inner: [shown(12), shown('twelve')] },
        { __component: 'x.part', ...shown(7) },
      ],
    });
    await next('POST', `sheets/${deleted}/actions/restore`);
    const { data } = await next('GET', `sheets/${deleted}?populate[one]=true&populate[zone][populate]=*`);
    expect(data).toMatchObject({ one: shown(4) });
    expect(data.zone[1]).toMatchObject({ __component: 'x.part', ...shown(7) });
  });

  it('25.6 restores a document that was published before its type had stages', async () => {
    const drafts = { draftAndPublish: true };
    const old = await open({ contentTypes: [type('page', drafts)] });
    const page = await created(old, 'pages', { title: 'published' });
    await old('DELETE', `pages/${page}`);

    const stages = { draft: { to: ['ready'] }, ready: { to: ['draft'], publish: true } };
    const next = await open({ contentTypes: [type('page', { ...drafts, stages })] });
    await next('POST', `pages/${page}/actions/restore`);
    expect(await titles(next, 'pages')).toEqual(['published']);
  });

  it('25.10 are renamed and deleted while no type has history', async () => {
    const leaf = type('leaf', { history: false });
    const old = await open({ contentTypes: [type('page'), type('note'), leaf] });
    const page = await created(old, 'pages', { title: 'named' });
    const note = await created(old, 'notes', { title: 'deleted' });
    await old('DELETE', `notes/${note}`);

    const name = { type: 'string', previousName: 'title' };
    const off = type('page', { history: false, attributes: { name } });
    await open({ contentTypes: [off, leaf], removed: ['note'] });
    const attributes = { name: { type: 'string' }, title: { type: 'string' } };
    const next = await open({ contentTypes: [type('page', { attributes }), type('note'), leaf] });
    const [first] = (await next('GET', `pages/${page}/versions`)).data;
    const { data } = await next('GET', `pages/${page}/versions/${first.id}`);
    expect(data.content).toEqual({ name: 'named' });
    expect((await next('GET', 'notes/trash')).data).toEqual([]);
  });
});
