import {
  ContentModule,
  type ContentService,
  defineCollectionType,
  defineComponent,
  defineSingleType,
  getContentToken,
} from 'nestjs-content-api';
import { adaptersFor } from '../support/adapters.ts';
import { countStatements, createTestApp, type TestApp } from '../support/app.ts';
import { failure, NOT_FOUND } from './helpers.ts';

interface Row {
  readonly documentId: string;
  readonly [attribute: string]: any;
}

const credit = defineComponent({
  uid: 'press.credit',
  attributes: {
    note: { type: 'string' },
    topic: { type: 'relation', relation: 'manyToOne', target: 'topic' },
    topics: { type: 'relation', relation: 'manyToMany', target: 'topic' },
  },
});

/** Has fallbacks for some locales. */
const page = defineCollectionType({
  singularApiId: 'page',
  pluralApiId: 'pages',
  draftAndPublish: true,
  localized: true,
  fallbackLocale: { fr: 'en', 'de-CH': ['de', 'en'], default: false },
  attributes: {
    title: { type: 'string', localized: true },
    rank: { type: 'integer' },
    topics: {
      type: 'relation',
      relation: 'manyToMany',
      target: 'topic',
      inversedBy: 'pages',
      localized: true,
    },
    lead: { type: 'relation', relation: 'manyToOne', target: 'topic', inversedBy: 'leads', localized: true },
    section: { type: 'relation', relation: 'manyToOne', target: 'section', inversedBy: 'pages' },
    credit: { type: 'component', component: 'press.credit', localized: true },
  },
});

/** Has fallbacks only if a request requests them. */
const topic = defineCollectionType({
  singularApiId: 'topic',
  pluralApiId: 'topics',
  draftAndPublish: true,
  localized: true,
  attributes: {
    name: { type: 'string', localized: true },
    pages: { type: 'relation', relation: 'manyToMany', target: 'page', mappedBy: 'topics' },
    leads: { type: 'relation', relation: 'oneToMany', target: 'page', mappedBy: 'lead' },
  },
});

/** Has fallbacks for all locales, and no drafts. */
const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  localized: true,
  fallbackLocale: ['de', 'en'],
  attributes: { text: { type: 'string', localized: true }, by: { type: 'string' } },
});

const section = defineCollectionType({
  singularApiId: 'section',
  pluralApiId: 'sections',
  attributes: {
    name: { type: 'string' },
    pages: { type: 'relation', relation: 'oneToMany', target: 'page', mappedBy: 'section' },
  },
});

const front = defineSingleType({
  singularApiId: 'front',
  localized: true,
  fallbackLocale: 'en',
  attributes: { title: { type: 'string', localized: true } },
});

const press = {
  contentTypes: [page, topic, note, section, front],
  components: [credit],
  locales: ['en', 'fr', 'de', 'de-CH'],
  access: { public: { '*': '*' as const } },
};

const refused = (message: string) =>
  failure(400, 'ValidationError', message, {
    key: 'fallbackLocale',
    path: null,
    source: 'query',
    param: 'fallbackLocale',
  });
const NO_CHAIN = refused('Invalid fallbackLocale parameter. Expected false, or some of: en, fr, de, de-CH');

