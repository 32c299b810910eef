/** Rights on stored versions and on the trash: those of now, with the values that a version had (section 25). */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Credentials,
  defineCollectionType,
  defineComponent,
  type Grants,
  type Identity,
  type WhereOf,
} from 'nestjs-content-api';
import { FilesModule, LocalStorage } from 'nestjs-content-api/files';
import { HistoryModule } from 'nestjs-content-api/history';
import { formOf } from '../files/helpers.ts';
import { createTestApp, type TestApp } from '../support/app.ts';

const article = defineCollectionType({
  singularApiId: 'article',
  pluralApiId: 'articles',
  draftAndPublish: true,
  history: true,
  owner: 'writer',
  attributes: {
    title: { type: 'string' },
    stage: { type: 'string' },
    inner: { type: 'string', private: true },
    writer: { type: 'string' },
    team: { type: 'relation', relation: 'manyToOne', target: 'team', inversedBy: 'articles' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'tag' },
    main: { type: 'relation', relation: 'oneToOne', target: 'tag' },
    part: { type: 'component', component: 'own.part' },
    about: { type: 'relation', relation: 'morphToMany', targets: ['tag', 'team'] },
    topic: { type: 'relation', relation: 'morphToOne', targets: ['tag', 'team'] },
    cover: { type: 'media' },
  },
});
const post = defineCollectionType({
  singularApiId: 'post',
  pluralApiId: 'posts',
  draftAndPublish: true,
  publishBy: 'right',
  history: true,
  attributes: {
    title: { type: 'string' },
    main: { type: 'relation', relation: 'oneToOne', target: 'tag' },
  },
});
const part = defineComponent({
  uid: 'own.part',
  attributes: { text: { type: 'string' }, tag: { type: 'relation', relation: 'oneToOne', target: 'tag' } },
});
const team = defineCollectionType({
  singularApiId: 'team',
  pluralApiId: 'teams',
  attributes: {
    name: { type: 'string' },
    articles: { type: 'relation', relation: 'oneToMany', target: 'article', mappedBy: 'team' },
  },
});
const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  draftAndPublish: true,
  attributes: { name: { type: 'string' }, open: { type: 'boolean' } },
});

const WORK = ['find', 'findOne', 'readDrafts', 'create', 'update', 'delete', 'publish'] as const;
const limited = (where: WhereOf): Grants => ({
  article: [{ actions: WORK, where }],
  tag: ['find', 'findOne', 'readDrafts'],
  team: ['find', 'findOne'],
});
const ROLES = {
  all: { '*': '*' },
  red: limited(() => ({ team: { name: 'red' } })),
  live: limited(() => ({ stage: 'live' })),
  unlike: limited(() => ({ inner: { $ne: 'x' } })),
  tagged: limited(() => ({ tags: { name: { $ne: 'x' } } })),
  mine: { article: [{ actions: WORK, own: true }] },
  open: {
    article: WORK,
    tag: [{ actions: ['find', 'findOne', 'readDrafts'], where: () => ({ open: true }) }],
  },
  tags: { article: WORK, tag: ['find', 'readDrafts'] },
  folder: {
    article: WORK,
    file: [{ actions: ['find', 'findOne'], where: () => ({ folderPath: '/seen' }) }],
  },
  published: { article: ['find', 'findOne', 'create', 'update'], tag: ['find', 'findOne'] },
  titler: { article: ['find', 'findOne', 'readDrafts', { actions: ['update'], fields: ['title'] }] },
  liveTitler: { article: ['find', 'findOne', { actions: ['update'], fields: ['title'] }] },
  titles: {
    article: [{ actions: ['find', 'findOne', 'update', 'create'], fields: ['title'] }, 'readDrafts'],
  },
  blind: { article: ['update', 'create', 'readDrafts'] },
  poster: {
    post: [
      'find',
      'findOne',
      'readDrafts',
      'update',
      { actions: ['publish'], where: () => ({ title: 'mine' }) },
    ],
    tag: ['find', 'findOne', 'readDrafts'],
  },
  reader: { article: ['find', 'findOne', 'readDrafts'] },
  keeper: { article: ['find', 'findOne', 'readDrafts', 'update'] },
  redReader: {
    article: [
      { actions: ['find', 'findOne', 'readDrafts'], where: () => ({ team: { name: 'red' } }) },
      'update',
    ],
  },
  redWriter: {
    article: [
      'find',
      'findOne',
      'readDrafts',
      { actions: ['update'], where: () => ({ team: { name: 'red' } }) },
    ],
  },
} satisfies Record<string, Grants>;

