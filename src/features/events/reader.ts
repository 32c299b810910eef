/** Readers of the event log. */
import type { LoggedEvent } from './logged-event.js';

/** Result of one attempt to deliver an event. */
export type Outcome =
  | { readonly kind: 'delivered'; readonly status: number | null }
  | {
      readonly kind: 'failed';
      readonly failure: string;
      readonly status: number | null;
      /** Seconds of the `Retry-After` in the receiver's response; null without one. */
      readonly retryAfter: number | null;
    }
  /** The receiver wants no more events: the reader is disabled. */
  | { readonly kind: 'gone'; readonly failure: string; readonly status: number };

/** Result for an event that the receiver does not want: there was no attempt. */
export type Delivery = Outcome | { readonly kind: 'skipped' };

/**
 * Receiver of events with its own position in the log. One instance of the application runs it at a time.
 * Events of one document are delivered in order.
 */
export interface EventReader {
  /** Unique name, under which its position is stored. */
  readonly name: string;
  /** Number of documents whose events are delivered at the same time. */
  readonly concurrency: number;
  /** Whether successful attempts are listed, too. */
  readonly listsAttempts: boolean;
  /** Days of nothing but failures after which the reader is disabled; null for never. */
  readonly disableAfter: number | null;
  accepts(event: LoggedEvent): boolean;
  /** Delivers one event. Never throws. */
  deliver(event: LoggedEvent): Promise<Delivery>;
}
