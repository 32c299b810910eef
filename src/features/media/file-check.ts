/** Compares rows with stored bytes, for use after a crash. */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { contentOf } from '../../content/model/content-keys.js';
import { FileSweeps } from './file-sweeps.js';
import { type FileRow, FileTable } from './file-table.js';
import { headsOf } from './heads.js';
import { FILES_OPTIONS, type ResolvedFilesOptions } from './files.options.js';

/** Result of a check. */
export interface FilesReport {
  /** Keys of bytes without a file. Keys that this library did not create are ignored. */
  readonly orphans: readonly string[];
  /** Files without their bytes, formats included: document id and key. */
  readonly missing: readonly { readonly documentId: string; readonly key: string }[];
  /** Paths of unfinished uploads, imports and variants on local disk. */
  readonly unfinished: readonly string[];
  /** Number of files, and of stored contents that belong to a file. */
  readonly files: number;
  readonly contents: number;
}

/** Age in milliseconds after which an untouched upload counts as unfinished. */
const ABANDONED = 3_600_000;

const storageKeysOf = ({ storageKey, formatKeys }: FileRow): string[] =>
  storageKey === null ? [] : [storageKey, ...Object.values(formatKeys)];

/** Returns when a directory or a file in it was last changed, in milliseconds; null if it is gone. */
async function touchedAt(directory: string): Promise<number | null> {
  const names = await readdir(directory).catch(() => []);
  const paths = [directory, ...names.map((name) => join(directory, name))];
  const found = await Promise.all(paths.map((path) => stat(path).catch(() => null)));
  if (found[0] === null) return null;
  return Math.max(...found.map((one) => one?.mtimeMs ?? 0));
}

/**
 * Finds bytes without a file, files without bytes, and unfinished uploads. Can remove the first and the last.
 * Uploads may run during the check.
 *
 * @publicApi
 */
@Injectable()
export class FileCheck {
  constructor(
    @Inject(FILES_OPTIONS) private readonly options: ResolvedFilesOptions,
    @Inject(FileTable) private readonly files: FileTable,
    @Inject(FileSweeps) private readonly sweeps: FileSweeps,
  ) {}

  /** Runs the check. With `mend`, removes bytes without a file and unfinished uploads. */
  async run({ mend = false, abandoned = ABANDONED }: FileCheckOptions = {}): Promise<FilesReport> {
    const stored = new Set<string>();
    for await (const { key } of this.options.storage.list('')) stored.add(key);
    // Rows are read after the bytes: an upload that ended in between has its row by now.
    const rows = await this.files.all();
    const referenced = new Set(rows.map(({ storageKey }) => storageKey));
    const ours = [...stored].filter((key) => contentOf(key) !== null);
    const orphans = ours.filter((key) => !referenced.has(contentOf(key)));
    const missing = await this.missing(rows, stored);
    const unfinished = await this.unfinished(abandoned);
    if (mend) await this.mend(orphans, unfinished);
    return { orphans, missing, unfinished, files: rows.length, contents: ours.length - orphans.length };
  }

  private async missing(
    rows: readonly FileRow[],
    stored: ReadonlySet<string>,
  ): Promise<FilesReport['missing']> {
    const suspects = rows.flatMap((row) =>
      storageKeysOf(row)
        .filter((key) => !stored.has(key))
        .map((key) => ({ documentId: row.documentId, key })),
    );
    const heads = await headsOf(
      this.options.storage,
      suspects.map(({ key }) => key),
    );
    return suspects.filter((_suspect, index) => heads[index] === null);
  }

  private async unfinished(abandoned: number): Promise<readonly string[]> {
    const { scratch } = this.options;
    const names = await readdir(scratch).catch(() => []);
    const found = await Promise.all(
      names.map(async (name) => {
        const path = join(scratch, name);
        const touched = await touchedAt(path);
        return touched !== null && Date.now() - touched >= abandoned ? [path] : [];
      }),
    );
    return found.flat();
  }

  private async mend(orphans: readonly string[], unfinished: readonly string[]): Promise<void> {
    for (const key of new Set(orphans.flatMap((key) => contentOf(key) ?? []))) await this.sweeps.sweep(key);
    for (const path of unfinished) await rm(path, { recursive: true, force: true });
  }
}

/** Options of a check. */
export interface FileCheckOptions {
  /** Removes bytes without a file and unfinished uploads. Default false. */
  readonly mend?: boolean;
  /** Age in milliseconds after which an untouched upload counts as unfinished. Default 1 hour. */
  readonly abandoned?: number;
}
