/** Reads a file during replacements: every response is the old or the new content, or a 404. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CONTENT_ORM } from 'nestjs-content-api';
import { createDatabase } from '../support/database.ts';
import { contentOf, sendFile, startFiles } from './file-app.ts';

export interface Readings {
  readonly whole: number;
  readonly gone: number;
  readonly mixed: number;
  readonly replacements: number;
}

const FEW = 3;

/**
 * Runs `readers` with `reads` reads in all, and at least a few replacements, while one writer replaces the
 * file as fast as possible.
 */
export async function readWhileReplaced(reads: number, readers = 8): Promise<Readings> {
  const database = await createDatabase();
  const directory = await mkdtemp(join(tmpdir(), 'replaced-'));
  const { app, url } = await startFiles({ databaseUrl: database.url, directory });
  const seen = { whole: 0, gone: 0, mixed: 0, replacements: 0 };
  let left = reads;
  let isDone = false;
  try {
    await app.get<{ schema: { create(): Promise<void> } }>(CONTENT_ORM, { strict: false }).schema.create();
    let file = await sendFile(url, contentOf(0));
    const read = async (): Promise<void> => {
      while (!isDone) {
        left -= 1;
        const answer = await fetch(url + file.url);
        const bytes = Buffer.from(await answer.arrayBuffer());
        if (answer.status !== 200) seen.gone += 1;
        else if (bytes.length === 200_000 && new Set(bytes).size === 1) seen.whole += 1;
        else seen.mixed += 1;
      }
    };
    const replace = async (): Promise<void> => {
      while (left > 0 || seen.replacements < FEW)
        file = await sendFile(url, contentOf((seen.replacements += 1)), file.id);
    };
    const replacing = replace().finally(() => (isDone = true));
    const working = [replacing, ...Array.from({ length: readers }, read)];
    // The server must not close before all are done.
    await Promise.allSettled(working);
    await Promise.all(working);
  } finally {
    await app.close();
    await database.drop();
    await rm(directory, { recursive: true, force: true });
  }
  return seen;
}
