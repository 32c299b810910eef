/**
 * Routes below `…/actions/`: the types that have them, the callers that may use them, and their responses.
 */
import { Controller, Injectable, Param, Post, Req } from '@nestjs/common';
import {
  Answer,
  type AuthStrategy,
  CollectionController,
  type ContentEvent,
  ContentModule,
  type Credentials,
  defineCollectionType,
  defineSingleType,
  type Identity,
  OnContentCommitted,
} from 'nestjs-content-api';
import type { ActionsOption } from '../../src/content/model/actions.ts';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';
import { failure, NOT_FOUND, snapshot } from './helpers.ts';

const attributes = {
  title: { type: 'string', required: true, localized: true },
  secret: { type: 'string', private: true },
  tag: { type: 'relation', relation: 'manyToOne', target: 'tag' },
} as const;
const page = defineCollectionType({
  singularApiId: 'page',
  pluralApiId: 'pages',
  draftAndPublish: true,
  localized: true,
  actions: true,
  attributes,
});
const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  draftAndPublish: true,
  owner: 'author',
  routes: { except: ['delete'] },
  actions: ['publish', 'unpublish'],
  attributes: { text: { type: 'string', minLength: 3 }, author: { type: 'string' } },
});
const front = defineSingleType({
  singularApiId: 'front',
  draftAndPublish: true,
  actions: true,
  attributes: { title: { type: 'string' } },
});
const own = defineCollectionType({
  singularApiId: 'own',
  pluralApiId: 'owns',
  draftAndPublish: true,
  actions: ['unpublish'],
  attributes: { title: { type: 'string' } },
});
const quiet = defineCollectionType({
  singularApiId: 'quiet',
  pluralApiId: 'quiets',
  draftAndPublish: true,
  attributes: { title: { type: 'string' } },
});
const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  attributes: { name: { type: 'string' } },
});

/** Controller that overrides one action route and has another route with the name of a handler. */
@Controller()
class OwnController extends CollectionController {
  @Post('go/:id')
  override publish(@Param('id') id: any): any {
    return { went: id };
  }

  override async unpublish(@Req() request: object): Promise<Answer> {
    return (await super.unpublish(request)).withMeta({ ours: true });
  }
}

const seen: string[] = [];

@Injectable()
class Watcher {
  @OnContentCommitted('page', 'update', 'publish', 'unpublish', 'discardDraft')
  on({ action, locale, caller }: ContentEvent): void {
    seen.push(`${action} ${locale} ${caller.kind}`);
  }
}

/** Takes the user and the role from headers. */
class UserHeader implements AuthStrategy {
  readonly name = 'user-header';
  authenticate({ headers }: Credentials): Identity | null {
    const [id, role] = [headers['x-user'], headers['x-role']];
    return typeof id === 'string' ? { kind: 'user', id, roles: [String(role)] } : null;
  }
}

const READ = ['find', 'findOne'] as const;

