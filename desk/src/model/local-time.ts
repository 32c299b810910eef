/** Times in inputs of the browser, which are local and without a zone. */

/** Returns a time as an input of the browser names it; empty for none. */
export function inputOf(time: string | null): string {
  if (time === null) return '';
  const at = new Date(time);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export const isValidTime = (text: string): boolean => !Number.isNaN(Date.parse(text));

/** Returns the time of an input in UTC; null for an empty one. */
export const timeOf = (input: string): string | null => (input === '' ? null : new Date(input).toISOString());
