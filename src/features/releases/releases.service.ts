import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../../content/access/caller.js';
import { CONTENT_SCHEMA, type ContentType, type Schema } from '../../content/model/model.js';
import { mapWithIndex } from '../../content/documents/write-list.js';
import { OWN_TRANSACTION, Database } from '../../content/store/database.js';
import {
  ContentError,
  forbidden,
  notFound,
  overLimit,
  withDetails,
  wrongValue,
} from '../../kernel/errors.js';
import { isObject } from '../../kernel/json.js';
import type { Row, Runner } from '../../pool/runner.js';
import {
  compileAdd,
  compileChange,
  compileCreate,
  compileDelete,
  compileEntries,
  compileHoldRelease,
  compileRelease,
  compileMarkReleased,
  compileRemove,
  compileUndo,
  type ReleaseChange,
} from './compile-releases.js';
import type { EntryInput } from './parse-release.js';
import {
  type AddedEntry,
  EVERY_LOCALE,
  ReleaseEntries,
  type ShownEntry,
  type StoredEntry,
} from './release-entries.js';
import { type EntryBefore, WaysBack } from './ways-back.js';
import { RELEASES_OPTIONS, type ResolvedReleasesOptions } from './releases.options.js';

/** Release in responses. */
export type ShownRelease = Readonly<Record<string, unknown>> & {
  readonly entries: readonly ShownEntry[];
  /** Number of entries whose documents the caller may not read. */
  readonly hidden: number;
};

/** Caller and id of a request. */
export interface Sender {
  readonly caller: Caller;
  readonly requestId: string | null;
}

const overlaps = (a: StoredEntry, b: StoredEntry): boolean =>
  a.typeName === b.typeName &&
  a.documentId === b.documentId &&
  (a.locale === b.locale || [a.locale, b.locale].includes(EVERY_LOCALE));

/** Returns the entries without those that a later one replaces. */
const latest = (entries: readonly StoredEntry[]): readonly StoredEntry[] =>
  entries.filter((one, i) => !entries.slice(i + 1).some((later) => overlaps(one, later)));

const isOpen = (): Error => new ContentError('ConflictError', 'The release is not released');
const isFinal = (): Error => new ContentError('ConflictError', 'The release is released: it cannot change');

/** Releases and their entries: read, changed, published. */
@Injectable()
export class Releases {
  private readonly file: ContentType;

  constructor(
    @Inject(CONTENT_SCHEMA) { file }: Schema,
    @Inject(Database) private readonly database: Database,
    @Inject(ReleaseEntries) private readonly entries: ReleaseEntries,
    @Inject(WaysBack) private readonly ways: WaysBack,
    @Inject(RELEASES_OPTIONS) private readonly options: ResolvedReleasesOptions,
  ) {
    this.file = file;
  }

  /**
   * Returns a release with the entries that the caller sees. Throws NotFoundError. Changes read it in their
   * transaction: an error after the commit would deny them.
   */
  async one(id: string, caller: Caller, transaction: Runner | null = null): Promise<ShownRelease> {
    const runner = transaction ?? this.database;
    const [row] = await runner.run(compileRelease(this.file, id));
    if (row === undefined) throw notFound();
    const release: unknown = JSON.parse(String(row['data']));
    const stored = await this.stored(runner, id);
    const entries = await this.entries.shownTo(caller, stored, transaction?.em);
    const failedEntry = entries.find((entry) => entry.id === row['failed_entry'])?.id ?? null;
    return {
      ...(isObject(release) ? release : {}),
      failedEntry,
      entries,
      hidden: stored.length - entries.length,
    };
  }

  async create({ name, at }: Required<ReleaseChange>, caller: Caller): Promise<ShownRelease> {
    return this.database.transaction(async (runner) => {
      const [row] = await runner.run(compileCreate(this.file, { name, at, caller }));
      return this.one(String(row?.['id']), caller, runner);
    }, OWN_TRANSACTION);
  }

  /**
   * Changes a release. To set its time, the caller must be permitted to publish each entry. Clearing it is a
   * 403 if entries are hidden from the caller.
   */
  async change(id: string, change: ReleaseChange, caller: Caller): Promise<ShownRelease> {
    return this.changing(id, async (runner) => {
      if (change.at === null) await this.seesAll(runner, id, caller);
      if (change.at !== undefined && change.at !== null)
        for (const entry of await this.stored(runner, id)) await this.entries.check(runner, entry, caller);
      await runner.run(compileChange(this.file, id, change));
      return this.one(id, caller, runner);
    });
  }

  /** Deletes a release. Throws ForbiddenError if entries are hidden from the caller. */
  async remove(id: string, caller: Caller): Promise<void> {
    await this.changing(id, async (runner) => {
      await this.seesAll(runner, id, caller);
      await runner.all(compileDelete(this.file, id));
    });
  }

