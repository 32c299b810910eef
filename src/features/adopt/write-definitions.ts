/** Writes definitions as files. Files that were changed by hand stay. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PrintedFile } from './print-definitions.js';

export interface WrittenFiles {
  readonly written: readonly string[];
  readonly same: readonly string[];
  /** Files with another content, which stay as they are. */
  readonly kept: readonly string[];
}

const textIn = (path: string): Promise<string | null> =>
  readFile(path, 'utf8').then(
    (text) => text,
    () => null,
  );

/** Writes the files that do not exist. With `overwrite`, also those with another content. */
export async function writeDefinitions(
  files: readonly PrintedFile[],
  { out, overwrite }: { readonly out: string; readonly overwrite: boolean },
): Promise<WrittenFiles> {
  const done = { written: [] as string[], same: [] as string[], kept: [] as string[] };
  for (const { path, text } of files) {
    const target = join(out, path);
    const present = await textIn(target);
    if (present === text) done.same.push(target);
    else if (present !== null && !overwrite) done.kept.push(target);
    else {
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, text);
      done.written.push(target);
    }
  }
  return done;
}
