import { PgliteDriver } from '@mikro-orm/pglite';
import type { ContentModuleOptions } from 'nestjs-content-api';
import { ensureCluster } from './cluster.js';
import { FolderLock } from './folder-lock.js';

type ConnectionOptions = NonNullable<ContentModuleOptions['database']>;

/** Injection token of the {@link AtlasDatabase}. */
export const ATLAS_DATABASE = Symbol('ATLAS_DATABASE');

/** A data folder that lives as long as the process. */
export const IN_MEMORY = 'memory://';

/** Where the atlas keeps its data: what the content module connects with, and what to let go of afterwards. */
export interface AtlasDatabase {
  readonly label: string;
  readonly connection: ConnectionOptions;
  /** How many writes are worth sending at once. */
  readonly parallelWrites: number;
  /** Call when the connection is closed. */
  release(): void;
}

const nothing = (): void => undefined;

/** A PostgreSQL server. Its name for people leaves out user and password. */
export function postgresDatabase(url: string): AtlasDatabase {
  const { host, pathname } = new URL(url);
  return { label: `PostgreSQL at ${host}${pathname}`, connection: { clientUrl: url }, parallelWrites: 8, release: nothing };
}

/** PGlite in a folder of its own, locked against a second process; or in memory. PGlite runs one statement at a time. */
export async function pgliteDatabase(folder: string): Promise<AtlasDatabase> {
  if (folder === IN_MEMORY) return { label: 'PGlite in memory', connection: pglite(IN_MEMORY), parallelWrites: 1, release: nothing };
  const lock = FolderLock.take(folder);
  try {
    const connection = pglite(await ensureCluster(folder));
    return { label: `PGlite in ${folder}`, connection, parallelWrites: 1, release: () => lock.release() };
  } catch (error) {
    lock.release();
    throw error;
  }
}

const pglite = (dbName: string): ConnectionOptions => ({ driver: PgliteDriver, dbName });
