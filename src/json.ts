/** Values as JSON and query strings have them, before anybody knows what they mean. */

/** A plain nested object, as opposed to a list, a date or a single value. */
export const isObject = <T>(value: T): value is T & Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

/** Values that a single-value place accepts. */
export const isSingle = (value: unknown): value is string | number | boolean | null | Date =>
  value !== undefined && (typeof value !== 'object' || value === null || value instanceof Date);

/** Says whether a value that comes from elsewhere is what it should be. */
export type Test<T> = (value: unknown) => value is T;

export const isText: Test<string> = (value) => typeof value === 'string';

/** Whether a value is a whole number, 0 or more, that is exact. */
export const isCount: Test<number> = (value): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0;

/** Whether a value is null, or such a value. */
export const isNullOr =
  <T>(isOne: Test<T>): Test<T | null> =>
  (value): value is T | null =>
    value === null || isOne(value);

export const isFlag: Test<boolean> = (value) => typeof value === 'boolean';

/** A value that is what it should be. Throws an Error with what it should have been. */
export function checkedAs<T>(value: unknown, isOne: Test<T>, what: string): T {
  if (!isOne(value)) throw new Error(`${what} is not what it should be`);
  return value;
}

/** Whether a value is a list of such values. */
export const isListOf =
  <T>(isOne: Test<T>): Test<readonly T[]> =>
  (value): value is readonly T[] =>
    Array.isArray(value) && value.every(isOne);

/** Whether a value is an object all of whose members are such values. */
export const isRecordOf =
  <T>(isOne: Test<T>): Test<Readonly<Record<string, T>>> =>
  (value): value is Readonly<Record<string, T>> =>
    isObject(value) && Object.values(value).every(isOne);

/** What the members of an object have to be. */
export type Tests<T> = { readonly [K in keyof T]-?: Test<T[K]> };

/** Whether a value is an object that has these members; it may have others. */
export const isShape =
  <T extends object>(members: Tests<T>): Test<T> =>
  (value): value is T =>
    isObject(value) && Object.entries<Test<unknown>>(members).every(([name, isOne]) => isOne(value[name]));
