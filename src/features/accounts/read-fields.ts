/** Checks the flat request bodies of the account routes. */
import { type Issue, issuesError } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json.js';
import { isEmailAddress, MAX_PASSWORD_BYTES } from '../../content/model/cast-value.js';

export type FieldRule = 'text' | 'email' | 'password';

const RULES: Readonly<Record<FieldRule, (key: string, value: string) => string | null>> = {
  text: () => null,
  email: (key, value) => (isEmailAddress(value) ? null : `${key} must be a valid email`),
  password: (key, value) => {
    if (!value.isWellFormed()) return `${key} must not contain NUL characters or broken surrogates`;
    return Buffer.byteLength(value) <= MAX_PASSWORD_BYTES
      ? null
      : `${key === 'password' ? 'Password' : key} must be less than ${MAX_PASSWORD_BYTES + 1} bytes`;
  },
};

/** Returns an unchecked field of a body, for rate limits. */
export const fieldIn = (body: unknown, key: string): unknown => (isObject(body) ? body[key] : undefined);

/**
 * Returns the fields of a body, all of them non-empty strings, so that no object reaches a lookup. Throws a
 * ValidationError that names every field that is missing, of another type or an invalid e-mail.
 */
export function readFields<K extends string>(
  body: unknown,
  fields: Readonly<Record<K, FieldRule>>,
): Readonly<Record<K, string>> {
  const input = isObject(body) ? body : {};
  const issues: Issue[] = [];
  const read = Object.entries<FieldRule>(fields).map(([key, rule]): [string, string] => {
    const value = Object.hasOwn(input, key) ? input[key] : undefined;
    const message = problem(key, value, rule);
    if (message !== null) issues.push({ path: [key], message, name: 'ValidationError' });
    return [key, typeof value === 'string' ? value : ''];
  });
  if (issues.length > 0) throw issuesError(issues);
  return Object.fromEntries(read) as Readonly<Record<K, string>>;
}

function problem(key: string, value: unknown, rule: FieldRule): string | null {
  if (value === undefined || value === null || value === '') return `${key} is a required field`;
  // The message omits the value, which may be a password in the wrong field.
  if (typeof value !== 'string') return `${key} must be a \`string\` type`;
  if (value.includes('\u0000')) return `${key} must not contain NUL characters`;
  return RULES[rule](key, value);
}
