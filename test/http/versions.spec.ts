import { type ContentService, defineCollectionType, getContentToken, Permissions } from 'nestjs-content-api';
import { blog } from '../fixtures/blog.ts';
import { adaptersFor } from '../support/adapters.ts';
import { countStatements, createTestApp, type TestApp } from '../support/app.ts';
import { failure, NOT_FOUND, problem, snapshot, withinTransaction } from './helpers.ts';

interface Row {
  readonly id: number;
  readonly documentId: string;
  readonly [attribute: string]: any;
}

const FORBIDDEN = failure(403, 'ForbiddenError', 'Forbidden');

describe.each(adaptersFor('fastify'))('versions on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => void (test = await createTestApp(blog, adapter)));
  afterAll(() => test.close());

  const post = async (path: string, data: object): Promise<Row> =>
    (await test.http.post(`/api/${path}`).send({ data }).expect(201)).body.data;
  const put = (plural: string, { documentId }: Row, data: object, query = '') =>
    test.http.put(`/api/${plural}/${documentId}${query}`).send({ data });
  const update = async (plural: string, row: Row, data: object, query = ''): Promise<Row> =>
    (await put(plural, row, data, query).expect(200)).body.data;
  const get = async (plural: string, { documentId }: Row, query = ''): Promise<Row> =>
    (await test.http.get(`/api/${plural}/${documentId}${query}`).expect(200)).body.data;
  const missing = async (plural: string, { documentId }: Row, query = ''): Promise<void> =>
    void expect((await test.http.get(`/api/${plural}/${documentId}${query}`).expect(404)).body).toEqual(
      NOT_FOUND,
    );
  const list = async (path: string, name = 'title'): Promise<unknown[]> =>
    (await test.http.get(`/api/${path}`).expect(200)).body.data.map((row: Row) => row[name]);
  const linked = async (plural: string, row: Row, name: string, by: string, query = ''): Promise<unknown[]> =>
    (await get(plural, row, `?populate=${name}${query}`))[name].map((item: Row) => item[by]);
  const rowsOf = ({ documentId }: Row, table: string) =>
    test.sql(`select id, locale, published from ${table} where document_id = $1 order by locale, published`, [
      documentId,
    ]);

  describe('section 8: drafts and published versions', () => {
    it('8.4 POST creates a draft and a published row, and returns the published one', async () => {
      const made = await post('articles', { title: 'Both' });
      expect(made.publishedAt).toMatch(/Z$/);
      const draft = await get('articles', made, '?status=draft');
      expect(draft).toEqual({ ...made, id: expect.any(Number), publishedAt: null });
      expect(draft.id).not.toBe(made.id);
      expect(await rowsOf(made, 'articles')).toHaveLength(2);
    });

    it('8.2–8.4 POST ?status=draft creates only a draft, which requires status=draft to read', async () => {
      const draft = await post('articles?status=draft', { title: 'Draft only' });
      expect(draft).toMatchObject({ publishedAt: null, locale: 'en' });
      await missing('articles', draft);
      expect(await list('articles?filters[title]=Draft only')).toEqual([]);
      expect(await list('articles?filters[title]=Draft only&status=draft')).toEqual(['Draft only']);
      expect(await rowsOf(draft, 'articles')).toEqual([expect.objectContaining({ published: false })]);
    });

    it('8.2 status=draft lists the drafts of all documents, also of the published ones', async () => {
      const [one, two] = [
        await post('articles', { title: 'List 1' }),
        await post('articles?status=draft', { title: 'List 2' }),
      ];
      const { body } = await test.http
        .get('/api/articles?filters[title][$startsWith]=List&status=draft')
        .expect(200);
      expect(body.data.map((row: Row) => [row.documentId, row['publishedAt']])).toEqual([
        [one.documentId, null],
        [two.documentId, null],
      ]);
      expect(await list('articles?filters[title][$startsWith]=List&status=published')).toEqual(['List 1']);
    });

    it('8.5 PUT ?status=draft leaves the published version unchanged; (8.5b) the next PUT publishes the whole draft', async () => {
      const made = await post('articles', { title: 'First', summary: 'old', views: 1 });
      expect(await update('articles', made, { summary: 'new' }, '?status=draft')).toMatchObject({
        summary: 'new',
        publishedAt: null,
      });
      expect(await get('articles', made)).toEqual(made);
      expect(await update('articles', made, { views: 2 })).toMatchObject({
        title: 'First',
        summary: 'new',
        views: 2,
        id: made.id,
      });
      const draft = await get('articles', made, '?status=draft');
      const published = await get('articles', made);
      expect(draft).toEqual({ ...published, id: draft.id, publishedAt: null });
    });

    it('8.6, 1.12 PUT without values publishes the draft', async () => {
      const draft = await post('articles?status=draft', { title: 'Publish me' });
      expect(await update('articles', draft, {})).toMatchObject({
        title: 'Publish me',
        publishedAt: expect.any(String),
        documentId: draft.documentId,
        createdAt: draft.createdAt,
      });
      await get('articles', draft);
    });

    it('8.7 DELETE removes both versions; a draft cannot be deleted alone', async () => {
      const made = await post('articles', { title: 'Delete me' });
      const before = await snapshot(test);
      expect(
        (await test.http.delete(`/api/articles/${made.documentId}?status=draft`).expect(400)).body,
      ).toMatchObject({
        error: { name: 'ValidationError', details: { key: 'status', source: 'query', param: 'status' } },
      });
      expect(await snapshot(test)).toEqual(before);
      await test.http.delete(`/api/articles/${made.documentId}`).expect(204);
      expect(await rowsOf(made, 'articles')).toEqual([]);
    });

    it('8.8 types without drafts ignore status; others return 400 for an unknown one', async () => {
      const ann = await post('authors?status=draft', { name: `Ann ${adapter}` });
      expect(ann.publishedAt).not.toBeNull();
      expect(await get('authors', ann, '?status=draft')).toEqual(ann);
      for (const value of ['bad', 'DRAFT', '', 'draft,published']) {
        const before = await snapshot(test);
        expect(
          (await test.http.get(`/api/articles?status=${value}`).expect(400)).body.error.details,
        ).toMatchObject({ source: 'query', param: 'status' });
        await test.http
          .post(`/api/articles?status=${value}`)
          .send({ data: { title: 'Bad status' } })
          .expect(400);
        expect(await snapshot(test)).toEqual(before);
      }
    });

    it('8.12 rejects publishing an incomplete draft and changes nothing', async () => {
      const draft = await post('articles?status=draft', { summary: 'no title' });
      const before = await snapshot(test);
      const message = 'title must be a `string` type, but the final value was: `null`.';
      expect((await put('articles', draft, { views: 3 }).expect(400)).body).toEqual(
        problem(['title'], message, null),
      );
      expect(await snapshot(test)).toEqual(before);
    });

    it('8.13 ignores publishedAt in the input', async () => {
      const made = await post('articles', { title: 'Dated', publishedAt: '2000-01-01T00:00:00.000Z' });
      expect(made.publishedAt > '2020').toBe(true);
      expect((await update('articles', made, { publishedAt: null })).publishedAt).not.toBeNull();
      expect(
        (await post('articles?status=draft', { title: 'Undated', publishedAt: '2000-01-01T00:00:00.000Z' }))
          .publishedAt,
      ).toBeNull();
    });

    it('D18, 1.4 ids and createdAt stay, updatedAt and publishedAt change', async () => {
      const made = await post('articles', { title: 'Stable' });
      const rows = await rowsOf(made, 'articles');
      let last = made;
      for (let i = 0; i < 3; i += 1) {
        const next = await update('articles', made, { views: i });
        expect(next).toMatchObject({ id: made.id, documentId: made.documentId, createdAt: made.createdAt });
        expect(next.updatedAt > last.updatedAt).toBe(true);
        expect(next.publishedAt > last.publishedAt).toBe(true);
        last = next;
      }
      expect(await rowsOf(made, 'articles')).toEqual(rows);
    });

    it('8.10 components of published documents show published targets, those of drafts show drafts', async () => {
      const target = await post('articles?status=draft', { title: 'Target' });
      const made = await post('articles', {
        title: 'Source',
        sections: [{ heading: 'h', link: target.documentId }],
      });
      const link = async (query: string) =>
        (await get('articles', made, `?populate=sections.link${query}`)).sections[0].link;
      expect([await link(''), (await link('&status=draft')).title]).toEqual([null, 'Target']);
      await update('articles', target, {});
      expect((await link('')).title).toBe('Target');
    });

    it('8.22 has no route for publishing by default', async () => {
      const made = await post('articles', { title: 'Routeless' });
      for (const action of ['publish', 'unpublish', 'actions/publish'])
        await test.http.post(`/api/articles/${made.documentId}/${action}`).expect(404);
    });

    it('8.20 rejects status and locale inside a populate', async () => {
      expect(
        (await test.http.get('/api/articles?populate[categories][status]=draft').expect(400)).body.error
          .message,
      ).toBe('Invalid key status at categories');
      expect(
        (await test.http.get('/api/articles?populate[categories][locale]=fr').expect(400)).body.error.message,
      ).toBe('Invalid key locale at categories');
    });

    describe('8.18 publicationFilter', () => {
      let mark: string;
      beforeAll(async () => {
        mark = 'filtered';
        await post('articles?status=draft', { title: 'never', summary: mark });
        await post('articles', { title: 'same', summary: mark });
        const changed = await post('articles', { title: 'changed', summary: mark });
        await update('articles', changed, { title: 'changed!' }, '?status=draft');
        // A published version without its draft, as SQL or an older model can leave it.
        await post('articles', { title: 'orphan', summary: mark });
        await test.sql(`delete from articles where title = 'orphan' and not published`);
        // Is published in one locale only.
        const partly = await post('articles?status=draft', { title: 'partly', summary: mark });
        await update('articles', partly, { title: 'en partie', summary: mark }, '?locale=fr');
      });

      it.each([
        ['never-published', ['never', 'partly'], []],
        ['has-published-version', ['same', 'changed!'], ['same', 'changed']],
        ['never-published-document', ['never'], []],
        ['has-published-version-document', ['same', 'changed!', 'partly'], ['same', 'changed', 'orphan']],
        ['modified', ['changed!'], ['changed']],
        ['unmodified', ['same'], ['same']],
        ['published-without-draft', [], ['orphan']],
        ['published-with-draft', [], ['same', 'changed']],
      ])('%s', async (filter, drafts, published) => {
        expect(
          await list(`articles?filters[summary]=${mark}&publicationFilter=${filter}&status=draft`),
        ).toEqual(drafts);
        expect(await list(`articles?filters[summary]=${mark}&publicationFilter=${filter}`)).toEqual(
          published,
        );
      });

      it('D21 JSON with the same values in another structure is a modification', async () => {
        const made = await post('articles', { title: 'nested', summary: 'nested', meta: [[1], 2] });
        await update('articles', made, { meta: [[1, 2]] }, '?status=draft');
        const modified = 'articles?filters[summary]=nested&publicationFilter=modified&status=draft';
        expect(await list(modified)).toEqual(['nested']);
      });

      it('rejects another value with 400, and accepts the deprecated spelling', async () => {
        expect(
          (await test.http.get('/api/articles?publicationFilter=nope').expect(400)).body.error.details,
        ).toEqual({ source: 'query', param: 'publicationFilter' });
        expect(
          await list(`articles?filters[summary]=${mark}&hasPublishedVersion=false&status=draft`),
        ).toEqual(['never']);
        expect(await list(`articles?filters[summary]=${mark}&hasPublishedVersion=true&status=draft`)).toEqual(
          ['same', 'changed!', 'partly'],
        );
      });
    });
  });

  describe('section 9: locales', () => {
    it.each([
      ['locale[0]=fr&locale[1]=en', 'fr,en'],
      ['locale=fr&locale=en', 'fr,en'],
      ['locale[]=fr', 'fr'],
    ])('9.1 accepts one locale per document: rejects %s and names it', async (query, named) => {
      const { documentId } = await post('articles', { title: 'One at a time' });
      const requests = [
        test.http.get(`/api/articles/${documentId}?${query}`),
        test.http.put(`/api/articles/${documentId}?${query}`).send({ data: { title: 'No' } }),
        test.http.post(`/api/articles?${query}`).send({ data: { title: 'No' } }),
        test.http.delete(`/api/articles/${documentId}?${query}`),
        test.http.get(`/api/landing?${query}`),
        test.http.put(`/api/landing?${query}`).send({ data: { title: 'No' } }),
      ];
      for (const request of requests)
        expect((await request.expect(400)).body.error).toEqual({
          status: 400,
          name: 'ValidationError',
          message: `Invalid locale param ${named} provided. Document locales must be strings.`,
          details: { key: 'locale', path: null, source: 'query', param: 'locale' },
        });
      expect(await list(`articles?filters[documentId]=${documentId}&${query}`)).toEqual(
        named === 'fr' ? [] : ['One at a time'],
      );
      await test.http.get(`/api/articles/${documentId}?locale=*`).expect(404);
      expect(
        (await test.http.put(`/api/articles/${documentId}?locale=*`).send({ data: {} }).expect(400)).body
          .error.message,
      ).toBe('Invalid locale param * provided. Document locales must be strings.');
    });

    const translated = async (): Promise<Row> => {
      const made = await post('articles', {
        title: 'English',
        summary: 'one',
        views: 7,
        rich: 'shared',
        seo: { title: 'en seo' },
        sections: [{ heading: 'shared' }],
      });
      await update('articles', made, { title: 'Français' }, '?locale=fr');
      return made;
    };

    it('9.1, 9.4 returns the default locale if none is requested; returns 404 for a missing one', async () => {
      const made = await translated();
      expect([
        (await get('articles', made)).title,
        (await get('articles', made, '?locale=en')).title,
        (await get('articles', made, '?locale=fr')).title,
      ]).toEqual(['English', 'English', 'Français']);
      await missing('articles', made, '?locale=de');
    });

    it('9.1–9.3 lists return one locale, or all with *, and none of an unknown one', async () => {
      const made = await translated();
      const titles = (locale: string) =>
        list(`articles?filters[documentId]=${made.documentId}${locale}&sort=id`);
      expect(await titles('')).toEqual(['English']);
      expect(await titles('&locale=fr')).toEqual(['Français']);
      expect(await titles('&locale=*')).toEqual(['English', 'Français']);
      for (const unknown of ['all', 'xx', 'FR', 'en,fr', "fr' or 1=1 --"])
        expect(await titles(`&locale=${encodeURIComponent(unknown)}`)).toEqual([]);
      await missing('articles', made, '?locale=xx');
    });

    it('9.5 POST ?locale=fr creates a French document, whatever locale the body has (9.9)', async () => {
      const made = await post('articles?locale=fr', { title: 'Premier', locale: 'de' });
      expect(made.locale).toBe('fr');
      await missing('articles', made);
      expect((await update('articles', made, { locale: 'en' }, '?locale=fr')).locale).toBe('fr');
      await missing('articles', made);
    });

    it('9.6 PUT ?locale=fr creates that version of the document, then updates it, and does not change the others', async () => {
      const made = await post('articles', { title: 'English', summary: 'one' });
      const french = await update('articles', made, { title: 'Français' }, '?locale=fr');
      expect(french).toMatchObject({
        documentId: made.documentId,
        locale: 'fr',
        title: 'Français',
        summary: null,
      });
      expect(french.id).not.toBe(made.id);
      expect(await update('articles', made, { summary: 'un' }, '?locale=fr')).toMatchObject({
        id: french.id,
        title: 'Français',
        summary: 'un',
      });
      expect(await get('articles', made)).toMatchObject({ id: made.id, title: 'English', summary: 'one' });
      expect(await rowsOf(made, 'articles')).toHaveLength(4);
    });

    it('9.6 status=draft creates a draft of a locale', async () => {
      const made = await post('articles', { title: 'English' });
      expect(await update('articles', made, { title: 'Français' }, '?locale=fr&status=draft')).toMatchObject({
        locale: 'fr',
        publishedAt: null,
      });
      await missing('articles', made, '?locale=fr');
      await update('articles', made, {}, '?locale=fr');
      expect((await get('articles', made, '?locale=fr')).title).toBe('Français');
    });

    it('rejects a new locale without its required values, and writes nothing', async () => {
      const made = await post('articles', { title: 'English' });
      const before = await snapshot(test);
      expect(
        (await put('articles', made, { summary: 'x' }, '?locale=fr').expect(400)).body.error.details.errors[0]
          .path,
      ).toEqual(['title']);
      expect(await snapshot(test)).toEqual(before);
    });

    it('an unknown document has no locales', async () => {
      expect(
        (
          await put(
            'articles',
            { id: 0, documentId: 'a'.repeat(24) },
            { title: 'Nobody' },
            '?locale=fr',
          ).expect(404)
        ).body,
      ).toEqual(NOT_FOUND);
    });

    it('9.7, D19 a new locale copies shared values and relations, order included', async () => {
      const categories = await Promise.all(['x', 'y', 'z'].map((name) => post('categories', { name })));
      const author = await post('authors', { name: `Shared ${adapter}` });
      const ids = [2, 0, 1].map((i) => categories[i]!.documentId);
      const made = await post('articles', {
        title: 'English',
        views: 7,
        rich: 'r',
        meta: { a: 1 },
        author: author.documentId,
        categories: ids,
        sections: [{ heading: 'h' }],
        seo: { title: 'local' },
      });
      const query = 'populate[0]=author&populate[1]=categories&populate[2]=sections&populate[3]=seo';
      const french = await update('articles', made, { title: 'Français' }, `?locale=fr&${query}`);
      const english = await get('articles', made, `?${query}`);
      expect(french).toMatchObject({
        views: 7,
        rich: 'r',
        meta: { a: 1 },
        author: { name: `Shared ${adapter}` },
        seo: null,
      });
      expect(french.categories.map((row: Row) => row['name'])).toEqual(['z', 'x', 'y']);
      expect(french.sections).toEqual(english.sections);
      expect(await linked('articles', made, 'categories', 'name', '&locale=fr&status=draft')).toEqual([
        'z',
        'x',
        'y',
      ]);
      expect(await linked('authors', author, 'articles', 'title', '&locale=fr')).toEqual(['Français']);
    });

    it('9.7, D20 a shared value changes in all locales of the written state', async () => {
      const made = await translated();
      await update(
        'articles',
        made,
        { views: 8, sections: [{ heading: 'new' }], summary: 'un' },
        '?locale=fr',
      );
      const [published, draft] = [
        await get('articles', made, '?populate=sections'),
        await get('articles', made, '?populate=sections&status=draft'),
      ];
      for (const row of [published, draft])
        expect(row).toMatchObject({
          title: 'English',
          summary: 'one',
          views: 8,
          sections: [{ heading: 'new' }],
        });
      await update('articles', made, { views: 9 }, '?status=draft');
      expect([
        (await get('articles', made, '?locale=fr')).views,
        (await get('articles', made, '?locale=fr&status=draft')).views,
        (await get('articles', made)).views,
      ]).toEqual([8, 9, 8]);
      await update('articles', made, {}, '?locale=fr');
      expect([(await get('articles', made)).views, (await get('articles', made)).title]).toEqual([
        9,
        'English',
      ]);
    });

    it('9.7 shared relations change in all locales, localized ones in one', async () => {
      const words = await Promise.all(
        ['a', 'b', 'c'].map(async (word) => {
          const row = await post('terms', { word });
          await update('terms', row, { word: word.toUpperCase() }, '?locale=fr');
          return row;
        }),
      );
      const [a, b, c] = words.map((row) => row.documentId) as [string, string, string];
      const made = await post('terms', { word: 'made', sees: [b, a], broader: a, local: [a] });
      await update(
        'terms',
        made,
        { word: 'fait', sees: { connect: [c] }, broader: b, local: [c, b] },
        '?locale=fr',
      );
      expect(await linked('terms', made, 'sees', 'word')).toEqual(['b', 'a', 'c']);
      expect(await linked('terms', made, 'sees', 'word', '&locale=fr')).toEqual(['B', 'A', 'C']);
      expect((await get('terms', made, '?populate=broader')).broader.word).toBe('b');
      expect(await linked('terms', made, 'local', 'word')).toEqual(['a']);
      expect(await linked('terms', made, 'local', 'word', '&locale=fr')).toEqual(['C', 'B']);
      await update('terms', made, { sees: { disconnect: [b] } });
      expect(await linked('terms', made, 'sees', 'word', '&locale=fr')).toEqual(['A', 'C']);
      expect(await linked('terms', words[2]!, 'seenFrom', 'word', '&locale=fr')).toEqual(['fait']);
    });

    it('9.7 the inverse side of a shared relation is also shared', async () => {
      const target = await post('terms', { word: 'target' });
      const [one, two] = [await post('terms', { word: 'one' }), await post('terms', { word: 'two' })];
      for (const row of [one, two])
        await update('terms', row, { word: 'fr' + String(row['word']) }, '?locale=fr');
      await update(
        'terms',
        target,
        { word: 'cible', seenFrom: [two.documentId, one.documentId] },
        '?locale=fr',
      );
      expect(await linked('terms', target, 'seenFrom', 'word')).toEqual(['two', 'one']);
      expect(await linked('terms', target, 'seenFrom', 'word', '&locale=fr')).toEqual(['frtwo', 'frone']);
      for (const query of ['', '&locale=fr'])
        expect(await linked('terms', one, 'sees', 'documentId', query)).toEqual([target.documentId]);
    });

    it('9.7 localized relations are separate per locale, also on the inverse side', async () => {
      const words = await Promise.all(
        ['a', 'b'].map(async (word) => {
          const row = await post('terms', { word });
          await update('terms', row, { word: word.toUpperCase() }, '?locale=fr');
          return row;
        }),
      );
      const [a, b] = words as [Row, Row];
      const made = await post('terms', { word: 'made', broaderHere: a.documentId, near: [a.documentId] });
      await update('terms', made, { word: 'fait', broaderHere: b.documentId }, '?locale=fr');
      expect([
        (await get('terms', made, '?populate=broaderHere')).broaderHere.word,
        (await get('terms', made, '?populate=broaderHere&locale=fr')).broaderHere.word,
      ]).toEqual(['a', 'B']);
      expect(await linked('terms', made, 'near', 'word', '&locale=fr')).toEqual([]);
      await update('terms', b, { nearFrom: [made.documentId] }, '?locale=fr');
      expect(await linked('terms', made, 'near', 'word', '&locale=fr')).toEqual(['B']);
      expect(await linked('terms', made, 'near', 'word')).toEqual(['a']);
      expect([
        await linked('terms', b, 'nearFrom', 'word', '&locale=fr'),
        await linked('terms', b, 'nearFrom', 'word'),
      ]).toEqual([['fait'], []]);
      await update('terms', b, { nearFrom: [] });
      expect(await linked('terms', made, 'near', 'word', '&locale=fr')).toEqual(['B']);
    });

    it('11.22, D23 a one-to-one target changes its owner in all locales', async () => {
      const target = await post('terms', { word: 'target' });
      const [first, second] = [
        await post('terms', { word: 'first', twin: target.documentId }),
        await post('terms', { word: 'second' }),
      ];
      for (const row of [target, first, second])
        await update('terms', row, { word: `fr ${String(row['word'])}` }, '?locale=fr');
      await update('terms', second, { twin: target.documentId }, '?locale=fr');
      for (const [query, word] of [
        ['', 'second'],
        ['&locale=fr', 'fr second'],
      ] as const) {
        expect((await get('terms', target, `?populate=twinOf${query}`)).twinOf.word).toBe(word);
        expect((await get('terms', first, `?populate=twin${query}`)).twin).toBeNull();
      }
      await update('terms', target, { twinOf: first.documentId });
      for (const [query, word] of [
        ['', 'first'],
        ['&locale=fr', 'fr first'],
      ] as const)
        expect((await get('terms', target, `?populate=twinOf${query}`)).twinOf.word).toBe(word);
      expect((await get('terms', second, '?populate=twin&locale=fr')).twin).toBeNull();
    });

    it('9.7, 9.8 a locale that is created again copies the shared values of the others', async () => {
      const made = await translated();
      await test.http.delete(`/api/articles/${made.documentId}`).expect(204);
      expect(await update('articles', made, { title: 'English again' }, '?populate=sections')).toMatchObject({
        views: 7,
        rich: 'shared',
        summary: null,
        sections: [{ heading: 'shared' }],
      });
    });

    it('9.8 DELETE removes the named locale, else the default one, or all with *', async () => {
      const made = await translated();
      await test.http.delete(`/api/articles/${made.documentId}?locale=fr`).expect(204);
      await missing('articles', made, '?locale=fr');
      await get('articles', made);
      await update('articles', made, { title: 'Encore' }, '?locale=fr');
      await test.http.delete(`/api/articles/${made.documentId}`).expect(204);
      await missing('articles', made);
      expect((await get('articles', made, '?locale=fr')).title).toBe('Encore');
      await update('articles', made, { title: 'English again' });
      await test.http.delete(`/api/articles/${made.documentId}?locale=*`).expect(204);
      expect(await rowsOf(made, 'articles')).toEqual([]);
    });

    it('9.8 links to a document remain as long as it has a locale', async () => {
      const target = await translated();
      const made = await post('articles', { title: 'Source', related: [target.documentId] });
      await test.http.delete(`/api/articles/${target.documentId}`).expect(204);
      expect(await linked('articles', made, 'related', 'title')).toEqual([]);
      await update('articles', target, { title: 'Back' });
      expect(await linked('articles', made, 'related', 'title')).toEqual(['Back']);
      await test.http.delete(`/api/articles/${target.documentId}?locale=*`).expect(204);
      expect(
        await test.sql('select 1 from articles_related_links where target_document_id = $1', [
          target.documentId,
        ]),
      ).toEqual([]);
    });

    it('9.10, D1 types without locales ignore the parameter', async () => {
      const ann = await post('authors?locale=fr', { name: `Local ${adapter}` });
      expect(ann.locale).toBe('en');
      for (const locale of ['fr', 'xx', '*'])
        expect(await get('authors', ann, `?locale=${locale}`)).toEqual(ann);
      expect((await update('authors', ann, { name: `Local ${adapter}!` }, '?locale=xx')).locale).toBe('en');
      expect(await test.sql('select locale from authors where document_id = $1', [ann.documentId])).toEqual([
        { locale: 'en' },
      ]);
    });

    it('D19 returns 400 with the locale for an unknown or missing locale on a write', async () => {
      const made = await translated();
      const before = await snapshot(test);
      for (const locale of ['xx', 'FR', '*', 'en,fr']) {
        const details = { key: 'locale', path: null, source: 'query', param: 'locale' };
        expect(
          (
            await test.http
              .post(`/api/articles?locale=${locale}`)
              .send({ data: { title: 'Unknown' } })
              .expect(400)
          ).body,
        ).toEqual(failure(400, 'ValidationError', expect.stringContaining('locale'), details));
        expect(
          (await put('articles', made, { title: 'Unknown' }, `?locale=${locale}`).expect(400)).body.error
            .details,
        ).toEqual(details);
      }
      expect(await snapshot(test)).toEqual(before);
    });

    it('9.11, D13 the requested locale selects the version at every level', async () => {
      const target = await translated();
      const other = await post('articles', { title: 'Only English', related: [target.documentId] });
      const made = await post('articles', {
        title: 'Source',
        related: [{ documentId: other.documentId, locale: 'fr', status: 'draft' }, target.documentId],
      });
      await update('articles', made, { title: 'La source' }, '?locale=fr');
      expect(await linked('articles', made, 'related', 'title')).toEqual(['Only English', 'English']);
      expect(await linked('articles', made, 'related', 'title', '&locale=fr')).toEqual(['Français']);
      await update('articles', other, { title: 'Aussi français' }, '?locale=fr');
      expect(await linked('articles', made, 'related', 'title', '&locale=fr')).toEqual([
        'Aussi français',
        'Français',
      ]);
      const nested = await get('articles', made, '?populate[related][populate]=related&locale=fr');
      expect(nested.related[0].related.map((row: Row) => row['title'])).toEqual(['Français']);
    });

    it('9.11, D25 a target needs no version in the written locale', async () => {
      const target = await post('articles?locale=de', { title: 'Deutsch' });
      const made = await post('articles', { title: 'Source', related: [target.documentId] });
      expect(await linked('articles', made, 'related', 'title')).toEqual([]);
      await update('articles', target, { title: 'Now English' });
      expect(await linked('articles', made, 'related', 'title')).toEqual(['Now English']);
    });

    it('9.12 a type without locales shows targets in the requested locale, else in the default one (peers 22)', async () => {
      const target = await translated();
      const author = await post('authors', {
        name: `Crossing ${adapter}`,
        articles: [{ documentId: target.documentId, locale: 'fr' }],
      });
      expect([
        await linked('authors', author, 'articles', 'title'),
        await linked('authors', author, 'articles', 'title', '&locale=fr'),
        await linked('authors', author, 'articles', 'title', '&locale=de'),
      ]).toEqual([['English'], ['Français'], []]);
      expect((await get('articles', target, '?populate=author&locale=fr')).author.locale).toBe('en'); // 9.13
    });

    it('9.15, 10.6 single types also have locales and drafts', async () => {
      const headline = async (query: string) =>
        (await test.http.get(`/api/landing${query}`)).body.data?.headline ?? null;
      const write = (data: object, query = '') =>
        test.http.put(`/api/landing${query}`).send({ data }).expect(200);
      await write({ headline: 'Draft' }, '?status=draft');
      expect([await headline(''), await headline('?status=draft')]).toEqual([null, 'Draft']);
      const { documentId } = (await write({ headline: 'Hello', theme: 'dark' })).body.data;
      const french = (await write({ headline: 'Bonjour' }, '?locale=fr')).body.data;
      expect(french).toMatchObject({ documentId, locale: 'fr', theme: 'dark' });
      await write({ theme: 'light' });
      expect((await test.http.get('/api/landing?locale=fr').expect(200)).body.data.theme).toBe('light');
      await test.http.get('/api/landing?filters[theme]=dark').expect(404);
      await test.http.get('/api/landing?_q=absent').expect(404);
      await test.http.get('/api/landing?filters[theme]=light&_q=Hello').expect(200);
      await test.http.delete('/api/landing').expect(204);
      expect([await headline(''), await headline('?locale=fr')]).toEqual([null, 'Bonjour']);
      await test.http.delete('/api/landing?locale=fr').expect(204);
      expect(await test.sql('select 1 from landing')).toEqual([]);
    });

    it('9.16 uniqueness is per locale', async () => {
      const slug = `unique-${adapter}`;
      const made = await post('articles', { title: 'English', slug });
      await post('articles?locale=fr', { title: 'Français', slug });
      expect(
        (
          await test.http
            .post('/api/articles')
            .send({ data: { title: 'Another', slug } })
            .expect(400)
        ).body,
      ).toEqual(problem(['slug'], 'This attribute must be unique', slug));
      expect(
        (await put('articles', made, { title: 'Français', slug }, '?locale=fr').expect(400)).body,
      ).toEqual(problem(['slug'], 'This attribute must be unique', slug));
      await post('terms', { word: 'w', code: slug });
      expect(
        (
          await test.http
            .post('/api/terms')
            .send({ data: { word: 'v', code: slug } })
            .expect(400)
        ).body,
      ).toEqual(problem(['code'], 'This attribute must be unique', slug));
    });

    it('4.30 localizations are the other locales in the same state', async () => {
      const made = await translated();
      await update('articles', made, { title: 'Deutsch' }, '?locale=de&status=draft');
      expect(await linked('articles', made, 'localizations', 'locale')).toEqual(['fr']);
      expect(await linked('articles', made, 'localizations', 'locale', '&status=draft')).toEqual([
        'fr',
        'de',
      ]);
      expect(await linked('articles', made, 'localizations', 'locale', '&locale=fr')).toEqual(['en']);
      await test.http.get('/api/authors?populate=localizations').expect(400);
    });

    it('concurrent first writes of one locale create one version', async () => {
      const made = await post('articles', { title: 'English' });
      const responses = await Promise.all(
        Array.from({ length: 10 }, (_, i) => put('articles', made, { title: `Français ${i}` }, '?locale=fr')),
      );
      expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(200));
      expect(await rowsOf(made, 'articles')).toHaveLength(4);
    });
  });

  describe('D13: publishing does not change links of other documents, nor their order', () => {
    const everything = async (): Promise<unknown> => {
      const read = (path: string) =>
        test.http
          .get(`/api/${path}`)
          .expect(200)
          .then(({ body }) =>
            body.data.map((row: Row) => [
              row.documentId,
              row['locale'],
              ...['categories', 'related', 'articles', 'sources', 'featured'].map((name) =>
                row[name]?.map?.((item: Row) => item.documentId),
              ),
            ]),
          );
      return Promise.all(
        ['&status=published', '&status=draft'].flatMap((status) =>
          ['en', 'fr'].flatMap((locale) => [
            read(`articles?populate=*&locale=${locale}${status}&pagination[limit]=100`),
            read(`categories?populate=*&locale=${locale}${status}&pagination[limit]=100`),
          ]),
        ),
      );
    };

    it('of all documents, in all states and locales', async () => {
      const categories = await Promise.all(['p', 'q', 'r'].map((name) => post('categories', { name })));
      const ids = categories.map((row) => row.documentId);
      const articles: Row[] = [];
      for (const [i, order] of [
        [2, 0, 1],
        [1, 2],
        [0, 1, 2],
      ].entries()) {
        const made = await post('articles', {
          title: `Order ${i}`,
          categories: order.map((n) => ids[n]),
          related: articles.map(({ documentId }) => documentId).reverse(),
          sources: [ids[i]],
        });
        await update('articles', made, { title: `Ordre ${i}` }, '?locale=fr');
        articles.push(made);
      }
      await update('categories', categories[1]!, { articles: [2, 0, 1].map((i) => articles[i]!.documentId) });
      await update('categories', categories[2]!, {
        articles: { connect: [{ documentId: articles[2]!.documentId, position: { start: true } }] },
      });
      expect(await linked('categories', categories[1]!, 'articles', 'title')).toEqual([
        'Order 2',
        'Order 0',
        'Order 1',
      ]);
      expect(await linked('categories', categories[1]!, 'articles', 'title', '&locale=fr')).toEqual([
        'Ordre 2',
        'Ordre 0',
        'Ordre 1',
      ]);
      const before = await everything();
      for (const article of [...articles, ...articles.toReversed()]) {
        await update('articles', article, {});
        await update('articles', article, { title: 'Ordre neuf' }, '?locale=fr');
      }
      for (const category of categories) await update('categories', category, { name: 'renamed' });
      expect(await everything()).toEqual(before);
    });

    it('a new locale keeps its position in the order of the other side', async () => {
      const category = await post('categories', { name: 'c' });
      const [one, two] = [
        await post('articles', { title: 'One', categories: [category.documentId] }),
        await post('articles', { title: 'Two', categories: [category.documentId] }),
      ];
      await update('categories', category, { articles: [two.documentId, one.documentId] });
      for (const row of [one, two])
        await update('articles', row, { title: `fr ${String(row['title'])}` }, '?locale=fr');
      expect(await linked('categories', category, 'articles', 'title', '&locale=fr')).toEqual([
        'fr Two',
        'fr One',
      ]);
      expect(await linked('categories', category, 'articles', 'title', '&locale=fr&status=draft')).toEqual([
        'fr Two',
        'fr One',
      ]);
      expect(await linked('categories', category, 'articles', 'title')).toEqual(['Two', 'One']);
    });
  });

  describe('service methods', () => {
    const service = () => test.app.get<ContentService>(getContentToken('article'));
    const links = '&populate[0]=categories&populate[1]=related&populate[2]=sections';
    const make = async (): Promise<{ made: Row; c: string[] }> => {
      const c = (await Promise.all(['m', 'n', 'o'].map((name) => post('categories', { name })))).map(
        (row) => row.documentId,
      );
      return {
        c,
        made: await post('articles', {
          title: 'Served',
          views: 1,
          categories: [c[1], c[0]],
          sections: [{ heading: 'one' }],
        }),
      };
    };

    it('unpublish removes the published version of one locale and keeps the draft', async () => {
      const { made } = await make();
      await update('articles', made, { title: 'Servi' }, '?locale=fr');
      const draft = await get('articles', made, `?status=draft${links}`);
      expect(await service().unpublish(made.documentId)).toMatchObject({
        title: 'Served',
        publishedAt: null,
      });
      await missing('articles', made);
      expect(await get('articles', made, `?status=draft${links}`)).toEqual({
        ...draft,
        updatedAt: expect.any(String),
      });
      expect((await get('articles', made, '?locale=fr')).title).toBe('Servi');
    });

    it('publish after unpublish shows the document again, at its old position in all lists (peers 2)', async () => {
      const { made, c } = await make();
      const other = await post('articles', {
        title: 'Other',
        categories: [c[0]],
        related: [made.documentId],
      });
      await update(
        'categories',
        { id: 0, documentId: c[0]! },
        { articles: [made.documentId, other.documentId] },
      );
      await service().unpublish(made.documentId);
      expect([
        await linked('categories', { id: 0, documentId: c[0]! }, 'articles', 'title'),
        await linked('articles', other, 'related', 'title'),
      ]).toEqual([['Other'], []]);
      await service().publish(made.documentId);
      expect([
        await linked('categories', { id: 0, documentId: c[0]! }, 'articles', 'title'),
        await linked('articles', other, 'related', 'title'),
      ]).toEqual([['Served', 'Other'], ['Served']]);
    });

    it('discardDraft resets values, links and components to the published version', async () => {
      const { made, c } = await make();
      const before = await get('articles', made, `?status=draft${links}`);
      await update(
        'articles',
        made,
        {
          title: 'Changed',
          views: 5,
          categories: [c[2]],
          sections: [{ heading: 'two' }],
          related: [made.documentId],
        },
        '?status=draft',
      );
      expect(await service().discardDraft(made.documentId)).toMatchObject({
        title: 'Served',
        views: 1,
        publishedAt: null,
      });
      expect(await get('articles', made, `?status=draft${links}`)).toEqual({
        ...before,
        updatedAt: expect.any(String),
      });
      expect(await linked('articles', made, 'categories', 'name')).toEqual(['n', 'm']);
    });

    it('throws NotFoundError for a missing version, and rejects a type without drafts', async () => {
      const draft = await post('articles?status=draft', { title: 'Never' });
      await expect(service().discardDraft(draft.documentId)).rejects.toMatchObject({ name: 'NotFoundError' });
      await expect(service().unpublish('a'.repeat(24))).rejects.toMatchObject({ name: 'NotFoundError' });
      await expect(
        test.app.get<ContentService>(getContentToken('author')).unpublish('a'.repeat(24)),
      ).rejects.toMatchObject({ name: 'ValidationError' });
    });

    it("each requires the caller's permission to publish", async () => {
      const { made } = await make();
      const as = {
        kind: 'user',
        id: '1',
        permissions: Permissions.of({ article: ['find', 'findOne', 'update', 'readDrafts'] }),
      } as const;
      await expect(service().unpublish(made.documentId, {}, { as })).rejects.toMatchObject({
        name: 'ForbiddenError',
      });
      await expect(service().discardDraft(made.documentId, {}, { as })).rejects.toMatchObject({
        name: 'ForbiddenError',
      });
      await get('articles', made);
    });
  });

  it('a write needs as many statements for three locales as for two, and at most six', async () => {
    const category = await post('categories', { name: 'counted' });
    const made = await post('articles', { title: 'Counted' });
    let views = 0;
    const body = () => ({
      views: (views += 1),
      categories: [category.documentId],
      related: [made.documentId],
      seo: { title: 's' },
      sections: [{ heading: 'a' }, { heading: 'b' }],
    });
    const counted = async () =>
      withinTransaction(await countStatements(() => update('articles', made, body()))).length;
    // Some writes also reserve ids of components for later writes.
    const count = async () => Math.min(await counted(), await counted());
    const one = await count();
    await update('articles', made, { title: 'In fr' }, '?locale=fr');
    const two = await count();
    await update('articles', made, { title: 'In de' }, '?locale=de');
    expect(await count()).toBe(two);
    // Between the main row and the response, a statement stamps the other versions that share changed links.
    expect(two).toBeLessThanOrEqual(one + 2);
    expect(two).toBeLessThanOrEqual(6);
  });
});

