/** Runs the steps of a load in small batches, with progress. A run can stop after each batch. */
import { setImmediate } from 'node:timers/promises';

export interface Progress {
  readonly step: string;
  readonly done: number;
  readonly total: number;
}

/** Options of one run of the loader. */
export interface Run {
  readonly signal: AbortSignal;
  /** Number of items written concurrently. */
  readonly parallel: number;
  /** Called after each item. An error that it throws stops the load. */
  readonly onProgress: (progress: Progress) => void;
}

export interface Step<T> {
  readonly name: string;
  /** Items still to load. */
  readonly items: readonly T[];
  /** Number of all items, for the progress. */
  readonly total: number;
  readonly work: (item: T) => Promise<unknown>;
}

/**
 * Runs a step. After a failure or a stop, it waits for the current batch, so that no write follows the end of
 * the load.
 */
export async function runStep<T>(step: Step<T>, run: Run): Promise<void> {
  let done = step.total - step.items.length;
  const one = async (item: T): Promise<void> => {
    run.signal.throwIfAborted();
    await step.work(item);
    done += 1;
    run.onProgress({ step: step.name, done, total: step.total });
  };
  for (let start = 0; start < step.items.length; start += run.parallel) {
    const results = await Promise.allSettled(step.items.slice(start, start + run.parallel).map(one));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    // PGlite runs inside the process and never yields to the event loop, so signals would be handled only
    // after the load.
    await setImmediate();
  }
}
