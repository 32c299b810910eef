/** Values of a caller that a hook changes: they still count as edits, and get no rights of the hook. */
import { Injectable } from '@nestjs/common';
import {
  type AuthStrategy,
  BeforeContent,
  type ContentEvent,
  type Credentials,
  defineCollectionType,
  defineComponent,
  type Identity,
} from 'nestjs-content-api';
import { adaptersFor } from '../support/adapters.ts';
import { createTestApp, type TestApp } from '../support/app.ts';

const box = defineComponent({
  uid: 'story.box',
  attributes: {
    label: { type: 'string' },
    topic: { type: 'relation', relation: 'manyToOne', target: 'topic' },
    picture: { type: 'media' },
  },
});
const topic = defineCollectionType({
  singularApiId: 'topic',
  pluralApiId: 'topics',
  attributes: {
    name: { type: 'string' },
    stories: { type: 'relation', relation: 'manyToMany', target: 'story', mappedBy: 'topics' },
  },
});
const story = defineCollectionType({
  singularApiId: 'story',
  pluralApiId: 'stories',
  draftAndPublish: true,
  localized: true,
  stages: { draft: { to: ['ready'] }, ready: { to: ['draft'], publish: true } },
  attributes: {
    title: { type: 'string', localized: true },
    motto: { type: 'string' },
    topics: { type: 'relation', relation: 'manyToMany', target: 'topic', inversedBy: 'stories' },
    box: { type: 'component', component: 'story.box' },
    pictures: { type: 'media', multiple: true },
  },
});
const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  owner: 'writer',
  attributes: {
    text: { type: 'string' },
    writer: { type: 'string' },
    folder: { type: 'relation', relation: 'manyToOne', target: 'folder', inversedBy: 'notes' },
  },
});
const folder = defineCollectionType({
  singularApiId: 'folder',
  pluralApiId: 'folders',
  attributes: {
    notes: { type: 'relation', relation: 'oneToMany', target: 'note', mappedBy: 'folder' },
  },
});

/** Topic that the hook adds to stories. */
let added: string | null = null;

const trimmed = (value: unknown): unknown => (typeof value === 'string' ? value.trim() : value);
const distinct = (value: unknown): unknown => (Array.isArray(value) ? [...new Set(value)] : value);

@Injectable()
class Tidy {
  @BeforeContent('story', 'create', 'update')
  tidy({ data }: ContentEvent): void {
    for (const key of ['title', 'motto']) if (key in data) data[key] = trimmed(data[key]);
    for (const key of ['topics', 'pictures']) if (key in data) data[key] = distinct(data[key]);
    const inside = data['box'] as Record<string, unknown> | null | undefined;
    if (inside?.['label'] !== undefined) inside['label'] = trimmed(inside['label']);
    if (added !== null) data['topics'] = [...((data['topics'] as string[] | undefined) ?? []), added];
  }

  @BeforeContent('folder', 'update')
  sort({ data }: ContentEvent): void {
    if ('notes' in data) data['notes'] = distinct(data['notes']);
  }
}

class Names implements AuthStrategy {
  readonly name = 'names';
  authenticate({ headers }: Credentials): Identity | null {
    const [id, role] = String(headers['x-user'] ?? '').split(' ');
    return role === undefined ? null : { kind: 'user', id: id ?? '', roles: [role] };
  }
}

const WRITE = ['find', 'findOne', 'readDrafts', 'create', 'update'] as const;
const ROLES = {
  chief: { '*': '*' },
  writer: { story: WRITE, topic: [{ actions: ['find'], where: { name: 'open' } }] },
  keeper: { folder: WRITE, note: ['find', 'create', { actions: ['update'], own: true }] },
} as const;

