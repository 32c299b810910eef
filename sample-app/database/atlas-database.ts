import { PgliteDriver } from '@mikro-orm/pglite';
import type { ContentModuleOptions } from 'nestjs-content-api';
import { ensureCluster } from './cluster.js';
import { FolderLock } from './folder-lock.js';
import { oneAtATime } from './one-at-a-time.js';

type ConnectionOptions = NonNullable<ContentModuleOptions['database']>;

/** Injection token of the {@link AtlasDatabase}. */
export const ATLAS_DATABASE = Symbol('ATLAS_DATABASE');

/** PGlite folder name for data in memory, which ends with the process. */
export const IN_MEMORY = 'memory://';

/** Database of the atlas: connection options, and the cleanup afterwards. */
export interface AtlasDatabase {
  readonly label: string;
  readonly connection: ConnectionOptions;
  /** Number of concurrent writes that pays off. */
  readonly parallelWrites: number;
  /** Runs `work` while no other process runs its own on the same data. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>;
  /** Releases the data. Call it after the connection is closed. */
  readonly release: () => void;
}

const nothing = (): void => undefined;

/** Connects to a PostgreSQL server. The label omits user and password. */
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

/** Opens PGlite in a folder, locked against a second process, or in memory. */
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

/** PGlite runs one statement at a time, and no other process has it open. */
const pglite = (label: string, dbName: string, release: () => void): AtlasDatabase => ({
  label,
  connection: { driver: PgliteDriver, dbName },
  parallelWrites: 1,
  alone: (work) => work(),
  release,
});
