/** Runs snippets of the documentation. */
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = resolve(import.meta.dirname, '../..');

/** Returns the exports of the one TypeScript block of a page that contains a text. */
export async function snippetWith<T>(page: string, text: string): Promise<T> {
  const blocks = readFileSync(join(ROOT, page), 'utf8').matchAll(/```ts\n([\s\S]*?)```/g);
  const found = [...blocks].map(([, code = '']) => code).filter((code) => code.includes(text));
  expect(found).toHaveLength(1);
  const folder = mkdtempSync(join(tmpdir(), 'content-snippet-'));
  try {
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const file = join(folder, 'snippet.ts');
    writeFileSync(file, found[0] ?? '');
    return (await import(pathToFileURL(file).href)) as T;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
