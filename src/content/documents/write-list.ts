/** Lists of writes: planning without blocking other requests, and errors that name the failing write. */
import { setImmediate } from 'node:timers/promises';
import { ContentError, withDetails } from '../../kernel/errors.js';
import type { ContentType } from '../model/model.js';
import type { ScheduledAction } from '../model/schedule.js';
import type { ReadPlan } from '../plan/plan.js';
import type { Precondition } from '../plan/precondition.js';
import type { Verb } from '../plan/write-plan.js';

/** Requested write: its action, the plan of its response, and a body for actions that have one. */
export interface AskedWrite {
  readonly verb: Verb;
  readonly answerPlan: ReadPlan;
  readonly body: unknown;
  /** Condition on the stored version. Default: that of the options. */
  readonly precondition?: Precondition | null;
}

/** Document to publish or unpublish, in a locale or in all (`*`). */
export interface StateChange {
  readonly type: ContentType;
  /** Null for the document of a single type. */
  readonly documentId: string | null;
  readonly locale: string;
  readonly verb: ScheduledAction;
  /** Values for the published version, to write instead of the draft's. The draft stays as it is. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Body of a write that changes no values. */
export const NO_VALUES = Object.freeze({ data: Object.freeze({}) });

/** Returns the action of a change of state, and its body. */
export const writeOf = ({ verb, data }: StateChange): Pick<AskedWrite, 'verb' | 'body'> =>
  data === undefined ? { verb, body: NO_VALUES } : { verb: 'update', body: { data } };

/** Number of writes to plan before other requests get their turn. */
const PLANNED_AT_ONCE = 50;

/** Returns an error with the place of its write in the list. */
export function withIndex(index: number, error: unknown): unknown {
  if (!(error instanceof ContentError) || 'index' in error.details) return error;
  return withDetails(error, { ...error.details, index });
}

/** Maps a list of a request. Errors get the index of their element. */
export const mapWithIndex = <T, R>(elements: readonly T[], map: (element: T, index: number) => R): R[] =>
  elements.map((element, index) => {
    try {
      return map(element, index);
    } catch (error) {
      throw withIndex(index, error);
    }
  });

/** Adds the locale to an error of a write in several locales. */
export const withLocale = (error: unknown, locale: string): unknown =>
  error instanceof ContentError && error.name === 'ValidationError'
    ? new ContentError(error.name, error.message, { ...error.details, locale })
    : error;

/** Calls `plan` for one element after the other. Errors get the index if there are several elements. */
export async function planInTurn<T, R>(
  elements: readonly T[],
  plan: (element: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (const [index, element] of elements.entries()) {
    if (index % PLANNED_AT_ONCE === PLANNED_AT_ONCE - 1) await setImmediate();
    try {
      results.push(await plan(element));
    } catch (error) {
      throw elements.length === 1 ? error : withIndex(index, error);
    }
  }
  return results;
}
