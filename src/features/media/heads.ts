/** Metadata of many keys. */
import pLimit from 'p-limit';
import type { FileStorage, KeptBytes } from './file-storage.js';

/** Concurrent requests to the storage. */
const MAX_HEADS = 20;

/** Returns the metadata of each key, null for keys without bytes. */
export const headsOf = (storage: FileStorage, keys: readonly string[]): Promise<(KeptBytes | null)[]> =>
  pLimit(MAX_HEADS).map(keys, (key) => storage.head(key));
