/**
 * Peer for images: `sharp` alone processes a directory as the library processes uploads, with the same
 * concurrency. Sends the number of seconds. `node bare-sharp.mjs PICTURES INTO AT_A_TIME`
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import sharp from 'sharp';

const [from, into, atATime] = process.argv.slice(2);
const BOXES = [
  [245, 156],
  [500, 500],
  [750, 750],
  [1000, 1000],
];

sharp.cache(false);
const open = (path) => sharp(path, { failOn: 'error', autoOrient: true });
const limit = pLimit(Number(atATime));

async function work(name) {
  const path = join(from, name);
  await Promise.all([
    open(path).jpeg({ quality: 80 }).toFile(join(into, name)),
    ...BOXES.map(([width, height]) =>
      open(path)
        .resize({ width, height, fit: 'inside' })
        .toFile(join(into, `${width}-${name}`)),
    ),
  ]);
}

const names = await readdir(from);
await work(names[0]); // libraries are loaded
const started = performance.now();
await Promise.all(names.map((name) => limit(work, name)));
process.send((performance.now() - started) / 1000);
process.disconnect();
