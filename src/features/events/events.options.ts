import { ContentModelError } from '../../content/model/content-model-error.js';

/** Options of `EventsModule.forRoot`. */
export interface EventsOptions {
  /** Days that the log keeps events, from 3 to 3650. Default 30. */
  readonly retentionDays?: number;
  /**
   * Interval in milliseconds at which the process looks for events of other processes, from 50 to 60,000.
   * Its own writes are noticed at once. Default 1000.
   */
  readonly pollMilliseconds?: number;
}

export type ResolvedEventsOptions = Required<EventsOptions>;

export const EVENTS_OPTIONS = Symbol('EventsOptions');

const DEFAULTS: ResolvedEventsOptions = { retentionDays: 30, pollMilliseconds: 1000 };

const RANGES: Readonly<Record<keyof EventsOptions, readonly [number, number]>> = {
  retentionDays: [3, 3650],
  pollMilliseconds: [50, 60_000],
};

const isOption = (key: string): key is keyof EventsOptions => Object.hasOwn(RANGES, key);

/** Returns the options with defaults. Throws a ContentModelError for unknown and invalid ones. */
export function resolveEventsOptions(options: EventsOptions): ResolvedEventsOptions {
  const mistakes = Object.entries(options).flatMap(([key, value]) => {
    if (!isOption(key)) return [`events: unknown option "${key}"; available: ${Object.keys(RANGES).join(', ')}`];
    const [least, most] = RANGES[key];
    const isValid = Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
    return isValid ? [] : [`events.${key}: expected an integer from ${least} to ${most}`];
  });
  if (mistakes.length > 0) throw new ContentModelError(mistakes, 'options');
  return Object.freeze({ ...DEFAULTS, ...options });
}
