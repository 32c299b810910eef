/** Keeps the work of one form in the browser while it changes. */
import type { Place } from './requests.ts';
import type { UnsavedWork, Work } from './unsaved.ts';

/** Milliseconds after which a change is kept without a frame, as in a hidden tab. */
const HIDDEN = 50;

/** Resolves after the next frame. */
const painted = (): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, HIDDEN);
    requestAnimationFrame(() =>
      setTimeout(() => {
        clearTimeout(timer);
        resolve();
      }),
    );
  });

export class Keeper {
  private isKept = true;
  private isKeeping = false;

  constructor(
    private readonly unsaved: UnsavedWork,
    private readonly current: () => readonly [place: Place, work: Work],
  ) {
    addEventListener('pagehide', this.atOnce);
  }

  private readonly atOnce = (): void => this.unsaved.keepAtOnce(...this.current());

  /** Keeps a change as soon as it is painted. Changes during one write wait for the next one. */
  async soon(): Promise<void> {
    this.isKept = false;
    if (this.isKeeping) return;
    this.isKeeping = true;
    try {
      while (!this.isKept) {
        await painted();
        await this.now();
      }
    } finally {
      this.isKeeping = false;
    }
  }

  /** Keeps the present work, or forgets it if there is none. */
  now(): Promise<void> {
    this.isKept = true;
    return this.unsaved.keep(...this.current());
  }

  close(): void {
    removeEventListener('pagehide', this.atOnce);
  }
}
