/** Entries of unsaved work: in the database of the browser, or in its storage if the database fails. */
import { createStore, del, entries, set } from 'idb-keyval';
import type { Values } from '../form/values.ts';
import { settings } from '../settings.ts';
import type { Pending } from './requests.ts';

export interface Stored {
  readonly base: Values;
  readonly values: Values;
  /** Time of the last change in milliseconds since 1970. */
  readonly at: number;
  readonly tab: string;
  readonly form: string;
  readonly pending?: Pending | null;
}

const store = createStore(`content-desk ${settings.base}`, 'unsaved');

/** Prefix of entries in the storage. They are newer than those of the database. */
const LAST = `content-desk ${settings.base} unsaved `;

/** Milliseconds until the database counts as one that does not respond. */
const LIMIT = 3000;

/** The present limit: requests after one without a response do not wait. */
let limit = LIMIT;

/** Waits for a response of the database. Throws an Error if it fails or takes too long; it may come later. */
async function within<T>(ask: () => Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const response = ask().finally(() => {
    clearTimeout(timer);
    limit = LIMIT;
  });
  const end = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      limit = 0;
      reject(new Error('The database does not respond'));
    }, limit);
  });
  return Promise.race([response, end]);
}

/** Returns all entries; without the database, those of the storage. */
export async function allEntries(): Promise<readonly (readonly [key: string, entry: Stored])[]> {
  const kept = await within(() => entries<string, Stored>(store)).catch(() => []);
  const last = Object.entries(localStorage as Readonly<Record<string, string>>)
    .filter(([key]) => key.startsWith(LAST))
    .map(([key, text]) => [key.slice(LAST.length), JSON.parse(text) as Stored] as const);
  return [...kept, ...last];
}

/** Writes an entry. Returns whether the database has it. */
export async function writeEntry(key: string, entry: Stored): Promise<boolean> {
  try {
    await within(() => set(key, entry, store));
    return true;
  } catch {
    writeAtOnce(key, entry);
    return false;
  }
}

/** Writes an entry at once, when the page goes: the database would not finish. */
export function writeAtOnce(key: string, entry: Stored): void {
  try {
    localStorage.setItem(LAST + key, JSON.stringify(entry));
  } catch {
    // The storage is full. The database has the work of a moment ago.
  }
}

export const forgetLast = (key: string): void => localStorage.removeItem(LAST + key);

/** Deletes an entry. Without the database, it has none. */
export async function deleteEntry(key: string): Promise<void> {
  forgetLast(key);
  await within(() => del(key, store)).catch(() => undefined);
}
