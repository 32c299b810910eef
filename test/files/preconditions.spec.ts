/** `If-Match` on the routes that change and delete files (20.19). */
import { ADAPTERS } from '../support/app.ts';
import { createFilesApp, type FilesApp, formOf } from './helpers.ts';

interface Shown {
  readonly id: number;
  readonly documentId: string;
  readonly url: string;
  readonly caption: string | null;
}

describe.each(ADAPTERS)('conditions on files on %s', (adapter) => {
  let api: FilesApp;

  beforeAll(async () => {
    api = await createFilesApp({}, adapter);
  });

  afterAll(() => api.close());

  const upload = async (): Promise<Shown> => ((await (await api.send(formOf([{}]))).json()) as [Shown])[0];

  const read = async ({ documentId }: Shown): Promise<readonly [number, Shown, string]> => {
    const response = await api.ask(`/api/upload/files/${documentId}`);
    return [response.status, (await response.json()) as Shown, response.headers.get('ETag') ?? ''];
  };

  /** Sends a description with `If-Match`; returns the status and the tag. */
  const describeFile = async (id: string | number, caption: string, tag: string) => {
    const response = await api.ask(`/api/upload?id=${id}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'If-Match': tag },
      body: JSON.stringify({ fileInfo: { caption } }),
    });
    const { error = null } = (await response.json()) as { error?: { name: string } };
    return { status: response.status, tag: response.headers.get('ETag') ?? '', error: error?.name ?? null };
  };

  const replaceFile = (id: number, tag: string): Promise<Response> =>
    api.ask(`/api/upload?id=${id}`, { method: 'POST', body: formOf([{}]), headers: { 'If-Match': tag } });

  const remove = (id: number, tag: string): Promise<Response> =>
    api.ask(`/api/upload/files/${id}`, { method: 'DELETE', headers: { 'If-Match': tag } });

  it('20.19 a change by the tag of the file is written, and returns the next tag', async () => {
    const file = await upload();
    const [, , tag] = await read(file);
    expect(tag).toMatch(/^"[^"]+"$/);
    const first = await describeFile(file.documentId, 'one', tag);
    expect(first).toEqual({ status: 200, tag: expect.stringMatching(/^"[^"]+"$/), error: null });
    const replaced = await replaceFile(file.id, first.tag);
    expect(replaced.status).toBe(200);
    expect((await remove(file.id, replaced.headers.get('ETag') ?? '')).status).toBe(200);
  });

  it('20.19 a change, a replacement and a removal by a former tag are a 412, and nothing is written', async () => {
    const file = await upload();
    const [, , former] = await read(file);
    await describeFile(file.id, 'theirs', '*');
    const stored = await api.stored();
    expect(await describeFile(file.id, 'mine', former)).toMatchObject({
      status: 412,
      error: 'PreconditionFailedError',
    });
    for (const response of [await replaceFile(file.id, former), await remove(file.id, former)])
      expect([response.status, await response.json()]).toMatchObject([
        412,
        { error: { name: 'PreconditionFailedError' } },
      ]);
    const [status, shown] = await read(file);
    expect([status, shown.caption, shown.url]).toEqual([200, 'theirs', file.url]);
    expect((await api.stored()).sort()).toEqual(stored.sort());
  });

  it('20.19 of two changes by one tag, one is written', async () => {
    const file = await upload();
    const [, , tag] = await read(file);
    const texts = ['one', 'two', 'three'];
    const results = await Promise.all(texts.map((text) => describeFile(file.id, text, tag)));
    expect(results.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
  });

  it('20.19 an absent file is a 412 with the header, and a 404 without', async () => {
    const file = await upload();
    const [, , tag] = await read(file);
    expect((await remove(file.id, tag)).status).toBe(200);
    expect((await describeFile(file.id, 'late', tag)).status).toBe(412);
    expect((await remove(file.id, tag)).status).toBe(412);
    expect((await api.ask(`/api/upload/files/${file.id}`, { method: 'DELETE' })).status).toBe(404);
  });

  it('20.19 a client that has the current version gets a 304 without a body', async () => {
    const file = await upload();
    const [, , tag] = await read(file);
    const path = `/api/upload/files/${file.documentId}`;
    const known = async () => {
      const response = await api.ask(path, { headers: { 'If-None-Match': tag } });
      const { headers } = response;
      return [response.status, await response.text(), headers.get('ETag'), headers.get('Content-Type')];
    };
    expect(await known()).toEqual([304, '', tag, null]);
    await describeFile(file.id, 'changed', '*');
    expect(await known()).toEqual([
      200,
      expect.stringContaining('changed'),
      expect.any(String),
      expect.stringMatching(/^application\/json/),
    ]);
  });

  it('20.19 an upload of new files ignores the header', async () => {
    const headers = { 'If-Match': '"other"' };
    const response = await api.ask('/api/upload', { method: 'POST', body: formOf([{}]), headers });
    expect(response.status).toBe(201);
  });
});
