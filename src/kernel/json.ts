/** Type guards for JSON and query string values. */

export const isObject = <T>(value: T): value is T & Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

export const isSingle = (value: unknown): value is string | number | boolean | null | Date =>
  value !== undefined && (typeof value !== 'object' || value === null || value instanceof Date);

/** Type guard for untrusted values. */
export type Test<T> = (value: unknown) => value is T;

export const isText: Test<string> = (value) => typeof value === 'string';

export const isFilledText = (value: unknown): value is string => isText(value) && value !== '';

export const isOptional =
  <T>(isOne: Test<T>): Test<T | undefined> =>
  (value): value is T | undefined =>
    value === undefined || isOne(value);

/** Whether a value is a safe integer of at least 0. */
export const isCount: Test<number> = (value): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0;

export const isNullOr =
  <T>(isOne: Test<T>): Test<T | null> =>
  (value): value is T | null =>
    value === null || isOne(value);

export const isFlag: Test<boolean> = (value) => typeof value === 'boolean';

/** Parses a JSON text of the database; null for null. */
export const parsedOrNull = (text: unknown): unknown => (isText(text) ? JSON.parse(text) : null);

/** Returns the keys of a frozen table, whose type has no other keys. */
export const keysOf = <K extends string>(table: Readonly<Record<K, unknown>>): readonly K[] =>
  Object.keys(table) as K[];

/** Returns a record's own property by a name of the model. A type may be named `constructor`. */
export const ownValue = <T>(record: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;

/** Returns the value if it passes the test. Throws an Error that names it otherwise. */
export function checkedAs<T>(value: unknown, isOne: Test<T>, what: string): T {
  if (!isOne(value)) throw new Error(`${what} does not have the expected form`);
  return value;
}

export const isListOf =
  <T>(isOne: Test<T>): Test<readonly T[]> =>
  (value): value is readonly T[] =>
    Array.isArray(value) && value.every(isOne);

export const isRecordOf =
  <T>(isOne: Test<T>): Test<Readonly<Record<string, T>>> =>
  (value): value is Readonly<Record<string, T>> =>
    isObject(value) && Object.values(value).every(isOne);

export type Tests<T> = { readonly [K in keyof T]-?: Test<T[K]> };

export const isShape =
  <T extends object>(members: Tests<T>): Test<T> =>
  (value): value is T =>
    isObject(value) && Object.entries<Test<unknown>>(members).every(([name, isOne]) => isOne(value[name]));

/** Returns the defaults with the given members over them. An undefined member keeps its default. */
export const withDefaults = <T extends object>(defaults: T, given: Partial<T> = {}): T => ({
  ...defaults,
  ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
});
