/** Pictures as sharp reads and writes them (issue 13, part 4; protocol 20.10, D7; S26). */
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import sharp, { type Metadata, type Sharp } from 'sharp';
import { thumbHashToApproximateAspectRatio } from 'thumbhash';
import { contentKey } from '../../src/content/model/content-keys.ts';
import type { ImageFacts, KeptFile, ServedBytes } from '../../src/features/media/file-images.ts';
import { LocalStorage } from '../../src/features/media/local-storage.ts';
import type { ImageOptions } from '../../src/features/media/images/image-options.ts';
import { pixelsOf } from '../../src/features/media/images/picture.ts';
import { PictureQueue } from '../../src/features/media/images/picture-queue.ts';
import { SharpImages } from '../../src/features/media/images/sharp-images.ts';

const RED = { r: 200, g: 2, b: 3 };
const plain = (width: number, height: number): Sharp =>
  sharp({ create: { width, height, channels: 3, background: RED } });
/** Red on its left half, blue on its right. */
const halves = (width: number, height: number): Sharp =>
  plain(width, height).composite([
    {
      input: { create: { width: width / 2, height, channels: 3, background: { r: 0, g: 0, b: 255 } } },
      left: width / 2,
      top: 0,
    },
  ]);
const GPS = { IFD0: { Artist: 'Ann' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '46/1 56/1 53/1' } };
const film = async (format: 'gif' | 'webp'): Promise<Buffer> => {
  const frames = await Promise.all(
    [0, 1, 2].map((at) =>
      sharp({ create: { width: 600, height: 400, channels: 3, background: { r: 80 * at, g: 0, b: 0 } } })
        .png()
        .toBuffer(),
    ),
  );
  const picture = sharp(frames, { join: { animated: true } });
  return picture[format]({ delay: [50, 50, 50] }).toBuffer();
};