describe.each(adaptersFor('express'))('fallback locales (peers 23) on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => void (test = await createTestApp(press, adapter)));
  afterAll(() => test.close());

  const post = async (path: string, data: object): Promise<Row> =>
    (await test.http.post(`/api/${path}`).send({ data }).expect(201)).body.data;
  const put = async (path: string, data: object): Promise<Row> =>
    (await test.http.put(`/api/${path}`).send({ data }).expect(200)).body.data;
  const get = async (path: string): Promise<any> =>
    (await test.http.get(`/api/${path}`).expect(200)).body.data;
  const missing = async (path: string): Promise<void> =>
    void expect((await test.http.get(`/api/${path}`).expect(404)).body).toEqual(NOT_FOUND);
  /** Returns each document of a list by its name and locale: `Bread (en)`. */
  const shown = async (path: string, name = 'title'): Promise<string[]> =>
    (await get(path)).map((row: Row) => `${row[name]} (${row['locale']})`);
  const total = async (path: string): Promise<number> =>
    (await test.http.get(`/api/${path}`).expect(200)).body.meta.pagination.total;

  /** Creates a document with a text in each of some locales, starting with the first one. */
  const inLocales = async (
    plural: string,
    texts: Record<string, string>,
    { name = 'title', more = {}, query = '' } = {},
  ): Promise<Row> => {
    const [first = '', ...rest] = Object.keys(texts);
    const row = await post(`${plural}?locale=${first}${query}`, { [name]: texts[first], ...more });
    for (const code of rest)
      await put(`${plural}/${row.documentId}?locale=${code}${query}`, { [name]: texts[code] });
    return row;
  };

  describe('9.18: of a type', () => {
    it('9.18 returns the fallback of a missing locale, and the document names it', async () => {
      const bread = await inLocales('pages', { en: 'Bread' });
      expect(await get(`pages/${bread.documentId}?locale=fr`)).toEqual(bread);
      expect(bread['locale']).toBe('en');
      const wine = await inLocales('pages', { en: 'Wine', fr: 'Vin' });
      expect(await get(`pages/${wine.documentId}?locale=fr`)).toMatchObject({ title: 'Vin', locale: 'fr' });
      expect(await shown('pages?locale=fr')).toEqual(expect.arrayContaining(['Bread (en)', 'Vin (fr)']));
      expect(await shown('pages?locale=fr')).not.toContain('Wine (en)');
    });

    it('9.18 returns the first of several fallbacks that the document has', async () => {
      const all = await inLocales('pages', { en: 'One en', de: 'One de', 'de-CH': 'One ch' });
      const two = await inLocales('pages', { en: 'Two en', de: 'Two de' });
      const one = await inLocales('pages', { en: 'Three en' });
      const ids = [all, two, one].map(({ documentId }) => `&filters[documentId][$in]=${documentId}`).join('');
      expect(await shown(`pages?locale=de-CH${ids}`)).toEqual([
        'One ch (de-CH)',
        'Two de (de)',
        'Three en (en)',
      ]);
    });

    it('9.18 does not follow the chains of the fallback locales', async () => {
      const french = await inLocales('pages', { fr: 'Seulement' });
      await missing(`pages/${french.documentId}`);
      await missing(`pages/${french.documentId}?locale=de-CH`);
    });

    it('9.4, 9.18 returns 404 for a missing version without a fallback', async () => {
      const bread = await inLocales('pages', { en: 'Only English' });
      await missing(`pages/${bread.documentId}?locale=de`);
      const name = await inLocales('topics', { en: 'Only English' }, { name: 'name' });
      await missing(`topics/${name.documentId}?locale=fr`);
    });

    it('9.18 applies one chain for all locales to any code, known or not, and skips the locale itself', async () => {
      const both = await inLocales('notes', { en: 'Both en', de: 'Both de' }, { name: 'text' });
      const english = await inLocales('notes', { en: 'Only en' }, { name: 'text' });
      const of = (row: Row, code: string) => get(`notes/${row.documentId}?locale=${code}`);
      expect(await of(both, 'fr')).toMatchObject({ text: 'Both de', locale: 'de' });
      expect(await of(both, 'en')).toMatchObject({ text: 'Both en', locale: 'en' });
      expect(await of(english, 'de')).toMatchObject({ text: 'Only en', locale: 'en' });
      expect(await of(english, 'tlh')).toMatchObject({ text: 'Only en', locale: 'en' });
    });

    it('9.15, 9.18 applies to single types', async () => {
      await missing('front?locale=fr');
      await put('front', { title: 'Front' });
      expect(await get('front?locale=fr')).toMatchObject({ title: 'Front', locale: 'en' });
      await missing('front?locale=fr&fallbackLocale=false');
      await put('front?locale=fr', { title: 'Accueil' });
      expect(await get('front?locale=fr')).toMatchObject({ title: 'Accueil', locale: 'fr' });
      await test.http.delete('/api/front?locale=*').expect(204);
    });
  });

  describe('9.19: of a request', () => {
    let bread: Row;
    let both: Row;
    beforeAll(async () => {
      bread = await inLocales('topics', { en: 'Bread' }, { name: 'name' });
      both = await inLocales('topics', { en: 'Salt', de: 'Salz' }, { name: 'name' });
    });

    it.each([
      ['one locale', 'fallbackLocale=en', 'Salt'],
      ['a comma list', 'fallbackLocale=de,en', 'Salz'],
      ['a comma list with spaces', 'fallbackLocale=de,%20en', 'Salz'],
      ['a list', 'fallbackLocale[]=de&fallbackLocale[]=en', 'Salz'],
      ['a list with indexes', 'fallbackLocale[0]=fr&fallbackLocale[1]=en&fallbackLocale[2]=de', 'Salt'],
      ['the same name twice', 'fallbackLocale=de&fallbackLocale=en', 'Salz'],
      ['the same locale twice', 'fallbackLocale=en,en', 'Salt'],
    ])('9.19 %s', async (_, query, name) => {
      expect(await get(`topics/${both.documentId}?locale=fr&${query}`)).toMatchObject({ name });
    });

    it('9.19 applies to types without fallbacks', async () => {
      expect(await get(`topics/${bread.documentId}?locale=fr&fallbackLocale=en`)).toEqual(bread);
      await missing(`topics/${bread.documentId}?locale=fr&fallbackLocale=de`);
      await missing(`topics/${bread.documentId}?locale=fr`);
    });

    it.each(['false', 'none', '0', 'F'])(
      '9.19 fallbackLocale=%s disables the fallbacks of a type',
      async (off) => {
        const only = await inLocales('pages', { en: `Off ${off}` });
        await get(`pages/${only.documentId}?locale=fr`);
        await missing(`pages/${only.documentId}?locale=fr&fallbackLocale=${off}`);
        expect(await shown(`pages?locale=fr&filters[rank][$null]=true&fallbackLocale=${off}`)).not.toContain(
          `Off ${off} (en)`,
        );
      },
    );

    it('9.19 the chain of a request replaces that of the type', async () => {
      const two = await inLocales('pages', { en: 'Place en', de: 'Place de' });
      const of = (query: string) => get(`pages/${two.documentId}?locale=${query}`);
      expect(await of('fr')).toMatchObject({ locale: 'en' });
      expect(await of('fr&fallbackLocale=de')).toMatchObject({ locale: 'de' });
      expect(await of('de-CH&fallbackLocale=en')).toMatchObject({ locale: 'en' });
      expect(await of('fr&fallbackLocale=')).toMatchObject({ locale: 'en' });
    });

    it('9.19 applies to the default locale if the request names none', async () => {
      const german = await inLocales('topics', { de: 'Brot' }, { name: 'name' });
      expect(await get(`topics/${german.documentId}?fallbackLocale=de`)).toMatchObject({ locale: 'de' });
    });

    it.each([
      ['an unknown locale', 'fallbackLocale=xx'],
      ['one unknown locale of several', 'fallbackLocale=en,xx'],
      ['all locales', 'fallbackLocale=*'],
      ['a yes', 'fallbackLocale=true'],
      ['an object', 'fallbackLocale[code]=en'],
      ['lists in a list', 'fallbackLocale[0][0]=en&fallbackLocale[1]=de'],
      ['an empty entry', 'fallbackLocale=en,'],
      ['a NUL byte', 'fallbackLocale=%00'],
    ])('9.19, D11 %s returns 400 for any type and method', async (_, query) => {
      for (const path of ['pages', 'topics', 'sections', 'front', `pages/${bread.documentId}`])
        expect((await test.http.get(`/api/${path}?${query}`).expect(400)).body).toEqual(NO_CHAIN);
      const sent = test.http.post(`/api/pages?${query}`).send({ data: { title: 'Refused' } });
      expect((await sent.expect(400)).body).toEqual(NO_CHAIN);
      expect(await total('pages?filters[title]=Refused&status=draft')).toBe(0);
    });

    it.each(['locale=*', 'locale[]=fr&locale[]=de'])(
      '9.19 a fallback together with %s returns 400: several locales have no fallback',
      async (several) => {
        expect((await test.http.get(`/api/topics?${several}&fallbackLocale=en`).expect(400)).body).toEqual(
          refused('Invalid fallbackLocale parameter. Only one locale can fall back to others'),
        );
        await get(`topics?${several}&fallbackLocale=false`);
      },
    );

    it('9.2, 9.18 ignores the fallbacks of a type for several locales', async () => {
      const only = await inLocales('pages', { en: 'Star' });
      expect(await shown('pages?locale=*&filters[title]=Star')).toEqual(['Star (en)']);
      expect(await shown(`pages?locale[]=fr&locale[]=de&filters[documentId]=${only.documentId}`)).toEqual([]);
      // A filter on the locale is a filter on versions.
      expect(await shown(`pages?filters[locale]=fr&filters[documentId]=${only.documentId}`)).toEqual([]);
    });

    it('9.10, 9.19 types without locales ignore it', async () => {
      const plain = await post('sections', { name: 'Plain' });
      expect(await get(`sections/${plain.documentId}?locale=fr&fallbackLocale=en`)).toEqual(plain);
    });

    it('D12, 9.19 strictParams accepts the parameter', async () => {
      const strict = await createTestApp({ ...press, strictParams: true }, adapter);
      await strict.http.get('/api/pages?locale=fr&fallbackLocale=en').expect(200);
      await strict.close();
    });
  });

  describe('9.20: all levels', () => {
    let sea: Row;
    let topics: Row[];
    let plain: Row;
    beforeAll(async () => {
      topics = [
        await inLocales('topics', { en: 'Fish', fr: 'Poisson' }, { name: 'name' }),
        await inLocales('topics', { en: 'Boats' }, { name: 'name' }),
        await inLocales('topics', { de: 'Wellen', en: 'Waves' }, { name: 'name' }),
      ];
      plain = await post('sections', { name: 'Coast' });
      sea = await post('pages', {
        title: 'Sea',
        rank: 1,
        topics: topics.map(({ documentId }) => documentId),
        lead: topics[1]!.documentId,
        section: plain.documentId,
        credit: {
          note: 'by',
          topic: topics[1]!.documentId,
          topics: topics.map(({ documentId }) => documentId),
        },
      });
    });
    const names = (rows: Row[]): string[] =>
      rows.map((row) => `${row['name'] ?? row['title']} (${row['locale']})`);

    it('9.20 applies to each populated document separately', async () => {
      const of = (query: string) => get(`pages/${sea.documentId}?populate[topics]=true&${query}`);
      expect(names((await of('locale=fr&fallbackLocale=en')).topics)).toEqual([
        'Poisson (fr)',
        'Boats (en)',
        'Waves (en)',
      ]);
      expect(names((await of('locale=fr&fallbackLocale=de,en')).topics)).toEqual([
        'Poisson (fr)',
        'Boats (en)',
        'Wellen (de)',
      ]);
    });

    it('9.20 uses the fallbacks of each type if the request has none', async () => {
      const page = await get(`pages/${sea.documentId}?populate[topics]=true&populate[lead]=true&locale=fr`);
      expect(page).toMatchObject({ locale: 'en', lead: null });
      expect(names(page.topics)).toEqual(['Poisson (fr)']);
      const [fish] = topics;
      expect(names((await get(`topics/${fish!.documentId}?populate=pages&locale=fr`)).pages)).toEqual([
        'Sea (en)',
      ]);
      const off = `topics/${fish!.documentId}?populate=pages&locale=fr&fallbackLocale=false`;
      expect((await get(off)).pages).toEqual([]);
    });

    it('9.12, 9.20 applies below a type without locales', async () => {
      const deep = 'populate[pages][populate][lead][populate][leads]=true';
      const coast = await get(`sections/${plain.documentId}?${deep}&locale=fr&fallbackLocale=en`);
      expect(names(coast.pages)).toEqual(['Sea (en)']);
      expect(names([coast.pages[0].lead])).toEqual(['Boats (en)']);
      expect(names(coast.pages[0].lead.leads)).toEqual(['Sea (en)']);
    });

    it('9.20 applies inside components', async () => {
      const query = 'populate[credit][populate]=*&locale=fr&fallbackLocale=en';
      const { credit: by } = await get(`pages/${sea.documentId}?${query}`);
      expect(by.topic).toMatchObject({ name: 'Boats', locale: 'en' });
      expect(names(by.topics)).toEqual(['Poisson (fr)', 'Boats (en)', 'Waves (en)']);
    });

    it('9.20 counts include fallback versions', async () => {
      const of = (query: string) =>
        get(`pages/${sea.documentId}?populate[topics][count]=true&locale=fr${query}`);
      expect((await of('')).topics).toEqual({ count: 1 });
      expect((await of('&fallbackLocale=en')).topics).toEqual({ count: 3 });
    });

    it('9.20 localizations exclude the version that is returned', async () => {
      const wave = `topics/${topics[2]!.documentId}?populate=localizations&locale=fr&fallbackLocale=de`;
      const { locale, localizations } = await get(wave);
      expect([locale, names(localizations)]).toEqual(['de', ['Waves (en)']]);
    });

    it('9.20 filters apply to the version that is returned', async () => {
      const fish = (text: string) =>
        shown(`topics?locale=fr&fallbackLocale=en&filters[name]=${text}`, 'name');
      expect(await fish('Poisson')).toEqual(['Poisson (fr)']);
      expect(await fish('Fish')).toEqual([]);
      expect(await fish('Boats')).toEqual(['Boats (en)']);
      expect(await shown('pages?locale=fr&fallbackLocale=en&filters[topics][name]=Boats')).toEqual([
        'Sea (en)',
      ]);
      expect(await shown('pages?locale=fr&fallbackLocale=en&filters[topics][name]=Fish')).toEqual([]);
      expect(await shown('topics?locale=fr&fallbackLocale=en&_q=fish', 'name')).toEqual([]);
      const nested = 'populate[topics][filters][name][$contains]=a&locale=fr&fallbackLocale=en';
      expect(names((await get(`pages/${sea.documentId}?${nested}`)).topics)).toEqual([
        'Boats (en)',
        'Waves (en)',
      ]);
    });

    it('9.20 a filter on the locale matches the fallback version, and needs no locale parameter', async () => {
      const ids = topics.map(({ documentId }) => `&filters[documentId][$in]=${documentId}`).join('');
      expect(await shown(`topics?locale=fr&fallbackLocale=en&filters[locale]=en${ids}`, 'name')).toEqual([
        'Boats (en)',
        'Waves (en)',
      ]);
      expect(await shown(`topics?fallbackLocale=de&filters[locale]=de${ids}`, 'name')).toEqual([]);
    });

    it('9.20 sorts apply to the version that is returned', async () => {
      const ids = topics.map(({ documentId }) => `&filters[documentId][$in]=${documentId}`).join('');
      expect(await shown(`topics?locale=fr&fallbackLocale=en&sort=name:desc${ids}`, 'name')).toEqual([
        'Waves (en)',
        'Poisson (fr)',
        'Boats (en)',
      ]);
      const [a, b] = [
        await inLocales('pages', { en: 'Sorted a' }, { more: { lead: topics[0]!.documentId } }),
        await inLocales('pages', { en: 'Sorted b' }, { more: { lead: topics[1]!.documentId } }),
      ];
      const both = `&filters[documentId][$in]=${a.documentId}&filters[documentId][$in]=${b.documentId}`;
      const sorted = `pages?locale=fr&fallbackLocale=en&sort=lead.name${both}`;
      expect(await shown(sorted)).toEqual(['Sorted b (en)', 'Sorted a (en)']);
      const order = 'populate[topics][sort]=name&locale=fr&fallbackLocale=en';
      expect(names((await get(`pages/${sea.documentId}?${order}`)).topics)).toEqual([
        'Boats (en)',
        'Poisson (fr)',
        'Waves (en)',
      ]);
    });

    it('D10, 9.20 pages show each document once, and totals count documents', async () => {
      for (const n of [1, 2, 3, 4, 5])
        await inLocales('notes', n % 2 === 0 ? { en: `n${n}`, fr: `f${n}`, de: `d${n}` } : { en: `n${n}` }, {
          name: 'text',
          more: { by: 'pages' },
        });
      const all = 'notes?locale=fr&fallbackLocale=en&filters[by]=pages';
      expect(await total(all)).toBe(5);
      const pages = [1, 2, 3].map((n) =>
        shown(`${all}&pagination[page]=${n}&pagination[pageSize]=2`, 'text'),
      );
      expect((await Promise.all(pages)).flat().sort()).toEqual(
        ['f2 (fr)', 'f4 (fr)', 'n1 (en)', 'n3 (en)', 'n5 (en)'].sort(),
      );
      const plainTotal = await total('notes?locale=fr&fallbackLocale=en');
      const everything = await get('notes?locale=fr&fallbackLocale=en&pagination[pageSize]=100');
      expect(everything).toHaveLength(plainTotal);
      expect(new Set(everything.map((row: Row) => row.documentId)).size).toBe(plainTotal);
      expect(await total('notes?locale=fr&fallbackLocale=en&pagination[start]=1000')).toBe(plainTotal);
    });

    it('9.20 fields may leave out the locale', async () => {
      const [row] = await get(`pages?fields=title&locale=fr&filters[documentId]=${sea.documentId}`);
      expect(row).toEqual({ id: expect.any(Number), documentId: sea.documentId, title: 'Sea' });
    });

    it('9.20 returns localized relations of the version that is returned', async () => {
      const [fish, boats] = topics;
      const both = await post('pages', {
        title: 'Links en',
        topics: [fish!.documentId],
        lead: fish!.documentId,
      });
      const one = await post('pages', { title: 'Links only en', topics: [boats!.documentId] });
      await put(`pages/${both.documentId}?locale=fr`, {
        title: 'Links fr',
        topics: [boats!.documentId],
        lead: null,
      });
      const of = async (row: Row) => {
        const query = 'populate[topics]=true&populate[lead]=true&locale=fr&fallbackLocale=en';
        const { topics: list, lead } = await get(`pages/${row.documentId}?${query}`);
        return [names(list), lead];
      };
      expect(await of(both)).toEqual([['Boats (en)'], null]);
      expect(await of(one)).toEqual([['Boats (en)'], null]);
      // The same relations from the other side.
      const pagesOf = async (row: Row) =>
        names((await get(`topics/${row.documentId}?populate=pages&locale=fr&fallbackLocale=en`)).pages);
      expect(await pagesOf(boats!)).toEqual(expect.arrayContaining(['Links fr (fr)', 'Links only en (en)']));
      expect(await pagesOf(fish!)).not.toContain('Links en (en)');
    });

    it('D25, 9.20 excludes relations that a missing locale will have from its fallback version, on either side', async () => {
      const row = await inLocales('pages', { en: 'Waiting en' });
      const waited = await inLocales('topics', { en: 'Waited', fr: 'Attendu' }, { name: 'name' });
      await put(`topics/${waited.documentId}?locale=fr`, { pages: [row.documentId] });
      const sides = async () => [
        names((await get(`pages/${row.documentId}?populate=topics&locale=fr`)).topics),
        names((await get(`topics/${waited.documentId}?populate=pages&locale=fr`)).pages),
      ];
      expect(await sides()).toEqual([[], []]);
      await put(`pages/${row.documentId}?locale=fr`, { title: 'Waiting fr' });
      expect(await sides()).toEqual([['Attendu (fr)'], ['Waiting fr (fr)']]);
    });

    it('8.2, 9.20 stays within one state: a draft is not a fallback for a published version', async () => {
      const mixed = await inLocales('pages', { en: 'Mixed en' });
      await put(`pages/${mixed.documentId}?locale=fr&status=draft`, { title: 'Mixed fr draft' });
      const of = (query: string) => get(`pages/${mixed.documentId}?locale=fr${query}`);
      expect(await of('')).toMatchObject({ title: 'Mixed en', locale: 'en' });
      expect(await of('&status=draft')).toMatchObject({
        title: 'Mixed fr draft',
        locale: 'fr',
        publishedAt: null,
      });
      const draft = await inLocales('pages', { en: 'Draft en' }, { query: '&status=draft' });
      await missing(`pages/${draft.documentId}?locale=fr`);
      expect(await get(`pages/${draft.documentId}?locale=fr&status=draft`)).toMatchObject({ locale: 'en' });
    });

    it('8.19, 9.20 publicationFilter applies to the version that is returned', async () => {
      const row = await inLocales('pages', { en: 'State en', fr: 'State fr' });
      await put(`pages/${row.documentId}?status=draft`, { title: 'State en, changed' });
      const of = (query: string) =>
        shown(`pages?status=draft&filters[documentId]=${row.documentId}&locale=${query}`);
      expect(await of('en&publicationFilter=modified')).toEqual(['State en, changed (en)']);
      expect(await of('fr&publicationFilter=modified')).toEqual([]);
      expect(await of('fr&publicationFilter=unmodified')).toEqual(['State fr (fr)']);
      const only = await inLocales('pages', { en: 'State only en' });
      await put(`pages/${only.documentId}?status=draft`, { title: 'State only en, changed' });
      const modified = `pages?status=draft&filters[documentId]=${only.documentId}&publicationFilter=modified`;
      expect(await shown(`${modified}&locale=fr`)).toEqual(['State only en, changed (en)']);
      expect(await total('pages?status=draft&publicationFilter=modified&locale=fr')).toBe(
        (await get('pages?status=draft&publicationFilter=modified&locale=fr&pagination[pageSize]=100'))
          .length,
      );
    });

    it('9.20 applies to the v4 format', async () => {
      const query = 'populate[topics]=true&locale=fr&fallbackLocale=en';
      const { body } = await test.http
        .get(`/api/pages/${sea.documentId}?${query}`)
        .set('Strapi-Response-Format', 'v4')
        .expect(200);
      expect(body.data.attributes.locale).toBe('en');
      expect(body.data.attributes.topics.data).toHaveLength(3);
    });

    it('9.20 needs one statement', async () => {
      const query = 'populate[topics][populate][leads]=true&locale=fr&fallbackLocale=de,en&sort=lead.name';
      const statements = await countStatements(() => get(`pages?${query}`));
      expect(statements).toHaveLength(1);
    });

    it('9.4, 9.20 keeps the statement unchanged without a fallback', async () => {
      const [plainly] = await countStatements(() => get('topics?locale=fr'));
      const [off] = await countStatements(() => get('topics?locale=fr&fallbackLocale=false'));
      expect(off).toBe(plainly);
      expect(plainly).not.toContain('array_position');
    });
  });

  describe('9.21: writes', () => {
    it('9.21 a write creates and returns its own locale', async () => {
      const row = await inLocales('pages', { en: 'Written en' });
      const fr = await put(`pages/${row.documentId}?locale=fr&fallbackLocale=en`, { title: 'Written fr' });
      expect(fr).toMatchObject({ title: 'Written fr', locale: 'fr' });
      expect(await get(`pages/${row.documentId}`)).toMatchObject({ title: 'Written en' });
      const made = await post('pages?locale=fr&fallbackLocale=en', { title: 'Made fr' });
      expect(made['locale']).toBe('fr');
      await missing(`pages/${made.documentId}`);
    });

    it('9.21 populate of a write has fallbacks as in a GET', async () => {
      const only = await inLocales('topics', { en: 'Only en' }, { name: 'name' });
      const query = 'locale=fr&fallbackLocale=en&populate=lead';
      const made = await post(`pages?${query}`, { title: 'With lead', lead: only.documentId });
      expect(made['lead']).toMatchObject({ name: 'Only en', locale: 'en' });
      expect(await get(`pages/${made.documentId}?${query}`)).toEqual(made);
    });

    it('9.21 deleting applies to the requested locale only', async () => {
      const row = await inLocales('pages', { en: 'Kept en' });
      await test.http.delete(`/api/pages/${row.documentId}?locale=fr`).expect(204);
      await test.http.delete(`/api/pages/${row.documentId}?locale=fr&fallbackLocale=en`).expect(204);
      expect(await get(`pages/${row.documentId}`)).toMatchObject({ title: 'Kept en' });
    });

    it('9.21, 24.5 a bulk write by filters finds no document by its fallback version', async () => {
      const by = 'bulk';
      const [both, english] = [
        await post('notes', { text: 'A', by }),
        await post('notes', { text: 'B', by }),
      ];
      await test.http
        .put(`/api/notes/${both.documentId}?locale=fr`)
        .send({ data: { text: 'C' } })
        .expect(200);
      const data = { action: 'update', locale: 'fr', filters: { by }, data: { text: 'D' } };
      const bulk = async (more: object): Promise<unknown> =>
        (
          await test.http
            .post('/api/notes/bulk')
            .send({ data: { ...data, ...more } })
            .expect(200)
        ).body;
      expect(await bulk({ dryRun: true })).toMatchObject({ meta: { matched: 1 } });
      for (const filters of [[], 'x', { nothing: 1 }])
        await test.http
          .post('/api/notes/bulk')
          .send({ data: { ...data, filters } })
          .expect(400);
      expect(await bulk({})).toMatchObject({ data: [{ documentId: both.documentId }] });
      const { body } = await test.http.get(`/api/notes/${english.documentId}?locale=fr`).expect(200);
      expect(body.data).toMatchObject({ locale: 'en', text: 'B' });
    });

    it('9.21 a service does not unpublish the fallback of a missing version', async () => {
      const service = test.app.get<ContentService<Row>>(getContentToken('page'), { strict: false });
      const row = await inLocales('pages', { en: 'Service en' });
      expect(await service.findOne(row.documentId, { locale: 'fr' })).toMatchObject({ locale: 'en' });
      expect(await service.findOne(row.documentId, { locale: 'fr', fallbackLocale: false })).toBeNull();
      expect(await service.findOne(row.documentId, { locale: 'fr', fallbackLocale: [] })).toBeNull();
      expect(await service.findOne(row.documentId, { locale: 'de', fallbackLocale: ['en'] })).not.toBeNull();
      for (const verb of ['unpublish', 'discardDraft'] as const)
        await expect(service[verb](row.documentId, { locale: 'fr' })).rejects.toMatchObject({
          name: 'NotFoundError',
        });
      await get(`pages/${row.documentId}`);
    });
  });

  it('9.18, 9.19 cached plans depend on the fallbacks', async () => {
    const row = await inLocales('topics', { en: 'Kept', de: 'Behalten' }, { name: 'name' });
    const of = (query: string) => test.http.get(`/api/topics/${row.documentId}?locale=fr${query}`);
    for (let again = 0; again < 2; again += 1) {
      expect((await of('&fallbackLocale=de').expect(200)).body.data.locale).toBe('de');
      expect((await of('&fallbackLocale=en').expect(200)).body.data.locale).toBe('en');
      expect((await of('&fallbackLocale=de,en').expect(200)).body.data.locale).toBe('de');
      await of('').expect(404);
    }
  });
});

