/**
 * Reads pictures as an upload does, all at once, and sends by how many bytes its peak memory grew:
 * `memory-child.ts <scratch> <file> <type>…`.
 */
import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { SharpImages } from 'nestjs-content-api/files';

const [, , scratch = '', ...pictures] = process.argv;
const peak = (): number => {
  const [, kibibytes] = /VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return Number(kibibytes) * 1024;
};
const before = peak();
const images = new SharpImages({ timeout: 300_000 });
const uploads: Promise<unknown>[] = [];
for (let i = 0; i < pictures.length; i += 2) {
  const [path = '', mime = ''] = pictures.slice(i, i + 2);
  uploads.push(images.read({ path, mime, size: (await stat(path)).size }, scratch));
}
await Promise.all(uploads);
process.send?.(peak() - before);
process.disconnect();
