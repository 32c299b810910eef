/** The routes of the media library (protocol section 20). */
import { failure } from '../http/helpers.ts';
import { ADAPTERS } from '../support/app.ts';
import { createFilesApp, type FilesApp, formOf, picture, PNG } from './helpers.ts';

interface Shown {
  readonly id: number;
  readonly documentId: string;
  readonly name: string;
  readonly hash: string;
  readonly url: string;
  readonly [key: string]: unknown;
}

const KEYS = [
  ...['id', 'documentId', 'name', 'alternativeText', 'caption', 'focalPoint', 'width', 'height', 'formats'],
  ...['hash', 'ext', 'mime', 'size', 'url', 'previewUrl', 'provider', 'provider_metadata'],
  ...['createdAt', 'updatedAt', 'publishedAt'],
];

describe.each(ADAPTERS)('uploads on %s', (adapter) => {
  let api: FilesApp;

  beforeAll(async () => {
    api = await createFilesApp({}, adapter);
  });

  afterAll(() => api.close());

  const upload = async (...args: Parameters<typeof formOf>): Promise<Shown[]> => {
    const response = await api.send(formOf(...args));
    const body = (await response.json()) as Shown[];
    expect([response.status, body]).toEqual([201, expect.any(Array)]);
    return body;
  };

  const one = async (...args: Parameters<typeof formOf>): Promise<Shown> =>
    (await upload(...args))[0] as Shown;

  const json = async (path: string, init?: Parameters<FilesApp['ask']>[1]): Promise<[number, unknown]> => {
    const response = await api.ask(path, init);
    return [response.status, await response.json()];
  };

  const refusal = async (form: FormData, path?: string, as = 'editor'): Promise<[number, string, string]> => {
    const response = await api.send(form, path === undefined ? { as } : { as, path });
    const { error } = (await response.json()) as { error: { name: string; message: string } };
    return [response.status, error.name, error.message];
  };

  it('20.1, 20.3: returns a list of files with the keys of the protocol, and no folder', async () => {
    const [file, second] = await upload([{ name: 'big-up.PNG' }, { name: 'größe.png' }]);
    expect(Object.keys(file as Shown)).toEqual([...KEYS, 'isUrlSigned']);
    expect(file).toMatchObject({
      name: 'big-up.PNG',
      hash: expect.stringMatching(/^big_up_[0-9a-f]{10}$/),
      ext: '.png',
      mime: 'image/png',
      size: 0.07,
      url: `/uploads/${file?.hash}.png`,
      provider: 'local',
      width: null,
      formats: null,
      isUrlSigned: false,
    });
    expect(second).toMatchObject({
      name: 'größe.png',
      hash: expect.stringMatching(/^groesse_[0-9a-f]{10}$/),
    });
  });

  it('20.2: rejects a request without files', async () => {
    const empty = [400, 'ValidationError', 'Files are empty'];
    expect(await refusal(formOf([], { foo: 'bar' }))).toEqual(empty);
    expect(await refusal(formOf([{ bytes: '' }]))).toEqual(empty);
    expect(await refusal(formOf([{ bytes: '', name: '', type: 'application/octet-stream' }]))).toEqual(empty);
    const body = JSON.stringify({ files: 'x' });
    const headers = { 'Content-Type': 'application/json' };
    expect((await json('/api/upload', { method: 'POST', body, headers }))[0]).toBe(400);
  });

  it('20.4: accepts a description for each file, as a list or field by field', async () => {
    const info = { name: 'renamed.png', alternativeText: 'A', caption: 'C', focalPoint: { x: 10, y: 20.5 } };
    expect(await one([{}], { fileInfo: info })).toMatchObject({
      ...info,
      hash: expect.stringMatching(/^renamed_/),
    });
    const listed = await upload([{}, {}], { fileInfo: [{ name: 'n1' }, { name: 'n2' }] });
    expect(listed.map(({ name }) => name)).toEqual(['n1', 'n2']);
    const repeated = formOf([{}, {}], { fileInfo: { caption: 'a' } });
    repeated.append('fileInfo', '{"caption":"b"}');
    const response = (await (await api.send(repeated)).json()) as Shown[];
    expect(response.map(({ caption }) => caption)).toEqual(['a', 'b']);
    expect((await refusal(formOf([{}, {}], { fileInfo: { name: 'one' } })))[0]).toBe(400);
    expect((await refusal(formOf([{}, {}], { fileInfo: [] })))[0]).toBe(400);
    expect((await refusal(formOf([{}], { fileInfo: '{' })))[2]).toBe('fileInfo is not valid JSON');
    expect((await refusal(formOf([{}], { fileInfo: { url: '/x' } })))[2]).toBe('Invalid key url at fileInfo');
    expect((await refusal(formOf([{}], { fileInfo: { focalPoint: { x: -1, y: 0 } } })))[0]).toBe(400);
  });

  it('20.5: links the files to an entry, by row id and by document id', async () => {
    const [, made] = await json('/api/persons', {
      method: 'POST',
      body: '{"data":{"name":"Ann"}}',
      headers: { 'Content-Type': 'application/json' },
    });
    const person = (made as { data: Shown }).data;
    for (const refId of [String(person.id), person.documentId]) {
      const file = await one([{}], { ref: 'api::person.person', refId, field: 'avatar' });
      expect(await json(`/api/persons/${person.documentId}?populate=avatar`)).toMatchObject([
        200,
        { data: { avatar: { documentId: file.documentId } } },
      ]);
    }
  });

  it('20.5: appends to the list of a draft, and does not publish it', async () => {
    const [, made] = await json('/api/pages?status=draft', {
      method: 'POST',
      body: '{"data":{"title":"Draft"}}',
      headers: { 'Content-Type': 'application/json' },
    });
    const { documentId } = (made as { data: Shown }).data;
    const fields = { ref: 'api::page.page', refId: documentId, field: 'gallery' };
    const files = [...(await upload([{}, {}], fields)), ...(await upload([{}], fields))];
    expect(await json(`/api/pages/${documentId}?status=draft&populate=gallery`)).toMatchObject([
      200,
      { data: { gallery: files.map((file) => ({ documentId: file.documentId })) } },
    ]);
    expect((await api.ask(`/api/pages/${documentId}`)).status).toBe(404);
  });

  it('20.5: rejects an unknown entry, and stores nothing', async () => {
    const before = [(await api.stored()).length, (await json('/api/upload/files?limit=100'))[1]];
    const fields = { ref: 'api::page.page', refId: 'nope', field: 'cover' };
    expect(await refusal(formOf([{}], fields))).toEqual([404, 'NotFoundError', 'Not Found']);
    expect((await refusal(formOf([{}], { ...fields, ref: 'api::no.no' })))[0]).toBe(400);
    expect((await refusal(formOf([{}], { ...fields, field: 'title' })))[0]).toBe(400);
    expect((await refusal(formOf([{}], { ref: 'api::page.page' })))[0]).toBe(400);
    expect([(await api.stored()).length, (await json('/api/upload/files?limit=100'))[1]]).toEqual(before);
  });

  it('20.5, S23: applies the allowed types of an attribute to uploads that link', async () => {
    const [, made] = await json('/api/pages', {
      method: 'POST',
      body: '{"data":{"title":"Shown"}}',
      headers: { 'Content-Type': 'application/json' },
    });
    const { documentId } = (made as { data: Shown }).data;
    const before = await api.stored();
    const text = [{ bytes: `text ${documentId}`, name: 'a.txt', type: 'text/plain' }];
    const fields = { ref: 'api::page.page', refId: documentId, field: 'cover' };
    expect((await refusal(formOf(text, fields)))[2]).toMatch(/not of the allowed types: images/);
    const [, files] = await json(`/api/upload/files?filters[name]=a.txt`);
    expect([files, await api.stored()]).toEqual([[], before]);
  });

  it('20.6: changes the description of a file, from a form or from JSON', async () => {
    const file = await one([{}], { fileInfo: { caption: 'old' } });
    const path = `/api/upload?id=${file.id}`;
    const response = await api.send(formOf([], { fileInfo: { name: 'other.png', alternativeText: 'alt' } }), {
      path,
    });
    const changed = { id: file.id, name: 'other.png', alternativeText: 'alt', caption: 'old', url: file.url };
    expect([response.status, await response.json()]).toMatchObject([200, changed]);
    const body = JSON.stringify({ fileInfo: { caption: null } });
    const init = { method: 'POST', body, headers: { 'Content-Type': 'application/json' } };
    expect(await json(`/api/upload?id=${file.documentId}`, init)).toMatchObject([
      200,
      { ...changed, caption: null },
    ]);
  });

  it('20.4, 20.6: a grant on some attributes describes a file with these only', async () => {
    const as = 'captioner';
    const { id, name } = await one([{}]);
    for (const path of ['/api/upload', `/api/upload?id=${id}`]) {
      const { status } = await api.send(formOf([{}], { fileInfo: { caption: 'C' } }), { as, path });
      expect(status).toBe(path === '/api/upload' ? 201 : 200);
      for (const key of ['name', 'alternativeText', 'focalPoint', 'folder']) {
        const refused = await refusal(formOf([{}], { fileInfo: { caption: 'D', [key]: null } }), path, as);
        expect(refused).toEqual([400, 'ValidationError', `Invalid key ${key} at fileInfo`]);
      }
    }
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ fileInfo: { name: 'other.png' } });
    const response = await api.ask(`/api/upload?id=${id}`, { method: 'POST', body, headers, as });
    expect(response.status).toBe(400);
    expect((await json(`/api/upload/files/${id}`))[1]).toMatchObject({ name, caption: 'C' });
  });

  it('20.6: replaces content under another URL, and keeps the ids', async () => {
    const file = await one([{ name: 'tiny-up.png' }], { fileInfo: { alternativeText: 'kept' } });
    const bytes = picture();
    const path = `/api/upload?id=${file.id}`;
    expect((await api.ask(file.url)).status).toBe(200);
    const response = await api.send(formOf([{ name: 'replaced.png', bytes }]), { path });
    const replaced = (await response.json()) as Shown;
    expect(response.status).toBe(200);
    expect(replaced).toMatchObject({
      id: file.id,
      documentId: file.documentId,
      name: 'replaced.png',
      alternativeText: 'kept',
      hash: expect.stringMatching(/^tiny_up_[0-9a-f]{10}$/),
      formats: {},
    });
    expect(replaced.url).not.toBe(file.url);
    const old = await api.ask(file.url, { redirect: 'manual' });
    expect([old.status, old.headers.get('location')]).toEqual([302, replaced.url]);
    expect(Buffer.from(await (await api.ask(replaced.url)).arrayBuffer())).toEqual(bytes);
    expect(await refusal(formOf([{}, {}]), path)).toEqual([
      400,
      'ValidationError',
      'Cannot replace a file with multiple ones',
    ]);
    expect((await refusal(formOf([{}]), '/api/upload?id=999999'))[0]).toBe(404);
  });

  it('20.6: redirects every former URL, also those of concurrent replacements', async () => {
    const file = await one([{ name: 'often.png' }]);
    const replace = async (): Promise<string> => {
      const path = `/api/upload?id=${file.id}`;
      const response = await api.send(formOf([{ name: 'often.png', bytes: picture() }]), { path });
      expect(response.status).toBe(200);
      return ((await response.json()) as Shown).url;
    };
    const redirected = async (url: string): Promise<unknown> => {
      const response = await api.ask(url, { redirect: 'manual' });
      return [response.status, response.headers.get('location')];
    };
    const former = [file.url, await replace(), await replace()];
    former.push(...(await Promise.all([replace(), replace()])));
    const current = await replace();
    for (const url of former) expect(await redirected(url)).toEqual([302, current]);
    expect(await redirected(current.replace(/_\w{10}\./, '_0000000000.'))).toEqual([404, null]);
    await api.ask(`/api/upload/files/${file.id}`, { method: 'DELETE' });
    for (const url of former) expect(await redirected(url)).toEqual([404, null]);
  });

  it('20.6, H4: replaces a file by one of its type if an attribute restricts types', async () => {
    const [picture, text] = [
      await one([{}]),
      await one([{ bytes: 'text', name: 'a.txt', type: 'text/plain' }]),
    ];
    const data = { title: 'kinds', cover: picture.documentId };
    const [, made] = await json('/api/pages', {
      method: 'POST',
      body: JSON.stringify({ data }),
      headers: { 'Content-Type': 'application/json' },
    });
    const { documentId } = (made as { data: Shown }).data;
    const before = await api.stored();
    const other = [{ bytes: 'another text', name: 'b.txt', type: 'text/plain' }];
    expect(await refusal(formOf(other), `/api/upload?id=${picture.id}`)).toEqual([
      400,
      'ValidationError',
      'The file "b.txt" of kind files cannot replace images: an attribute allows only images',
    ]);
    expect([await json(`/api/upload/files/${picture.id}`), await api.stored()]).toEqual([
      [200, picture],
      before,
    ]);
    expect((await json(`/api/pages/${documentId}?populate=cover`))[1]).toMatchObject({
      data: { cover: { mime: 'image/png' } },
    });
    // Every attribute that accepts texts also accepts images.
    for (const file of [{}, {}])
      expect((await api.send(formOf([file]), { path: `/api/upload?id=${text.id}` })).status).toBe(200);
    expect((await api.send(formOf(other), { path: `/api/upload?id=${text.id}` })).status).toBe(400);
  });

  it('20.7, 20.8: lists files with filters, sort and pages, bare and in an envelope', async () => {
    const caption = `list ${adapter}`;
    const names = ['c.png', 'a.png', 'b.png'];
    await upload(
      names.map((name) => ({ name })),
      { fileInfo: names.map(() => ({ caption })) },
    );
    const query = `filters[caption]=${encodeURIComponent(caption)}&sort=name`;
    const [status, list] = await json(`/api/upload/files?${query}`);
    expect([status, (list as Shown[]).map(({ name }) => name)]).toEqual([200, ['a.png', 'b.png', 'c.png']]);
    expect((await json(`/api/upload/files?${query}&start=1&limit=1`))[1]).toMatchObject([{ name: 'b.png' }]);
    expect(
      await json(`/api/upload/files/page?${query}&pagination[pageSize]=2&pagination[page]=2`),
    ).toMatchObject([
      200,
      { data: [{ name: 'c.png' }], meta: { pagination: { page: 2, pageSize: 2, pageCount: 2, total: 3 } } },
    ]);
    expect(await json('/api/upload/files?filters[storageKey]=x')).toMatchObject([400, { data: null }]);
  });

  it('20.3: files have folders, which responses never contain', async () => {
    const path = `/of ${adapter}/flags`;
    const [inside] = await upload([{}], { fileInfo: { folder: path } });
    const folder = encodeURIComponent(path);
    expect((await json('/api/upload/folders'))[1]).toContainEqual({ path, files: 1 });
    expect((await json(`/api/upload/files?folder=${folder}`))[1]).toEqual([inside]);
    expect((await json(`/api/upload/files?folder=${folder}&filters[name]=other`))[1]).toEqual([]);
    expect(await json(`/api/upload/files/page?folder=%2F&pagination[pageSize]=1`)).toMatchObject([
      200,
      { data: [expect.not.objectContaining({ id: inside?.id })] },
    ]);
    expect(JSON.stringify(inside)).not.toContain('flags');
    for (const wrong of [`folder[]=${folder}`, `folder=${folder}&folder=%2F`, 'folder', 'folder=%2F%00'])
      expect([wrong, ...(await json(`/api/upload/files?${wrong}`))]).toEqual([
        wrong,
        400,
        {
          data: null,
          error: expect.objectContaining({ message: expect.stringContaining('Invalid folder') }),
        },
      ]);
    for (const wrong of ['flags', '/../x', '/a//b', 7])
      expect((await refusal(formOf([{}], { fileInfo: { folder: wrong } })))[0]).toBe(400);
    expect((await api.ask('/api/upload/folders', { as: 'file-findOne' })).status).toBe(403);
  });

  it('20.7, 20.9: returns and deletes a file by row id and by document id, and returns 404 for unknown ones', async () => {
    for (const by of ['id', 'documentId'] as const) {
      const file = await one([{}]);
      const path = `/api/upload/files/${file[by]}`;
      expect(await json(path)).toEqual([200, file]);
      expect(await json(path, { method: 'DELETE' })).toEqual([200, file]);
      const gone = {
        data: null,
        error: { status: 404, name: 'NotFoundError', message: 'file.notFound', details: {} },
      };
      expect(await json(path)).toEqual([404, gone]);
      expect(await json(path, { method: 'DELETE' })).toEqual([404, gone]);
    }
    expect((await json('/api/upload/files/abc'))[0]).toBe(404);
  });

  it('20.9: entries lose a deleted file', async () => {
    const [cover, other] = await upload([{}, {}]);
    const data = { title: 'x', cover: cover?.id, gallery: [cover?.id, other?.id], hero: { file: cover?.id } };
    const [, made] = await json('/api/pages', {
      method: 'POST',
      body: JSON.stringify({ data }),
      headers: { 'Content-Type': 'application/json' },
    });
    const { documentId } = (made as { data: Shown }).data;
    await api.ask(`/api/upload/files/${cover?.id}`, { method: 'DELETE' });
    expect(
      await json(`/api/pages/${documentId}?populate[0]=cover&populate[1]=gallery&populate[2]=hero.file`),
    ).toMatchObject([200, { data: { cover: null, gallery: [{ id: other?.id }], hero: { file: null } } }]);
  });

  it('20.11: rejects a name that is a path or is empty', async () => {
    const refused = [400, 'ApplicationError', 'File name contains invalid characters'];
    const names = [
      '../../etc/passwd.png',
      'a/b.png',
      'a\\b.png',
      'nul.png',
      '..',
      'x\u202egnp.exe',
      'a:b.png',
    ];
    for (const name of names) expect([name, await refusal(formOf([{ name }]))]).toEqual([name, refused]);
    expect(await refusal(formOf([{ name: `${'x'.repeat(300)}.png` }]))).toEqual(refused);
    expect(await refusal(formOf([{}], { fileInfo: { name: '../x.png' } }))).toEqual(refused);
  });

  it('20.12: each route needs its own permission', async () => {
    const file = await one([{}]);
    const id = `?id=${file.id}`;
    const attempts: readonly (readonly [string, (as: string) => Promise<Response>])[] = [
      ['create', (as) => api.send(formOf([{}]), { as })],
      ['update', (as) => api.send(formOf([{}]), { as, path: `/api/upload${id}` })],
      ['update', (as) => api.send(formOf([], { fileInfo: {} }), { as, path: `/api/upload${id}` })],
      ['find', (as) => api.ask('/api/upload/files', { as })],
      ['find', (as) => api.ask('/api/upload/files/page', { as })],
      ['findOne', (as) => api.ask(`/api/upload/files/${file.id}`, { as })],
      ['delete', (as) => api.ask(`/api/upload/files/${file.id}`, { as, method: 'DELETE' })],
    ];
    for (const [right, attempt] of attempts) {
      const roles = [
        'nobody',
        '',
        ...['find', 'findOne', 'create', 'update', 'delete'].map((one) => `file-${one}`),
      ];
      const refused = roles.filter((role) => role !== `file-${right}`);
      for (const role of refused)
        expect([right, role, (await attempt(role)).status]).toEqual([right, role, 403]);
      expect([right, (await attempt(`file-${right}`)).status]).toEqual([
        right,
        right === 'create' ? 201 : 200,
      ]);
    }
  });

  it('20.5, 20.12: linking to an entry needs permission to update it', async () => {
    const [, made] = await json('/api/persons', {
      method: 'POST',
      body: '{"data":{"name":"Bob"}}',
      headers: { 'Content-Type': 'application/json' },
    });
    const { documentId } = (made as { data: Shown }).data;
    // The response also reveals no attributes.
    for (const field of ['avatar', 'passport', 'name', 'nothing']) {
      const form = formOf([{}], { ref: 'api::person.person', refId: documentId, field });
      const response = await api.send(form, { as: 'file-create' });
      expect([field, await response.json()]).toEqual([field, failure(403, 'ForbiddenError', 'Forbidden')]);
    }
    expect(await json(`/api/persons/${documentId}?populate=avatar`)).toMatchObject([
      200,
      { data: { avatar: null } },
    ]);
  });

  it('20.16: concurrent uploads of one name get different hashes, and store the same bytes once', async () => {
    const bytes = picture();
    const before = (await api.stored()).length;
    const files = await Promise.all(Array.from({ length: 10 }, () => one([{ name: 'same.png', bytes }])));
    expect(new Set(files.map(({ hash }) => hash)).size).toBe(10);
    expect((await api.stored()).length).toBe(before + 1);
    for (const { id } of files.slice(1)) await api.ask(`/api/upload/files/${id}`, { method: 'DELETE' });
    expect((await api.ask(files[0]?.url ?? '')).status).toBe(200);
    await api.ask(`/api/upload/files/${files[0]?.id}`, { method: 'DELETE' });
    expect((await api.stored()).length).toBe(before);
  });

  it('20.17: a file has the same keys in a document, a list, a component and a zone', async () => {
    const { id } = await one([{ bytes: PNG }]);
    const data = {
      cover: id,
      gallery: [id],
      hero: { file: id },
      zone: [{ __component: 'shared.image', file: id }],
    };
    const [, made] = await json('/api/pages', {
      method: 'POST',
      body: JSON.stringify({ data }),
      headers: { 'Content-Type': 'application/json' },
    });
    const { documentId } = (made as { data: Shown }).data;
    const populate =
      'populate[cover]=true&populate[gallery]=true&populate[hero][populate]=*&populate[zone][on][shared.image][populate]=*';
    const [, shown] = await json(`/api/pages/${documentId}?${populate}`);
    const found = (
      shown as {
        data: { cover: object; gallery: object[]; hero: { file: object }; zone: { file: object }[] };
      }
    ).data;
    const files = [found.cover, ...found.gallery, found.hero.file, ...found.zone.map(({ file }) => file)];
    expect(files.map((file) => Object.keys(file))).toEqual([KEYS, KEYS, KEYS, KEYS]);
  });

  it('4.34: `related` lists documents that use a file, in the requested version, if the caller can find them', async () => {
    const [used, other] = await upload([{}, {}]);
    const hero = { file: used?.id };
    const bodies: readonly (readonly [string, object])[] = [
      ['/api/pages', { title: 'cover', cover: used?.id }],
      ['/api/pages', { title: 'gallery', gallery: [other?.id, used?.id] }],
      ['/api/pages', { title: 'hero', hero }],
      ['/api/pages', { title: 'zone', zone: [{ __component: 'shared.image', file: used?.id }] }],
      ['/api/pages', { title: 'deep', zone: [{ __component: 'shared.note', image: { file: used?.id } }] }],
      ['/api/pages?status=draft', { title: 'draft', cover: used?.id }],
      ['/api/pages', { title: 'nobody', cover: other?.id }],
      // A private attribute with the name of a visible one, and JSON that contains the document id.
      ['/api/pages', { title: 'private', zone: [{ __component: 'shared.note', file: used?.id }] }],
      [
        '/api/pages',
        { title: 'said', zone: [{ __component: 'shared.note', said: { file: used?.documentId } }] },
      ],
      ['/api/persons', { name: 'Ann', avatar: used?.id }],
      ['/api/persons', { name: 'hidden', avatar: other?.id, passport: used?.id }],
    ];
    for (const [path, data] of bodies) {
      const headers = { 'Content-Type': 'application/json' };
      expect((await json(path, { method: 'POST', body: JSON.stringify({ data }), headers }))[0]).toBe(201);
    }
    const related = async (query = '', as = 'editor'): Promise<unknown> => {
      const [, file] = await json(`/api/upload/files/${used?.id}?${query}`, { as });
      return (file as { related?: { __type: string; title?: string; name?: string }[] }).related
        ?.map(({ __type, title, name }) => `${__type} ${title ?? name}`)
        .sort();
    };
    const page = 'api::page.page';
    const shown = [`${page} cover`, `${page} deep`, `${page} gallery`, `${page} hero`, `${page} zone`];
    expect(await related()).toBeUndefined();
    expect(await related('populate=related')).toEqual(['api::person.person Ann', ...shown].sort());
    expect(await related('populate=*&status=draft')).toContain(`${page} draft`);
    expect(await related('populate=related', 'file-findOne')).toBeUndefined();
    expect(await related('populate=related', 'narrow')).toEqual(['api::person.person Ann']);
    const on = `populate[related][on][${page}][fields]=title`;
    expect(await related(on)).toEqual(shown);
    expect(await json(`/api/upload/files/${used?.id}?populate[related][count]=true`)).toMatchObject([
      200,
      { related: { count: 6 } },
    ]);
    expect((await json('/api/pages?populate=cover.related'))[0]).toBe(400);
    expect((await json('/api/pages?populate[cover][populate]=related'))[0]).toBe(200);
    expect((await json('/api/upload/files?filters[related][id]=1'))[0]).toBe(400);
  });
});
