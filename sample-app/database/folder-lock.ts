import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** File that carries the kernel's lock. It stays in the folder, empty: a file that is removed can be locked twice. */
const LOCK_FILE = 'atlas.lock.sqlite';
/** SQLite's result code for a file that another connection has locked. */
const SQLITE_BUSY = 5;

/**
 * Exclusive lock of a folder. PGlite has none, and two processes that open one folder destroy it. The kernel
 * holds the lock and drops it when the process ends, however it ends. So no lock is ever stale, and processes
 * in two containers exclude each other too. Node has no call for file locks, except through its SQLite.
 */
export class FolderLock {
  private constructor(private readonly connection: DatabaseSync) {}

  /** Throws where another process, or this one, has locked the folder. */
  static take(folder: string): FolderLock {
    mkdirSync(folder, { recursive: true });
    const connection = new DatabaseSync(join(folder, LOCK_FILE));
    try {
      connection.exec('pragma journal_mode = memory; begin exclusive');
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
