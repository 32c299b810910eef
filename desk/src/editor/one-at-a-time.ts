/** Runs tasks one at a time. */
export class OneAtATime {
  /** Piece that runs; null for none. */
  running: Promise<boolean> | null = null;

  start(work: () => Promise<boolean>): Promise<boolean> {
    this.running = work().finally(() => void (this.running = null));
    return this.running;
  }

  /** Waits until nothing runs. */
  async settled(): Promise<void> {
    while (this.running !== null) await this.running;
  }
}
