/** Files that a body may link, for callers that cannot read the media library. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ContentService, defineCollectionType, getContentToken } from 'nestjs-content-api';
import { userTypes } from 'nestjs-content-api/accounts';
import { FilesModule, LocalStorage } from 'nestjs-content-api/files';
import { adaptersFor } from '../support/adapters.ts';
import { createTestApp } from '../support/app.ts';
import { createFilesApp, type FilesApp, formOf } from './helpers.ts';

interface FileIds {
  readonly id: number;
  readonly documentId: string;
}

describe.each(adaptersFor('express'))('linking files on %s', (adapter) => {
  let api: FilesApp;
  let secret: FileIds;
  beforeAll(async () => {
    api = await createFilesApp({}, adapter);
    secret = await upload('editor');
  });
  afterAll(() => api.close());

  const upload = async (as: string, fields: Readonly<Record<string, unknown>> = {}): Promise<FileIds> => {
    const response = await api.send(formOf([{}], fields), { as });
    expect(response.status).toBe(201);
    return ((await response.json()) as FileIds[])[0] as FileIds;
  };
  const send = async (as: string, method: string, path: string, data: object) => {
    const headers = { 'content-type': 'application/json' };
    const response = await api.ask(`/api/${path}`, { as, method, headers, body: JSON.stringify({ data }) });
    return { status: response.status, body: (await response.json()) as any };
  };

  const NO_ROW = 2_000_000_000;
  const bodies: Readonly<Record<string, (id: number) => [path: string, data: object]>> = {
    'a number': (id) => ['persons', { avatar: id }],
    digits: (id) => ['persons', { avatar: String(id) }],
    'an object': (id) => ['persons', { avatar: { id } }],
    'a list': (id) => ['pages', { gallery: [id] }],
    connect: (id) => ['pages', { gallery: { connect: [{ id }] } }],
    set: (id) => ['pages', { gallery: { set: [id] } }],
    'a component': (id) => ['pages', { hero: { file: id } }],
    'a zone': (id) => ['pages', { zone: [{ __component: 'shared.image', file: id }] }],
  };
  it.each(Object.entries(bodies))(
    'rejects a row id of a file from a caller without find, as %s',
    async (_, body) => {
      const [path, data] = body(secret.id);
      const [, unknown] = body(NO_ROW);
      const refused = await send('member', 'POST', `${path}?populate=*`, data);
      expect(refused.status).toBe(400);
      expect(refused).toEqual(await send('member', 'POST', path, unknown));
      expect((await send('editor', 'POST', path, data)).status).toBe(201);
    },
  );

  it('rejects a row id as a position', async () => {
    const [other, more] = [await upload('member'), await upload('member')];
    const { body } = await send('editor', 'POST', 'pages', { gallery: [other.id] });
    const at = (anchor: number) =>
      send('member', 'PUT', `pages/${body.data.documentId}`, {
        gallery: { connect: [{ documentId: more.documentId, position: { before: anchor } }] },
      });
    const [hidden, unknown] = [await at(secret.id), await at(NO_ROW)];
    expect([hidden.status, unknown.status]).toEqual([400, 400]);
    expect(hidden.body.error.message).toBe(
      unknown.body.error.message.replaceAll(String(NO_ROW), String(secret.id)),
    );
  });

  it('accepts the document id of an upload from the caller that uploaded it', async () => {
    const file = await upload('member');
    const made = await send('member', 'POST', 'persons?populate=avatar', { avatar: file.documentId });
    expect([made.status, made.body.data.avatar.id]).toEqual([201, file.id]);
  });

  it('accepts a row id of a file that the caller can read in the attribute', async () => {
    const [shown, other] = [await upload('editor'), await upload('editor')];
    const made = await send('editor', 'POST', 'persons', { avatar: shown.id, passport: other.id });
    const path = `persons/${made.body.data.documentId}`;
    expect((await send('member', 'PUT', path, { avatar: shown.id })).status).toBe(200);
    expect((await send('member', 'PUT', path, { avatar: other.id })).status).toBe(400);
    // The caller cannot read a file in a private attribute or in an unreadable document.
    expect((await send('member', 'PUT', path, { passport: other.id })).status).toBe(400);
    expect((await send('blind', 'PUT', path, { avatar: shown.id })).status).toBe(400);
    expect((await send('blind', 'PUT', path, { avatar: shown.documentId })).status).toBe(200);
    const page = await send('editor', 'POST', 'pages?populate=*', { hero: { file: shown.id } });
    const hero = { id: page.body.data.hero.id, file: shown.id };
    const where = `pages/${page.body.data.documentId}`;
    expect((await send('member', 'PUT', where, { hero })).status).toBe(200);
    expect((await send('member', 'PUT', where, { hero: { ...hero, file: other.id } })).status).toBe(400);
  });

  it('rejects a form for a media attribute without permission like one for an unknown attribute', async () => {
    const { body } = await send('editor', 'POST', 'persons', { name: 'Ann' });
    for (const field of ['passport', 'avatar', 'name', 'nothing']) {
      const fields = { ref: 'api::person.person', refId: body.data.documentId, field };
      const response = await api.send(formOf([{}], fields), { as: 'namer' });
      const message = `"${field}" is not a media attribute of person`;
      expect([response.status, ((await response.json()) as any).error.message]).toEqual([400, message]);
    }
    await upload('member', { ref: 'api::person.person', refId: body.data.documentId, field: 'avatar' });
  });
});

it('links the picture of a user, under the names of Strapi and of this library', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'files-'));
  const test = await createTestApp({
    contentTypes: userTypes({ avatar: { type: 'media' } }),
    access: { public: { user: ['update'], file: ['create'] } },
    imports: [FilesModule.forRoot({ storage: new LocalStorage(directory), images: null })],
  });
  const users = test.app.get<ContentService>(getContentToken('user'));
  const user = await users.create({ username: 'ann', email: 'ann@example.com' });
  for (const ref of ['plugin::users-permissions.user', 'api::user.user', 'user']) {
    const body = formOf([{}], { ref, refId: String(user.id), field: 'avatar' });
    const [file] = (await (await fetch(`${test.url}/api/upload`, { method: 'POST', body })).json()) as any[];
    const found = await users.findOne(user.documentId, { populate: 'avatar' });
    expect(found).toMatchObject({ avatar: { documentId: file.documentId } });
  }
  await test.close();
  await rm(directory, { recursive: true });
});

it('20.5: links a file to a document without the default locale, by its document id', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'files-'));
  const test = await createTestApp({
    contentTypes: [
      defineCollectionType({
        singularApiId: 'post',
        pluralApiId: 'posts',
        draftAndPublish: true,
        localized: true,
        attributes: {
          title: { type: 'string', localized: true },
          cover: { type: 'media' },
          own: { type: 'media', localized: true },
        },
      }),
    ],
    locales: ['en', 'de', 'fr'],
    access: { public: { post: '*', file: ['create'] } },
    imports: [FilesModule.forRoot({ storage: new LocalStorage(directory), images: null })],
  });
  const posts = test.app.get<ContentService>(getContentToken('post'));
  const { documentId } = await posts.create({ title: 'Deux' }, { locale: 'fr' });
  const link = async (field: string): Promise<string> => {
    const body = formOf([{}], { ref: 'api::post.post', refId: documentId, field });
    const [file] = (await (await fetch(`${test.url}/api/upload`, { method: 'POST', body })).json()) as any[];
    return file.documentId;
  };
  const shown = (locale: string) => posts.findOne(documentId, { locale, populate: ['cover', 'own'] });
  const [cover, own] = [await link('cover'), await link('own')];
  expect(await shown('fr')).toMatchObject({ cover: { documentId: cover }, own: { documentId: own } });
  await posts.update(documentId, { title: 'Two' }, { locale: 'en' });
  const english = await link('own');
  expect(await shown('en')).toMatchObject({ own: { documentId: english } });
  expect(await shown('fr')).toMatchObject({ own: { documentId: own } });
  // Like a PUT, the link publishes the draft.
  await posts.update(documentId, { title: 'Two, revised' }, { locale: 'en', status: 'draft' });
  expect(await shown('en')).toMatchObject({ title: 'Two' });
  await link('own');
  expect(await shown('en')).toMatchObject({ title: 'Two, revised' });
  await test.close();
  await rm(directory, { recursive: true });
});
