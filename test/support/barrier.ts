/** Lets requests through all at once, when as many as are wanted have come. */
export class Barrier {
  private wanted = 0;
  private readonly waiting: (() => void)[] = [];

  /** For `app.use`. */
  readonly middleware = (_request: unknown, _response: unknown, next: () => void): void => {
    this.waiting.push(next);
    if (this.waiting.length < this.wanted) return;
    for (const go of this.waiting.splice(0)) go();
  };

  /** For `app.useGlobalGuards`, where bodies have been read. */
  readonly guard = {
    canActivate: (): Promise<boolean> => new Promise((pass) => this.middleware(null, null, () => pass(true))),
  };

  /** Has as many requests as `count` wait for each other. */
  async hold<T>(count: number, ask: () => Promise<T>): Promise<T> {
    this.wanted = count;
    return ask().finally(() => (this.wanted = 0));
  }
}