describe.each(ADAPTERS)('action routes on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp(
      {
        contentTypes: [page, note, front, own, quiet, tag],
        locales: ['en', 'fr'],
        controllers: { own: OwnController },
        access: {
          public: { page: ['find'] },
          roles: {
            all: { '*': '*' },
            editor: { page: ['find', 'findOne', 'create', 'update', 'readDrafts'] },
            publisher: { page: [...READ, 'publish'] },
            blind: { page: ['publish'] },
            author: {
              note: [{ actions: ['create', 'findOne', 'readDrafts', 'update', 'publish'], own: true }],
            },
            finder: { note: ['findOne', 'readDrafts', { actions: ['publish'], own: true }] },
          },
        },
        auth: { strategies: [new UserHeader()] },
        providers: [Watcher],
      },
      adapter,
    );
  });
  afterAll(() => test.close());
  beforeEach(() => void (seen.length = 0));

  const as = (
    method: 'get' | 'post' | 'put' | 'delete' | 'patch' | 'options',
    path: string,
    who = 'all ann',
  ) => {
    const [role = '', user = ''] = who.split(' ');
    return test.http[method](`/api/${path}`).set({ 'x-user': user, 'x-role': role });
  };
  const act = (path: string, who?: string) => as('post', path, who);
  const make = async (title: string | null = 'Hello', path = 'pages', key = 'title') =>
    (
      await as('post', `${path}?status=draft`)
        .send({ data: { [key]: title } })
        .expect(201)
    ).body.data.documentId as string;
  const shows = async (path: string, status = 200) => (await as('get', path).expect(status)).body.data;

  it('8.23 publish returns the published version', async () => {
    const id = await make();
    const { body } = await act(`pages/${id}/actions/publish`).expect(200);
    expect(body).toEqual({ data: await shows(`pages/${id}`), meta: {} });
    expect(body.data).toMatchObject({ title: 'Hello', publishedAt: expect.any(String) });
    expect(seen).toEqual(['update en user', 'publish en user']);
  });

  it('8.23 unpublish returns the draft, discard returns the restored draft', async () => {
    const id = await make();
    await act(`pages/${id}/actions/publish`).expect(200);
    await as('put', `pages/${id}?status=draft`)
      .send({ data: { title: 'Changed' } })
      .expect(200);
    seen.length = 0;
    const discarded = await act(`pages/${id}/actions/discard`).expect(200);
    expect(discarded.body.data).toMatchObject({ title: 'Hello', publishedAt: null });
    const unpublished = await act(`pages/${id}/actions/unpublish`).expect(200);
    expect(unpublished.body.data).toEqual(await shows(`pages/${id}?status=draft`));
    await shows(`pages/${id}`, 404);
    expect(seen).toEqual(['discardDraft en user', 'unpublish en user']);
    await act(`pages/${id}/actions/unpublish`).expect(200);
    expect((await act(`pages/${id}/actions/discard`).expect(404)).body).toEqual(NOT_FOUND);
  });

  it('8.23 accepts the query of a PUT: fields, populate, status, the v4 format', async () => {
    const tagId = await make('news', 'tags', 'name');
    const id = await make();
    await as('put', `pages/${id}?status=draft`)
      .send({ data: { tag: tagId } })
      .expect(200);
    const query = 'fields=title&populate[tag][fields]=name';
    expect((await act(`pages/${id}/actions/publish?${query}`).expect(200)).body.data).toEqual({
      id: expect.any(Number),
      documentId: id,
      title: 'Hello',
      tag: expect.objectContaining({ name: 'news' }),
    });
    expect(
      (await act(`pages/${id}/actions/publish?status=draft`).expect(200)).body.data.publishedAt,
    ).toBeNull();
    const v4 = await act(`pages/${id}/actions/discard`).set('Strapi-Response-Format', 'v4').expect(200);
    expect(v4.body.data.attributes.title).toBe('Hello');
  });

  it.each([
    ['fields=nope', 'publish'],
    ['fields=secret', 'publish'],
    ['populate=nope', 'discard'],
    ['status=nope', 'publish'],
    ['status=published', 'unpublish'],
    ['locale=xx', 'publish'],
    ['locale[]=en&locale[]=fr', 'publish'],
  ])('8.23 1.17 returns 400 for a query with %s before it writes anything', async (query, action) => {
    const id = await make();
    await act(`pages/${id}/actions/publish`).expect(200);
    const before = await snapshot(test);
    expect((await act(`pages/${id}/actions/${action}?${query}`).expect(400)).body.error.name).toBe(
      'ValidationError',
    );
    expect(await snapshot(test)).toEqual(before);
  });

  it('8.24 takes one locale, or * for all locales of the document in one transaction', async () => {
    const id = await make();
    await as('put', `pages/${id}?status=draft&locale=fr`)
      .send({ data: { title: 'Bonjour' } })
      .expect(200);
    const french = await act(`pages/${id}/actions/publish?locale=fr`).expect(200);
    expect(french.body.data).toMatchObject({ title: 'Bonjour', locale: 'fr' });
    await shows(`pages/${id}`, 404);
    const all = await act(`pages/${id}/actions/publish?locale=*&populate=localizations`).expect(200);
    expect(all.body.data).toMatchObject({ title: 'Hello', localizations: [{ title: 'Bonjour' }] });
    await act(`pages/${id}/actions/unpublish?locale=*`).expect(200);
    for (const locale of ['en', 'fr']) await shows(`pages/${id}?locale=${locale}`, 404);
  });

  it('8.12 8.24 returns 400 for an incomplete document and publishes nothing', async () => {
    const id = await make();
    await as('put', `pages/${id}?status=draft&locale=fr`)
      .send({ data: { title: null } })
      .expect(200);
    const before = await snapshot(test);
    const { body } = await act(`pages/${id}/actions/publish?locale=*`).expect(400);
    expect(body.error.details).toMatchObject({ locale: 'fr', errors: [{ path: ['title'] }] });
    expect(await snapshot(test)).toEqual(before);
  });

  it('8.25 returns 404 for an unknown document or a locale without a version', async () => {
    const id = await make();
    for (const path of [`pages/${'a'.repeat(24)}`, `pages/${id}%00`])
      for (const action of ['publish', 'unpublish', 'discard'])
        expect((await act(`${path}/actions/${action}`).expect(404)).body).toEqual(NOT_FOUND);
    await act(`pages/${id}/actions/publish?locale=fr`).expect(404);
    await act('front/actions/publish').expect(404);
  });

  it('8.23 serves a single type without an id', async () => {
    await as('put', 'front?status=draft')
      .send({ data: { title: 'Hi' } })
      .expect(200);
    expect((await act('front/actions/publish').expect(200)).body.data).toMatchObject({ title: 'Hi' });
    await as('put', 'front?status=draft')
      .send({ data: { title: 'Hi!' } })
      .expect(200);
    expect((await act('front/actions/discard').expect(200)).body.data).toMatchObject({ title: 'Hi' });
    await act('front/actions/unpublish').expect(200);
    await shows('front', 404);
    await as('delete', 'front').expect(204);
  });

  describe('8.23 permission to publish (D16)', () => {
    it('is required, whatever else is granted', async () => {
      const id = await make();
      for (const action of ['publish', 'unpublish', 'discard']) {
        const refused = await act(`pages/${id}/actions/${action}`, 'editor ann').expect(403);
        expect(refused.body).toEqual(failure(403, 'ForbiddenError', 'Forbidden'));
        await test.http.post(`/api/pages/${id}/actions/${action}`).expect(403);
      }
      await shows(`pages/${id}`, 404);
    });

    it('limits the response to readable content (D27): no draft without readDrafts, ids only without findOne', async () => {
      const id = await make();
      const ids = { id: expect.any(Number), documentId: id };
      const published = await act(`pages/${id}/actions/publish`, 'publisher ann').expect(200);
      expect(published.body.data).toMatchObject({ title: 'Hello' });
      for (const action of ['discard', 'unpublish']) {
        const response = await act(`pages/${id}/actions/${action}`, 'publisher ann').expect(200);
        expect(response.body.data).toEqual(ids);
      }
      const blind = await act(`pages/${id}/actions/publish`, 'blind ann').expect(200);
      expect(blind.body.data).toEqual(ids);
    });

    it('returns one general message for invalid attributes that the caller cannot read (D27)', async () => {
      const id = await make(null);
      const { body } = await act(`pages/${id}/actions/publish`, 'blind ann').expect(400);
      expect(body.error).toMatchObject({
        message: 'The document is not valid in attributes that you cannot access',
        details: { errors: [{ path: [] }] },
      });
    });

    it('on own documents applies to documents of that owner', async () => {
      const id = (
        await as('post', 'notes?status=draft', 'author ann')
          .send({ data: { text: 'hers' } })
          .expect(201)
      ).body.data.documentId;
      await act(`notes/${id}/actions/publish`, 'author bob').expect(404);
      await act(`notes/${id}/actions/publish`, 'finder bob').expect(403);
      expect((await act(`notes/${id}/actions/publish`, 'author ann').expect(200)).body.data).toMatchObject({
        text: 'hers',
      });
      expect((await act(`notes/${id}/actions/unpublish`, 'author ann').expect(200)).body.data).toMatchObject({
        text: 'hers',
        publishedAt: null,
      });
    });
  });

  const x = 'x'.repeat(24);
  it.each([
    ['get', `pages/${x}/actions/publish`, 405, 'POST, OPTIONS'],
    ['put', `pages/${x}/actions/publish`, 405, 'POST, OPTIONS'],
    ['patch', 'front/actions/discard', 405, 'POST, OPTIONS'],
    ['options', `pages/${x}/actions/discard`, 204, 'POST, OPTIONS'],
    ['post', `pages/${x}/actions/nope`, 404, undefined],
    ['post', `pages/${x}/actions`, 404, undefined],
    ['post', 'pages/actions/publish', 404, undefined],
    ['post', `notes/${x}/actions/discard`, 404, undefined],
    ['post', `quiets/${x}/actions/publish`, 404, undefined],
    ['post', `tags/${x}/actions/publish`, 404, undefined],
    ['post', `pages/${x}/actions/publish/`, 404, undefined],
    ['delete', `notes/${x}`, 405, 'GET, HEAD, PUT, OPTIONS'],
  ] as const)('8.22 1.9 %s %s returns %i', async (method, path, status, allow) => {
    const response = await as(method, path);
    expect([response.status, response.headers['allow']]).toEqual([status, allow]);
  });

  it('8.22 1.10 accepts a trailing slash', async () => {
    const id = await make();
    await act(`pages/${id}/actions/publish/`).expect(200);
  });

  it('8.22 ignores a request body', async () => {
    const id = await make();
    const { body } = await act(`pages/${id}/actions/publish`)
      .send({ data: { title: 'No' } })
      .expect(200);
    expect(body.data.title).toBe('Hello');
  });

  it('8.22 controllers of the application override action routes and keep their own routes with these names', async () => {
    const id = await make('Ours', 'owns');
    expect((await act(`owns/go/${id}`).expect(201)).body).toEqual({ went: id });
    await act(`owns/${id}/actions/publish`).expect(404);
    expect((await act(`owns/${id}/actions/unpublish`).expect(200)).body).toMatchObject({
      data: { title: 'Ours' },
      meta: { ours: true },
    });
  });
});

it.each<[unknown, object, string]>([
  ['publish', {}, '"actions" must be true, false or a list of publish, unpublish, discard, schedule'],
  [[], {}, '"actions" must be true, false or a list of'],
  [['publsh'], {}, '"actions" must be true, false or a list of'],
  [true, { draftAndPublish: false }, 'page: actions: the type needs draftAndPublish: true'],
  [['publish'], { routes: false }, 'page: actions: the type has routes: false, which excludes actions'],
])('8.22 rejects actions: %j with %j at start', (actions, more, message) => {
  const type = { ...page, ...more, actions: actions as ActionsOption };
  expect(() => ContentModule.forRoot({ contentTypes: [type, tag] })).toThrow(message);
});

it('8.22 accepts actions: false on every type', () => {
  const type = { ...page, draftAndPublish: false, routes: false, actions: false };
  expect(() => ContentModule.forRoot({ contentTypes: [type, tag] })).not.toThrow();
});
