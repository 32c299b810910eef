/** `GET /desk/model`: the model for one editor, limited to what the caller may read and write. */
import {
  type AuthStrategy,
  ContentModelError,
  type Credentials,
  defineCollectionType,
  defineComponent,
  defineSingleType,
  type Grants,
  type Identity,
} from 'nestjs-content-api';
import { type DeskModel, DeskModule, type DeskOptions } from 'nestjs-content-api/desk';
import { type Adapter, ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';
import { HistoryModule } from 'nestjs-content-api/history';
import { failure } from '../http/helpers.ts';

const seo = defineComponent({
  uid: 'part.seo',
  desk: { title: 'title', description: 'For search engines' },
  attributes: {
    title: { type: 'string' },
    note: { type: 'string', private: true },
    inner: { type: 'component', component: 'part.inner' },
  },
});
const inner = defineComponent({ uid: 'part.inner', attributes: { text: { type: 'text' } } });
const unused = defineComponent({ uid: 'part.unused', attributes: { text: { type: 'text' } } });
const article = defineCollectionType({
  singularApiId: 'article',
  pluralApiId: 'articles',
  draftAndPublish: true,
  localized: true,
  history: true,
  owner: 'owner',
  actions: ['publish', 'schedule'],
  desk: {
    title: 'headline',
    list: ['headline', 'remark', 'updatedAt'],
    order: 'remark',
    group: { en: 'Magazine', de: 'Magazin' },
    label: { en: 'Text', de: 'Beitrag' },
    plural: { en: 'Texts', de: 'Beiträge' },
    preview: () => 'https://a.example',
  },
  attributes: {
    code: { type: 'uid', targetField: 'headline' },
    headline: {
      type: 'string',
      required: true,
      maxLength: 60,
      localized: true,
      desk: { label: { en: 'Title', de: 'Titel' }, placeholder: { de: 'Kurz' }, width: 8 },
    },
    firstRemark: { type: 'text' },
    remark: { type: 'integer', min: 1, previousName: 'formerRemark' },
    pin: { type: 'string', private: true },
    owner: { type: 'string' },
    author: { type: 'relation', relation: 'manyToOne', target: 'author' },
    vault: { type: 'relation', relation: 'manyToOne', target: 'vault' },
    cover: { type: 'media', allowedTypes: ['images'] },
    seo: { type: 'component', component: 'part.seo' },
  },
});
const author = defineCollectionType({
  singularApiId: 'author',
  pluralApiId: 'authors',
  routes: { except: ['delete'] },
  attributes: { name: { type: 'string' }, age: { type: 'integer' } },
});
const vault = defineCollectionType({
  singularApiId: 'vault',
  pluralApiId: 'vaults',
  attributes: { gold: { type: 'integer' }, parts: { type: 'component', component: 'part.unused' } },
});
const front = defineSingleType({
  singularApiId: 'front',
  history: true,
  attributes: { title: { type: 'string' } },
});

const OPEN = { desk: ['open'] } as const;
const ROLES: Readonly<Record<string, Grants>> = {
  none: { article: '*' },
  chief: { '*': '*' },
  reader: {
    ...OPEN,
    article: [{ actions: ['find'], fields: ['code', 'firstRemark', 'seo', 'vault'] }],
    front: ['find', 'update'],
  },
  writer: {
    ...OPEN,
    locale: ['find'],
    author: ['find', 'create', 'delete'],
    article: [
      { actions: ['find', 'findOne'], fields: ['headline', 'author'] },
      { actions: ['create'], fields: ['headline', 'pin', 'seo', 'owner', 'author', 'vault'] },
      { actions: ['update', 'delete', 'readDrafts', 'publish'], own: true },
    ],
  },
};

class Names implements AuthStrategy {
  readonly name = 'names';
  authenticate({ bearer }: Credentials): Identity | null {
    return bearer === null ? null : { kind: 'user', id: '1', roles: [bearer] };
  }
}

const MODEL = {
  contentTypes: [article, author, vault, front],
  components: [seo, inner, unused],
  locales: ['en', 'fr'],
  auth: { strategies: [new Names()] },
};

const start = (adapter: Adapter, options: DeskOptions = {}, prefix: string | null = null): Promise<TestApp> =>
  createTestApp(
    { ...MODEL, access: { roles: ROLES }, imports: [DeskModule.forRoot(options), HistoryModule.forRoot()] },
    adapter,
    (app) => void (prefix === null || app.setGlobalPrefix(prefix)),
  );

describe.each(ADAPTERS)('the model for the desk, on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => void (test = await start(adapter)));
  afterAll(() => test.close());

  const get = (role: string | null, path = '/desk/model') =>
    test.http.get(path).set(role === null ? {} : { Authorization: `Bearer ${role}` });
  const modelOf = async (role: string): Promise<DeskModel> => (await get(role).expect(200)).body.data;
  const typeIn = ({ types }: DeskModel, name: string): any => types.find((one) => one.name === name);
  const actionsIn = ({ attributes }: any): Record<string, string[]> =>
    Object.fromEntries(attributes.map((one: any) => [one.name, one.actions]));

  it('needs the grant open on desk', async () => {
    expect((await get(null).expect(401)).body.error.name).toBe('UnauthorizedError');
    expect((await get('none').expect(403)).body).toEqual(failure(403, 'ForbiddenError', 'Forbidden'));
    expect((await get('reader').expect(200)).headers['cache-control']).toBe('no-store');
    await get('reader', '/api/desk/model').expect(404);
  });

  it('shows every type, attribute and verb to a caller with all grants', async () => {
    const model = await modelOf('chief');
    expect(model).toMatchObject({ defaultLocale: 'en', locales: ['en', 'fr'] });
    expect(model.types.map(({ name }) => name).sort()).toEqual([
      'article',
      'author',
      'file',
      'front',
      'vault',
    ]);
    expect(model.components.map(({ uid }) => uid)).toEqual(['part.seo', 'part.inner', 'part.unused']);
    expect(typeIn(model, 'article')).toMatchObject({
      pluralName: 'articles',
      kind: 'collectionType',
      route: 'articles',
      label: 'Text',
      group: 'Magazine',
      description: null,
      title: 'headline',
      list: ['headline', 'remark', 'updatedAt'],
      order: 'remark',
      stages: null,
      preview: true,
      hidden: false,
      draftAndPublish: true,
      localized: true,
      verbs: {
        find: 'all',
        findOne: 'all',
        create: 'all',
        update: 'all',
        delete: 'all',
        publish: 'all',
        live: 'all',
        schedule: 'all',
        readDrafts: 'all',
        bulk: 'all',
        versions: 'all',
        trash: 'all',
      },
    });
    expect(Object.keys(typeIn(model, 'author').verbs)).not.toContain('delete');
    expect(typeIn(model, 'author').order).toBeNull();
  });

  it('describes attributes with labels and constraints', async () => {
    const { attributes } = typeIn(await modelOf('chief'), 'article');
    const all = ['find', 'findOne', 'create', 'update'];
    const of = (name: string): unknown => attributes.find((one: any) => one.name === name);
    expect(of('headline')).toEqual({
      name: 'headline',
      type: 'string',
      label: 'Title',
      placeholder: 'Kurz',
      width: 8,
      required: true,
      localized: true,
      maxLength: 60,
      actions: all,
    });
    expect(of('remark')).toEqual({
      name: 'remark',
      type: 'integer',
      label: 'Remark',
      required: false,
      localized: false,
      min: 1,
      actions: all,
    });
    expect(of('firstRemark')).toMatchObject({ label: 'First remark' });
    expect(of('pin')).toMatchObject({ actions: ['create', 'update'] });
    expect(of('cover')).toMatchObject({ type: 'media', targets: ['file'], allowedTypes: ['images'] });
    expect(of('author')).toMatchObject({ relation: 'manyToOne', targets: ['author'], linkable: ['author'] });
    expect(of('seo')).toMatchObject({ type: 'component', component: 'part.seo', repeatable: false });
    expect(of('id')).toBeUndefined();
  });

  it('shows a reader no attribute, component or type that it may not read', async () => {
    const model = await modelOf('reader');
    expect(model.locales).toBeNull();
    expect(model.types.map(({ name }) => name).sort()).toEqual(['article', 'file', 'front']);
    const shown = typeIn(model, 'article');
    expect(actionsIn(shown)).toEqual({ code: ['find'], firstRemark: ['find'], seo: ['find'] });
    // The layout names attributes that this caller may not read.
    expect([shown.title, shown.list, shown.order]).toEqual(['code', ['updatedAt'], null]);
    expect(shown.attributes[0]).not.toHaveProperty('targetField');
    expect(shown.verbs).toEqual({ find: 'all' });
    expect(actionsIn(typeIn(model, 'front'))).toEqual({ title: ['find', 'update'] });
    expect(model.components.map((one) => [one.uid, actionsIn(one)])).toEqual([
      ['part.seo', { title: ['find'], inner: ['find'] }],
      ['part.inner', { text: ['find'] }],
    ]);
    expect(JSON.stringify(model)).not.toMatch(/headline|"pin"|vault|"note"|"remark"|formerRemark|unused/);
  });

  it('has the texts of the host in the language of the request, else in the first one', async () => {
    const textsIn = async (language: string): Promise<unknown> => {
      const { body } = await get('writer', `/desk/model${language}`).expect(200);
      const { label, listLabel, group, attributes } = typeIn(body.data, 'article');
      const headline = attributes.find(({ name }: any) => name === 'headline');
      return [label, listLabel, group, headline.label, headline.placeholder];
    };
    const english = ['Text', 'Texts', 'Magazine', 'Title', 'Kurz'];
    expect(await textsIn('?language=de')).toEqual(['Beitrag', 'Beiträge', 'Magazin', 'Titel', 'Kurz']);
    for (const language of ['', '?language=en', '?language=xx', '?language[]=de'])
      expect(await textsIn(language)).toEqual(english);
    const { types } = await modelOf('chief');
    expect(types.map(({ listLabel }) => listLabel)).toEqual(expect.arrayContaining(['Authors', 'Front']));
  });

  it('shows the versions of types with history to callers who may see them', async () => {
    const historyOf = async (role: string, name: string): Promise<string[]> =>
      Object.keys(typeIn(await modelOf(role), name)?.verbs ?? {}).filter((verb) =>
        ['versions', 'trash', 'history'].includes(verb),
      );
    expect(await historyOf('chief', 'article')).toEqual(['versions', 'trash']);
    expect(await historyOf('chief', 'front')).toEqual(['versions']);
    expect(await historyOf('chief', 'author')).toEqual([]);
    // Of its own documents, as all that it may update.
    expect(await historyOf('writer', 'article')).toEqual(['versions', 'trash']);
    expect(await historyOf('reader', 'article')).toEqual([]);
    expect(await historyOf('reader', 'front')).toEqual(['versions']);
  });

  it('shows a writer what it may write, and verbs on own documents', async () => {
    const model = await modelOf('writer');
    const shown = typeIn(model, 'article');
    expect(model.locales).toEqual(['en', 'fr']);
    expect(shown.verbs).toEqual({
      find: 'all',
      findOne: 'all',
      create: 'all',
      update: 'own',
      delete: 'own',
      publish: 'own',
      live: 'own',
      schedule: 'own',
      bulk: 'all',
      readDrafts: 'own',
      versions: 'own',
      trash: 'own',
    });
    expect(actionsIn(shown)).toMatchObject({
      headline: ['find', 'findOne', 'create', 'update'],
      author: ['find', 'findOne', 'create', 'update'],
      pin: ['create', 'update'],
      remark: ['update'],
      seo: ['create', 'update'],
    });
    // Users cannot write the owner attribute; no document of the type vault can be linked.
    expect(Object.keys(actionsIn(shown))).not.toEqual(expect.arrayContaining(['owner']));
    expect(Object.keys(actionsIn(shown))).not.toEqual(expect.arrayContaining(['vault']));
    expect(actionsIn(model.components[0])).toEqual({
      title: ['create', 'update'],
      note: ['create', 'update'],
      inner: ['create', 'update'],
    });
  });

  it.each([
    [{ path: '/admin/desk/' }, 'v1', '/v1/admin/desk/model'],
    [{ path: 'api/editors' }, null, '/api/editors/model'],
    [{}, 'api', '/api/desk/model'],
  ])('with %j and the global prefix %j, its route is %s', async (options, prefix, path) => {
    const other = await start(adapter, options, prefix);
    await other.http.get(path).set('Authorization', 'Bearer reader').expect(200);
    await other.http.get(path).expect(401);
    await other.close();
  });

  it.each([
    [{ path: 'api' }, 'desk.path: "/api" is the path of the content routes'],
    [{ path: 'api/articles' }, 'route "articles": '],
    [{ path: 'api/a/b' }, 'desk.path: "/api/a/b" is too deep'],
  ])('%j stops the start', async (options, message) => {
    await expect(start(adapter, options)).rejects.toThrow(message);
  });
});

describe('options of the desk', () => {
  it.each([{ path: '' }, { path: 'a b' }, { path: '/../x' }, { path: 3 }, { pth: 'x' }])(
    '%j is refused',
    (options) => expect(() => DeskModule.forRoot(options as DeskOptions)).toThrow(ContentModelError),
  );
});
