/**
 * Unsaved work in the browser's database, so that it outlives a crash, a closed tab, a deploy and the end of
 * a session. Each form has an entry of its own; work of forms that are gone is recovered.
 */
import { createStore, del, entries, set } from 'idb-keyval';
import { merge, type Merged } from '../form/merge.ts';
import type { Values } from '../form/values.ts';
import { settings } from '../settings.ts';

/** Document that the work belongs to. */
export interface Subject {
  readonly user: string;
  readonly type: string;
  /** `new` for a document that is not stored. */
  readonly documentId: string;
  readonly locale: string;
}

export interface UnsavedWork {
  readonly base: Values;
  readonly values: Values;
  /** Time of the last change in milliseconds since 1970. */
  readonly at: number;
}

interface Stored extends UnsavedWork {
  /** Tab and form that the work is from. */
  readonly tab: string;
  readonly form: string;
}

const store = createStore(`content-desk ${settings.base}`, 'unsaved');
const TAB = crypto.randomUUID();
const LOCK = 'content-desk tab ';

// Held as long as the tab exists: other tabs see that its work is not to be recovered.
const held = new Promise<void>((resolve) => {
  void navigator.locks.request(LOCK + TAB, () => {
    resolve();
    return new Promise(() => undefined);
  });
});

const keyOf = ({ user, type, documentId, locale }: Subject, form: string): string =>
  [user, type, documentId, locale, form].join(' ');

/** Forms of this tab that are open. */
const open = new Set<string>();

/** Unsaved work of one form. */
export class UnsavedForm {
  private readonly form = crypto.randomUUID();

  constructor() {
    open.add(this.form);
  }

  async keep(subject: Subject, work: UnsavedWork): Promise<void> {
    await held;
    await set(keyOf(subject, this.form), { ...work, tab: TAB, form: this.form } satisfies Stored, store);
  }

  drop(subject: Subject): Promise<void> {
    return del(keyOf(subject, this.form), store);
  }

  /** The form is closed: another one may recover its work. */
  close(): void {
    open.delete(this.form);
  }
}

/** Unsaved work of forms that are gone, oldest first, with a function that deletes it. */
export async function findUnsaved(
  subject: Subject,
): Promise<{ readonly works: readonly UnsavedWork[]; readonly drop: () => Promise<void> }> {
  const { held: locks = [] } = await navigator.locks.query();
  const alive = new Set(locks.map(({ name }) => name));
  const isOpen = ({ tab, form }: Stored): boolean => (tab === TAB ? open.has(form) : alive.has(LOCK + tab));
  const found = (await entries<string, Stored>(store)).filter(
    ([key, work]) => key === keyOf(subject, work.form) && !isOpen(work),
  );
  return {
    works: found.map(([, work]) => work).sort((one, other) => one.at - other.at),
    drop: async () => {
      for (const [key] of found) await del(key, store);
    },
  };
}

/** Applies the works one after the other to what is stored. */
export function mergeWorks(works: readonly UnsavedWork[], theirs: Values): Merged {
  return works.reduce<Merged>(
    ({ values, conflicts }, { base, values: mine }) => {
      const merged = merge({ base, mine, theirs: values });
      return { values: merged.values, conflicts: [...conflicts, ...merged.conflicts] };
    },
    { values: theirs, conflicts: [] },
  );
}