describe.each(adaptersFor('fastify'))(
  'D17: reading drafts needs a separate permission (peers 18), on %s',
  (adapter) => {
    let test: TestApp;
    const author = ['find', 'findOne', 'create'] as const;
    beforeAll(
      async () =>
        void (test = await createTestApp(
          {
            ...blog,
            access: {
              public: {
                article: ['find', 'findOne', 'create', 'update', 'delete'],
                author,
                landing: ['find', 'update', 'readDrafts'],
              },
            },
          },
          adapter,
        )),
    );
    afterAll(() => test.close());

    it('without it a GET of drafts returns 403, and writing drafts succeeds', async () => {
      const { documentId } = (
        await test.http
          .post('/api/articles?status=draft')
          .send({ data: { title: 'Draft' } })
          .expect(201)
      ).body.data;
      expect((await test.http.get('/api/articles?status=draft').expect(403)).body).toEqual(FORBIDDEN);
      expect((await test.http.get(`/api/articles/${documentId}?status=draft`).expect(403)).body).toEqual(
        FORBIDDEN,
      );
      expect((await test.http.get('/api/articles?status=draft&filters[nope]=1').expect(403)).body).toEqual(
        FORBIDDEN,
      );
      expect(
        (
          await test.http
            .put(`/api/articles/${documentId}?status=draft`)
            .send({ data: { title: 'Draft 2' } })
            .expect(200)
        ).body.data.title,
      ).toBe('Draft 2');
      await test.http.get('/api/articles?status=published').expect(200);
    });

    it('types without drafts need no such permission', async () => {
      await test.http.get('/api/authors?status=draft').expect(200);
    });

    it('omits drafts of an unreadable target from a populate, and rejects them in filters and sorts', async () => {
      const { documentId } = (
        await test.http
          .post('/api/articles')
          .send({ data: { title: 'Featured' } })
          .expect(201)
      ).body.data;
      await test.http
        .put('/api/landing')
        .send({ data: { headline: 'h', featured: [documentId] } })
        .expect(200);
      expect(
        (await test.http.get('/api/landing?populate=featured').expect(200)).body.data.featured,
      ).toHaveLength(1);
      expect(
        (await test.http.get('/api/landing?populate=featured&status=draft').expect(200)).body.data,
      ).not.toHaveProperty('featured');
      expect(
        (await test.http.get('/api/landing?status=draft&filters[featured][title]=x').expect(400)).body.error
          .message,
      ).toBe('Invalid key featured');
    });
  },
);

