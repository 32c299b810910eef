/** Lists that the browser keeps. */

/** Returns a list that was kept; null without one, or if another program has written something else there. */
export function readKept<T>(key: string): readonly T[] | null {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    return Array.isArray(kept) ? (kept as readonly T[]) : null;
  } catch {
    return null;
  }
}

export const writeKept = (key: string, list: readonly unknown[]): void =>
  localStorage.setItem(key, JSON.stringify(list));
