/** Runs snippets of the documentation. */
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = resolve(import.meta.dirname, '../..');

/** Imports a file of the named TypeScript blocks of a page, which may import each other. */
export async function fileOf<T>(page: string, name: string): Promise<T> {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const files = [...text.matchAll(/^`src\/([\w.-]+)`[^\n]*\n\n```ts\n([\s\S]*?)```/gm)];
  expect(files.map(([, file]) => file)).toContain(name);
  return imported<T>(Object.fromEntries(files.map(([, file = '', code = '']) => [file, code])), name);
}

/** Returns the exports of the one TypeScript block of a page that contains a text. */
export async function snippetWith<T>(page: string, text: string): Promise<T> {
  const blocks = readFileSync(join(ROOT, page), 'utf8').matchAll(/```ts\n([\s\S]*?)```/g);
  const found = [...blocks].map(([, code = '']) => code).filter((code) => code.includes(text));
  expect(found).toHaveLength(1);
  return imported<T>({ 'snippet.ts': found[0] ?? '' }, 'snippet.ts');
}

async function imported<T>(files: Readonly<Record<string, string>>, name: string): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'content-snippet-'));
  try {
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    for (const [file, code] of Object.entries(files)) writeFileSync(join(folder, file), code);
    return (await import(pathToFileURL(join(folder, name)).href)) as T;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
