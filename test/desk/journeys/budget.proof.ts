/** Budgets of the scripts and styles of the desk, gzipped: of the first screen, and of parts that are loaded later. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const FOLDER = join(import.meta.dirname, '../../../dist/desk');

interface Chunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

const manifest = JSON.parse(await readFile(join(FOLDER, 'manifest.json'), 'utf8')) as Record<string, Chunk>;
const entries = Object.keys(manifest).filter((name) => manifest[name]?.isEntry === true);

/** Files that chunks need before they run. */
function filesOf(names: readonly string[]): ReadonlySet<string> {
  const [files, seen] = [new Set<string>(), new Set<string>()];
  const collect = (name: string): void => {
    const chunk = manifest[name];
    if (chunk === undefined || seen.has(name)) return;
    seen.add(name);
    for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file);
    chunk.imports?.forEach(collect);
  };
  names.forEach(collect);
  return files;
}

async function bytesOf(files: Iterable<string>): Promise<number> {
  const sizes = await Promise.all(
    [...files].map(async (file) => gzipSync(await readFile(join(FOLDER, file)), { level: 9 }).length),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

const first = filesOf(entries);

it('scripts and styles of the first screen stay within 320 kB', async () => {
  const bytes = await bytesOf(first);
  console.log(`First screen: ${Math.round(bytes / 1000)} kB gzipped in ${first.size} files`);
  expect(entries).toHaveLength(1);
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThanOrEqual(320_000);
}, 120_000);

/** Parts by the module that a page loads when an editor needs them. */
it.each([
  ['The editor of blocks with its tools', 'src/blocks/blocks-editor.tsx', 76_000],
  ['The editor of Markdown', 'src/markdown/markdown-editor.tsx', 110_000],
  ['The preview of Markdown', 'src/markdown/preview.tsx', 32_000],
])('%s stays within its budget', async (name, part, budget) => {
  expect(manifest[part]).toBeDefined();
  const bytes = await bytesOf([...filesOf([part])].filter((file) => !first.has(file)));
  console.log(`${name}: ${(bytes / 1000).toFixed(1)} kB gzipped`);
  expect(bytes).toBeGreaterThan(budget / 3);
  expect(bytes).toBeLessThanOrEqual(budget);
});
