/** The whole run: a new database, the library with model and seed, every case. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase } from '../support/database.ts';
import { DescriptionOracle } from '../openapi/oracle.ts';
import { signIn } from './callers.ts';
import { readCases, readJson } from './cases.ts';
import type { Model, Seed } from './cases.ts';
import { startLibrary } from './library.ts';
import type { Adapter } from './library.ts';
import { replay } from './replay.ts';
import type { Replay, Result } from './replay.ts';
import { send } from './request.ts';
import { plant } from './seed.ts';
import { countStatements } from './statements.ts';

export interface Files {
  readonly model: string;
  readonly seed: string;
  readonly cases: readonly string[];
}

/** PostgreSQL server, and the HTTP adapter. */
export interface Place {
  readonly serverUrl: string | undefined;
  readonly adapter?: Adapter;
}

/** Starts the library on a new database with the seed, while `use` runs. */
export async function withLibrary<T>(
  files: Files,
  { serverUrl, adapter = 'express' }: Place,
  use: (ready: Replay) => Promise<T>,
): Promise<T> {
  const model = readJson<Model>(files.model);
  const seed = readJson<Seed>(files.seed);
  const cases = readCases(files.cases);
  const statements = countStatements();
  const database = await createDatabase(serverUrl);
  const directory = await mkdtemp(join(tmpdir(), 'conformance-'));
  try {
    const host = { databaseUrl: database.url, adapter, directory };
    const library = await startLibrary({ model, seed, cases }, host);
    try {
      const planting = { seed, model, databaseUrl: database.url };
      const pinned = await plant(library, planting);
      const bearers = await signIn(library, planting);
      const { port } = library;
      const ask = (path: string, headers: Readonly<Record<string, string>>) =>
        send(port, { method: 'GET', path, headers, body: null });
      const oracle = new DescriptionOracle(ask);
      return await use({ cases, model, port, bearers, pinned, statements, oracle });
    } finally {
      await library.app.close();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
    await database.drop();
  }
}

/** Replays case files on the PostgreSQL server at `serverUrl`. */
export const conformance = (files: Files, place: Place): Promise<Result[]> =>
  withLibrary(files, place, replay);
