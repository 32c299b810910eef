/** Options and results of an import. */
import type { Readable } from 'node:stream';
import type { Source } from './export-archive.js';
import { ArchiveError, type Progress } from './format.js';
import type { ArchiveConflict, Verdict } from './compare-batch.js';

/** Policy for conflicts with the stored content and with the model. */
export type OnConflict = 'refuse' | 'skip' | 'replace';

/** Options of an import. */
export interface ImportOptions {
  /**
   * - `refuse` (default): any conflict stops the import.
   * - `skip`: stored documents remain unchanged; documents, types and attributes in conflict are left out.
   *   Only differences of kind `model` stop the import.
   * - `replace`: documents of the archive replace stored ones. All other conflicts stop the import.
   */
  readonly onConflict?: OnConflict;
  /** Returns the conflicts, and writes nothing. */
  readonly dryRun?: boolean;
  /** False imports no bytes of files, and does not check that the storage has them. Default true. */
  readonly files?: boolean;
  /** True imports attributes that are private in the archive and public in the model. Default false. */
  readonly allowPublic?: boolean;
  /**
   * True accepts all values that the columns accept, for example values stored under former rules. Default
   * false: a value that no request body can have is a conflict of its document.
   */
  readonly trusted?: boolean;
  /**
   * Maximum number of documents in one transaction. Default 1000, but an import into empty tables without
   * bytes of files is one transaction. With a number, that import has batches, too.
   */
  readonly atOnce?: number;
  /** Called after each batch. Counts begin again if an import in one transaction was not possible. */
  readonly progress?: Progress;
  /** Called for each conflict that the check finds, also for those that the result does not list. */
  readonly found?: (conflict: ArchiveConflict) => void;
}

/** Result of an import: numbers of documents, and the conflicts. */
export interface ImportResult {
  /** Documents that were not stored before. */
  readonly imported: number;
  readonly replaced: number;
  /** Documents that were already stored with the same content. */
  readonly same: number;
  readonly skipped: number;
  /** File contents that were stored, including image formats. */
  readonly contents: number;
  /** Conflicts; at most 1000 of each kind. */
  readonly conflicts: readonly ArchiveConflict[];
  /** Sentences on comparisons that were not possible, and on types whose stored versions are left out. */
  readonly notes: readonly string[];
}

export type Counts = Record<Exclude<keyof ImportResult, 'conflicts' | 'notes'>, number>;

/** Minimum number of documents of a type whose tables get statistics after the import. */
export const MANY_DOCUMENTS = 1000;

export const noCounts = (): Counts => ({ imported: 0, replaced: 0, same: 0, skipped: 0, contents: 0 });

/** Conflicts stopped the import before it wrote a document in conflict. */
export class ArchiveConflictError extends ArchiveError {
  /** `done` is the number of documents that this import, or an interrupted one before it, has processed. */
  constructor(
    readonly conflicts: readonly ArchiveConflict[],
    readonly done = 0,
  ) {
    const state = done === 0 ? 'Nothing was imported' : `The import stopped after ${done} documents`;
    super(`${state}: ${conflicts.length} conflicts with the model or the stored content`);
  }
}

export type OpenArchive = () => Readable;

/** Import with all its options. */
export interface Import extends Required<Omit<ImportOptions, 'dryRun'>> {
  readonly source: Source;
  readonly open: OpenArchive;
}

/** Result of a document, by the policy for conflicts and the comparison. */
export const DONE: Readonly<Record<OnConflict, Readonly<Record<Verdict, keyof Counts>>>> = {
  refuse: { new: 'imported', same: 'same', differs: 'skipped', rivalled: 'skipped' },
  skip: { new: 'imported', same: 'same', differs: 'skipped', rivalled: 'skipped' },
  replace: { new: 'imported', same: 'same', differs: 'replaced', rivalled: 'skipped' },
};

export interface Found {
  readonly conflicts: readonly ArchiveConflict[];
  /** Number of documents that were processed before the conflicts were found. */
  readonly done: number;
}

/** Whether a conflict stops the whole import. */
const isRefused = ({ kind }: ArchiveConflict, onConflict: OnConflict): boolean =>
  onConflict === 'refuse' || kind === 'model' || (onConflict === 'replace' && kind !== 'content');

/** Throws an {@link ArchiveConflictError} if a conflict stops the import. */
export function refuse({ conflicts, done }: Found, onConflict: OnConflict): void {
  const refused = conflicts.filter((conflict) => isRefused(conflict, onConflict));
  if (refused.length > 0) throw new ArchiveConflictError(refused, done);
}
