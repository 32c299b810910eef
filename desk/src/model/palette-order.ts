/** Order of the entries that the palette shows for some letters. */

export interface Entry {
  readonly path: string;
  readonly label: string;
  readonly hint: string;
}

/** Few enough for a list that scrolls with its dialog only. */
const MAX_ENTRIES = 12;
/** Letters from which documents are searched. */
export const MIN_LETTERS = 2;

/** Types that are searched at the same time. */
const AT_ONCE = 8;

/**
 * Searches types until the palette is full. A type that refuses keeps no other from its documents: throws the
 * error of one only if all refuse.
 */
export async function searchAll<T>(
  types: readonly T[],
  search: (type: T) => Promise<readonly Entry[]>,
): Promise<readonly Entry[]> {
  const found: Entry[] = [];
  const errors: unknown[] = [];
  for (let at = 0; at < types.length && found.length < MAX_ENTRIES; at += AT_ONCE)
    for (const result of await Promise.allSettled(types.slice(at, at + AT_ONCE).map(search)))
      if (result.status === 'fulfilled') found.push(...result.value);
      else errors.push(result.reason);
  if (errors.length > 0 && errors.length === types.length) throw errors[0];
  return found;
}

/** Whether a word of the label begins with the letters. */
const beginsWord = ({ label }: Entry, letters: string): boolean =>
  ` ${label.toLowerCase()}`.includes(` ${letters}`);

interface Found {
  /** Fields of the open form. */
  readonly fields: readonly Entry[];
  /** Screens and actions that the editor may open. */
  readonly screens: readonly Entry[];
  /** Documents that the server has found, best first. */
  readonly documents: readonly Entry[];
}

/**
 * Returns fields and screens with a word that begins with the letters, then documents, then others with them.
 * Fields need letters.
 */
export function entriesFor(search: string, { fields, screens, documents }: Found): readonly Entry[] {
  const letters = search.trim().toLowerCase();
  const all = letters === '' ? screens : [...fields, ...screens];
  const found = all.filter(({ label }) => label.toLowerCase().includes(letters));
  const named = found.filter((one) => beginsWord(one, letters));
  // Letters inside a word are rarely meant.
  const others = found.filter((one) => !named.includes(one));
  const searched = letters.length < MIN_LETTERS ? [] : documents;
  return [...named, ...searched, ...others].slice(0, MAX_ENTRIES);
}
