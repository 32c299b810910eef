/**
 * Unsaved work in the browser's database, so that it outlives a crash, a closed tab, a deploy and the end of
 * a session. Each form has entries of its own; work of forms that are gone is recovered.
 */
import { type Conflict, merge, type Merged } from '../form/merge.ts';
import { type FormStore, withValue } from '../form/store.ts';
import { readValues, sameValues, type Values, withoutIds, withStoredKeys } from '../form/values.ts';
import type { Model } from '../model/model.ts';
import type { DocumentRequests, Envelope, Pending, Place } from './requests.ts';
import { allEntries, deleteEntry, forgetLast, type Stored, writeAtOnce, writeEntry } from './stored-work.ts';

/** Content of a form that the server may not have. */
export interface Work {
  readonly form: FormStore;
  /** Stored values that the form is based on, also if they were deleted since. */
  readonly base: Values;
  readonly conflicts: readonly Conflict[];
  /** Write whose response has not arrived. */
  readonly pending: Pending | null;
}

/** Milliseconds after which the server may have forgotten the key of a write. */
const KEY_LIFE = 23 * 60 * 60 * 1000;

/** Values of the server. */
interface Known {
  readonly theirs: Values;
  /** False for a document or language that is not stored: the values are those of other languages. */
  readonly isWhole: boolean;
}

interface Recovered extends Merged {
  /** Values that the work is based on. */
  readonly base: Values;
  /** Time of the last change; null without recovered work. */
  readonly at: number | null;
  /** Deletes the entries that the work came from. */
  readonly drop: () => Promise<void>;
}

const LOCK = 'content-desk tab ';
const RECOVERY = 'content-desk recovery ';
/** Milliseconds that a tab takes to close. */
const CLOSING = 500;

/** Forms of this tab, whose work is not to be recovered. */
const openForms = new Set<string>();

/** Lock that is held as long as the tab exists: other tabs see that its work is not to be recovered. */
class TabLock {
  readonly id = crypto.randomUUID();
  readonly held = new Promise<void>((resolve) => {
    void navigator.locks.request(LOCK + this.id, () => {
      resolve();
      return new Promise(() => undefined);
    });
  });
}

let lock: TabLock | null = null;

/** Returns the lock of this tab. Browsers have locks and random ids only on pages with HTTPS. */
const tabLock = (): TabLock => (lock ??= new TabLock());

const isNothing = ({ form, conflicts, pending }: Work): boolean =>
  !form.isChanged && conflicts.length === 0 && pending === null;

/** Unsaved work of one form. */
export class UnsavedWork {
  private readonly form = crypto.randomUUID();
  /** Other tabs that were open when the document was loaded. */
  private readonly open = new Set<string>();

  constructor(
    private readonly user: string,
    private readonly model: Model,
  ) {
    openForms.add(this.form);
  }

  /** Work belongs to a user, a document and a locale. `new`: a document that is not stored. */
  private keyOf({ type, documentId, locale }: Place, form: string): string {
    const id = type.kind === 'singleType' ? 'single' : (documentId ?? 'new');
    return [this.user, type.name, id, locale, form].join(' ');
  }

  /** Keeps the changes of a form, or deletes the entry of a form without changes. */
  async keep(place: Place, work: Work): Promise<void> {
    if (isNothing(work)) return this.drop(place);
    await tabLock().held;
    await writeEntry(this.keyOf(place, this.form), this.entryOf(work));
  }

  /** Keeps the changes at once, when the page goes: the database would not finish. */
  keepAtOnce(place: Place, work: Work): void {
    if (!isNothing(work)) writeAtOnce(this.keyOf(place, this.form), this.entryOf(work));
  }

  private entryOf({ form: { values }, base, conflicts, pending }: Work): Stored {
    // Conflicts that are not decided come back with the work.
    const before = conflicts.reduce((all, conflict) => withValue(all, conflict.path, conflict.base), base);
    return { base: before, values, at: Date.now(), tab: tabLock().id, form: this.form, pending };
  }

  async drop(place: Place): Promise<void> {
    await tabLock().held;
    await deleteEntry(this.keyOf(place, this.form));
  }

