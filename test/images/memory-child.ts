/** Reads pictures as an upload does, all at once, and sends its peak memory: `memory-child.ts <scratch> <file> <type>…`. */
import { stat } from 'node:fs/promises';
import { SharpImages } from 'nestjs-content-api/files';

const [, , scratch = '', ...pictures] = process.argv;
const images = new SharpImages({ timeout: 120_000 });
const uploads: Promise<unknown>[] = [];
for (let i = 0; i < pictures.length; i += 2) {
  const [path = '', mime = ''] = pictures.slice(i, i + 2);
  uploads.push(images.read({ path, mime, size: (await stat(path)).size }, scratch));
}
await Promise.all(uploads);
process.send?.(process.resourceUsage().maxRSS * 1024);
process.disconnect();
