import { checkModuleOptions, integer, type OptionsOf } from '../../content/model/option-table.js';
import { withDefaults } from '../../kernel/json.js';

/** Options of `HistoryModule.forRoot`. */
export interface HistoryOptions {
  /**
   * Minutes from the first draft of a sitting within which further drafts of the same caller replace it, from
   * 0 to 1440. Published versions are always kept. Default 10.
   */
  readonly sittingMinutes?: number;
  /**
   * Most versions of a document in one locale and state, from 2 to 100,000; older ones are removed. Default
   * 1000.
   */
  readonly keep?: number;
  /** Days that versions are kept, the newest of each state apart, from 1 to 36,500. Default 3650. */
  readonly keepDays?: number;
  /** Days that deleted documents can be restored, from 1 to 36,500. Default 90. */
  readonly trashDays?: number;
}

export type ResolvedHistoryOptions = Required<HistoryOptions>;

export const HISTORY_OPTIONS = Symbol('HistoryOptions');

const DEFAULTS: ResolvedHistoryOptions = { sittingMinutes: 10, keep: 1000, keepDays: 3650, trashDays: 90 };

const OPTIONS: OptionsOf<HistoryOptions> = {
  sittingMinutes: integer(0, 1440),
  keep: integer(2, 100_000),
  keepDays: integer(1, 36_500),
  trashDays: integer(1, 36_500),
};

/** Adds the defaults. Throws a ContentModelError that lists every invalid option. */
export function resolveHistoryOptions(options: HistoryOptions): ResolvedHistoryOptions {
  checkModuleOptions('HistoryModule', options, OPTIONS);
  return Object.freeze(withDefaults(DEFAULTS, options));
}