describe('pictures', () => {
  let folder: string;
  let scratch: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'content-images-'));
    scratch = join(folder, 'scratch');
    await mkdir(scratch);
  });
  afterAll(() => rm(folder, { recursive: true }));
  afterEach(async () => {
    for (const name of await readdir(scratch)) await rm(join(scratch, name));
  });

  async function read(bytes: Buffer, mime: string, options?: ImageOptions): Promise<ImageFacts | null> {
    const path = join(folder, 'upload');
    await writeFile(path, bytes);
    return new SharpImages(options).read({ path, size: bytes.length, mime }, scratch);
  }
  const told = async (facts: ImageFacts | null): Promise<Record<string, unknown>[]> =>
    Promise.all(
      (facts?.formats ?? []).map(async ({ name, width, height, file }) => {
        expect((await stat(file.path)).size).toBe(file.size);
        return { name, width, height, size: file.size };
      }),
    );

  it('20.10, D7: has the formats of the recording, to the byte', async () => {
    const facts = await read(await plain(1200, 900).png().toBuffer(), 'image/png');
    expect(facts).toMatchObject({ width: 1200, height: 900, rewritten: { size: 1164, mime: 'image/png' } });
    expect(await told(facts)).toEqual([
      { name: 'thumbnail', width: 208, height: 156, size: 871 },
      { name: 'small', width: 500, height: 375, size: 3428 },
      { name: 'medium', width: 750, height: 563, size: 7182 },
      { name: 'large', width: 1000, height: 750, size: 12035 },
    ]);
    const photo = await read(
      await sharp({ create: { width: 1600, height: 1200, channels: 3, background: { r: 0, g: 0, b: 255 } } })
        .jpeg()
        .toBuffer(),
      'image/jpeg',
    );
    expect(photo?.rewritten?.size).toBe(11520);
    expect((await told(photo)).map(({ size }) => size)).toEqual([465, 1422, 2808, 4711]);
  });

  it.each([
    [245, 156, []],
    [246, 156, ['thumbnail']],
    [10, 501, ['thumbnail', 'small']],
    [1001, 1, ['thumbnail', 'small', 'medium', 'large']],
  ])('D7: a picture of %i × %i has the formats %j', async (width, height, expected) => {
    const facts = await read(await plain(width, height).png().toBuffer(), 'image/png');
    expect((await told(facts)).map(({ name }) => name)).toEqual(expected);
  });

  it('makes the boxes of the host, each under a recipe that names it', async () => {
    const facts = await read(await plain(300, 300).png().toBuffer(), 'image/png', {
      formats: { tiny: { width: 64, height: 32 } },
    });
    expect(facts?.formats).toMatchObject([
      { name: 'tiny', recipe: 'tiny-w64-h32', ext: '.png', width: 32, height: 32 },
    ]);
  });

  it.each(['jpeg', 'png', 'webp', 'avif'] as const)(
    'turns a %s as its orientation says, and publishes neither place nor name',
    async (format) => {
      const picture = await halves(800, 600)[format]().withExif(GPS).toBuffer();
      const turned = await sharp(picture).keepExif().withMetadata({ orientation: 6 })[format]().toBuffer();
      const { exif } = await sharp(turned).metadata();
      expect(exif?.includes('Ann')).toBe(true);
      const facts = await read(turned, `image/${format}`);
      expect(facts).toMatchObject({ width: 600, height: 800 });
      const files = [facts?.rewritten, ...(facts?.formats ?? []).map(({ file }) => file)];
      expect(files.length).toBe(format === 'avif' ? 1 : 4);
      for (const file of files) {
        const bytes = await readFile(file?.path ?? '');
        const metadata = await sharp(bytes).metadata();
        expect(metadata.exif ?? metadata.orientation).toBeUndefined();
        expect(bytes.includes('Ann')).toBe(false);
        expect(metadata.width).toBeLessThan(metadata.height);
      }
      // Its left half is on top: red there, blue below.
      const { data } = await sharp(files[0]?.path).raw().toBuffer({ resolveWithObject: true });
      expect(data[0]).toBeGreaterThan(150);
      expect(data.at(-1)).toBeGreaterThan(150);
    },
  );

  it('keeps originals as the host says', async () => {
    const bare = await plain(100, 100).jpeg().toBuffer();
    const placed = await plain(100, 100).jpeg().withExif(GPS).toBuffer();
    const rewritten = async (bytes: Buffer, original: ImageOptions['original']): Promise<boolean> =>
      (await read(bytes, 'image/jpeg', { original }))?.rewritten !== undefined;
    expect([await rewritten(bare, 'optimized'), await rewritten(placed, 'optimized')]).toEqual([true, true]);
    expect([await rewritten(bare, 'stripped'), await rewritten(placed, 'stripped')]).toEqual([false, true]);
    expect([await rewritten(bare, 'asSent'), await rewritten(placed, 'asSent')]).toEqual([false, false]);
  });

  it.each(['gif', 'webp'] as const)('films stay films: %s', async (format) => {
    const facts = await read(await film(format), `image/${format}`);
    expect(facts).toMatchObject({ width: 600, height: 400 });
    const [thumbnail] = facts?.formats ?? [];
    expect(thumbnail).toMatchObject({ name: 'thumbnail', width: 234, height: 156, ext: `.${format}` });
    expect(await sharp(thumbnail?.file.path, { animated: true }).metadata()).toMatchObject({
      pages: 3,
      width: 234,
      pageHeight: 156,
    });
    expect(facts?.rewritten === undefined).toBe(format === 'gif');
  });

  it('a film of too many pixels is kept, and only its first frame made smaller', async () => {
    const facts = await read(await film('webp'), 'image/webp', { maxPixels: 600 * 400 * 2 * 2 });
    expect(facts?.rewritten).toBeUndefined();
    const { pages = 1 } = await sharp(facts?.formats[0]?.file.path).metadata();
    expect(pages).toBe(1);
  });

  it.each<[string, number, () => Sharp]>([
    ['image/jpeg', 1, () => plain(100, 100).jpeg()],
    ['image/jpeg', 1.5, () => plain(100, 100).jpeg({ progressive: true })],
    ['image/png', 1.5, () => plain(100, 100).png({ progressive: true })],
    ['image/webp', 2, () => plain(100, 100).webp()],
    ['image/avif', 2, () => plain(100, 100).avif()],
  ])('N11: a pixel of %s counts as %d pixels', async (mime, weight, make) => {
    const bytes = await make().toBuffer();
    const maxPixels = 100 * 100 * weight;
    expect(await read(bytes, mime, { maxPixels })).toMatchObject({ width: 100 });
    await expect(read(bytes, mime, { maxPixels: maxPixels - 1 })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('An image has too many pixels'),
    });
  });

  it('drawings are measured, and nothing is made of them', async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="4000" height="10"/>');
    expect(await read(svg, 'image/svg+xml')).toEqual({ width: 4000, height: 10, formats: [] });
  });

  it.each(['application/pdf', 'image/heic', 'text/plain', 'constructor'])(
    '%s is not a picture',
    async (mime) => expect(await read(Buffer.from('whatever'), mime)).toBeNull(),
  );

  it('without sharp nothing is said of a picture, drawings aside', async () => {
    const missing = Object.assign(new Error("Cannot find package 'sharp'"), { code: 'ERR_MODULE_NOT_FOUND' });
    const images = new SharpImages({}, () => Promise.reject(missing));
    const path = join(folder, 'upload');
    await writeFile(path, await plain(300, 300).png().toBuffer());
    expect(await images.read({ path, size: 1, mime: 'image/png' }, scratch)).toBeNull();
    const broken = new SharpImages({}, () => Promise.reject(new Error('The wrong binary')));
    await expect(broken.read({ path, size: 1, mime: 'image/png' }, scratch)).rejects.toThrow('wrong binary');
  });

  it('thumbhash: 28 bytes at most, where they are asked for', async () => {
    const bytes = await plain(300, 150).png().toBuffer();
    expect(await read(bytes, 'image/png')).not.toHaveProperty('thumbhash');
    const hash = Buffer.from(
      (await read(bytes, 'image/png', { thumbhash: true }))?.thumbhash ?? '',
      'base64',
    );
    expect(hash.length).toBeLessThanOrEqual(28);
    expect(thumbHashToApproximateAspectRatio(hash)).toBeCloseTo(2, 0);
  });

  /** A PNG that says how large it is, with next to nothing behind it. */
  function bomb(width: number, height: number): Buffer {
    const crcs = Uint32Array.from({ length: 256 }, (_, n) => {
      let c = n;
      for (let k = 0; k < 8; k += 1) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
      return c;
    });
    const crc = (bytes: Buffer): number =>
      ~bytes.reduce((sum, byte) => (crcs[(sum ^ byte) & 255] ?? 0) ^ (sum >>> 8), -1) >>> 0;
    const chunk = (type: string, data: Buffer): Buffer => {
      const body = Buffer.concat([Buffer.from(type), data]);
      const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
      length.writeUInt32BE(data.length);
      sum.writeUInt32BE(crc(body));
      return Buffer.concat([length, body, sum]);
    };
    const head = Buffer.alloc(13);
    head.writeUInt32BE(width);
    head.writeUInt32BE(height, 4);
    head.set([1, 0, 0, 0, 0], 8);
    const rows = deflateSync(Buffer.alloc(Math.ceil(width / 8 + 1) * height));
    const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
    return Buffer.concat([
      signature,
      chunk('IHDR', head),
      chunk('IDAT', rows),
      chunk('IEND', Buffer.alloc(0)),
    ]);
  }

  it('S26: a decompression bomb is a 400, and nothing is left of it', async () => {
    const bytes = bomb(30_000, 30_000);
    expect(bytes.length).toBeLessThan(200_000);
    await expect(read(bytes, 'image/png')).rejects.toMatchObject({
      status: 400,
      message: 'An image has too many pixels (limit "images.maxPixels": 25000000)',
      details: { limit: 'images.maxPixels', allowed: 25_000_000 },
    });
    expect(await readdir(scratch)).toEqual([]);
  });

  it.each([
    [20_000, 10],
    [10, 20_000],
  ])('N11: a picture of %i by %i pixels is a 400 for its side', async (width, height) => {
    await expect(read(bomb(width, height), 'image/png')).rejects.toMatchObject({
      status: 400,
      message: 'An image is too wide or too high (limit "images.maxSide": 16384)',
      details: { limit: 'images.maxSide', allowed: 16_384 },
    });
    expect(await readdir(scratch)).toEqual([]);
    expect(await read(bomb(width, height), 'image/png', { maxSide: 20_000 })).toMatchObject({
      width,
      height,
    });
  });

  it.each([
    ['png', 'uchar', 4, 10_000],
    ['png', 'ushort', 4, 10_000],
    ['tiff', 'float', 4, 20_000],
    ['tiff', 'double', 5, 50_000],
    ['heif', 'uchar', 3, 20_000],
  ] as const)('N11: 10,000 pixels of %s with %s samples in %d channels count as %d', (...row) => {
    const [format, depth, channels, pixels] = row;
    const metadata = { format, depth, channels, width: 100, height: 100, pages: 3 } as Metadata;
    expect([pixelsOf(metadata, false), pixelsOf(metadata, true)]).toEqual([pixels, 3 * pixels]);
  });

  it('S26: a picture that takes too long is a 400', async () => {
    await expect(
      read(bomb(20_000, 20_000), 'image/png', { maxPixels: 1e9, maxSide: 20_000, timeout: 1, formats: {} }),
    ).rejects.toMatchObject({ status: 400, details: { limit: 'images.timeout' } });
    expect(await readdir(scratch)).toEqual([]);
  });

  it.each([
    ['that is none', () => Promise.resolve(Buffer.from('hello'))],
    ['that is empty', () => Promise.resolve(Buffer.alloc(0))],
    ['that breaks off', async () => (await halves(1200, 900).jpeg().toBuffer()).subarray(0, 4000)],
    ['of bytes gone bad', async () => (await halves(1200, 900).png().toBuffer()).fill(7, 200, 400)],
  ])('a picture %s is a 400, and nothing is left of it', async (_, bytes) => {
    const mime = (await bytes())[0] === 0xff ? 'image/jpeg' : 'image/png';
    await expect(read(await bytes(), mime)).rejects.toMatchObject({
      status: 400,
      message: 'File is not a valid image',
    });
    expect(await readdir(scratch)).toEqual([]);
  });

  it('more than may wait is a 503', async () => {
    const images = new SharpImages({ parallel: 1, queueLength: 1 });
    const bytes = await plain(300, 300).png().toBuffer();
    const path = join(folder, 'upload');
    await writeFile(path, bytes);
    const all = await Promise.allSettled(
      Array.from({ length: 20 }, () => images.read({ path, size: bytes.length, mime: 'image/png' }, scratch)),
    );
    const refused = all.filter((one) => one.status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    for (const { reason } of refused) expect(reason).toMatchObject({ status: 503 });
  });

  it('further versions of a picture are before waiting pictures, also if as many wait as may', async () => {
    const queue = new PictureQueue({ parallel: 1, maxPixels: 1, queueLength: 1 });
    const done: string[] = [];
    const full = Promise.withResolvers<void>();
    const job = (name: string) => async () => {
      await full.promise;
      done.push(name);
    };
    const all = [queue.begin(job('first')), queue.begin(job('second'))];
    await expect(queue.begin(job('third'))).rejects.toMatchObject({ status: 503 });
    all.push(queue.goOn(job('a version of the first'), 1));
    full.resolve();
    await Promise.all(all);
    expect(done).toEqual(['first', 'a version of the first', 'second']);
  });

  describe('variants', () => {
    const options: ImageOptions = {
      recipes: {
        card: { width: 200, height: 200, fit: 'cover', format: 'webp' },
        wide: { width: 300, format: 'avif' },
        own: { width: 50 },
      },
    };
    const sha = 'ab'.repeat(32);
    let storage: LocalStorage;
    let opened: string[];
    const file = (mime = 'image/png', focalPoint: KeptFile['focalPoint'] = null): KeptFile => ({
      key: contentKey(sha, '.png'),
      hash: 'halves_0123456789',
      mime,
      focalPoint,
    });
    const ask = (images: SharpImages, kept: KeptFile, rest: string): Promise<ServedBytes | null> =>
      images.variant(kept, { rest, query: new URLSearchParams(), accept: '' }, storage);
    const bytesOf = async (served: ServedBytes | null): Promise<Buffer> => {
      const stream = await storage.get(served?.key ?? '');
      return Buffer.concat(await (stream?.toArray() as Promise<Buffer[]>));
    };
    const keys = async (): Promise<string[]> => {
      const found: string[] = [];
      for await (const { key } of storage.list('')) found.push(key);
      return found.sort();
    };

    beforeEach(async () => {
      const directory = await mkdtemp(join(folder, 'kept-'));
      storage = new LocalStorage(directory);
      const path = join(folder, 'original');
      await writeFile(path, await halves(800, 400).png().toBuffer());
      await storage.put(file().key, { path, size: (await stat(path)).size, mime: 'image/png' });
      opened = [];
      const get = storage.get.bind(storage);
      storage.get = (key, range) => {
        opened.push(key);
        return get(key, range);
      };
    });

    it('are made once however many ask, and kept beside the original', async () => {
      const images = new SharpImages(options);
      const served = await Promise.all(Array.from({ length: 30 }, () => ask(images, file(), 'card')));
      expect(new Set(served.map((one) => one?.key)).size).toBe(1);
      expect(served[0]).toEqual({
        key: `ab/ab/${sha}_png/w200-h200-cover-q80.webp`,
        mime: 'image/webp',
        isLasting: false,
        isNew: true,
      });
      expect(opened).toEqual([file().key]);
      expect(await ask(images, file(), 'w200-h200-cover-q80.webp')).toMatchObject({ isLasting: true });
      expect(opened).toHaveLength(1);
      expect(await keys()).toEqual([`ab/ab/${sha}.png`, `ab/ab/${sha}_png/w200-h200-cover-q80.webp`].sort());
      expect(await sharp(await bytesOf(served[0] ?? null)).metadata()).toMatchObject({
        width: 200,
        height: 200,
      });
      expect(await readdir(storage.scratch)).toEqual([]);
    });

    it('that wait have no copy of the original', async () => {
      const images = new SharpImages({
        parallel: 1,
        recipes: Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`r${n}`, { width: 100 + n }])),
      });
      let copied = 0;
      let waiting = 0;
      let most = 0;
      const { get, put } = storage;
      storage.get = (...args) => {
        copied += 1;
        waiting += 1;
        most = Math.max(most, waiting);
        return get.apply(storage, args);
      };
      storage.put = (...args) => {
        waiting -= 1;
        return put.apply(storage, args);
      };
      const names = Array.from({ length: 12 }, (_, n) => `r${n}`);
      const served = await Promise.all(names.map((name) => ask(images, file(), name)));
      expect(served).not.toContain(null);
      expect([copied, waiting]).toEqual([12, 0]);
      expect(most).toBeLessThanOrEqual(3);
    });

    it('show the focal point, and a focus of before while it is kept', async () => {
      const images = new SharpImages(options);
      const colour = async (served: ServedBytes | null): Promise<string> => {
        const { dominant } = await sharp(await bytesOf(served)).stats();
        return dominant.r > dominant.b ? 'red' : 'blue';
      };
      const left = await ask(images, file('image/png', { x: 10, y: 50 }), 'card');
      expect(left?.key).toContain('-x10-y50-');
      expect(await colour(left)).toBe('red');
      const moved = file('image/png', { x: 90, y: 50 });
      expect(await colour(await ask(images, moved, 'card'))).toBe('blue');
      expect(await ask(images, moved, 'w200-h200-cover-x10-y50-q80.webp')).toEqual({
        key: left?.key,
        mime: 'image/webp',
        isLasting: true,
      });
      const never = await ask(images, moved, 'w200-h200-cover-x11-y50-q80.webp');
      expect(never).toMatchObject({ isLasting: false });
      expect(never?.key).toContain('-x90-y50-');
    });

    it.each([
      ['wide', 'image/avif', 300, 150],
      ['own', 'image/png', 50, 25],
    ])('%s is %s of %i × %i', async (name, mime, width, height) => {
      const served = await ask(new SharpImages(options), file(), name);
      expect(served).toMatchObject({ mime });
      expect(await sharp(await bytesOf(served)).metadata()).toMatchObject({ width, height });
    });

    it('of films are films', async () => {
      const path = join(folder, 'original');
      await writeFile(path, await film('gif'));
      const key = contentKey('cd'.repeat(32), '.gif');
      await storage.put(key, { path, size: (await stat(path)).size, mime: 'image/gif' });
      const served = await ask(new SharpImages(options), { ...file('image/gif'), key }, 'card');
      expect(await sharp(await bytesOf(served), { animated: true }).metadata()).toMatchObject({
        pages: 3,
        width: 200,
        pageHeight: 200,
      });
    });

    it('S25: nothing is opened for a recipe that is not allowed, or a file that is not a picture', async () => {
      const images = new SharpImages(options);
      const head = storage.head.bind(storage);
      storage.head = (key) => {
        opened.push(key);
        return head(key);
      };
      expect(await ask(images, file(), 'w201-h200-cover-q80.webp')).toBeNull();
      expect(await ask(images, file(), '../../../etc/passwd')).toBeNull();
      expect(await ask(images, file('text/plain'), 'card')).toBeNull();
      expect(await ask(images, file('image/svg+xml'), 'card')).toBeNull();
      expect(opened).toEqual([]);
    });

    it('of an original that is gone are none, and one that cannot be read is a 400', async () => {
      const images = new SharpImages(options);
      const gone = { ...file(), key: contentKey('ef'.repeat(32), '.png') };
      expect(await ask(images, gone, 'card')).toBeNull();
      const path = join(folder, 'original');
      await writeFile(path, 'hello');
      await storage.put(gone.key, { path, size: 5, mime: 'image/png' });
      await expect(ask(images, gone, 'card')).rejects.toMatchObject({ status: 400 });
      expect(await readdir(storage.scratch)).toEqual([]);
      expect(await keys()).toHaveLength(2);
    });

    it('a storage that fails is not the picture’s fault', async () => {
      storage.put = () => Promise.reject(new Error('The disk is full'));
      await expect(ask(new SharpImages(options), file(), 'card')).rejects.toThrow('The disk is full');
      expect(await readdir(storage.scratch)).toEqual([]);
    });
  });
});
