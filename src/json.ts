/** Values as JSON and query strings have them, before anybody knows what they mean. */

/** A plain nested object, as opposed to a list, a date or a single value. */
export const isObject = <T>(value: T): value is T & Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

/** Values that a single-value place accepts. */
export const isSingle = (value: unknown): value is string | number | boolean | null | Date =>
  value !== undefined && (typeof value !== 'object' || value === null || value instanceof Date);
