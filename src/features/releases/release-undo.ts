import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { CONTENT_SCHEMA, type ContentType, type Schema } from '../../content/model/model.js';
import { OWN_TRANSACTION, Database } from '../../content/store/database.js';
import { ContentError } from '../../kernel/errors.js';
import type { Runner } from '../../pool/runner.js';
import { compileReopen } from './compile-releases.js';
import { DryRun, isOfEntry, type ReleaseReport, type TrialResult } from './dry-run.js';
import { inOrder, type StoredEntry, withEntry } from './release-entries.js';
import { Releases, type Sender, type ShownRelease } from './releases.service.js';
import { type WayBack, WaysBack } from './ways-back.js';

interface UndoPlan extends TrialResult {
  /**
   * Ways back of the other entries, in the order of the writes: the reverse of that of the release. So each
   * unique value is free when its document gets it back.
   */
  readonly ways: readonly WayBack[];
}

const changedMeanwhile = (): Error =>
  new ContentError('ConflictError', 'Another request has just changed the release');

/** Undoes releases as a whole: publishes again what was published before. */
@Injectable()
export class ReleaseUndo {
  private readonly file: ContentType;

  constructor(
    @Inject(CONTENT_SCHEMA) { file }: Schema,
    @Inject(Database) private readonly database: Database,
    @Inject(Releases) private readonly releases: Releases,
    @Inject(WaysBack) private readonly ways: WaysBack,
    @Inject(DryRun) private readonly dryRun: DryRun,
  ) {
    this.file = file;
  }

  /** Undoes all entries of a release with the rights of the caller, or none. The release then is open. */
  async undo(id: string, sender: Sender): Promise<ShownRelease> {
    const { entries, ways, failed } = await this.plan(id, sender);
    const [refused] = entries.filter((entry) => failed.has(entry.id));
    if (refused !== undefined) throw failed.get(refused.id);
    return this.database.transaction(
      async (runner) => {
        await this.hold(runner, id, entries);
        for (const way of ways) await this.ways.check(runner, way, sender.caller);
        await this.go(runner, ways, sender);
        await runner.all(compileReopen(this.file, id));
        return this.releases.one(id, sender.caller, runner);
      },
      { ...OWN_TRANSACTION, shared: true },
    );
  }

  /** Reports what undoing a release now would do. Nothing is written, and no committed hook runs. */
  async report(id: string, sender: Sender): Promise<ReleaseReport> {
    const { entries, ways, failed } = await this.plan(id, sender);
    const wayOf = (id: string): readonly WayBack[] => ways.filter(({ entry }) => entry.id === id);
    const tried = await this.dryRun.try({
      start: async (runner) => {
        await this.hold(runner, id, entries);
        return ways.map(({ entry }) => entry);
      },
      write: (entry, runner) => this.go(runner, wayOf(entry.id), sender),
    });
    return this.dryRun.report({ entries, failed: new Map([...failed, ...tried]) }, sender.caller, (entry) =>
      wayOf(entry.id).some(({ changes }) => changes.length > 0),
    );
  }

  /** Finds the ways back, before the transaction: they read with connections of their own. */
  private async plan(id: string, { caller }: Sender): Promise<UndoPlan> {
    await this.releases.hold(this.database, id, true);
    const entries = await this.releases.stored(this.database, id);
    const ways: WayBack[] = [];
    const failed = new Map<string, unknown>();
    for (const entry of inOrder(entries).toReversed())
      try {
        ways.push(await this.ways.of(entry, caller));
      } catch (error) {
        if (!isOfEntry(error)) throw error;
        failed.set(entry.id, withEntry([entry], error));
      }
    return { entries, ways, failed };
  }

  /** Locks a release and its documents. Throws ConflictError if the release has changed since the plan. */
  private async hold(runner: Runner, id: string, entries: readonly StoredEntry[]): Promise<void> {
    await this.releases.hold(runner, id, true);
    if (!isDeepStrictEqual(await this.releases.stored(runner, id), entries)) throw changedMeanwhile();
    await this.ways.hold(runner, entries);
  }

  private async go(runner: Runner, ways: readonly WayBack[], { caller, requestId }: Sender): Promise<void> {
    const { em } = runner;
    if (em === null) throw new Error('A release needs a transaction of the entity manager');
    await this.ways.go(runner, ways, { caller, requestId, em, restores: 'published' });
  }
}