  /** Adds entries that the caller may publish. They replace those of the same documents and locales. */
  async add(id: string, inputs: readonly EntryInput[], caller: Caller): Promise<ShownRelease> {
    const { maxEntries } = this.options;
    if (inputs.length > maxEntries) throw tooMany(maxEntries);
    const checked = mapWithIndex(inputs, (one, i) => this.entryOf(one, i, caller));
    return this.changing(id, async (runner) => {
      const added: StoredEntry[] = [];
      for (const entry of checked) {
        const documentId = await this.entries.check(runner, entry, caller).catch((error: unknown) => {
          throw withPlace(error);
        });
        added.push({ ...entry, documentId, undo: null });
      }
      const all = latest([...(await this.stored(runner, id)), ...added]);
      if (all.length > maxEntries) throw tooMany(maxEntries);
      const entries = latest(added).map(({ typeName, ...entry }) => ({ ...entry, type: typeName }));
      await runner.all([...compileAdd(this.file, id, entries), compileChange(this.file, id, {})]);
      return this.one(id, caller, runner);
    });
  }

  /** Removes entries that the caller sees. Throws NotFoundError for others. */
  async removeEntries(id: string, removed: readonly string[], caller: Caller): Promise<ShownRelease> {
    return this.changing(id, async (runner) => {
      const { entries } = await this.one(id, caller, runner);
      if (!removed.every((one) => entries.some((entry) => entry.id === one))) throw notFound();
      await runner.all([compileRemove(this.file, id, removed), compileChange(this.file, id, {})]);
      return this.one(id, caller, runner);
    });
  }

  /** Publishes all entries with the rights of the caller, or none of them. */
  async publish(id: string, sender: Sender): Promise<ShownRelease> {
    return this.changing(id, async (runner) => {
      await this.release(runner, id, sender);
      return this.one(id, sender.caller, runner);
    });
  }

  /** Publishes the entries of a locked release in its transaction. */
  async release(runner: Runner, id: string, { caller, requestId }: Sender): Promise<void> {
    const { em } = runner;
    if (em === null) throw new Error('A release needs a transaction of the entity manager');
    const entries = await this.stored(runner, id);
    let before: readonly EntryBefore[] = [];
    const locked = async (): Promise<void> => {
      before = await this.ways.before(runner, entries);
    };
    await this.entries.publish(entries, { caller, requestId, em, locked });
    const undo = await this.ways.changedBy(runner, before);
    await runner.all([
      compileUndo(this.file, undo),
      compileMarkReleased(this.file, id, { caller, requestId }),
    ]);
  }

  async stored(runner: Pick<Runner, 'run'>, id: string): Promise<readonly StoredEntry[]> {
    return this.entries.of(await runner.run(compileEntries(this.file, id)));
  }

  /**
   * Locks a release. Throws NotFoundError, and ConflictError for a release that is released, or is not if it
   * has to be.
   */
  async hold(runner: Pick<Runner, 'run'>, id: string, released = false): Promise<void> {
    const [row]: readonly Row[] = await runner.run(compileHoldRelease(this.file, id));
    if (row === undefined) throw notFound();
    if ((row['released'] === true) !== released) throw released ? isOpen() : isFinal();
  }

  /** Throws ForbiddenError if entries of a locked release are hidden from the caller. */
  private async seesAll(runner: Runner, id: string, caller: Caller): Promise<void> {
    const stored = await this.stored(runner, id);
    const shown = await this.entries.shownTo(caller, stored, runner.em);
    if (shown.length < stored.length) throw forbidden();
  }

  /** Runs `work` in a transaction that has locked a release which may change. */
  private changing<T>(id: string, work: (runner: Runner) => Promise<T>): Promise<T> {
    return this.database.transaction(
      async (runner) => {
        await this.hold(runner, id);
        return work(runner);
      },
      { ...OWN_TRANSACTION, shared: true },
    );
  }

  /** `id` of the entry is its place in the body. */
  private entryOf(
    { type: name, documentId, locale, action }: EntryInput,
    i: number,
    caller: Caller,
  ): AddedEntry {
    const type = this.entries.publishableType(name, caller);
    if (documentId === null && type.kind === 'collectionType')
      throw wrongValue('documentId', 'Invalid documentId: expected the id of a document');
    if (type.localized && locale === null)
      throw wrongValue('locale', `Invalid locale: ${name} has locales, expected one, or * for all`);
    const place = type.localized ? (locale ?? EVERY_LOCALE) : EVERY_LOCALE;
    return { id: String(i), typeName: name, type, documentId, locale: place, action };
  }
}

/** Returns the error of a new entry with its `index` in the body. */
function withPlace(error: unknown): unknown {
  if (!(error instanceof ContentError)) return error;
  const { entry, ...details } = error.details;
  const source = 'key' in details ? { source: 'body' } : {};
  return withDetails(error, { ...details, ...source, index: Number(entry) });
}

const tooMany = (most: number): Error => overLimit('maxEntries', most, 'Too many entries in the release');
