/** How an archive is imported, and what becomes of it. */
import type { Readable } from 'node:stream';
import type { Source } from './export-archive.js';
import { ArchiveError, type Progress } from './format.js';
import type { ArchiveConflict, Verdict } from './judge.js';

/** What becomes of documents that are there with other content, and of what the model does not have. */
export type OnConflict = 'refuse' | 'skip' | 'replace';

/** How an archive is imported. */
export interface ImportOptions {
  /**
   * - `refuse` (default): nothing is imported.
   * - `skip`: what is there stays, what the model does not have is left out.
   * - `replace`: a document that is there becomes that of the archive. A value that another document has, and
   *   what the model does not have, are refused all the same.
   */
  readonly onConflict?: OnConflict;
  /** Lists what is in the way, and writes nothing. */
  readonly dryRun?: boolean;
  /** False leaves the bytes of files where they are, and asks nobody whether they are there. Default true. */
  readonly files?: boolean;
  /** True imports attributes that are private in the archive and public in the model. Default false. */
  readonly allowPublic?: boolean;
  /**
   * True accepts all values that the columns of the model accept, such as values stored under former rules.
   * Default false: a value that no request body can have is a conflict of its document.
   */
  readonly trusted?: boolean;
  /** How many documents are written in one transaction at most. Default 100. */
  readonly atOnce?: number;
  readonly progress?: Progress;
}

/** What has become of the documents of an archive. */
export interface ImportResult {
  /** Documents that were not there. */
  readonly imported: number;
  readonly replaced: number;
  /** Documents that were there as they are in the archive. */
  readonly same: number;
  readonly skipped: number;
  /** Contents of files that were not there, formats included. */
  readonly contents: number;
  /** The conflicts; of each kind, the first thousand. */
  readonly conflicts: readonly ArchiveConflict[];
  /** A sentence for each comparison that was not possible; none for an archive of this release. */
  readonly notes: readonly string[];
}

/** The numbers of an {@link ImportResult}. */
export type Counts = Record<Exclude<keyof ImportResult, 'conflicts' | 'notes'>, number>;

export const noCounts = (): Counts => ({ imported: 0, replaced: 0, same: 0, skipped: 0, contents: 0 });

/** Nothing was imported because of what is in the way. */
export class ArchiveConflictError extends ArchiveError {
  constructor(readonly conflicts: readonly ArchiveConflict[]) {
    super(`Nothing is imported: ${conflicts.length} conflicts with what is there`);
  }
}

/** Where documents of an archive come from, each time that it is read. */
export type OpenArchive = () => Readable;

/** One import. */
export interface Import extends Required<Omit<ImportOptions, 'dryRun'>> {
  readonly source: Source;
  readonly open: OpenArchive;
}

/** What is done with a document. */
export const DONE: Readonly<Record<OnConflict, Readonly<Record<Verdict, keyof Counts>>>> = {
  refuse: { new: 'imported', same: 'same', differs: 'skipped', rivalled: 'skipped' },
  skip: { new: 'imported', same: 'same', differs: 'skipped', rivalled: 'skipped' },
  replace: { new: 'imported', same: 'same', differs: 'replaced', rivalled: 'skipped' },
};

/** Whether a conflict stops the whole import. */
const isRefused = ({ kind }: ArchiveConflict, onConflict: OnConflict): boolean =>
  onConflict === 'refuse' || kind === 'model' || (onConflict === 'replace' && kind !== 'content');

/** Throws an {@link ArchiveConflictError} where something in the way stops the import. */
export function refuse(conflicts: readonly ArchiveConflict[], onConflict: OnConflict): void {
  const refused = conflicts.filter((conflict) => isRefused(conflict, onConflict));
  if (refused.length > 0) throw new ArchiveConflictError(refused);
}
