/** Times in inputs of the browser, which are local and without a zone. */

/** Name of the zone of these times, such as `Europe/Berlin`. */
export const localZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

const pad = (number: number, length = 2): string => String(number).padStart(length, '0');

/** Returns the time of a value, which a `timestamp` has in milliseconds; an invalid one for none. */
export const instantOf = (time: string | null): Date =>
  new Date(time !== null && /^-?\d+$/.test(time) ? Number(time) : (time ?? Number.NaN));

/** Returns a time as an input of the browser names it; empty for none. */
export function inputOf(time: string | null, precision: 'minutes' | 'seconds' = 'minutes'): string {
  const at = instantOf(time);
  if (Number.isNaN(at.getTime())) return '';
  const day = `${pad(at.getFullYear(), 4)}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`;
  const minutes = `${day}T${pad(at.getHours())}:${pad(at.getMinutes())}`;
  return precision === 'minutes' ? minutes : `${minutes}:${pad(at.getSeconds())}`;
}

/** Returns the start of a day, such as `2026-11-26`, in UTC. `after` is a number of days to add. */
export function startOfDay(day: string, after = 0): string {
  const at = new Date(`${day}T00:00`);
  at.setDate(at.getDate() + after);
  // A day starts at one if the clocks change at midnight.
  at.setHours(0, 0, 0, 0);
  return at.toISOString();
}

export const isValidTime = (text: string): boolean => !Number.isNaN(Date.parse(text));

/**
 * Returns the time of an input in UTC; null for an empty one. In an hour that the zone has twice, the offset
 * of the former time stays.
 */
export function timeOf(input: string, before: string | null = null): string | null {
  if (input === '') return null;
  const at = new Date(input);
  const offset = instantOf(before).getTimezoneOffset();
  const kept = new Date(at.getTime() + (offset - at.getTimezoneOffset()) * 60_000);
  return (kept.getTimezoneOffset() === offset ? kept : at).toISOString();
}
