/** The whole run: a fresh database, the library with model and seed, every case. */
import { createDatabase } from '../support/database.ts';
import { readCases, readJson } from './cases.ts';
import type { Model, Seed } from './cases.ts';
import { startLibrary } from './library.ts';
import type { Adapter } from './library.ts';
import { replay } from './replay.ts';
import type { Result } from './replay.ts';
import { plant } from './seed.ts';
import { countStatements } from './statements.ts';

export interface Files {
  readonly model: string;
  readonly seed: string;
  readonly cases: readonly string[];
}

/** Replays case files on the PostgreSQL server at `serverUrl`. */
export async function conformance(
  files: Files,
  { serverUrl, adapter = 'express' }: { serverUrl: string | undefined; adapter?: Adapter },
): Promise<Result[]> {
  const model = readJson<Model>(files.model);
  const seed = readJson<Seed>(files.seed);
  const statements = countStatements();
  const database = await createDatabase(serverUrl);
  try {
    const { app, port } = await startLibrary(model, seed, { databaseUrl: database.url, adapter });
    try {
      await plant(app, { seed, model, databaseUrl: database.url });
      return await replay({ cases: readCases(files.cases), model, port, statements });
    } finally {
      await app.close();
    }
  } finally {
    await database.drop();
  }
}
