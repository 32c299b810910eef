import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const LOCK_FILE = 'atlas.lock';

/**
 * Folders locked by this process. A lock file with our own pid that is not in here is left from an earlier
 * life of the pid.
 */
const held = new Set<string>();

/**
 * Keeps a second process away from a folder: PGlite itself does not, and two of them on one folder destroy
 * it. A lock whose process is gone (a crash, `kill -9`) counts for nothing.
 */
export class FolderLock {
  private constructor(
    private readonly folder: string,
    private readonly file: string,
  ) {}

  static take(folder: string): FolderLock {
    mkdirSync(folder, { recursive: true });
    const file = join(folder, LOCK_FILE);
    if (!held.has(folder) && !isHeldElsewhere(file)) rmSync(file, { force: true });
    create(file, folder);
    held.add(folder);
    return new FolderLock(folder, file);
  }

  /**
   * Takes away our own file only: when somebody deleted the folder under us, another process may hold it by
   * now.
   */
  release(): void {
    if (held.delete(this.folder) && ownerOf(this.file) === process.pid) rmSync(this.file, { force: true });
  }
}

/** `wx` fails when the file exists, so of two processes that start together only one gets through. */
function create(file: string, folder: string): void {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new Error(
      `${folder} is in use by process ${ownerOf(file) ?? '?'}. Stop it first, or delete ${file} if it is not an atlas.`,
      { cause: error },
    );
  }
}

function isHeldElsewhere(file: string): boolean {
  const owner = ownerOf(file);
  return owner !== undefined && owner !== process.pid && isAlive(owner);
}

function ownerOf(file: string): number | undefined {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    return Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Signal 0 only asks. EPERM means: alive, but somebody else's. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
