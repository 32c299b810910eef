/** Dry runs: the writes of entries in a transaction that is rolled back. */
import { Inject, Injectable, Logger } from '@nestjs/common';
import { OWN_TRANSACTION, Database } from '../../content/store/database.js';
import { mayFail } from '../../content/store/may-fail.js';
import { ContentError } from '../../kernel/errors.js';
import { isRetryable } from '../../kernel/postgres-errors.js';
import type { Runner } from '../../pool/runner.js';
import type { Caller } from '../../content/access/caller.js';
import { ReleaseEntries, type ShownEntry, type StoredEntry } from './release-entries.js';

type Refusal = Pick<ContentError, 'status' | 'name' | 'message' | 'details'>;

interface CheckedEntry extends ShownEntry {
  readonly outcome: 'changes' | 'unchanged' | 'refused';
  readonly error: Refusal | null;
}

/** Result of a dry run. */
export interface ReleaseReport {
  readonly entries: readonly CheckedEntry[];
  /** Entries whose documents the caller may not read. */
  readonly hidden: { readonly count: number; readonly refused: number };
}

export interface Trial {
  /** Locks the release, and returns its entries in the order of the writes. */
  readonly start: (runner: Runner) => Promise<readonly StoredEntry[]>;
  readonly write: (entry: StoredEntry, runner: Runner) => Promise<void>;
}

/** Result of a trial: all entries, and the errors of those that fail. */
export interface TrialResult {
  readonly entries: readonly StoredEntry[];
  readonly failed: ReadonlyMap<string, unknown>;
}

/** Rolls back the transaction of a dry run. */
class Finished extends Error {}

const INTERNAL: Refusal = {
  status: 500,
  name: 'InternalServerError',
  message: 'Internal Server Error',
  details: {},
};

/** Whether an error is the fault of an entry, so that others may succeed. */
export const isOfEntry = (error: unknown): boolean =>
  !(error instanceof ContentError && error.status >= 500) && !isRetryable(error);

@Injectable()
export class DryRun {
  private readonly logger = new Logger('ContentReleases');

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(ReleaseEntries) private readonly entries: ReleaseEntries,
  ) {}

  /** Writes each entry, and undoes everything. Throws what is not the fault of an entry. */
  async try({ start, write }: Trial): Promise<ReadonlyMap<string, unknown>> {
    let failed = new Map<string, unknown>();
    const work = async (runner: Runner): Promise<never> => {
      failed = new Map();
      for (const entry of await start(runner)) {
        const failure = await mayFail(runner, () => write(entry, runner), isOfEntry);
        if (failure !== null) failed.set(entry.id, failure.error);
      }
      throw new Finished();
    };
    await this.database.transaction(work, { ...OWN_TRANSACTION, shared: true }).catch((error: unknown) => {
      if (!(error instanceof Finished)) throw error;
    });
    return failed;
  }

  /**
   * Reports a trial to a caller; `changes` is whether a write of a shown entry changes something.
   * `isCompared` is whether its status tells of the drafts.
   */
  async report(
    { entries: stored, failed }: TrialResult,
    caller: Caller,
    changes: (entry: ShownEntry, isCompared: boolean) => boolean,
  ): Promise<ReleaseReport> {
    const refusals = new Map(
      stored.flatMap((entry) => (failed.has(entry.id) ? [[entry.id, this.refusalOf(entry, failed)]] : [])),
    );
    const seen = await this.entries.seenBy(caller, stored);
    const entries = seen.map(({ shown, isCompared }): CheckedEntry => {
      const error = refusals.get(shown.id) ?? null;
      if (error !== null) return { ...shown, outcome: 'refused', error };
      return { ...shown, outcome: changes(shown, isCompared) ? 'changes' : 'unchanged', error };
    });
    const refused = [...refusals.keys()].filter((one) => !entries.some(({ id }) => id === one));
    return { entries, hidden: { count: stored.length - entries.length, refused: refused.length } };
  }

  private refusalOf({ id, typeName, documentId }: StoredEntry, failed: TrialResult['failed']): Refusal {
    const error = failed.get(id);
    if (error instanceof ContentError) {
      const { entry: _entry, ...details } = error.details;
      return { status: error.status, name: error.name, message: error.message, details };
    }
    this.logger.warn(`A dry run of ${typeName} ${documentId} failed: ${String(error)}`);
    return INTERNAL;
  }
}
