/** Statements that store the results of one batch of a reader. */
import { storableText } from '../../content/model/cast-value.js';
import type { ContentType } from '../../content/model/model.js';
import type { Statement } from '../../kernel/sql.js';
import { retryAfter } from './backoff.js';
import type { Cursor } from './compile-events.js';
import {
  type Attempt,
  compileAttempts,
  compileForgetDelivered,
  compileDisable,
  compileDisableAfter,
  compileHealth,
  compileMove,
  compileNext,
  compilePark,
  compileRecover,
  type Lease,
  type UndeliveredEvent,
} from './compile-readers.js';
import { type LoggedEvent, PREFIX } from './logged-event.js';
import type { Delivery, EventReader } from './reader.js';
import type { ReaderCounts } from './reader-counts.js';

export interface Pending {
  readonly event: LoggedEvent;
  /** Number of earlier attempts. */
  readonly attempts: number;
  /** Whether it is stored as undelivered. */
  readonly isStored: boolean;
}

export interface TriedEvent extends Pending {
  /** Null if an earlier event of the document failed. */
  readonly outcome: Delivery | null;
  /** Time of the attempt in milliseconds since 1970. */
  readonly at: number;
  readonly milliseconds: number;
}

export interface Batch {
  readonly lease: Lease;
  readonly tried: readonly TriedEvent[];
  /** Events of documents with undelivered ones. */
  readonly waiting: readonly LoggedEvent[];
  /** Position after the batch. */
  readonly cursor: Cursor;
  readonly wasFailing: boolean;
  readonly failing: boolean;
}

const isDelivered = ({ outcome }: TriedEvent): boolean => outcome?.kind === 'delivered';
const hasFailed = ({ outcome }: TriedEvent): boolean => outcome !== null && 'failure' in outcome;

/** Whether the receiver needs nothing more of an event. */
export const isSettled = (one: TriedEvent): boolean => isDelivered(one) || one.outcome?.kind === 'skipped';

/** Whether all attempts of a batch failed; null without an attempt. */
export function isFailing(tried: readonly TriedEvent[]): boolean | null {
  if (!tried.some((one) => isDelivered(one) || hasFailed(one))) return null;
  return !tried.some(isDelivered);
}

const endOf = ({ outcome }: TriedEvent, isGivenUp: boolean): string => {
  if (outcome?.kind === 'gone') return 'gets no events until it is enabled again';
  return isGivenUp ? 'never gets this event' : 'gets it again later';
};

/**
 * Log line of the failures of a batch; null without news. A receiver that has failed before is named only for
 * an event that it never gets.
 */
export function warningOf(name: string, tried: readonly TriedEvent[], wasFailing: boolean): string | null {
  const failed = tried.filter(hasFailed);
  const lost = failed.find((one) => one.outcome?.kind === 'gone' || parkedOf(one).givenUp);
  const one = lost ?? (wasFailing ? undefined : failed.find(({ attempts }) => attempts === 0));
  if (one === undefined) return null;
  const { id, name: event } = one.event;
  const reason = parkedOf(one).failure ?? '';
  return `The ${name} failed on ${event} (${id}), and ${endOf(one, lost !== undefined)}: ${reason}`;
}

/** Adds the results of stored attempts to the counts. */
export function countIn(counts: ReaderCounts, tried: readonly TriedEvent[]): void {
  counts.delivered += tried.filter(isDelivered).length;
  counts.failed += tried.filter(hasFailed).length;
  counts.givenUp += tried.filter((one) => hasFailed(one) && parkedOf(one).givenUp).length;
}

const rowId = ({ id }: LoggedEvent): string => id.slice(PREFIX.length);

const waitingOf = (event: LoggedEvent, attempts: number): UndeliveredEvent => ({
  id: rowId(event),
  type: event.type,
  documentId: event.documentId,
  attempts,
  seconds: null,
  givenUp: false,
  failure: null,
});

/** Returns the reason of a failure as a text that PostgreSQL can store. */
const failureOf = (outcome: Delivery | null): string | null =>
  outcome !== null && 'failure' in outcome ? storableText(outcome.failure) : null;

function parkedOf({ event, attempts, outcome }: TriedEvent): UndeliveredEvent {
  const waiting = waitingOf(event, attempts);
  if (outcome === null || !('failure' in outcome)) return waiting;
  const made = attempts + 1;
  const seconds = retryAfter(made, outcome.kind === 'failed' ? outcome.retryAfter : null);
  return { ...waiting, attempts: made, seconds, givenUp: seconds === null, failure: failureOf(outcome) };
}

const attemptOf = ({ event, outcome, at, milliseconds }: TriedEvent): Attempt => ({
  id: rowId(event),
  at,
  status: outcome !== null && 'status' in outcome ? outcome.status : null,
  milliseconds,
  failure: failureOf(outcome),
});

/** Returns the statements in the order in which they have to run, under the lease. */
export function batchStatements(file: ContentType, reader: EventReader, batch: Batch): readonly Statement[] {
  const { name, listsAttempts, disableAfter } = reader;
  const { lease, tried, waiting, cursor, wasFailing, failing } = batch;
  const parked = [
    ...tried.filter((one) => !isSettled(one)).map(parkedOf),
    ...waiting.map((event) => waitingOf(event, 0)),
  ];
  const settled = tried.filter((one) => isSettled(one) && one.isStored).map(({ event }) => rowId(event));
  const isListed = (one: TriedEvent): boolean => hasFailed(one) || (listsAttempts && isDelivered(one));
  const listed = tried.filter(isListed).map(attemptOf);
  const gone = tried.find(({ outcome }) => outcome?.kind === 'gone')?.outcome;
  const statements: (readonly Statement[] | false)[] = [
    parked.length > 0 && [compilePark(file, name, parked)],
    settled.length > 0 && [compileForgetDelivered(file, name, settled)],
    parked.length + settled.length > 0 && [compileNext(file, name)],
    wasFailing && !failing && [compileRecover(file, name)],
    listed.length > 0 && compileAttempts(file, name, listed),
    wasFailing !== failing && [compileHealth(file, lease, failing)],
    [compileMove(file, lease, cursor)],
    failing && disableAfter !== null && [compileDisableAfter(file, lease, disableAfter)],
    gone?.kind === 'gone' && [compileDisable(file, name, gone.failure)],
  ];
  return statements.filter((some) => some !== false).flat();
}
