/**
 * Process that locks the folders that it receives: `fork(lock-taker.ts)`. Reports whether it acquired each
 * lock.
 */
import { FolderLock } from '../../sample-app/database/folder-lock.ts';

process.on('message', (folder: string) => {
  try {
    FolderLock.take(folder);
    process.send?.(true);
  } catch {
    process.send?.(false);
  }
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
