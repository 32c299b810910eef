/** Budget of the first screen: scripts and styles that the page needs before it shows anything, gzipped. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../../dist/desk');
const BUDGET = 320_000;

interface Chunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

it('scripts and styles of the first screen stay within 320 kB', async () => {
  const manifest = JSON.parse(await readFile(join(FOLDER, 'manifest.json'), 'utf8')) as Record<string, Chunk>;
  const entries = Object.keys(manifest).filter((name) => manifest[name]?.isEntry === true);
  const [files, seen] = [new Set<string>(), new Set<string>()];
  const collect = (name: string): void => {
    const chunk = manifest[name];
    if (chunk === undefined || seen.has(name)) return;
    seen.add(name);
    for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file);
    chunk.imports?.forEach(collect);
  };
  entries.forEach(collect);
  const sizes = await Promise.all(
    [...files].map(async (file) => (await stat(join(FOLDER, `${file}.gz`))).size),
  );
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  console.log(`First screen: ${Math.round(bytes / 1000)} kB gzipped in ${files.size} files`);
  expect(entries).toHaveLength(1);
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThanOrEqual(BUDGET);
}, 120_000);
