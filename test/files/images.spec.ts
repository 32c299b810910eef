/** Images over HTTP: formats, variants, published values and errors (issue 13, part 4; 20.10). */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { FileCheck, SharpImages, variantUrl } from 'nestjs-content-api/files';
import { until } from '../crowd/loaded-app.ts';
import { GatedStorage } from './gated-storage.ts';
import { createFilesApp, type FilesApp, formOf } from './helpers.ts';

const KEY = 'a key that signs variants, 32 bytes';
const drawn = (width: number, height: number, red = 200): Sharp =>
  sharp({ create: { width, height, channels: 3, background: { r: red, g: 2, b: 3 } } });
const png = (width: number, height: number, red?: number): Promise<Buffer> =>
  drawn(width, height, red).png().toBuffer();

describe('images over HTTP', () => {
  let app: FilesApp;

  beforeAll(async () => {
    const images = new SharpImages({
      recipes: { card: { width: 320, height: 180, fit: 'cover', format: 'auto' }, small2x: { width: 400 } },
      signingKeys: [KEY],
      maxPixels: 4_000_000,
      thumbhash: true,
    });
    app = await createFilesApp({ images });
  });
  afterAll(() => app.close());

  async function upload(bytes: Buffer, name = 'red.png', type = 'image/png'): Promise<any> {
    const response = await app.send(formOf([{ bytes, name, type }]));
    const [file] = (await response.json()) as any[];
    expect(response.status).toBe(201);
    return file;
  }
  const bytesAt = async (url: string): Promise<Buffer> => {
    const response = await app.ask(url, { as: '' });
    expect(response.status).toBe(200);
    return Buffer.from(await response.arrayBuffer());
  };

  it('20.10: formats have the keys of the protocol, and their bytes match their values', async () => {
    const file = await upload(await png(1200, 900));
    expect(file).toMatchObject({ width: 1200, height: 900, size: 1.16, mime: 'image/png' });
    expect(Object.keys(file.formats)).toEqual(['large', 'small', 'medium', 'thumbnail']);
    expect(file.formats.thumbnail).toEqual({
      name: 'thumbnail_red.png',
      hash: `thumbnail_${file.hash}`,
      ext: '.png',
      mime: 'image/png',
      path: null,
      width: 208,
      height: 156,
      size: 0.87,
      sizeInBytes: 871,
      url: `/uploads/thumbnail_${file.hash}.png`,
    });
    for (const { url, sizeInBytes, width, height } of Object.values<any>(file.formats)) {
      const bytes = await bytesAt(url);
      expect(bytes).toHaveLength(sizeInBytes);
      expect(await sharp(bytes).metadata()).toMatchObject({ width, height });
    }
    expect(Buffer.from(file.provider_metadata.thumbhash, 'base64').length).toBeLessThanOrEqual(28);
  });

  it('20.10: formats keep the extension of their image', async () => {
    const file = await upload(await drawn(300, 300).jpeg().toBuffer(), 'photo.jpeg', 'image/jpeg');
    expect(file.formats.thumbnail).toMatchObject({ name: 'thumbnail_photo.jpeg', ext: '.jpeg' });
    await bytesAt(file.formats.thumbnail.url);
  });

  it('published images have no metadata about place or author, and are rotated upright', async () => {
    const bytes = await drawn(400, 300)
      .withExif({ IFD0: { Artist: 'Ann' }, IFD3: { GPSLatitude: '46/1 56/1 53/1' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const file = await upload(bytes, 'photo.jpg', 'image/jpeg');
    expect(file).toMatchObject({ width: 300, height: 400 });
    for (const url of [file.url, file.formats.thumbnail.url, `/uploads/${file.hash}/small2x`]) {
      const { exif, orientation, width, height } = await sharp(await bytesAt(url)).metadata();
      expect([exif, orientation]).toEqual([undefined, undefined]);
      expect(width).toBeLessThan(height);
    }
  });

  it('equal images are stored once, with one set of formats', async () => {
    const bytes = await png(600, 300, 7);
    const before = (await app.stored()).length;
    const [one, other] = [await upload(bytes), await upload(bytes)];
    expect(other.hash).not.toBe(one.hash);
    expect(await app.stored()).toHaveLength(before + 3);
    await app.ask(`/api/upload/files/${one.id}`, { method: 'DELETE' });
    await bytesAt(other.formats.small.url);
    await app.ask(`/api/upload/files/${other.id}`, { method: 'DELETE' });
    expect(await app.stored()).toHaveLength(before);
  });

  describe('variants', () => {
    it('by name have the best format that the client accepts, and may be cached briefly', async () => {
      const file = await upload(await png(800, 600));
      const response = await app.ask(`/uploads/${file.hash}/card`, {
        as: '',
        headers: { Accept: 'image/webp,*/*' },
      });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('image/webp');
      expect(response.headers.get('cache-control')).toBe('public, no-cache');
      expect(response.headers.get('vary')).toContain('Accept');
      const bytes = Buffer.from(await response.arrayBuffer());
      expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp', width: 320, height: 180 });
      const again = await app.ask(`/uploads/${file.hash}/card`, {
        as: '',
        headers: { Accept: 'image/webp', 'If-None-Match': response.headers.get('etag') ?? '' },
      });
      expect(again.status).toBe(304);
      const own = await app.ask(`/uploads/${file.hash}/card`, { as: '', headers: { Accept: 'image/png' } });
      expect(own.headers.get('content-type')).toBe('image/png');
    });

    it('by their arguments may be cached forever, with ranges and HEAD', async () => {
      const file = await upload(await png(800, 600));
      const url = variantUrl(file, { width: 320, height: 180, fit: 'cover' });
      const response = await app.ask(url, { as: '', headers: { Range: 'bytes=0-3' } });
      expect([response.status, await response.text()]).toEqual([206, 'RIFF']);
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(response.headers.get('content-security-policy')).toBe('sandbox');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      const head = await app.ask(url, { as: '', method: 'HEAD' });
      expect(Number(head.headers.get('content-length'))).toBe((await bytesAt(url)).length);
    });

    it('follow the focal point; a new one makes another URL, and the old URL remains valid', async () => {
      const file = await upload(await png(800, 600));
      const card = { width: 320, height: 180, fit: 'cover' } as const;
      const described = async (focalPoint: object): Promise<any> => {
        const form = formOf([], { fileInfo: { focalPoint } });
        return (await app.send(form, { path: `/api/upload?id=${file.id}` })).json();
      };
      const first = variantUrl(await described({ x: 50, y: 10 }), card);
      await bytesAt(first);
      const second = variantUrl(await described({ x: 50, y: 90 }), card);
      expect(second).not.toBe(first);
      await bytesAt(second);
      await bytesAt(first);
      const unseen = variantUrl({ ...file, focalPoint: { x: 1, y: 1 } }, card);
      const stored = (await app.stored()).length;
      expect((await app.ask(unseen, { as: '' })).headers.get('cache-control')).toBe('public, no-cache');
      expect(await app.stored()).toHaveLength(stored);
    });

    it('that are signed are valid for their file only', async () => {
      const [one, other] = [await upload(await png(800, 600)), await upload(await png(700, 600))];
      const url = variantUrl(one, { width: 33, format: 'png', key: KEY });
      expect(await sharp(await bytesAt(url)).metadata()).toMatchObject({ width: 33 });
      for (const wrong of [
        url.replace('w33', 'w34'),
        url.replace(one.hash, other.hash),
        url.split('?')[0] ?? '',
      ])
        expect((await app.ask(wrong, { as: '' })).status).toBe(404);
    });

    it('S25: a burst of requests for invalid variants creates none', async () => {
      const file = await upload(await png(800, 600));
      const stored = (await app.stored()).length;
      const paths = Array.from({ length: 50 }, (_, n) => `/uploads/${file.hash}/w${n + 1}-inside-q80.webp`);
      const all = [
        ...paths,
        `/uploads/${file.hash}/`,
        `/uploads/${file.hash}/%2e%2e/x`,
        '/uploads/none_0/card',
      ];
      const responses = await Promise.all(all.map((path) => app.ask(path, { as: '', method: 'HEAD' })));
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([404]));
      expect(await app.stored()).toHaveLength(stored);
    });

    it('20.6: redirect from the URL of replaced content', async () => {
      const file = await upload(await png(820, 610));
      const form = formOf([{ bytes: await png(830, 620), name: 'x.png', type: 'image/png' }]);
      await app.send(form, { path: `/api/upload?id=${file.id}` });
      const { hash } = (await (await app.ask(`/api/upload/files/${file.id}`)).json()) as any;
      const old = (rest: string) =>
        app.ask(`/uploads/${file.hash}/${rest}`, { as: '', method: 'HEAD', redirect: 'manual' });
      for (const recipe of ['card', 'w640-h360-cover-x30-y80-q80.webp']) {
        const { status, headers } = await old(recipe);
        expect([status, headers.get('location')]).toEqual([302, `/uploads/${hash}/${recipe}`]);
      }
      for (const none of ['card?s=x', 'card/', 'a%0Ab', '%2e%2e%2fx'])
        expect([none, (await old(none)).status]).toEqual([none, 404]);
      expect(hash).not.toBe(file.hash);
    });

    it('are deleted with their file', async () => {
      const before = (await app.stored()).length;
      const file = await upload(await png(810, 610));
      await bytesAt(`/uploads/${file.hash}/card`);
      await app.ask(`/api/upload/files/${file.id}`, { method: 'DELETE' });
      expect(await app.stored()).toHaveLength(before);
      expect((await app.ask(`/uploads/${file.hash}/card`, { as: '' })).status).toBe(404);
    });
  });

  it.each([
    ['S26: a decompression bomb', () => png(3000, 2000), 'too many pixels'],
    ['S26: a truncated picture', async () => (await png(800, 600)).subarray(0, 1500), 'not a valid image'],
  ])('rejects %s with 400, and stores nothing of it', async (_, bytes, message) => {
    const before = await app.stored();
    const response = await app.send(formOf([{ bytes: await bytes(), name: 'x.png', type: 'image/png' }]));
    const { error } = (await response.json()) as any;
    expect([response.status, error.status]).toEqual([400, 400]);
    expect(error.message).toContain(message);
    expect(await app.stored()).toEqual(before);
  });
});

it('stores images without sharp, and without their size', async () => {
  const missing = Object.assign(new Error("Cannot find package 'sharp'"), { code: 'ERR_MODULE_NOT_FOUND' });
  const app = await createFilesApp({ images: new SharpImages({}, () => Promise.reject(missing)) });
  try {
    const bytes = await png(1200, 900);
    const [file] = (await (await app.send(formOf([{ bytes }]))).json()) as any[];
    expect(file).toMatchObject({ width: null, height: null, formats: null, mime: 'image/png' });
    expect(Buffer.from(await (await app.ask(file.url)).arrayBuffer()).equals(bytes)).toBe(true);
    expect((await app.ask(`/uploads/${file.hash}/card`)).status).toBe(404);
  } finally {
    await app.close();
  }
});

it('a variant that is made while its file is deleted leaves no bytes, and is a 404', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'variant-'));
  const storage = new GatedStorage(directory);
  const images = new SharpImages({ recipes: { small2x: { width: 400 } } });
  const app = await createFilesApp({ images, storage });
  try {
    const [file] = (await (await app.send(formOf([{ bytes: await png(800, 600) }]))).json()) as any[];
    storage.hold('put');
    const asking = app.ask(`/uploads/${file.hash}/small2x`);
    await storage.arrived;
    await app.ask(`/api/upload/files/${file.id}`, { method: 'DELETE' });
    await storage.release();
    expect((await asking).status).toBe(404);
    const check = app.app.get(FileCheck);
    await until(async () => (await check.run()).orphans.length, 0);
  } finally {
    await app.close();
    await rm(directory, { recursive: true });
  }
});
