/** Waits for what other processes, timers and background work bring about. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between two looks. */
const INTERVAL = 20;

/**
 * Looks until `isExpected` returns true for what it sees, or the time is over. Returns what it saw last, so that
 * the caller's assertion shows it.
 */
export async function lookUntil<T>(
  look: () => T | Promise<T>,
  isExpected: (seen: T) => boolean,
  milliseconds = 60_000,
): Promise<T> {
  const end = performance.now() + milliseconds;
  for (;;) {
    const seen = await look();
    if (isExpected(seen) || performance.now() > end) return seen;
    await sleep(INTERVAL);
  }
}
