/** Checks of a value while the editor types. The server checks again, and has the last word. */
import type { Attribute } from '../model/model.ts';
import type { Texts } from '../texts/en.ts';

/** Number of characters as the server counts: a pair of surrogates is one, a sign of variation is none. */
export const lengthOf = (text: string): number => [...text.replaceAll(/[\uFE0E\uFE0F]/g, '')].length;

/** Returns what is wrong with a value, or null. An empty value is never wrong in a draft. */
export function problemOf(attribute: Attribute, value: unknown, texts: Texts): string | null {
  if (value === null || value === undefined || value === '') return null;
  if (typeof value === 'string')
    return textProblem(attribute, value, texts) ?? rangeProblem(attribute, value, texts);
  if (typeof value === 'number') return rangeProblem(attribute, value, texts);
  return null;
}

function textProblem(
  { type, maxLength, minLength, regex }: Attribute,
  value: string,
  texts: Texts,
): string | null {
  if (maxLength !== undefined && value.length > maxLength && lengthOf(value) > maxLength)
    return texts.tooLong(maxLength);
  if (minLength !== undefined && lengthOf(value) < minLength) return texts.tooShort(minLength);
  if (type === 'email' && !/^[^\s@]+@[^\s@]+$/.test(value)) return texts.reasons.email;
  if (regex === undefined) return null;
  try {
    return new RegExp(regex, 'u').test(value) ? null : texts.noPattern;
  } catch {
    return null;
  }
}

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** Whether a text is a number as editors write it. `Number` would also read other notations, such as 0x1F. */
export const isNumber = (text: string): boolean => DECIMAL.test(text) && Number.isFinite(Number(text));

const NUMBERS = ['integer', 'biginteger', 'float', 'decimal'];

function rangeProblem({ type, min, max }: Attribute, value: string | number, texts: Texts): string | null {
  if (!NUMBERS.includes(type)) return null;
  const isWhole = type.endsWith('integer');
  if (!isNumber(String(value)))
    return !isWhole && isNumber(String(value).replace(',', '.')) ? texts.noComma : texts.noNumber;
  const number = Number(value);
  if (isWhole && !Number.isInteger(number)) return texts.noWhole;
  if (min !== undefined && number < Number(min)) return texts.tooSmall(String(min));
  if (max !== undefined && number > Number(max)) return texts.tooLarge(String(max));
  return null;
}

/** Digits of a decimal number without zeros at its ends, and its exponent: equal for equal numbers. */
function digitsOf(text: string): string {
  const [, whole = '', fraction = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  return kept === '' ? '' : `${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`;
}

/** Whether JSON has a number that would be stored with other digits: numbers have about 16 of them. */
export const losesDigits = (json: string): boolean =>
  (json.replaceAll(/"(?:\\.|[^"\\])*"/g, '').match(/-?\d[\d.eE+-]*/g) ?? []).some(
    (text) => digitsOf(text) !== '' && digitsOf(String(Number(text))) !== digitsOf(text),
  );