describe('fallback locales and permissions', () => {
  const note = defineCollectionType({
    singularApiId: 'memo',
    pluralApiId: 'memos',
    draftAndPublish: true,
    localized: true,
    fallbackLocale: 'en',
    attributes: {
      text: { type: 'string', localized: true },
      secret: { type: 'string', localized: true, private: true },
      partner: { type: 'relation', relation: 'manyToOne', target: 'hidden' },
    },
  });
  const hidden = defineCollectionType({
    singularApiId: 'hidden',
    pluralApiId: 'hiddens',
    localized: true,
    attributes: { text: { type: 'string', localized: true } },
  });
  let test: TestApp;
  let made: Row;
  beforeAll(async () => {
    test = await createTestApp({
      contentTypes: [note, hidden],
      locales: ['en', 'fr'],
      access: { public: { memo: ['find', { actions: ['findOne'], fields: ['text'] }] } },
    });
    const of = (type: string) => test.app.get<ContentService<Row>>(getContentToken(type), { strict: false });
    const partner = await of('hidden').create({ text: 'nobody' });
    made = await of('memo').create({ text: 'Memo', secret: 'x', partner: partner.documentId });
    await of('memo').create({ text: 'Draft' }, { status: 'draft' });
  });
  afterAll(() => test.close());
  const get = (path: string) => test.http.get(`/api/${path}`);

  it('D16, 9.20 requires the same permissions for a fallback version', async () => {
    const { body } = await get(`memos/${made.documentId}?locale=fr&fallbackLocale=en&populate=*`).expect(200);
    expect(body.data).toEqual(expect.objectContaining({ text: 'Memo', locale: 'en' }));
    expect(body.data).not.toHaveProperty('secret');
    expect(body.data).not.toHaveProperty('partner');
    await get('memos?locale=fr&fallbackLocale=en&filters[secret]=x').expect(400);
    await get('memos?locale=fr&fallbackLocale=en&filters[partner][text]=nobody').expect(400);
    await get('hiddens?locale=fr&fallbackLocale=en').expect(403);
  });

  it('D17, 9.20 a draft is a fallback for drafts only, and requires readDrafts', async () => {
    await get('memos?locale=fr&fallbackLocale=en&status=draft').expect(403);
    expect((await get('memos?locale=fr').expect(200)).body.data).toHaveLength(1);
  });
});

