/** Text format of parameters. */

/** Faster than a regular expression for the many quotes of JSON. */
const escaped = (text: string, character: string): string =>
  text.includes(character) ? text.split(character).join(`\\${character}`) : text;

const itemText = (item: unknown): string => {
  const text = textOf(item);
  return text === null ? 'NULL' : `"${escaped(escaped(text, '\\'), '"')}"`;
};

/** Returns a value in PostgreSQL's text format; null for null. Throws for unsupported types. */
export function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value);
  if (Array.isArray(value)) return `{${value.map(itemText).join()}}`;
  throw new TypeError(`A ${typeof value} cannot be sent to the database`);
}
