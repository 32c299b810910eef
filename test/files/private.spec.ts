/** Files whose bytes are only readable at signed URLs, and the responses that contain these URLs. */
import { createHmac } from 'node:crypto';
import { jest } from '@jest/globals';
import { LocalStorage, SharpImages } from 'nestjs-content-api/files';
import { S3Storage } from 'nestjs-content-api/s3';
import { tmpdir } from 'node:os';
import sharp from 'sharp';
import { createFilesApp, type FilesApp, formOf, picture } from './helpers.ts';

describe('private files', () => {
  let api: FilesApp;

  beforeAll(async () => {
    api = await createFilesApp({
      images: new SharpImages(),
      private: { secret: 'a secret of at least thirty-two bytes', seconds: 60 },
    });
  });

  afterAll(() => api.close());

  it('20.3: are readable at a signed URL until it expires, and at no other URL', async () => {
    const [file] = (await (await api.send(formOf([{}]))).json()) as {
      id: number;
      url: string;
      isUrlSigned: boolean;
    }[];
    const signed = file?.url ?? '';
    expect(file?.isUrlSigned).toBe(true);
    const response = await api.ask(signed, { as: '' });
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'private, max-age=60']);
    const [path = '', query = ''] = signed.split('?');
    const other = new URLSearchParams(query);
    other.set('expires', '1');
    const wrong = [
      path,
      `${path}?${other.toString()}`,
      signed.replace('signature=', 'signature=A'),
      `${path}x?${query}`,
    ];
    for (const one of wrong) expect([one, (await api.ask(one)).status]).toEqual([one, 403]);
    const shown = (await (await api.ask(`/api/upload/files/${file?.id}`)).json()) as { url: string };
    expect((await api.ask(shown.url, { as: '' })).status).toBe(200);
  });

  describe('in documents', () => {
    /** Returns all URLs of files in a response, at any level. */
    const urlsIn = (text: string): string[] =>
      [...text.matchAll(/"url":\s*"([^"]*)"/g)].map(([, url = '']) => url);
    const page = async (
      path: string,
      as = 'editor',
    ): Promise<{ text: string; tag: string; status: number; age: string }> => {
      const response = await api.ask(`/api/${path}`, { as });
      const header = (name: string) => response.headers.get(name) ?? '';
      return {
        text: await response.text(),
        tag: header('etag'),
        status: response.status,
        age: header('cache-control'),
      };
    };
    const DEEP =
      'populate[cover]=true&populate[gallery]=true&populate[hero][populate]=*&populate[zone][on][shared.image][populate]=*';
    let id: string;
    let bare: string;

    beforeAll(async () => {
      const large = await sharp({ create: { width: 400, height: 300, channels: 3, background: 'red' } })
        .png()
        .toBuffer();
      const [file] = (await (await api.send(formOf([{ bytes: large }]))).json()) as {
        documentId: string;
        url: string;
      }[];
      bare = file?.url.split('?')[0] ?? '';
      const image = { file: file?.documentId };
      const data = {
        // User input is never treated as the URL of a file.
        title: `"url":"${bare}"`,
        cover: file?.documentId,
        gallery: [file?.documentId],
        hero: { ...image, text: `file.${'0'.repeat(32)}.a|${bare}` },
        zone: [{ __component: 'shared.image', ...image }],
      };
      const response = await api.ask(`/api/pages?${DEEP}`, {
        method: 'POST',
        body: JSON.stringify({ data }),
        headers: { 'content-type': 'application/json' },
      });
      const text = await response.text();
      expect(response.status).toBe(201);
      expect(urlsIn(text).every((url) => url.includes('signature='))).toBe(true);
      ({ documentId: id } = (JSON.parse(text) as { data: { documentId: string } }).data);
    });

    it.each(['pages?', 'pages/ID?'])('%s: every link of a file and its formats is valid', async (path) => {
      const { text, status } = await page(`${path.replace('ID', id)}${DEEP}`);
      expect(status).toBe(200);
      const urls = urlsIn(text);
      // An image and its thumbnail, at four places.
      expect(urls).toHaveLength(8);
      for (const url of new Set(urls))
        expect([url, (await api.ask(url, { as: '' })).status]).toEqual([url, 200]);
      const { data } = JSON.parse(text) as { data: any };
      const [document] = [data].flat();
      expect(document.title).toBe(`"url":"${bare}"`);
      expect(document.hero.text).toBe(`file.${'0'.repeat(32)}.a|${bare}`);
      expect(Object.keys(document.cover)).not.toContain('storageKey');
    });

    it('a URL that the application set for an external file is unchanged', async () => {
      const url = 'https://elsewhere.example/a"b\\c|d?e=\u00e9';
      const [row] = await api.sql(
        `insert into content_files (document_id, created_at, updated_at, published, locale, name, hash, mime, size, url, provider)
         values ('elsewhere', now(), now(), true, 'en', 'f', 'h', 'image/png', 1, $1, 'other') returning id`,
        [url],
      );
      const data = { title: 'elsewhere', cover: row?.['id'] };
      const response = await api.ask('/api/pages?populate=cover', {
        method: 'POST',
        body: JSON.stringify({ data }),
        headers: { 'content-type': 'application/json' },
      });
      expect(((await response.json()) as { data: { cover: unknown } }).data.cover).toMatchObject({ url });
    });

    it('in the v4 format', async () => {
      const response = await api.ask(`/api/pages/${id}?populate=cover`, {
        headers: { 'strapi-response-format': 'v4' },
      });
      for (const url of urlsIn(await response.text()))
        expect((await api.ask(url, { as: '' })).status).toBe(200);
    });

    it('responses and ETags stay equal for a period, and change with the signed links', async () => {
      const spy = jest.spyOn(Date, 'now');
      const at = async (seconds: number) => {
        spy.mockReturnValue(seconds * 1000);
        return page(`pages/${id}?populate=cover`);
      };
      try {
        const start = 60 * 40_000_000;
        const [first, last, next] = [await at(start), await at(start + 59), await at(start + 60)];
        expect(last).toEqual(first);
        expect(next.text).not.toBe(first.text);
        expect(next.tag).not.toBe(first.tag);
        // The ETag of this period is still valid; that of the previous period is not.
        const known = (tag: string) =>
          api.ask(`/api/pages/${id}?populate=cover`, { headers: { 'if-none-match': tag } });
        expect([(await known(next.tag)).status, (await known(first.tag)).status]).toEqual([304, 200]);
        // A link of the last second of a period is valid for a whole period.
        const [url = ''] = urlsIn(last.text);
        spy.mockReturnValue((start + 59 + 60) * 1000);
        expect((await api.ask(url, { as: '' })).status).toBe(200);
        spy.mockReturnValue((start + 120) * 1000);
        expect((await api.ask(url, { as: '' })).status).toBe(403);
      } finally {
        spy.mockRestore();
      }
    });

    describe('a response that is repeated for an Idempotency-Key', () => {
      const write = () =>
        api.ask('/api/pages?populate=cover', {
          method: 'POST',
          body: JSON.stringify({ data: { title: 'keyed', cover: fileId } }),
          headers: { 'content-type': 'application/json', 'idempotency-key': 'links' },
        });
      const bytes = picture();
      const upload = () =>
        api.ask('/api/upload', {
          method: 'POST',
          body: formOf([{ bytes }]),
          headers: { 'idempotency-key': 'upload' },
        });
      let fileId = '';
      beforeAll(async () => {
        const [file] = (await (await api.send(formOf([{}]))).json()) as { documentId: string }[];
        fileId = file?.documentId ?? '';
      });

      it.each([
        ['write', write],
        ['upload', upload],
      ])('has the links of the %s, which expire as they did', async (_name, request) => {
        const spy = jest.spyOn(Date, 'now');
        const sent = async () => {
          const response = await request();
          return { text: await response.text(), tag: response.headers.get('etag') };
        };
        const open = async (url = ''): Promise<number> => (await api.ask(url, { as: '' })).status;
        try {
          const first = await sent();
          const [url] = urlsIn(first.text);
          expect(await open(url)).toBe(200);
          spy.mockReturnValue(Date.now() + 180_000);
          expect(await sent()).toEqual(first);
          expect(await open(url)).toBe(403);
        } finally {
          spy.mockRestore();
        }
      });
    });

    it('a write accepts an ETag of a response with signed links in If-Match', async () => {
      const { tag } = await page(`pages/${id}?populate=cover&status=draft`);
      const put = (match: string) =>
        api.ask(`/api/pages/${id}?status=draft`, {
          method: 'PUT',
          body: JSON.stringify({ data: { gallery: [] } }),
          headers: { 'content-type': 'application/json', 'if-match': match },
        });
      expect([(await put(tag)).status, (await put(tag)).status]).toEqual([200, 412]);
    });
  });
});

