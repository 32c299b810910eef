import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../../content/access/caller.js';
import {
  DocumentHistory,
  type PublishedChange,
  type PublishedHistory,
  type PublishedIds,
  type ReversalRequest,
  type StoredDocument,
} from '../../content/documents/document-history.js';
import { Documents } from '../../content/documents/documents.service.js';
import type { StateChange } from '../../content/documents/write-list.js';
import type { WriteOptions } from '../../content/documents/write-options.js';
import { mutexOf } from '../../content/plan/locks.js';
import { ContentError } from '../../kernel/errors.js';
import { lockStatements } from '../../pool/locks.js';
import type { Runner } from '../../pool/runner.js';
import { EVERY_LOCALE, ReleaseEntries, type StoredEntry, withEntry } from './release-entries.js';

/** Changes of state after which the same is published as before the release. */
export interface WayBack {
  readonly entry: StoredEntry;
  readonly changes: readonly StateChange[];
}

/** Entry of a release, and what was published of its document. */
export interface EntryBefore extends StoredDocument {
  readonly entry: StoredEntry;
  readonly before: PublishedIds;
}

const noHistory = (): Error =>
  new ContentError('ConflictError', 'No version from before the release is stored: the type has no history', {
    reason: 'noHistory',
  });

const isOfSame = (a: StoredEntry, b: StoredEntry): boolean =>
  a.typeName === b.typeName && a.documentId === b.documentId;

/**
 * Whether a change belongs to an entry: it has its locale, or a locale that no entry has. Publishing a locale
 * also changes the values that others share.
 */
const isOf = (entry: StoredEntry, { locale }: PublishedChange, entries: readonly StoredEntry[]): boolean =>
  [EVERY_LOCALE, locale].includes(entry.locale) ||
  !entries.some((other) => isOfSame(entry, other) && other.locale === locale);

/** Ways back from a release, by the history of its documents. */
@Injectable()
export class WaysBack {
  constructor(
    @Inject(Documents) private readonly documents: Documents,
    @Inject(DocumentHistory) private readonly history: DocumentHistory,
    @Inject(ReleaseEntries) private readonly entries: ReleaseEntries,
  ) {}

  /**
   * Returns what is published of the documents of entries, before a release whose transaction has locked
   * them. Entries without history are left out.
   */
  async before(runner: Runner, entries: readonly StoredEntry[]): Promise<readonly EntryBefore[]> {
    const { published } = this.history;
    const stored = entries.flatMap((entry) => {
      const { type, documentId } = entry;
      return type?.history === true ? [{ entry, type, documentId }] : [];
    });
    if (published === null || stored.length === 0) return [];
    const present = await published.storePresent(runner, stored);
    return stored.map((one, i) => ({ ...one, before: present[i] ?? new Map() }));
  }

  /** Returns what the transaction of a release has changed, as JSON texts by the ids of entries. */
  async changedBy(
    runner: Pick<Runner, 'run'>,
    before: readonly EntryBefore[],
  ): Promise<ReadonlyMap<string, string>> {
    const { published } = this.history;
    if (published === null || before.length === 0) return new Map();
    const changed = await published.changedIn(runner, before);
    const entries = before.map(({ entry }) => entry);
    return new Map(
      entries.map((entry, i) => [
        entry.id,
        JSON.stringify((changed[i] ?? []).filter((change) => isOf(entry, change, entries))),
      ]),
    );
  }

  /** Returns the way back of an entry. Throws ForbiddenError, and a ConflictError with a `reason`. */
  async of(entry: StoredEntry, caller: Caller): Promise<WayBack> {
    const { published, request } = this.requestOf(entry, caller);
    return { entry, changes: await published.reversalOf(request) };
  }

  /** Locks the documents of entries. */
  async hold(runner: Runner, entries: readonly StoredEntry[]): Promise<void> {
    const names = entries.flatMap(({ type, documentId }) =>
      type === undefined ? [] : (mutexOf(type, documentId) ?? []),
    );
    await runner.all(lockStatements([...new Set(names)].map((name) => ({ name, exclusive: true }))));
  }

  /** Throws an error of `of` if a document has changed before it was locked. */
  async check(runner: Runner, { entry }: WayBack, caller: Caller): Promise<void> {
    try {
      const { published, request } = this.requestOf(entry, caller);
      await published.checkReversal(runner, request);
    } catch (error) {
      throw withEntry([entry], error);
    }
  }

  /**
   * Goes back, in the transaction of `em` that holds the documents. Throws the error of the first entry that
   * fails, with its id.
   */
  async go(runner: Runner, ways: readonly WayBack[], options: WriteOptions): Promise<void> {
    for (const { entry } of ways) await this.entries.check(runner, entry, options.caller);
    const changes = ways.flatMap((way) => way.changes.map((change) => ({ entry: way.entry, change })));
    const written = changes.map(({ change }) => change);
    await this.documents.changeStates(written, options).catch((error: unknown) => {
      throw withEntry(
        changes.map(({ entry }) => entry),
        error,
      );
    });
  }

  private requestOf(
    entry: StoredEntry,
    caller: Caller,
  ): { readonly published: PublishedHistory; readonly request: ReversalRequest } {
    const { type, documentId } = this.entries.changeOf(entry);
    const { published } = this.history;
    if (published === null || entry.undo === null || documentId === null) throw noHistory();
    return { published, request: { type, documentId, caller, changes: entry.undo } };
  }
}