  /** Whether a tab has ended. One that is closing still holds its lock for a moment. */
  private async hasEnded(tab: string): Promise<boolean> {
    if (this.open.has(tab)) return false;
    try {
      const signal = AbortSignal.timeout(CLOSING);
      return await navigator.locks.request(LOCK + tab, { mode: 'shared', signal }, () => true);
    } catch {
      this.open.add(tab);
      return false;
    }
  }

  /** Returns the work of forms that are gone, oldest first. */
  private async left(place: Place): Promise<readonly (readonly [key: string, work: Stored])[]> {
    const all = (await allEntries())
      .filter(([key, { form }]) => key === this.keyOf(place, form))
      .sort(([, one], [, other]) => one.at - other.at);
    const own = tabLock().id;
    const others = new Set(all.map(([, { tab }]) => tab).filter((tab) => tab !== own));
    const ended = new Map(
      await Promise.all([...others].map(async (tab) => [tab, await this.hasEnded(tab)] as const)),
    );
    const isGone = ({ tab, form }: Stored): boolean =>
      tab === own ? !openForms.has(form) : ended.get(tab) === true;
    // Of two entries of one form, the later one has all changes.
    return [...new Map(all.filter(([, work]) => isGone(work)))];
  }

  /** Recovers the work of a document in one tab at a time: two tabs would recover the same work. */
  async alone<T>(place: Place, recovery: () => Promise<T>): Promise<T> {
    this.open.clear();
    if ((await this.left(place)).length === 0) return recovery();
    return navigator.locks.request(RECOVERY + this.keyOf(place, ''), recovery);
  }

  /**
   * Finds out whether the last writes of forms that are gone were stored: sends them again with their keys.
   * Without that, an item whose response was lost would be added twice. Returns the place of the document,
   * which such a write may have created. Throws like `repeat`.
   */
  async settle(place: Place, requests: Pick<DocumentRequests, 'repeat'>): Promise<Place> {
    let settled = place;
    for (const [key, work] of await this.left(place)) {
      const { pending = null } = work;
      if (pending === null || Date.now() - work.at > KEY_LIFE) continue;
      const answer = await requests.repeat(place, pending);
      const documentId = answer === null ? place.documentId : String(answer.data['documentId']);
      const target = place.type.kind === 'singleType' ? place : { ...place, documentId };
      const rest = answer === null ? work : this.since(place, { ...work, ...pending }, answer);
      const next = sameValues(rest.base, rest.values) ? null : this.keyOf(target, work.form);
      const isInDatabase = next !== null && (await writeEntry(next, { ...rest, pending: null }));
      if (next !== key) await deleteEntry(key);
      else if (isInDatabase) forgetLast(key);
      settled = target;
    }
    return settled;
  }

  /** Changes since a write that was stored. */
  private since({ type }: Place, work: Stored & Pending, { data }: Envelope): Stored {
    const { sent, values: mine, at, tab, form } = work;
    const base = readValues(data, type, { model: this.model, former: sent });
    const { values } = merge({ base: sent, mine, theirs: base }, type, this.model);
    return { base, values, at, tab, form };
  }

  /**
   * Applies the work of forms that are gone, oldest first, to the stored values. A deleted document or
   * language has those that the work is based on.
   */
  async recover(place: Place, { theirs, isWhole }: Known): Promise<Recovered> {
    const found = await this.left(place);
    const start = isWhole ? theirs : { ...withStoredKeys(found[0]?.[1].base ?? {}), ...theirs };
    const merged = found.reduce<Merged>(
      (before, [, work]) => {
        const [base, mine] = [withStoredKeys(work.base), withStoredKeys(work.values)];
        const { values, conflicts } = merge({ base, mine, theirs: before.values }, place.type, this.model);
        return { values, conflicts: [...before.conflicts, ...conflicts] };
      },
      { values: start, conflicts: [] },
    );
    const drop = async (): Promise<void> => {
      for (const [key] of found) await deleteEntry(key);
    };
    // Entries of a deleted language are new ones.
    const values = isWhole ? merged.values : withoutIds(merged.values);
    return { ...merged, base: start, values, at: found.at(-1)?.[1].at ?? null, drop };
  }

  /** Lets other forms recover the work of this one. */
  close(): void {
    openForms.delete(this.form);
  }
}
