/** Queue of picture jobs: bounded in number and in pixels; equal concurrent jobs are shared. */
import { unavailable } from '../../../kernel/errors.js';

export interface PictureQueueLimits {
  readonly parallel: number;
  /** Pixels of all concurrent jobs; a job with more pixels runs alone. */
  readonly maxPixels: number;
  readonly queueLength: number;
}

interface WaitingJob {
  readonly pixels: number;
  readonly start: () => void;
}

export class PictureQueue {
  private readonly queue: WaitingJob[] = [];
  private readonly shared = new Map<string, Promise<boolean>>();
  private jobs = 0;
  private pixels = 0;

  constructor(private readonly limits: PictureQueueLimits) {}

  /**
   * Runs the first job of a picture when the queue has a slot. Throws ServiceUnavailableError if too many
   * jobs wait.
   */
  async begin<T>(job: () => Promise<T>): Promise<T> {
    if (this.queue.length >= this.limits.queueLength)
      throw unavailable('Too many images are waiting to be processed');
    return this.run(job, 0, 'push');
  }

  /** Runs a further job of a picture, before all pictures that wait. Only its first job can be refused. */
  goOn<T>(job: () => Promise<T>, pixels: number): Promise<T> {
    return this.run(job, pixels, 'unshift');
  }

  once(name: string, work: () => Promise<boolean>): Promise<boolean> {
    const joined = this.shared.get(name);
    if (joined !== undefined) return joined;
    const running = work().finally(() => this.shared.delete(name));
    this.shared.set(name, running);
    return running;
  }

  private async run<T>(job: () => Promise<T>, pixels: number, place: 'push' | 'unshift'): Promise<T> {
    await new Promise<void>((start) => {
      this.queue[place]({ pixels, start });
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
