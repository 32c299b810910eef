import { ContentModelError } from '../../content/model/content-model-error.js';

/** Options of `HistoryModule.forRoot`. */
export interface HistoryOptions {
  /**
   * Minutes from the first draft of a sitting within which further drafts of the same caller replace it, from
   * 0 to 1440. Published versions are always kept. Default 10.
   */
  readonly sittingMinutes?: number;
  /** Most versions of a document in one locale, from 2 to 100,000; older ones are removed. Default 1000. */
  readonly keep?: number;
  /** Days that versions are kept, the newest of each state apart, from 1 to 36,500. Default 3650. */
  readonly keepDays?: number;
  /** Days that deleted documents can be restored, from 1 to 36,500. Default 90. */
  readonly trashDays?: number;
}

export type ResolvedHistoryOptions = Required<HistoryOptions>;

export const HISTORY_OPTIONS = Symbol('HistoryOptions');

const DEFAULTS: ResolvedHistoryOptions = { sittingMinutes: 10, keep: 1000, keepDays: 3650, trashDays: 90 };

const RANGES: Readonly<Record<keyof HistoryOptions, readonly [number, number]>> = {
  sittingMinutes: [0, 1440],
  keep: [2, 100_000],
  keepDays: [1, 36_500],
  trashDays: [1, 36_500],
};

const isOption = (name: string): name is keyof HistoryOptions => Object.hasOwn(RANGES, name);

/** Adds the defaults. Throws a ContentModelError that lists every invalid option. */
export function resolveHistoryOptions(options: HistoryOptions): ResolvedHistoryOptions {
  const mistakes = Object.entries(options).flatMap(([name, value]: [string, unknown]) => {
    if (!isOption(name)) return [`HistoryModule: unknown option "${name}"`];
    const [least, most] = RANGES[name];
    const isWithin = Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
    return isWithin ? [] : [`HistoryModule: "${name}" must be an integer from ${least} to ${most}`];
  });
  if (mistakes.length > 0) throw new ContentModelError(mistakes, 'options');
  return Object.freeze({ ...DEFAULTS, ...options });
}
