/** Large files are sent through pooled buffers, and each client gets only its own bytes (S37). */
import { createHash, randomBytes } from 'node:crypto';
import { createFilesApp, type FilesApp, formOf } from './helpers.ts';

// Fastify sends all files as streams.
describe('large files on Express', () => {
  let app: FilesApp;
  beforeAll(async () => {
    app = await createFilesApp();
  });
  afterAll(() => app.close());

  const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

  it('are sent completely and in ranges, concurrently, also when some clients disconnect', async () => {
    const contents = Array.from({ length: 4 }, () => randomBytes(1_000_000));
    const files = contents.map((bytes, i) => ({ bytes, name: `${i}.bin`, type: 'application/octet-stream' }));
    const kept = (await (await app.send(formOf(files))).json()) as { url: string }[];
    const read = async (i: number): Promise<string> => {
      const response = await app.ask(kept[i % 4]?.url ?? '', { as: '' });
      expect([response.status, response.headers.get('content-length')]).toEqual([200, '1000000']);
      return digest(new Uint8Array(await response.arrayBuffer()));
    };
    const leave = async (i: number): Promise<null> => {
      const response = await app.ask(kept[i % 4]?.url ?? '', { as: '' });
      await response.body?.cancel();
      return null;
    };
    const all = await Promise.all(Array.from({ length: 60 }, (_, i) => (i % 3 === 0 ? leave(i) : read(i))));
    const digests = contents.map(digest);
    all.forEach((found, i) => expect(found ?? digests[i % 4]).toBe(digests[i % 4]));

    const part = await app.ask(kept[0]?.url ?? '', { as: '', headers: { Range: 'bytes=100-700099' } });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 100-700099/1000000']);
    expect(digest(new Uint8Array(await part.arrayBuffer()))).toBe(
      digest(contents[0]?.subarray(100, 700_100) ?? new Uint8Array()),
    );
    const head = await app.ask(kept[0]?.url ?? '', { as: '', method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
      200,
      '1000000',
      '',
    ]);
  });
});
