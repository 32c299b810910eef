/** Process that locks the folders that it is sent: `fork(lock-taker.ts)`. Reports whether it holds each lock. */
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
