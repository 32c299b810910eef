/** Tables of options with their valid values, and the check of given options against a table. */
import { isFilledText, isListOf, isObject } from '../../kernel/json.js';
import { ContentModelError } from './content-model-error.js';
import { among } from './suggest.js';

/** One option. An object is checked by the table `inside` if there is one. */
export interface Option {
  readonly expected: string;
  readonly admits: (value: unknown) => boolean;
  readonly isRequired?: boolean;
  readonly inside?: Options;
}

export type Options = Readonly<Record<string, Option>>;

/** Table of the options of `T`; the compiler reports missing and unknown ones. */
export type OptionsOf<T> = { readonly [K in keyof T]-?: Option };

export const option = (expected: string, admits: Option['admits']): Option => ({ expected, admits });
export const required = (one: Option): Option => ({ ...one, isRequired: true });

export const FLAG = option('true or false', (value) => typeof value === 'boolean');
export const TEXT = option('a non-empty string', isFilledText);
export const FUNCTION = option('a function', (value) => typeof value === 'function');
export const TEXTS = option('a list of non-empty strings', isListOf(isFilledText));

/** Returns an http(s) URL without a user name; null for other values. */
export function webUrl(value: unknown): URL | null {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  return url !== null && ['http:', 'https:'].includes(url.protocol) && url.username === '' ? url : null;
}

/** Address in links of mails, which must be complete. */
export const WEB_URL = option(
  'an http(s) URL, such as "https://www.example.org/page"',
  (value) => webUrl(value) !== null,
);

const isWithin = (value: unknown, least: number, most: number): boolean =>
  Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;
export const integer = (least: number, most: number): Option =>
  option(`an integer from ${least} to ${most}`, (value) => isWithin(value, least, most));
export const whole = (least: number): Option =>
  option(`a whole number, ${least} or more`, (value) => isWithin(value, least, Infinity));

/** Object with a method, such as a storage. */
export const objectWith = (method: string): Option =>
  option(
    `an object with a method "${method}"`,
    (value) => isObject(value) && typeof value[method] === 'function',
  );

/** Object with a table of options. */
export const group = <T>(
  inside: OptionsOf<T>,
  expected = `an object with ${Object.keys(inside)
    .join(', ')
    .replace(/, (\w+)$/, ' and $1')}`,
): Option => ({ ...option(expected, isObject), inside });

/** A boolean or an object with a table of options. */
export const orFlag = (flags: readonly boolean[], one: Option): Option => ({
  ...one,
  expected: `${flags.join(', ')} or ${one.expected}`,
  admits: (value) => flags.some((flag) => flag === value) || one.admits(value),
});

function mistakesIn(given: Readonly<Record<string, unknown>>, table: Options, at: string): string[] {
  const names = Object.keys(table);
  const unknown = Object.keys(given).filter((name) => given[name] !== undefined && !names.includes(name));
  const where = at === '' ? '' : `${at}: `;
  return [
    ...unknown.map((name) => `${where}unknown option "${name}"${among(name, names)}`),
    ...Object.entries(table).flatMap(([name, { inside, admits, expected, isRequired = false }]) => {
      const path = at === '' ? name : `${at}.${name}`;
      const value = given[name];
      if (value === undefined && !isRequired) return [];
      if (inside !== undefined && isObject(value)) return mistakesIn(value, inside, path);
      return admits(value) ? [] : [`${path} must be ${expected}`];
    }),
  ];
}

/** Returns a message for each unknown option and each invalid value. */
export const optionMistakes = (given: unknown, table: Options): string[] =>
  isObject(given) ? mistakesIn(given, table, '') : ['options must be an object'];

/** Throws a ContentModelError that lists every mistake of a module's options. */
export function checkModuleOptions(module: string, given: unknown, table: Options): void {
  const mistakes = optionMistakes(given, table).map((mistake) => `${module}: ${mistake}`);
  if (mistakes.length > 0) throw new ContentModelError(mistakes, 'options');
}
