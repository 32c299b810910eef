/**
 * Process that locks the folders that it receives: `fork(lock-taker.ts)`. Reports whether it acquired each
 * lock.
 */
import { FolderLock } from '../../sample-app/database/folder-lock.ts';

/** Keeps the locks: SQLite releases the lock of a connection that is garbage collected. */
const locks: FolderLock[] = [];

process.on('message', (folder: string) => {
  try {
    locks.push(FolderLock.take(folder));
    process.send?.(true);
  } catch {
    process.send?.(false);
  }
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
