import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * File that carries the kernel's lock. It stays in the folder, empty: two processes could lock a file that is
 * deleted and created again.
 */
const LOCK_FILE = 'atlas.lock.sqlite';
/** Milliseconds of repeated attempts: processes that start at the same time could all fail at the first one. */
const WAIT = 200;
/** SQLite's result code for a file that another connection has locked. */
const SQLITE_BUSY = 5;

/**
 * Exclusive lock of a folder. PGlite has none, and two processes that open one folder destroy it. The kernel
 * releases the lock when the process ends, so no lock is ever stale. Processes in two containers exclude each
 * other too. SQLite provides the lock, because Node has no call for file locks.
 */
export class FolderLock {
  private constructor(private readonly connection: DatabaseSync) {}

  /** Throws if this or another process has locked the folder. */
  static take(folder: string): FolderLock {
    mkdirSync(folder, { recursive: true });
    const connection = new DatabaseSync(join(folder, LOCK_FILE));
    try {
      connection.exec(`pragma busy_timeout = ${WAIT}; pragma journal_mode = memory; begin exclusive`);
    } catch (error) {
      connection.close();
      if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
      throw new Error(`${folder} is in use by another process. Stop that process first.`, { cause: error });
    }
    return new FolderLock(connection);
  }

  release(): void {
    if (this.connection.isOpen) this.connection.close();
  }
}