describe.each(adaptersFor('express'))('values that a hook changes on %s', (adapter) => {
  let test: TestApp;
  let open: Row;
  let hidden: Row;

  interface Row {
    readonly id: number;
    readonly documentId: string;
  }

  beforeAll(async () => {
    test = await createTestApp(
      {
        contentTypes: [story, topic, note, folder],
        components: [box],
        locales: ['en', 'fr'],
        access: { roles: ROLES },
        auth: { strategies: [new Names()] },
        providers: [Tidy],
      },
      adapter,
    );
    [open, hidden] = [await made('topics', { name: 'open' }), await made('topics', { name: 'hidden' })];
  });
  afterAll(() => test.close());
  afterEach(() => {
    added = null;
  });

  const made = async (path: string, data: object, as = 'carl chief'): Promise<Row> =>
    (await test.http.post(`/api/${path}`).set('x-user', as).send({ data }).expect(201)).body.data;
  const put = (path: string, data: object, as = 'wes writer') =>
    test.http.put(`/api/${path}`).set('x-user', as).send({ data });
  const stored = async (path: string): Promise<Record<string, unknown>> =>
    (await test.http.get(`/api/${path}`).set('x-user', 'carl chief').expect(200)).body.data;

  it('8.39 end the approval of a draft, as other edits do', async () => {
    const { documentId } = await made('stories?status=draft', { title: 'A', stage: 'ready' });
    const path = `stories/${documentId}?status=draft`;
    const { body } = await put(path, { title: ' Not reviewed ' }).expect(200);
    expect(body.data).toMatchObject({ title: 'Not reviewed', stage: 'draft' });
    await put(path, { stage: 'ready' }, 'carl chief').expect(200);
    expect((await put(path, { title: ' By a chief ' }, 'carl chief').expect(200)).body.data.stage).toBe(
      'ready',
    );
  });

  it('8.41 end approvals in other locales, if these share the value', async () => {
    const { documentId } = await made('stories?status=draft', { title: 'A' });
    for (const locale of ['en', 'fr'])
      await put(
        `stories/${documentId}?status=draft&locale=${locale}`,
        { stage: 'ready' },
        'carl chief',
      ).expect(200);
    await put(`stories/${documentId}?status=draft`, { motto: ' Not reviewed ' }).expect(200);
    expect(await stored(`stories/${documentId}?status=draft&locale=fr`)).toMatchObject({
      motto: 'Not reviewed',
      stage: 'draft',
    });
  });

  it('18.26 link no document that a condition hides from the caller', async () => {
    const { documentId } = await made('stories?status=draft', { title: 'A' });
    const path = `stories/${documentId}?status=draft`;
    for (const one of [hidden.id, hidden.documentId]) {
      await put(path, { topics: [one] }).expect(400);
      await put(path, { topics: [one, one] }).expect(400);
      await put(path, { topics: { connect: [one] }, box: { label: ' x ', topic: one } }).expect(400);
      await put(path, { box: { label: ' x ', topic: one } }).expect(400);
      await test.http
        .post('/api/stories?status=draft')
        .set('x-user', 'wes writer')
        .send({ data: { title: 'A', topics: [one, one] } })
        .expect(400);
    }
    await put(path, { topics: [open.documentId, open.documentId] }).expect(200);
    await put(path, { box: { label: ' x ', topic: open.id } }).expect(200);
    const found = await stored(`${path}&populate[topics]=true&populate[box][populate]=topic`);
    expect(found).toMatchObject({ topics: [open], box: { label: 'x', topic: open } });
  });

  it('may contain references that the hook adds, which need no permission', async () => {
    const { documentId } = await made('stories?status=draft', { title: 'A' });
    added = hidden.documentId;
    await put(`stories/${documentId}?status=draft`, { topics: [open.documentId] }).expect(200);
    const { topics } = await stored(`stories/${documentId}?status=draft&populate=topics`);
    expect(topics).toMatchObject([open, hidden]);
  });

  it('link no file by a row id that the caller can guess', async () => {
    const { documentId } = await made('stories?status=draft', { title: 'A' });
    await test.sql(
      `insert into content_files (id, document_id, created_at, updated_at, published, locale, name, hash, mime, size, url, provider)
        values (77, 'file77', now(), now(), true, 'en', 'a.txt', 'a', 'text/plain', 1, '/uploads/a.txt', 'local')`,
    );
    const path = `stories/${documentId}?status=draft`;
    await put(path, { pictures: [77, 77] }).expect(400);
    await put(path, { box: { label: ' x ', picture: 77 } }).expect(400);
    await put(path, { pictures: ['file77', 'file77'] }).expect(200);
    // A condition on another type hides no file.
    const { body } = await test.http
      .get(`/api/${path}&populate=pictures`)
      .set('x-user', 'wes writer')
      .expect(200);
    expect(body.data.pictures).toMatchObject([{ id: 77, name: 'a.txt' }]);
  });

  it('D26 take no document of another owner over on an inverse side', async () => {
    const own = await made('notes', { text: 'own' }, 'kim keeper');
    const other = await made('notes', { text: 'other' });
    const { documentId } = await made('folders', {});
    await put(`folders/${documentId}`, { notes: [other.documentId, other.documentId] }, 'kim keeper').expect(
      400,
    );
    await put(`folders/${documentId}`, { notes: [own.documentId, own.documentId] }, 'kim keeper').expect(200);
    expect(await stored(`folders/${documentId}?populate=notes`)).toMatchObject({
      notes: [{ documentId: own.documentId }],
    });
  });
});
