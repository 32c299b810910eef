/**
 * Unsaved work in the browser's database, so that it outlives a crash, a closed tab, a deploy and the end of
 * a session. Each tab has entries of its own; work of tabs that are gone is recovered.
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
  readonly tab: string;
  readonly subject: Subject;
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

const keyOf = ({ user, type, documentId, locale }: Subject, tab: string): string =>
  [user, type, documentId, locale, tab].join(' ');

export async function keepUnsaved(subject: Subject, work: UnsavedWork): Promise<void> {
  await held;
  await set(keyOf(subject, TAB), { ...work, tab: TAB, subject } satisfies Stored, store);
}

export const dropUnsaved = (subject: Subject): Promise<void> => del(keyOf(subject, TAB), store);

/** Unsaved work of tabs that are gone, oldest first, with a function that deletes it. */
export async function findUnsaved(
  subject: Subject,
): Promise<{ readonly works: readonly UnsavedWork[]; readonly drop: () => Promise<void> }> {
  const { held: locks = [] } = await navigator.locks.query();
  const alive = new Set(locks.map(({ name }) => name));
  const found = (await entries<string, Stored>(store)).filter(
    ([key, { tab }]) => key === keyOf(subject, tab) && !alive.has(LOCK + tab),
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
