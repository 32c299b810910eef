/** Memory of the worst pictures that the defaults allow (N11). */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp, { type Sharp } from 'sharp';

const LIMIT = 512e6;
const SIDE = 5000;
const LOADER = fileURLToPath(new URL('../support/from-source.mjs', import.meta.url));
const CHILD = fileURLToPath(new URL('./memory-child.ts', import.meta.url));

const GAUSSIAN = { type: 'gaussian', mean: 120, sigma: 10 } as const;
const noise = (width: number, height: number): Sharp =>
  sharp({ create: { width, height, channels: 3, background: 'black', noise: GAUSSIAN } });

/** Pictures of 25 million pixels that take the most memory to decode or to write anew, and one that is long. */
const WORST: readonly (readonly [string, string, () => Sharp])[] = [
  ['webp', 'image/webp', () => noise(SIDE, SIDE).webp({ quality: 60, effort: 0 })],
  [
    'jpg',
    'image/jpeg',
    () => noise(SIDE, SIDE).jpeg({ quality: 60, progressive: true, chromaSubsampling: '4:4:4' }),
  ],
  [
    'png',
    'image/png',
    () =>
      noise(SIDE, SIDE)
        .ensureAlpha(0.5)
        .toColourspace('rgb16')
        .png({ progressive: true, compressionLevel: 1 }),
  ],
  ['long.png', 'image/png', () => noise(16_384, 1500).png({ compressionLevel: 1 })],
];

/** Peak resident memory, in bytes, of a process that reads pictures at the same time. */
async function peakOf(scratch: string, pictures: readonly string[]): Promise<number> {
  const child = fork(CHILD, [scratch, ...pictures], { execArgv: ['--no-warnings', '--import', LOADER] });
  const [peak] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as unknown[];
  if (typeof peak !== 'number' || peak < 10e6) throw new Error(`The process ended with ${String(peak)}`);
  return peak;
}

it('N11: a process stays below 512 MB while it takes the worst pictures that the defaults allow', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'worst-'));
  try {
    const pictures: string[] = [];
    for (const [name, mime, make] of WORST) {
      const path = join(directory, name);
      await make().toFile(path);
      pictures.push(path, mime);
    }
    const peaks: Record<string, number> = { all: await peakOf(directory, pictures) };
    for (let i = 0; i < pictures.length; i += 2)
      peaks[WORST[i / 2]?.[0] ?? ''] = await peakOf(directory, pictures.slice(i, i + 2));
    expect(Object.entries(peaks).filter(([, peak]) => peak >= LIMIT)).toEqual([]);
  } finally {
    await rm(directory, { recursive: true });
  }
}, 600_000);
