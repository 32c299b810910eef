/** Conditions and ranges of requests for bytes that never change (RFC 9110). */
import type { ByteRange, KeptBytes } from '../files/file-storage.js';

/** The part of a request's headers that decides. */
type ConditionalHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** What of some bytes is sent, and with which status. */
export interface Part {
  readonly status: 200 | 206 | 304 | 416;
  /** Null for all of them, or for none where the status says so. */
  readonly range: ByteRange | null;
}

const ALL: Part = { status: 200, range: null };
const NONE: Part = { status: 304, range: null };
const OUTSIDE: Part = { status: 416, range: null };

const RANGE = /^bytes=(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))$/;

const textOf = (value: string | string[] | undefined): string => (typeof value === 'string' ? value : '');

/** Seconds since 1970, as dates in headers have them. */
const secondsOf = (date: Date): number => Math.floor(date.getTime() / 1000);

const isTagged = (list: string, tag: string): boolean =>
  list.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === tag);

function isUnchanged(headers: ConditionalHeaders, tag: string, modified: Date): boolean {
  const tags = textOf(headers['if-none-match']);
  if (tags !== '') return isTagged(tags, tag);
  const since = Date.parse(textOf(headers['if-modified-since']));
  return !Number.isNaN(since) && secondsOf(modified) <= since / 1000;
}

/** Whether the client's part is of these bytes. */
function isOfThese(headers: ConditionalHeaders, tag: string, modified: Date): boolean {
  const condition = textOf(headers['if-range']);
  if (condition === '') return true;
  return condition.startsWith('"') ? condition === tag : secondsOf(modified) * 1000 === Date.parse(condition);
}

function rangeOf(header: string, size: number): ByteRange | 'all' | 'outside' {
  const [matched, first, last, suffix] = RANGE.exec(header) ?? [];
  // Several ranges, and units of other kinds, may be answered with everything.
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

/** A request for bytes, as far as it decides what of them is sent. */
export interface BytesRequest {
  readonly method: string;
  readonly headers: ConditionalHeaders;
}

/**
 * Which part of the bytes a request wants; `tag` is their entity tag, with its quotes. Ranges are for GET
 * alone (RFC 9110 14.2).
 */
export function partOf({ method, headers }: BytesRequest, { size, modified }: KeptBytes, tag: string): Part {
  if (isUnchanged(headers, tag, modified)) return NONE;
  const header = method === 'GET' ? textOf(headers['range']) : '';
  if (header === '' || !isOfThese(headers, tag, modified)) return ALL;
  const range = rangeOf(header, size);
  if (range === 'outside') return OUTSIDE;
  return range === 'all' ? ALL : { status: 206, range };
}
