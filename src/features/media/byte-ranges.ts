/** Conditional and range requests for immutable bytes (RFC 9110). */
import type { ByteRange, KeptBytes } from './file-storage.js';

type ConditionalHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface Part {
  readonly status: 200 | 206 | 304 | 416;
  /** Null for the whole file, or for none with a status without a body. */
  readonly range: ByteRange | null;
}

const ALL: Part = { status: 200, range: null };
const NONE: Part = { status: 304, range: null };
const OUTSIDE: Part = { status: 416, range: null };

const RANGE = /^bytes=(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))$/;

const textOf = (value: string | string[] | undefined): string => (typeof value === 'string' ? value : '');

/** Seconds since 1970, the precision of dates in headers. */
const secondsOf = (date: Date): number => Math.floor(date.getTime() / 1000);

const isTagged = (list: string, tag: string): boolean =>
  list.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === tag);

function isUnchanged(headers: ConditionalHeaders, tag: string, modified: Date): boolean {
  const tags = textOf(headers['if-none-match']);
  if (tags !== '') return isTagged(tags, tag);
  const since = Date.parse(textOf(headers['if-modified-since']));
  return !Number.isNaN(since) && secondsOf(modified) <= since / 1000;
}

/** Whether `If-Range` matches these bytes. */
function isOfThese(headers: ConditionalHeaders, tag: string, modified: Date): boolean {
  const condition = textOf(headers['if-range']);
  if (condition === '') return true;
  return condition.startsWith('"') ? condition === tag : secondsOf(modified) * 1000 === Date.parse(condition);
}

function rangeOf(header: string, size: number): ByteRange | 'all' | 'outside' {
  const [matched, first, last, suffix] = RANGE.exec(header) ?? [];
  // RFC 9110 allows the whole file for several ranges and for other units.
  if (matched === undefined) return 'all';
  if (suffix !== undefined)
    return Number(suffix) === 0 || size === 0
      ? 'outside'
      : { start: Math.max(0, size - Number(suffix)), end: size - 1 };
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return 'all';
  return start >= size ? 'outside' : { start, end };
}

export interface BytesRequest {
  readonly method: string;
  readonly headers: ConditionalHeaders;
}

/**
 * Returns the part of the bytes that a request selects; `tag` is their ETag with its quotes. Only GET has
 * ranges (RFC 9110 14.2).
 */
export function partOf({ method, headers }: BytesRequest, { size, modified }: KeptBytes, tag: string): Part {
  if (isUnchanged(headers, tag, modified)) return NONE;
  const header = method === 'GET' ? textOf(headers['range']) : '';
  if (header === '' || !isOfThese(headers, tag, modified)) return ALL;
  const range = rangeOf(header, size);
  if (range === 'outside') return OUTSIDE;
  return range === 'all' ? ALL : { status: 206, range };
}
