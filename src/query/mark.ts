/** How far the database had written at some time, as clients are told it and tell it again. */
import { validationError } from '../errors.js';

declare const markBrand: unique symbol;

/** A place in the database's log, 16 hexadecimal digits: of two the later one is the greater text. */
export type Mark = string & { readonly [markBrand]: true };

/** The header of answers to writes, and of requests. */
export const MARK_HEADER = 'Content-Position';

/** Where nobody knows: later than any server has come. */
export const UNKNOWN_MARK = 'f'.repeat(16) as Mark;

const MARK = /^[0-9a-f]{16}$/;

/** The latest mark of a header; null where there is none. Throws ValidationError for what is no mark. */
export function parseMark(header: string | readonly string[] | undefined): Mark | null {
  if (header === undefined) return null;
  const marks = (typeof header === 'string' ? header : header.join(',')).split(',').map((one) => one.trim());
  if (!marks.every((one) => MARK.test(one)))
    throw validationError(`${MARK_HEADER} is none that a write was answered with`, { key: MARK_HEADER });
  return (marks.sort().at(-1) ?? UNKNOWN_MARK) as Mark;
}
