/** Queue of the work on pictures: bounded in number and in pixels; equal work under way is shared. */
import { unavailable } from '../../../kernel/errors.js';

/** Bounds of a {@link Workshop}. */
export interface WorkshopLimits {
  /** Jobs at a time. */
  readonly parallel: number;
  /** Pixels of all jobs at a time; a job that has more runs alone. */
  readonly maxPixels: number;
  /** Jobs that may wait. */
  readonly queueLength: number;
}

interface WaitingJob {
  readonly pixels: number;
  readonly start: () => void;
}

export class Workshop {
  private readonly queue: WaitingJob[] = [];
  private readonly shared = new Map<string, Promise<boolean>>();
  private jobs = 0;
  private pixels = 0;

  constructor(private readonly limits: WorkshopLimits) {}

  /** Runs a job in its turn. Throws ServiceUnavailableError if too many wait already. */
  async run<T>(job: () => Promise<T>, pixels = 0): Promise<T> {
    if (this.queue.length >= this.limits.queueLength) throw unavailable('Too many images wait to be made');
    await new Promise<void>((start) => {
      this.queue.push({ pixels, start });
      this.startNext();
    });
    try {
      return await job();
    } finally {
      this.jobs -= 1;
      this.pixels -= pixels;
      this.startNext();
    }
  }

  /** Runs the work that has this name, or joins it if it is under way. */
  once(name: string, work: () => Promise<boolean>): Promise<boolean> {
    const joined = this.shared.get(name);
    if (joined !== undefined) return joined;
    const running = work().finally(() => this.shared.delete(name));
    this.shared.set(name, running);
    return running;
  }

  private startNext(): void {
    for (let [next] = this.queue; next !== undefined && this.fits(next); [next] = this.queue) {
      this.queue.shift();
      this.jobs += 1;
      this.pixels += next.pixels;
      next.start();
    }
  }

  private fits({ pixels }: WaitingJob): boolean {
    const { parallel, maxPixels } = this.limits;
    return this.jobs === 0 || (this.jobs < parallel && this.pixels + pixels <= maxPixels);
  }
}
