import { Inject, Injectable, Logger } from '@nestjs/common';
import { ALONE, Database } from '../../content/store/database.js';
import { mayFail } from '../../content/store/may-fail.js';
import { ContentError } from '../../kernel/errors.js';
import { isRetryable } from '../../kernel/postgres-errors.js';
import type { Runner } from '../../pool/runner.js';
import { inOrder, ReleaseEntries, type ShownEntry, type StoredEntry } from './release-entries.js';
import { Releases, type Sender } from './releases.service.js';

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

/** Rolls back the transaction of a dry run. */
class Finished extends Error {}

const INTERNAL: Refusal = {
  status: 500,
  name: 'InternalServerError',
  message: 'Internal Server Error',
  details: {},
};

/** Whether an error is the fault of an entry, so that others may succeed. */
const isItsOwn = (error: unknown): boolean =>
  !(error instanceof ContentError && error.status >= 500) && !isRetryable(error);

/** Dry runs of releases: the writes themselves, in a transaction that is rolled back. */
@Injectable()
export class ReleaseCheck {
  private readonly logger = new Logger('ContentReleases');

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Releases) private readonly releases: Releases,
    @Inject(ReleaseEntries) private readonly entries: ReleaseEntries,
  ) {}

  /** Reports what publishing a release now would do. Nothing is written, and no committed hook runs. */
  async report(id: string, sender: Sender): Promise<ReleaseReport> {
    const [stored, refusals] = await this.tried(id, sender);
    const shown = await this.entries.shownTo(sender.caller, stored);
    const entries = shown.map((entry): CheckedEntry => {
      const error = refusals.get(entry.id) ?? null;
      const target = entry.action === 'publish' ? 'published' : 'draft';
      if (error !== null) return { ...entry, outcome: 'refused', error };
      return { ...entry, outcome: entry.status === target ? 'unchanged' : 'changes', error };
    });
    const refused = [...refusals.keys()].filter((one) => !shown.some(({ id }) => id === one));
    return { entries, hidden: { count: stored.length - shown.length, refused: refused.length } };
  }

  /** Returns the entries, and the errors of those that fail. */
  private async tried(
    id: string,
    sender: Sender,
  ): Promise<readonly [readonly StoredEntry[], ReadonlyMap<string, Refusal>]> {
    let stored: readonly StoredEntry[] = [];
    let refusals = new Map<string, Refusal>();
    const work = async (runner: Runner): Promise<never> => {
      await this.releases.hold(runner, id);
      stored = await this.releases.stored(runner, id);
      refusals = new Map();
      for (const entry of inOrder(stored)) {
        const refusal = await this.refusalOf(entry, runner, sender);
        if (refusal !== null) refusals.set(entry.id, refusal);
      }
      throw new Finished();
    };
    await this.database.transaction(work, { ...ALONE, shared: true }).catch((error: unknown) => {
      if (!(error instanceof Finished)) throw error;
    });
    return [stored, refusals];
  }

  /** Publishes one entry. Returns the error of a refusal, and throws what is not the fault of the entry. */
  private async refusalOf(
    entry: StoredEntry,
    runner: Runner,
    { caller, requestId }: Sender,
  ): Promise<Refusal | null> {
    const { em } = runner;
    const options = { caller, requestId, ...(em === null ? {} : { em }) };
    const failed = await mayFail(runner, () => this.entries.publish([entry], options), isItsOwn);
    if (failed === null) return null;
    const { error } = failed;
    if (error instanceof ContentError) {
      const { entry: _entry, ...details } = error.details;
      return { status: error.status, name: error.name, message: error.message, details };
    }
    this.logger.warn(`Publishing ${entry.typeName} ${entry.documentId} would fail: ${String(error)}`);
    return INTERNAL;
  }
}