describe.each(adaptersFor('fastify'))('defaults in a new locale on %s', (adapter) => {
  const attributes = {
    name: { type: 'string', localized: true },
    kind: { type: 'enumeration', enum: ['a', 'b'], required: true, default: 'a', localized: true },
    weight: { type: 'integer', default: 5, localized: true },
    code: { type: 'string', regex: '^[a-z]+$', required: true, default: 'x', localized: true },
    on: { type: 'boolean', default: true },
    slug: { type: 'uid', targetField: 'name', generate: true, localized: true },
  } as const;
  const contentTypes = [
    defineCollectionType({ singularApiId: 'sign', pluralApiId: 'signs', localized: true, attributes }),
    defineCollectionType({
      singularApiId: 'poster',
      pluralApiId: 'posters',
      draftAndPublish: true,
      localized: true,
      attributes,
    }),
  ];
  let test: TestApp;
  beforeAll(async () => {
    const access = { public: { '*': '*' as const } };
    test = await createTestApp({ contentTypes, locales: ['en', 'fr'], access }, adapter);
  });
  afterAll(() => test.close());

  it.each([
    ['signs', ''],
    ['posters', ''],
    ['posters', '&status=draft'],
  ])(
    '14.20 defaults fill omitted localized values of %s%s, and only when it is made',
    async (plural, state) => {
      const first = { name: 'Sun', kind: 'b', weight: 9, on: false };
      const made = await test.http.post(`/api/${plural}?${state}`).send({ data: first }).expect(201);
      const path = `/api/${plural}/${made.body.data.documentId}?locale=fr${state}`;
      const put = async (data: object): Promise<object> =>
        (await test.http.put(path).send({ data }).expect(200)).body.data;
      expect(await put({ name: 'Soleil' })).toMatchObject({
        kind: 'a',
        weight: 5,
        on: false,
        slug: expect.stringMatching(/^soleil/),
      });
      expect(await put({ weight: null })).toMatchObject({ kind: 'a', weight: null });
      expect(await put({ name: 'Le soleil' })).toMatchObject({
        weight: null,
        slug: expect.stringMatching(/^soleil/),
      });
      const english = await test.http.get(`/api/${plural}/${made.body.data.documentId}?${state}`).expect(200);
      expect(english.body.data).toMatchObject(first);
    },
  );

  it('14.1 an empty text must match the regex of a required attribute', async () => {
    const { body } = await test.http
      .post('/api/signs')
      .send({ data: { code: '' } })
      .expect(400);
    expect(body).toEqual(problem(['code'], 'code must match the following: "/^[a-z]+$/"', ''));
  });

  it('14.20 an explicit null stays', async () => {
    const made = await test.http.post('/api/signs').send({ data: {} }).expect(201);
    const path = `/api/signs/${made.body.data.documentId}?locale=fr`;
    const french = await test.http
      .put(path)
      .send({ data: { weight: null } })
      .expect(200);
    expect(french.body.data).toMatchObject({ kind: 'a', weight: null });
  });
});
