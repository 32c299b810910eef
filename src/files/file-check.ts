/** Compares what rows say with what is kept, for after a crash. */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { contentOf } from './file-keys.js';
import { FileSweeps } from './file-sweeps.js';
import { type FileRow, FileTable } from './file-table.js';
import { FILES_OPTIONS, type ResolvedFilesOptions } from './files.options.js';

/** What does not fit. */
export interface FilesReport {
  /** Keys of bytes that no file has; keys that this library has not made are left alone. */
  readonly orphans: readonly string[];
  /** Files whose bytes are not there, formats included: the document id, and the key. */
  readonly missing: readonly { readonly documentId: string; readonly key: string }[];
  /** Directories of uploads that broke off. */
  readonly unfinished: readonly string[];
  /** How many files and bytes fit. */
  readonly files: number;
  readonly contents: number;
}

/** An upload that has not been touched for so long is not under way any more, in milliseconds. */
const ABANDONED = 3_600_000;

const keysOf = ({ storageKey, formatKeys }: FileRow): string[] =>
  storageKey === null ? [] : [storageKey, ...Object.values(formatKeys)];

/**
 * Finds bytes without a file, files without bytes, and uploads that broke off; mends the first and the last.
 * Uploads may go on meanwhile.
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

  /** Compares, and with `mend` removes what nobody has. */
  async run({ mend = false, abandoned = ABANDONED }: FileCheckOptions = {}): Promise<FilesReport> {
    const kept = new Set<string>();
    for await (const { key } of this.options.storage.list('')) kept.add(key);
    // After the bytes: what was uploaded meanwhile has its row by now.
    const rows = await this.files.all();
    const held = new Set(rows.map(({ storageKey }) => storageKey));
    const ours = [...kept].filter((key) => contentOf(key) !== null);
    const orphans = ours.filter((key) => !held.has(contentOf(key)));
    const missing = await this.missing(rows, kept);
    const unfinished = await this.unfinished(abandoned);
    if (mend) await this.mend(orphans, unfinished);
    return { orphans, missing, unfinished, files: rows.length, contents: ours.length - orphans.length };
  }

  private async missing(
    rows: readonly FileRow[],
    kept: ReadonlySet<string>,
  ): Promise<FilesReport['missing']> {
    const suspects = rows.flatMap((row) =>
      keysOf(row)
        .filter((key) => !kept.has(key))
        .map((key) => ({ documentId: row.documentId, key })),
    );
    const gone = await Promise.all(
      suspects.map(async ({ key }) => (await this.options.storage.head(key)) === null),
    );
    return suspects.filter((_suspect, index) => gone[index]);
  }

  private async unfinished(abandoned: number): Promise<readonly string[]> {
    const { scratch } = this.options;
    const names = await readdir(scratch).catch(() => []);
    const found = await Promise.all(
      names.map(async (name) => {
        const path = join(scratch, name);
        const touched = await stat(path).catch(() => null);
        return touched !== null && Date.now() - touched.mtimeMs >= abandoned ? [path] : [];
      }),
    );
    return found.flat();
  }

  private async mend(orphans: readonly string[], unfinished: readonly string[]): Promise<void> {
    for (const key of new Set(orphans.flatMap((key) => contentOf(key) ?? []))) await this.sweeps.sweep(key);
    for (const path of unfinished) await rm(path, { recursive: true, force: true });
  }
}

/** How a check runs. */
export interface FileCheckOptions {
  /** Remove what nobody has. */
  readonly mend?: boolean;
  /** How long an upload must have been untouched to count as broken off, in milliseconds. Default 1 hour. */
  readonly abandoned?: number;
}
