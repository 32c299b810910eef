import { request } from '../api/http.ts';
import { inputOf, timeOf } from '../model/local-time.ts';
import { settings } from '../settings.ts';
import type { Place } from './requests.ts';

interface Times {
  /** ISO 8601 in UTC; null for no time. */
  readonly publishAt: string | null;
  readonly unpublishAt: string | null;
}

export interface Schedule extends Times {
  readonly failures: readonly { readonly action: string; readonly at: string; readonly message: string }[];
}

const ACTIONS = [
  ['publish', 'publishAt'],
  ['unpublish', 'unpublishAt'],
] as const;

/**
 * Returns the times that an editor has set in inputs, and those of actions that failed, which are tried again
 * or forgotten. The others stay: another editor may have set them.
 */
export const timesToSet = (stored: Schedule, inputs: Times): Partial<Times> =>
  Object.fromEntries(
    ACTIONS.filter(
      ([action, name]) => inputs[name] !== null || stored.failures.some((one) => one.action === action),
    ).map(([, name]) => [name, timeOf(inputs[name] ?? inputOf(stored[name]), stored[name])]),
  );

const [SOON, HOUR] = [10_000, 3_600_000];

/** Milliseconds until the times are read again, at the next one or soon after it; false without times. */
export function pauseOf({ publishAt, unpublishAt }: Times): number | false {
  const times = [publishAt, unpublishAt].flatMap((at) => (at === null ? [] : [Date.parse(at)]));
  return times.length > 0 && Math.min(HOUR, Math.max(SOON, Math.min(...times) - Date.now()));
}

const pathOf = ({ type, documentId }: Place): string =>
  `${settings.api}/${type.route}${documentId === null ? '' : `/${documentId}`}/actions/schedule`;

const queryOf = ({ type, locale }: Place) => (type.localized ? { locale } : {});

export const readSchedule = async (place: Place): Promise<Schedule> =>
  (await request<{ data: Schedule }>(pathOf(place), { query: queryOf(place) })).body.data;

export const writeSchedule = async (place: Place, times: Partial<Times>): Promise<Schedule> => {
  const options = { method: 'PUT', query: queryOf(place), body: { data: times } } as const;
  return (await request<{ data: Schedule }>(pathOf(place), options)).body.data;
};