describe('private files in a storage that signs its own URLs', () => {
  let signed = 0;
  class Bucket extends LocalStorage {
    signedUrl(key: string, seconds: number): Promise<string> {
      signed += 1;
      return Promise.resolve(`https://bucket.example/${key}?seconds=${seconds}&n=${signed}`);
    }
  }
  let api: FilesApp;
  beforeAll(async () => {
    api = await createFilesApp({
      storage: new Bucket(`${tmpdir()}/content-signing-bucket`),
      // Long periods: one that ends during the test would change the URLs.
      private: { seconds: 86_400 },
    });
  });
  afterAll(() => api.close());

  it('documents have its URLs, each signed once per period', async () => {
    const [file] = (await (await api.send(formOf([{}]))).json()) as { documentId: string; url: string }[];
    expect(file?.url).toMatch(/^https:\/\/bucket\.example\/..\/..\/[0-9a-f]{64}\.png\?seconds=\d+&n=1$/);
    const data = { name: 'ann', avatar: file?.documentId };
    const made = await api.ask('/api/persons?populate=avatar', {
      method: 'POST',
      body: JSON.stringify({ data }),
      headers: { 'content-type': 'application/json' },
    });
    const list = await api.ask('/api/persons?populate=avatar', { as: '' });
    const [one, [other]] = [((await made.json()) as any).data, ((await list.json()) as any).data];
    expect([one.avatar.url, other.avatar.url]).toEqual([file?.url, file?.url]);
    expect(signed).toBe(1);
  });

  it('20.3: are readable at its URLs only, also with a signature that anyone can make', async () => {
    const [file] = (await (await api.send(formOf([{}]))).json()) as { hash: string; ext: string }[];
    const path = `/uploads/${file?.hash}${file?.ext}`;
    const expires = '9999999999';
    const signature = createHmac('sha256', '').update(`${path}\n${expires}`).digest('base64url');
    for (const query of ['', `?expires=${expires}&signature=${signature}`])
      expect([query, (await api.ask(path + query, { as: '' })).status]).toEqual([query, 403]);
  });

  it('with a lifetime that the bucket cannot sign stop the start', async () => {
    const storage = new S3Storage({ bucket: 'files', client: { region: 'eu' } });
    const start = (seconds: number) => createFilesApp({ storage, private: { seconds } });
    await expect(start(302_401)).rejects.toThrow(
      'FilesModule: private.seconds must be at most 302400 with this storage',
    );
    await (await start(302_400)).close();
    storage.close();
  });

  it('with a default lifetime that the bucket cannot sign stop the start', async () => {
    class Short extends Bucket {
      readonly maxSignedSeconds = 1000;
    }
    await expect(createFilesApp({ storage: new Short(`${tmpdir()}/none`), private: {} })).rejects.toThrow(
      'FilesModule: private.seconds must be at most 500 with this storage',
    );
  });
});
