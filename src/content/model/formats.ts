/** Formats of dates, times and booleans (protocol 5.28, 5.29, 14.10–14.13). */
import { validationError } from '../../kernel/errors.js';

const DATE = /^(\d{4})-(\d{2})-(\d{2})(?:$|[T ](?:[01]\d|2[0-3]):[0-5]\d)/;
const TIME = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,3}))?)?$/;
const CLOCK = /(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?/;
const ZONE = /Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?/;
/** A day, with or without a time, or a month or a year, which mean their first instant. */
const ISO = new RegExp(
  `^(\\d{4})(?:-(\\d{2})(?:-(\\d{2})(?:[T ](${CLOCK.source})(${ZONE.source})?)?)?)?$`,
  'i',
);
/** Milliseconds of the last instant below have 15 digits. */
const EPOCH = /^-?\d{1,15}$/;

/** First and last instant that PostgreSQL and JavaScript both print with a four-digit year. */
const FIRST_INSTANT = Date.UTC(1, 0, 1) - (Date.UTC(1, 0, 1) - new Date('0001-01-01T00:00:00Z').getTime());
const LAST_INSTANT = new Date('9999-12-31T23:59:59.999Z').getTime();

function realDay(year: string, month: string, day: string): boolean {
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  return year !== '0000' && !Number.isNaN(date.getTime()) && date.getUTCDate() === Number(day);
}

const BOOLEANS = new Map([
  ['true', true],
  ['t', true],
  ['1', true],
  ['false', false],
  ['f', false],
  ['0', false],
]);

/** Converts a boolean of a query string, in any letter case (protocol D32); undefined for other values. */
export function toBoolean(raw: unknown): boolean | undefined {
  if (typeof raw === 'boolean') return raw;
  return typeof raw === 'string' || typeof raw === 'number'
    ? BOOLEANS.get(String(raw).toLowerCase())
    : undefined;
}

/**
 * Converts a boolean of a body, which allows fewer spellings: `true` and `false` in any letter case, `0` and
 * `1`. Undefined for other values.
 */
export const exactBoolean = (value: unknown): boolean | undefined =>
  typeof value === 'string' && !/^(?:true|false|[01])$/i.test(value) ? undefined : toBoolean(value);

/** Returns `yyyy-MM-dd` from a date, or from the date part of an ISO date-time. */
export function toDate(raw: unknown): string {
  const match = typeof raw === 'string' ? DATE.exec(raw) : null;
  if (match === null) throw validationError('Invalid format, expected yyyy-MM-dd');
  const [, year = '', month = '', day = ''] = match;
  if (!realDay(year, month, day)) throw validationError('Invalid date');
  return `${year}-${month}-${day}`;
}

/** Returns `HH:mm:ss`, with `.SSS` only if the milliseconds are not zero. */
export function toTime(raw: unknown): string {
  if (typeof raw !== 'string') throw validationError(`Expected a string, got a ${typeof raw}`);
  const match = TIME.exec(raw);
  if (match === null) throw validationError('Invalid time format, expected HH:mm:ss.SSS');
  const [, hours = '', minutes = '', seconds = '00', fraction = ''] = match;
  const milliseconds = fraction.padEnd(3, '0');
  return `${hours}:${minutes}:${seconds}${milliseconds === '000' ? '' : `.${milliseconds}`}`;
}

/** Returns an offset with minutes, which `Date` needs: `+02` is `+02:00`. */
function fullZone(zone: string): string {
  const [, hours, minutes = '00'] = /^([+-]\d{2}):?(\d{2})?$/.exec(zone) ?? [];
  return hours === undefined ? 'Z' : `${hours}:${minutes}`;
}

/** A date-time without a zone is UTC, never in the zone of the server. */
function toInstant(raw: unknown): number {
  if (raw instanceof Date) return raw.getTime();
  if (typeof raw === 'number') return Number.isInteger(raw) ? raw : Number.NaN;
  if (typeof raw !== 'string') return Number.NaN;
  // Four digits are a year, not milliseconds.
  if (EPOCH.test(raw) && raw.length !== 4) return Number(raw);
  const match = ISO.exec(raw);
  if (match === null) return Number.NaN;
  const [, year = '', month = '01', day = '01', clock = '00:00', zone = 'Z'] = match;
  if (!realDay(year, month, day)) return Number.NaN;
  return new Date(`${year}-${month}-${day}T${clock.replace(',', '.')}${fullZone(zone)}`).getTime();
}

/** Returns ISO 8601 in UTC with milliseconds, from an ISO date, a date-time or epoch milliseconds. */
export function toDatetime(raw: unknown): string {
  const instant = toInstant(raw);
  if (!(instant >= FIRST_INSTANT && instant <= LAST_INSTANT)) {
    throw validationError('Invalid format, expected a timestamp or an ISO date');
  }
  return new Date(instant).toISOString();
}

export const toTimestamp = (raw: unknown): string =>
  String(new Date(toDatetime(typeof raw === 'string' && EPOCH.test(raw) ? Number(raw) : raw)).getTime());
