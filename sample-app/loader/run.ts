/** How a load goes through its items: in small batches, with progress, and able to stop after any of them. */
import { setImmediate } from 'node:timers/promises';

export interface Progress {
  readonly step: string;
  readonly done: number;
  readonly total: number;
}

/** One run of the loader. */
export interface Run {
  readonly signal: AbortSignal;
  /** How many items are written at once. */
  readonly parallel: number;
  /** Told after each item. What it throws stops the load. */
  readonly onProgress: (progress: Progress) => void;
}

export interface Step<T> {
  readonly name: string;
  /** What is still to do. */
  readonly items: readonly T[];
  /** What there is altogether, for the progress. */
  readonly total: number;
  readonly work: (item: T) => Promise<unknown>;
}

/**
 * Works through a step. A failure or a stop waits for the batch that is under way, so that nothing is written
 * after the load has ended.
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
    // PGlite never waits for anything outside of the process: without this, signals would be heard after the
    // load only.
    await setImmediate();
  }
}
