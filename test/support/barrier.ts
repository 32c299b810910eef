/** Releases requests at the same time, as soon as the expected number has arrived. */
export class Barrier {
  private wanted = 0;
  private readonly waiting: (() => void)[] = [];

  /** Middleware for `app.use`. */
  readonly middleware = (_request: unknown, _response: unknown, next: () => void): void => {
    this.waiting.push(next);
    if (this.waiting.length < this.wanted) return;
    for (const go of this.waiting.splice(0)) go();
  };

  /** Guard for `app.useGlobalGuards`, which runs after bodies are parsed. */
  readonly guard = {
    canActivate: (): Promise<boolean> => new Promise((pass) => this.middleware(null, null, () => pass(true))),
  };

  /** Makes `count` requests wait for each other. */
  async hold<T>(count: number, send: () => Promise<T>): Promise<T> {
    this.wanted = count;
    return send().finally(() => (this.wanted = 0));
  }
}