describe('9.18: invalid definitions', () => {
  const define =
    (fallbackLocale: unknown, localized = true) =>
    () =>
      ContentModule.forRoot({
        contentTypes: [
          {
            ...note,
            attributes: { by: { type: 'string' } },
            localized,
            fallbackLocale,
          } as unknown as typeof note,
        ],
        locales: ['en', 'fr'],
        database: { clientUrl: 'postgresql://nobody@127.0.0.1:1/none' },
      });
  const SHAPE =
    'note: "fallbackLocale" must be false, a locale, a list of distinct locales, or an object with one of these per locale';

  it.each([
    ['a number', 1],
    ['true', true],
    ['an empty text', ''],
    ['the same twice', ['en', 'en']],
    ['an object in an object', { fr: { de: 'en' } }],
  ])('9.18 %s', (_, value) => {
    expect(define(value)).toThrow(SHAPE);
  });

  it('9.18 rejects a locale that is its own fallback, and a type that is not localized', () => {
    expect(define({ fr: ['en', 'fr'] })).toThrow(
      'note: fallbackLocale.fr: a locale cannot be its own fallback',
    );
    expect(define('en', false)).toThrow('note: fallbackLocale: the type is not localized');
    expect(define(false, false)).not.toThrow();
    expect(define({ fr: [], default: ['en', 'fr'] })).not.toThrow();
  });

  it('9.18 rejects locales that are missing in the settings at start', async () => {
    await expect(createTestApp({ ...press, locales: ['fr', 'de'] })).rejects.toThrow(
      'page: fallbackLocale: "de-CH" is not a locale',
    );
  });
});
