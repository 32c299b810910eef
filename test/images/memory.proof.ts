/** Memory that the largest pictures need that the defaults allow, read at the same time (N11). */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp, { type Sharp } from 'sharp';

/** Of 512 MB, `docs/images.md` leaves 180 MB to the application itself. */
const LIMIT = 512e6 - 180e6;
const LOADER = fileURLToPath(new URL('../support/from-source.mjs', import.meta.url));
const CHILD = fileURLToPath(new URL('./memory-child.ts', import.meta.url));
/** The setting that `docs/images.md` asks for. */
const ENV = { ...process.env, MALLOC_MMAP_THRESHOLD_: '131072' };

const GAUSSIAN = { type: 'gaussian', mean: 120, sigma: 10 } as const;
const noise = (side: number): Sharp =>
  sharp({ create: { width: side, height: side, channels: 3, background: 'black', noise: GAUSSIAN } });
const FULL = { quality: 60, chromaSubsampling: '4:4:4' } as const;

interface Picture {
  readonly mime: string;
  readonly make: () => Sharp;
}

/** The largest picture of each kind that 25 million weighted pixels allow. */
const WORST: Readonly<Record<string, Picture>> = {
  'rotated.jpg': { mime: 'image/jpeg', make: () => noise(5000).withMetadata({ orientation: 6 }).jpeg(FULL) },
  'progressive.jpg': {
    mime: 'image/jpeg',
    make: () =>
      noise(4080)
        .withMetadata({ orientation: 6 })
        .jpeg({ ...FULL, progressive: true }),
  },
  'alpha.webp': {
    mime: 'image/webp',
    make: () =>
      noise(3530)
        .ensureAlpha(1 / 2)
        .webp({ quality: 60, effort: 0 }),
  },
  'interlaced.png': {
    mime: 'image/png',
    make: () =>
      noise(4080)
        .ensureAlpha(1 / 2)
        .toColourspace('rgb16')
        .png({ progressive: true, compressionLevel: 1 }),
  },
};

/** Bytes by which the resident memory of a process grows that reads pictures at the same time. */
async function growthBy(scratch: string, names: readonly string[]): Promise<number> {
  const pictures = names.flatMap((name) => [join(scratch, name), WORST[name]?.mime ?? '']);
  const execArgv = ['--no-warnings', '--import', LOADER];
  const child = fork(CHILD, [scratch, ...pictures], { execArgv, env: ENV });
  const [growth] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as unknown[];
  if (typeof growth !== 'number' || growth < 10e6)
    throw new Error(`The process ended with ${String(growth)}`);
  return growth;
}

describe('N11: a process of 512 MB takes the largest pictures that the defaults allow', () => {
  const names = Object.keys(WORST);
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'worst-'));
    for (const [name, { make }] of Object.entries(WORST)) await make().toFile(join(directory, name));
  }, 600_000);
  afterAll(() => rm(directory, { recursive: true }));

  it('all at the same time', async () => {
    expect(await growthBy(directory, names)).toBeLessThan(LIMIT);
  }, 600_000);
});
