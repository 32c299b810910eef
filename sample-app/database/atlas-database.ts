import { PgliteDriver } from '@mikro-orm/pglite';
import type { ContentModuleOptions } from 'nestjs-content-api';
import { ensureCluster } from './cluster.js';
import { FolderLock } from './folder-lock.js';
import { oneAtATime } from './one-at-a-time.js';

type ConnectionOptions = NonNullable<ContentModuleOptions['database']>;

/** Injection token of the {@link AtlasDatabase}. */
export const ATLAS_DATABASE = Symbol('ATLAS_DATABASE');

/** A data folder that lives as long as the process. */
export const IN_MEMORY = 'memory://';

/**
 * Where the atlas keeps its data: what the content module connects with, and what to let go of afterwards.
 */
export interface AtlasDatabase {
  readonly label: string;
  readonly connection: ConnectionOptions;
  /** How many writes are worth sending at once. */
  readonly parallelWrites: number;
  /** Runs `work` while no other process runs its own on the same data. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>;
  /** Call when the connection is closed. */
  readonly release: () => void;
}

const nothing = (): void => undefined;

/** A PostgreSQL server. Its name for people leaves out user and password. */
export function postgresDatabase(url: string): AtlasDatabase {
  const { host, pathname } = new URL(url);
  return {
    label: `PostgreSQL at ${host}${pathname}`,
    connection: { clientUrl: url },
    parallelWrites: 8,
    alone: (work) => oneAtATime(url, work),
    release: nothing,
  };
}

/** PGlite in a folder of its own, locked against a second process; or in memory. */
export async function pgliteDatabase(folder: string): Promise<AtlasDatabase> {
  if (folder === IN_MEMORY) return pglite('PGlite in memory', IN_MEMORY, nothing);
  const lock = FolderLock.take(folder);
  try {
    return pglite(`PGlite in ${folder}`, await ensureCluster(folder), () => lock.release());
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** PGlite runs one statement at a time, and nobody else has it open. */
const pglite = (label: string, dbName: string, release: () => void): AtlasDatabase => ({
  label,
  connection: { driver: PgliteDriver, dbName },
  parallelWrites: 1,
  alone: (work) => work(),
  release,
});