class Roles {
  readonly name = 'roles';

  authenticate({ bearer }: Credentials): Identity | null {
    return bearer === null ? null : { kind: 'user', id: `id-${bearer}`, roles: [bearer] };
  }
}

describe('rights on history', () => {
  let test: TestApp;
  let red: string;
  let blue: string;
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'history-'));
    test = await createTestApp({
      contentTypes: [article, post, team, tag],
      components: [part],
      access: { roles: ROLES },
      auth: { strategies: [new Roles()] },
      imports: [
        FilesModule.forRoot({ storage: new LocalStorage(directory), images: null }),
        HistoryModule.forRoot({ sittingMinutes: 0 }),
      ],
    });
    red = await make('teams', { name: 'red' });
    blue = await make('teams', { name: 'blue' });
  });
  afterAll(async () => {
    await test.close();
    await rm(directory, { recursive: true, force: true });
  });

  type Role = keyof typeof ROLES;
  const send = async (
    method: 'get' | 'post' | 'put' | 'delete',
    path: string,
    { data, as = 'all', key }: { data?: object; as?: Role; key?: string } = {},
  ): Promise<any> => {
    const request = test.http[method](`/api/${path}`).set('Authorization', `Bearer ${as}`);
    if (key !== undefined) request.set('Idempotency-Key', key);
    const { status, body } = await (data === undefined ? request : request.send({ data }));
    return { status, ...body };
  };
  const make = async (path: string, data: object): Promise<string> =>
    (await send('post', path, { data })).data.documentId;
  const versions = (id: string, as: Role): Promise<any> =>
    send('get', `articles/${id}/versions?status=published`, { as });
  const show = async (id: string, version: string, as: Role): Promise<any> =>
    send('get', `articles/${id}/versions/${version}`, { as });
  /** Titles of the versions that a caller sees, oldest first. */
  const titles = async (id: string, as: Role): Promise<unknown[]> => {
    const { data = [] } = await versions(id, as);
    const shown = await Promise.all(data.map((one: any) => show(id, one.id, as)));
    return shown.map((one: any) => one.data.content.title).reverse();
  };
  /** A document with three published versions, of the teams red, blue and red. */
  const moved = async (): Promise<string> => {
    const id = await make('articles', { title: 'one', team: red });
    await send('put', `articles/${id}`, { data: { title: 'two', team: blue } });
    await send('put', `articles/${id}`, { data: { title: 'three', team: red } });
    return id;
  };

  it('25.11 shows the versions that met the condition', async () => {
    const id = await moved();
    expect(await titles(id, 'all')).toEqual(['one', 'two', 'three']);
    for (const as of ['red', 'redReader', 'redWriter'] as const)
      expect([as, await titles(id, as)]).toEqual([as, ['one', 'three']]);
    const [third, second, first] = (await versions(id, 'all')).data;
    const { meta } = await versions(id, 'red');
    expect(meta.pagination.total).toBe(2);
    const path = `articles/${id}/versions`;
    expect((await show(id, second.id, 'red')).status).toBe(404);
    for (const [method, rest] of [
      ['get', `${second.id}/changes`],
      ['get', `${third.id}/changes?with=${second.id}`],
      ['post', `${second.id}/actions/restore`],
    ] as const)
      expect([rest, (await send(method, `${path}/${rest}`, { as: 'red' })).status]).toEqual([rest, 404]);
    const changes = await send('get', `${path}/${third.id}/changes`, { as: 'red' });
    expect(changes).toMatchObject({
      meta: { from: first.id },
      data: [{ attribute: 'title', before: 'one' }],
    });
    expect((await send('post', `${path}/${first.id}/actions/restore`, { as: 'red' })).status).toBe(200);
  });

  it('25.11 shows no version of a document that the caller does not find or may not update now', async () => {
    const id = await moved();
    await send('put', `articles/${id}`, { data: { title: 'four', team: blue } });
    for (const as of ['red', 'redWriter'] as const) {
      expect((await versions(id, as)).status).toBe(404);
      const [, third] = (await versions(id, 'all')).data;
      expect((await show(id, third.id, as)).status).toBe(404);
    }
    for (const as of ['blind', 'reader'] as const) expect((await versions(id, as)).status).toBe(403);
  });

  it('25.11 compares scalars of conditions with the values of the version', async () => {
    const id = await make('articles', { title: 'one', stage: 'work' });
    await send('put', `articles/${id}`, { data: { title: 'two', stage: 'live' } });
    expect(await titles(id, 'live')).toEqual(['two']);
  });

  it('25.11 shows own documents in versions of the same owner only', async () => {
    const id = await make('articles', { title: 'one' });
    await test.sql(`update articles set writer = 'id-mine' where document_id = $1`, [id]);
    await send('put', `articles/${id}`, { data: { title: 'two' } });
    expect(await titles(id, 'mine')).toEqual(['two']);
  });

  it('25.11 shows nothing if the condition names what versions do not store', async () => {
    const id = await make('articles', {
      title: 'one',
      inner: 'y',
      tags: [await make('tags', { name: 'a' })],
    });
    for (const as of ['unlike', 'tagged'] as const) {
      expect((await send('get', `articles/${id}`, { as })).status).toBe(200);
      expect(await versions(id, as)).toMatchObject({
        status: 200,
        data: [],
        meta: { pagination: { total: 0 } },
      });
    }
    await send('delete', `articles/${id}`);
    for (const as of ['unlike', 'tagged'] as const) {
      expect((await send('get', 'articles/trash', { as })).data).toEqual([]);
      expect((await send('post', `articles/${id}/actions/restore`, { as })).status).toBe(404);
    }
  });

  it('25.11 shows drafts to callers who read drafts', async () => {
    const id = await make('articles', { title: 'one' });
    await send('put', `articles/${id}?status=draft`, { data: { title: 'draft' } });
    const [draft] = (await send('get', `articles/${id}/versions`)).data;
    const { data } = await send('get', `articles/${id}/versions`, { as: 'published' });
    expect(data.map(({ status }: any) => status)).toEqual(['published']);
    expect((await show(id, draft.id, 'published')).status).toBe(404);
    expect((await send('get', `articles/${id}/versions?status=draft`, { as: 'published' })).status).toBe(403);
    expect((await send('get', 'articles/trash', { as: 'published' })).status).toBe(403);
  });

  it('25.11 shows granted attributes in contents and changes, and no names of removed ones', async () => {
    const id = await make('articles', { title: 'one', stage: 'a' });
    await send('put', `articles/${id}`, { data: { title: 'two', stage: 'b' } });
    const [{ id: version }] = (await versions(id, 'titles')).data;
    await test.sql(`update content_version set content = content || '{"gone": 1}' where id = $1`, [version]);
    expect((await show(id, version, 'all')).meta).toEqual({ leftOut: ['gone'] });
    expect(await show(id, version, 'titles')).toMatchObject({
      data: { content: { title: 'two' } },
      meta: {},
    });
    const changes = await send('get', `articles/${id}/versions/${version}/changes`, { as: 'titles' });
    expect(changes.data).toEqual([{ attribute: 'title', before: 'one', after: 'two' }]);
    const restored = await send('post', `articles/${id}/versions/${version}/actions/restore`, {
      as: 'titles',
    });
    expect(restored).toMatchObject({ status: 200, meta: {} });
  });

  it('25.5 names attributes that the caller sees but may not write, if they have other values', async () => {
    const tagged = await make('tags', { name: 'kept' });
    const id = await make('articles', { title: 'one', stage: 'a', main: tagged, part: { text: 'same' } });
    await send('put', `articles/${id}`, { data: { title: 'two', stage: 'b', main: null, inner: 'x' } });
    const [{ id: version }] = (await versions(id, 'all')).data.slice(-1);
    const path = `articles/${id}/versions/${version}/actions/restore`;
    const leftOutFor = async (as: Role, key?: string): Promise<unknown> => {
      const { status, meta } = await send('post', path, { as, ...(key === undefined ? {} : { key }) });
      return [status, meta.leftOut];
    };
    expect(await leftOutFor('titler')).toEqual([200, ['stage']]);
    expect((await send('get', `articles/${id}?status=draft`)).data).toMatchObject({
      title: 'one',
      stage: 'b',
    });
    expect(await leftOutFor('titles')).toEqual([200, undefined]);
    await send('put', `articles/${id}?status=draft`, { data: { stage: 'a' } });
    expect(await leftOutFor('titler')).toEqual([200, undefined]);
    // No version contains a change by SQL before the restore.
    const changeStage = (stage: string) =>
      test.sql(`update articles set stage = $2, updated_at = now() where document_id = $1`, [id, stage]);
    await changeStage('c');
    expect(await leftOutFor('titler')).toEqual([200, ['stage']]);
    await changeStage('a');
    expect(await leftOutFor('titler', 'same')).toEqual([200, undefined]);
    await changeStage('d');
    expect(await leftOutFor('titler', 'other')).toEqual([200, ['stage']]);
    await changeStage('a');
    expect(await leftOutFor('titler', 'other')).toEqual([200, ['stage']]);
  });

  it('25.5 tells nothing of a draft that the caller does not see', async () => {
    const id = await make('articles', { title: 'one', stage: 'a' });
    const [{ id: version }] = (await versions(id, 'all')).data;
    const path = `articles/${id}/versions/${version}/actions/restore`;
    const same = (await send('post', path, { as: 'liveTitler' })).meta.leftOut;
    await send('put', `articles/${id}?status=draft`, { data: { stage: 'hidden' } });
    const other = (await send('post', path, { as: 'liveTitler' })).meta.leftOut;
    expect(same).toContain('stage');
    expect(other).toEqual(same);
  });

  it('25.11 shows links to documents that the caller may find, and to none that a condition hides', async () => {
    const [seen, hidden, gone] = [
      await make('tags', { name: 'seen', open: true }),
      await make('tags', { name: 'hidden', open: false }),
      await make('tags', { name: 'gone', open: true }),
    ];
    const draft = (await send('post', 'tags?status=draft', { data: { name: 'draft' } })).data.documentId;
    const id = await make('articles', { title: 'one', tags: [seen, hidden, gone, draft] });
    await send('delete', `tags/${gone}`);
    const [{ id: version }] = (await versions(id, 'all')).data;
    const tagsFor = async (as: Role): Promise<unknown[]> =>
      (await show(id, version, as)).data.content.tags.map(({ title, exists }: any) => [title, exists]);
    expect(await tagsFor('all')).toEqual([
      ['seen', true],
      ['hidden', true],
      [null, false],
      ['draft', true],
    ]);
    expect(await tagsFor('open')).toEqual([['seen', true]]);
    expect(await tagsFor('published')).toEqual([
      ['seen', true],
      ['hidden', true],
    ]);
    const { data } = await send('get', `articles/${id}/versions/${version}/changes`, { as: 'open' });
    expect(data.find(({ attribute }: any) => attribute === 'tags')).toMatchObject({
      after: [seen],
      added: [seen],
    });
  });

  it('25.11 shows links to files, and to none that a condition hides', async () => {
    const upload = async (folder: string): Promise<string> => {
      const body = formOf([{}], { fileInfo: { folder } });
      const headers = { Authorization: 'Bearer all' };
      const response = await fetch(`${test.url}/api/upload`, { method: 'POST', headers, body });
      const [{ documentId }]: any = await response.json();
      return documentId;
    };
    const [seen, hidden, gone] = [await upload('/seen'), await upload('/hidden'), await upload('/seen')];
    const id = await make('articles', { title: 'one' });
    for (const cover of [seen, hidden, gone]) await send('put', `articles/${id}`, { data: { cover } });
    await send('delete', `upload/files/${gone}`);
    const stored = (await versions(id, 'all')).data.slice(0, 3).reverse();
    const coversFor = async (as: Role): Promise<unknown[]> => {
      const shown = await Promise.all(stored.map((one: any) => show(id, one.id, as)));
      return shown.map(
        ({ data: { content } }: any) => content.cover && [content.cover.documentId, content.cover.exists],
      );
    };
    const all = [
      [seen, true],
      [hidden, true],
      [gone, false],
    ];
    expect([await coversFor('all'), await coversFor('tags')]).toEqual([all, all]);
    expect(await coversFor('folder')).toEqual([[seen, true], null, null]);
    const [, { id: second }] = stored;
    const path = `articles/${id}/versions/${second}/changes`;
    const changeFor = async (as: Role): Promise<unknown> =>
      (await send('get', path, { as })).data.map(({ before, after }: any) => [before, after]);
    expect(await changeFor('tags')).toEqual([[seen, hidden]]);
    expect(await changeFor('folder')).toEqual([[seen, null]]);
  });

  it('25.5 restores no links of a type that the caller may not find, and removes none', async () => {
    const tag = { __type: 'api::tag.tag', documentId: await make('tags', { name: 'tag' }) };
    const team = { __type: 'api::team.team', documentId: red };
    const linked = async (): Promise<unknown[]> => {
      const { data } = await send('get', `articles/${id}?status=draft&populate=*`);
      return [data.title, data.about.map(({ name }: any) => name), data.topic?.name];
    };
    const id = await make('articles', { title: 'one', about: [tag, team], topic: team });
    await send('put', `articles/${id}`, { data: { title: 'two', topic: tag } });
    const [{ id: first }] = (await versions(id, 'published')).data.slice(-1);
    const restored = await send('post', `articles/${id}/versions/${first}/actions/restore`, { as: 'tags' });
    expect(restored.status).toBe(200);
    expect(await linked()).toEqual(['one', ['tag', 'red'], 'tag']);
  });

  it('25.12 shows deleted documents whose last versions all met the condition', async () => {
    const [kept, drafted, other] = [
      await make('articles', { title: 'red', team: red }),
      await make('articles', { title: 'mixed', team: red }),
      await make('articles', { title: 'blue', team: blue }),
    ];
    await send('put', `articles/${drafted}?status=draft`, { data: { team: blue } });
    for (const id of [kept, drafted, other]) await send('delete', `articles/${id}`);
    const list = await send('get', 'articles/trash', { as: 'red' });
    expect(list.data.map(({ documentId }: any) => documentId)).toEqual([kept]);
    expect(list.meta.pagination.total).toBe(1);
    for (const id of [drafted, other])
      expect((await send('post', `articles/${id}/actions/restore`, { as: 'red' })).status).toBe(404);
    expect((await send('post', `articles/${kept}/actions/restore`, { as: 'red' })).status).toBe(200);
    const { data } = await send('get', `articles/${kept}?populate=team`);
    expect(data).toMatchObject({ title: 'red', team: { name: 'red' } });
    expect((await send('get', 'articles/trash', { as: 'keeper' })).status).toBe(403);
  });

  it('25.12 shows titles of deleted documents to callers who may read the attribute', async () => {
    const id = await make('articles', { title: 'shown', stage: 'x' });
    await send('delete', `articles/${id}`);
    const titleFor = async (as: Role): Promise<unknown> =>
      (await send('get', 'articles/trash', { as })).data.find(({ documentId }: any) => documentId === id)
        ?.title;
    expect([await titleFor('all'), await titleFor('titles')]).toEqual(['shown', 'shown']);
    const restored = await send('post', `articles/${id}/actions/restore`, { as: 'titles' });
    expect(restored.status).toBe(200);
    expect((await send('get', `articles/${id}`)).data).toMatchObject({ title: 'shown', stage: null });
  });

  it('25.5, 25.6 restores for a limited caller without the links that it may not write', async () => {
    const tagged = await make('tags', { name: 'a' });
    const links = { main: tagged, part: { text: 'part', tag: tagged } };
    const id = await make('articles', { title: 'one', team: red, ...links });
    await send('put', `articles/${id}?status=draft`, { data: { title: 'two' } });
    const main = { name: 'a' };
    const populated = async (): Promise<any> =>
      (await send('get', `articles/${id}?status=draft&populate[main]=true&populate[part][populate]=tag`))
        .data;
    const [{ id: version }] = (await versions(id, 'red')).data;
    expect(await send('post', `articles/${id}/versions/${version}/actions/restore`, { as: 'red' })).toEqual(
      expect.objectContaining({ status: 200, meta: {} }),
    );
    expect(await populated()).toMatchObject({ title: 'one', main, part: { text: 'part', tag: main } });
    await send('delete', `articles/${id}`);
    expect((await send('post', `articles/${id}/actions/restore`, { as: 'red' })).status).toBe(200);
    expect(await populated()).toMatchObject({ title: 'one', main: null, part: { text: 'part', tag: null } });
  });

  it('25.5 restores a published version to the draft with the rights of writing the draft', async () => {
    const tagged = await make('tags', { name: 'posted' });
    const id = await make('posts', { title: 'one', main: tagged });
    await send('put', `posts/${id}`, { data: { title: 'two', main: null } });
    const main = async (): Promise<unknown> =>
      (await send('get', `posts/${id}?status=draft&populate=main`)).data.main?.name;
    const as = 'poster';
    const put = await send('put', `posts/${id}?status=draft`, { as, data: { main: tagged } });
    expect([put.status, await main()]).toEqual([200, 'posted']);
    await send('put', `posts/${id}?status=draft`, { data: { main: null } });
    const [{ id: first }] = (await send('get', `posts/${id}/versions?status=published`, { as })).data.slice(
      -1,
    );
    const restored = await send('post', `posts/${id}/versions/${first}/actions/restore`, { as });
    expect([restored.status, restored.meta]).toEqual([200, {}]);
    expect(await main()).toBe('posted');
  });
});
