/** Returns a value that earlier checks guarantee. Throws an Error that names it if it is absent. */
export function present<T>(value: T, what: string): NonNullable<T> {
  if (value === undefined || value === null) throw new Error(`${what} is missing`);
  return value;
}
