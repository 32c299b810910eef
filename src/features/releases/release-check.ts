import { Inject, Injectable } from '@nestjs/common';
import { DryRun, type ReleaseReport } from './dry-run.js';
import { inOrder, ReleaseEntries, type StoredEntry } from './release-entries.js';
import { Releases, type Sender } from './releases.service.js';

/** Dry runs of the publication of releases. */
@Injectable()
export class ReleaseCheck {
  constructor(
    @Inject(Releases) private readonly releases: Releases,
    @Inject(ReleaseEntries) private readonly entries: ReleaseEntries,
    @Inject(DryRun) private readonly dryRun: DryRun,
  ) {}

  /** Reports what publishing a release now would do. Nothing is written, and no committed hook runs. */
  async report(id: string, { caller, requestId }: Sender): Promise<ReleaseReport> {
    let entries: readonly StoredEntry[] = [];
    const failed = await this.dryRun.try({
      start: async (runner) => {
        await this.releases.hold(runner, id);
        entries = await this.releases.stored(runner, id);
        return inOrder(entries);
      },
      write: (entry, { em }) =>
        this.entries.publish([entry], { caller, requestId, ...(em === null ? {} : { em }) }),
    });
    return this.dryRun.report(
      { entries, failed },
      caller,
      // Without the right to read the draft, whether it differs is not told.
      ({ action, status }, isCompared) =>
        !isCompared || status !== (action === 'publish' ? 'published' : 'draft'),
    );
  }
}
