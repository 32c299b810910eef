import { invalidKey, type Issue, issuesError } from '../../kernel/errors.js';
import { toDatetime } from '../model/formats.js';
import { type ScheduledAction, SCHEDULED_ACTIONS, TIME_OF } from '../model/schedule.js';
import { dataOf } from './read-body.js';

export type GivenTimes = ReadonlyMap<ScheduledAction, string | null>;

const UTC = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?Z$/;

/** Returns a time in UTC as it is stored; undefined for another value. */
export function instantOf(value: unknown): string | null | undefined {
  if (value === null) return null;
  try {
    return value instanceof Date || (typeof value === 'string' && UTC.test(value))
      ? toDatetime(value)
      : undefined;
  } catch {
    return undefined;
  }
}

const refusedTime = (key: string, value: unknown): Issue => ({
  path: [key],
  message: `${key} must be a time in UTC, such as 2026-11-20T09:30:00Z, or null`,
  name: 'ValidationError',
  value,
});

/**
 * Parses `{ data: { publishAt, unpublishAt } }`: an omitted time stays, null clears it (D4). Throws a 400 for
 * other keys, and a 400 that lists all invalid times.
 */
export function planTimes(body: unknown): GivenTimes {
  const data = dataOf(body);
  const times = new Map<ScheduledAction, string | null>();
  const issues: Issue[] = [];
  for (const [key, value] of Object.entries(data)) {
    const action = SCHEDULED_ACTIONS.find((one) => TIME_OF[one] === key);
    if (action === undefined) throw invalidKey(key, { at: '', path: null }, { source: 'body' });
    if (value === undefined) continue;
    const instant = instantOf(value);
    if (instant === undefined) issues.push(refusedTime(key, value));
    else times.set(action, instant);
  }
  if (issues.length > 0) throw issuesError(issues);
  return times;
}
