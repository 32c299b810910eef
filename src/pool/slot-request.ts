/** Requests for a slot, with timeouts for the queue and in total. A disconnect ends them. */
import { unavailable } from '../kernel/errors.js';
import type { Admission, Lane, Slot } from './admission.js';
import { runningTime } from '../kernel/running-time.js';
import type { Timeout, TimeoutList } from '../kernel/timeout-list.js';
import type { Disconnect, DisconnectListener } from '../kernel/disconnect.js';

export interface PoolContext {
  readonly admission: Admission;
  /** Total timeouts, and timeouts of the queue. */
  readonly deadlines: TimeoutList;
  readonly waits: TimeoutList;
  readonly expired: () => Error;
  readonly waitExpired: () => Error;
  readonly queueFull: () => Error;
}

export interface SlotOptions {
  readonly lane: Lane;
  /** Requests with the same text run one at a time. Null for no such bound. */
  readonly mutex: string | null;
  readonly disconnect: Disconnect | null;
}

/** Slot or slots that a job occupies. */
export interface SlotHolder {
  readonly isOver: boolean;
  start(): void;
  /** Notes that the connection is open: the time until now does not count as run time. */
  connected(): void;
  /** Ends the work; false if it had ended before. The slot stays occupied until `release`. */
  end(): boolean;
  release(): void;
  fail(error: Error): void;
}

export interface SlotCallbacks {
  /** Called when the slot is granted, at most once. */
  readonly granted: () => void;
  /** Called when the request ends before its work is done, at most once, and never after `end`. */
  readonly fail: (error: Error) => void;
  /** Called when a slow read exceeds the share of its lane while other requests wait. */
  readonly preempt?: () => void;
}

export const clientDisconnected = (): Error => unavailable('The client disconnected');

export class SlotRequest implements DisconnectListener, SlotHolder {
  private readonly deadline: Timeout;
  private wait: Timeout | null = null;
  private slot: Slot | null = null;
  private isCommitting = false;
  /** Whether the slot was released, perhaps before `request` returned it. */
  private isReleased = false;
  isOver = false;

  constructor(
    private readonly context: PoolContext,
    private readonly options: SlotOptions,
    private readonly callbacks: SlotCallbacks,
  ) {
    this.deadline = context.deadlines.add(() => this.fail(context.expired()));
    options.disconnect?.add(this);
  }

  start(lane = this.options.lane): void {
    const { context, options } = this;
    if (options.disconnect?.happened === true) return this.fail(clientDisconnected());
    const slot = context.admission.request(lane, options.mutex, {
      granted: () => this.grant(),
      preempt: () => this.callbacks.preempt?.(),
    });
    if (slot === null) return this.fail(context.queueFull());
    this.slot = slot;
    if (slot.state === 'waiting') this.wait = context.waits.add(() => this.fail(context.waitExpired()));
    // The request ended inside the callback, before the slot was known here.
    else if (slot.state === 'inside' && this.isReleased) this.release();
  }

  connected(): void {
    if (this.slot !== null) this.slot.since = runningTime.now();
  }

  /** From here on only the timeout ends the work: a COMMIT is under way. */
  committing(): void {
    this.isCommitting = true;
  }

  disconnected(): void {
    this.stop(clientDisconnected());
  }

  end(): boolean {
    if (this.isOver) return false;
    this.isOver = true;
    this.context.deadlines.delete(this.deadline);
    if (this.wait !== null) this.context.waits.delete(this.wait);
    this.options.disconnect?.delete(this);
    return true;
  }

  release(): void {
    this.isReleased = true;
    if (this.slot !== null) this.context.admission.release(this.slot);
  }

  /** Releases the slot and queues again in the slow lane, within the remaining time. */
  requeue(): void {
    this.release();
    this.isReleased = false;
    this.slot = null;
    if (!this.isOver) this.start('slow');
  }

  fail(error: Error): void {
    if (!this.end()) return;
    if (this.slot?.state === 'waiting') this.release();
    this.callbacks.fail(error);
  }

  private stop(error: Error): void {
    if (!this.isCommitting) this.fail(error);
  }

  private grant(): void {
    if (this.wait !== null) this.context.waits.delete(this.wait);
    this.callbacks.granted();
  }
}
