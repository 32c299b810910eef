/** Times of retries. */
const [MINUTE, HOUR] = [60, 3600];

/** Seconds before each retry; after the last one, an event is given up. */
export const RETRIES: readonly number[] = [
  5,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  10 * HOUR,
];

/** Greatest wait that a `Retry-After` header can ask for, in seconds. */
const LONGEST = 24 * HOUR;

/**
 * Returns the seconds before the next attempt, or null if there is none. `attempts` counts those made. Adds
 * up to 10 % at random, so that the events of a recovered endpoint do not all come at once. `atLeast` is the
 * wish of the endpoint.
 */
export function retryAfter(attempts: number, atLeast: number | null, random = Math.random()): number | null {
  const seconds = RETRIES[attempts - 1];
  if (seconds === undefined) return null;
  return Math.max(seconds * (1 + random / 10), Math.min(atLeast ?? 0, LONGEST));
}
