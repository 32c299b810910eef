/**
 * Unsaved work in the browser's database, so that it outlives a crash, a closed tab, a deploy and the end of
 * a session. Each form has entries of its own; work of forms that are gone is recovered.
 */
import { createStore, del, entries, set } from 'idb-keyval';
import { type Conflict, merge, type Merged } from '../form/merge.ts';
import { type FormStore, withValue } from '../form/store.ts';
import { type Values, withStoredKeys } from '../form/values.ts';
import type { Model } from '../model/model.ts';
import { settings } from '../settings.ts';
import type { Place } from './requests.ts';

interface Stored {
  readonly base: Values;
  readonly values: Values;
  /** Time of the last change in milliseconds since 1970. */
  readonly at: number;
  readonly tab: string;
  readonly form: string;
}

interface Recovered extends Merged {
  /** Time of the last change; null without recovered work. */
  readonly at: number | null;
  /** Deletes the entries that the work came from. */
  readonly drop: () => Promise<void>;
}

const store = createStore(`content-desk ${settings.base}`, 'unsaved');
const TAB = crypto.randomUUID();
const LOCK = 'content-desk tab ';

/** Forms of this tab, whose work is not to be recovered. */
const openForms = new Set<string>();

// Held as long as the tab exists: other tabs see that its work is not to be recovered.
const held = new Promise<void>((resolve) => {
  void navigator.locks.request(LOCK + TAB, () => {
    resolve();
    return new Promise(() => undefined);
  });
});

/** Unsaved work of one form. */
export class UnsavedWork {
  private readonly form = crypto.randomUUID();

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
  async keep(place: Place, form: FormStore, conflicts: readonly Conflict[]): Promise<void> {
    if (!form.isChanged && conflicts.length === 0) return this.drop(place);
    const { base, values } = form;
    // Conflicts that are not decided come back with the work.
    const before = conflicts.reduce((all, conflict) => withValue(all, conflict.path, conflict.base), base);
    const entry: Stored = { base: before, values, at: Date.now(), tab: TAB, form: this.form };
    await held;
    await set(this.keyOf(place, this.form), entry, store);
  }

  async drop(place: Place): Promise<void> {
    await held;
    await del(this.keyOf(place, this.form), store);
  }

  /** Applies the work of forms that are gone, oldest first, to the stored values. */
  async recover(place: Place, theirs: Values): Promise<Recovered> {
    const { held: locks = [] } = await navigator.locks.query();
    const alive = new Set(locks.map(({ name }) => name));
    const isGone = ({ tab, form }: Stored): boolean =>
      tab === TAB ? !openForms.has(form) : !alive.has(LOCK + tab);
    const found = (await entries<string, Stored>(store))
      .filter(([key, work]) => key === this.keyOf(place, work.form) && isGone(work))
      .sort(([, one], [, other]) => one.at - other.at);
    const merged = found.reduce<Merged>(
      (before, [, work]) => {
        const [base, mine] = [withStoredKeys(work.base), withStoredKeys(work.values)];
        const { values, conflicts } = merge({ base, mine, theirs: before.values }, place.type, this.model);
        return { values, conflicts: [...before.conflicts, ...conflicts] };
      },
      { values: theirs, conflicts: [] },
    );
    const drop = async (): Promise<void> => {
      for (const [key] of found) await del(key, store);
    };
    return { ...merged, at: found.at(-1)?.[1].at ?? null, drop };
  }

  /** Lets other forms recover the work of this one. */
  close(): void {
    openForms.delete(this.form);
  }
}
