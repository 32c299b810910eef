/** Times in inputs of the browser, which are local and without a zone. */

/** Name of the zone of these times, such as `Europe/Berlin`. */
export const localZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Returns a time as an input of the browser names it; empty for none. */
export function inputOf(time: string | null): string {
  if (time === null) return '';
  const at = new Date(time);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Returns the start of a day, such as `2026-11-26`, in UTC. `after` is a number of days to add. */
export function startOfDay(day: string, after = 0): string {
  const at = new Date(`${day}T00:00`);
  at.setDate(at.getDate() + after);
  return at.toISOString();
}

export const isValidTime = (text: string): boolean => !Number.isNaN(Date.parse(text));

/** Returns the time of an input in UTC; null for an empty one. */
export const timeOf = (input: string): string | null => (input === '' ? null : new Date(input).toISOString());
