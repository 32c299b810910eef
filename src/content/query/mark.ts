/** Positions in the write-ahead log (WAL), which responses report and requests repeat. */
import { validationError } from '../../kernel/errors.js';
import { isText } from '../../kernel/json.js';

declare const markBrand: unique symbol;

/**
 * Timeline in 8 hexadecimal digits and log sequence number (LSN) in 16; or {@link PRIMARY}. Opaque to
 * clients. On one timeline, the later position is the greater text.
 */
export type Mark = string & { readonly [markBrand]: true };

export const MARK_HEADER = 'Content-Position';

/** Position that no replica reaches, so that the primary responds. */
export const PRIMARY = 'primary' as Mark;

const MARK = /^[0-9a-f]{24}$/;
/** Positions of earlier versions, which lack the timeline. */
const WITHOUT_TIMELINE = /^[0-9a-f]{16}$/;

const isMark = (value: unknown): value is Mark =>
  isText(value) && (value === PRIMARY || MARK.test(value) || WITHOUT_TIMELINE.test(value));

/** Returns the position in a column of a row; null for a server in recovery, which has none. */
export const markIn = (value: unknown): Mark | null => (isMark(value) ? value : null);

/** Converts a position other than {@link PRIMARY} to the types of PostgreSQL. */
export const placeOf = (mark: Mark): { readonly timeline: number; readonly lsn: string } => ({
  timeline: parseInt(mark.slice(0, 8), 16),
  lsn: `${mark.slice(8, 16)}/${mark.slice(16)}`,
});

/** Returns the latest position. Positions on different timelines cannot be compared: PRIMARY. */
function latestMark(marks: readonly Mark[]): Mark {
  const timelines = new Set(marks.map((mark) => (MARK.test(mark) ? mark.slice(0, 8) : null)));
  const latest = [...marks].sort().at(-1);
  return timelines.size === 1 && !timelines.has(null) && latest !== undefined ? latest : PRIMARY;
}

/** Returns the latest position in a header, null without a header. Throws ValidationError for other text. */
export function parseMark(header: string | readonly string[] | undefined): Mark | null {
  if (header === undefined) return null;
  const marks = (typeof header === 'string' ? header : header.join(',')).split(',').map((one) => one.trim());
  if (!marks.every(isMark))
    throw validationError(`${MARK_HEADER} must be a position from a response, or "${PRIMARY}"`, {
      key: MARK_HEADER,
    });
  return latestMark(marks);
}
