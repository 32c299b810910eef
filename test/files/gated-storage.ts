/** Storage whose operations wait until a test releases them. */
import { LocalStorage } from 'nestjs-content-api/files';

type Step = 'head' | 'put' | 'list' | 'delete';

export class GatedStorage extends LocalStorage {
  /** Number of calls of `head`. */
  heads = 0;
  private step: Step | null = null;
  private gate = Promise.withResolvers<void>();
  private arrival = Promise.withResolvers<void>();
  private readonly pending = new Set<Promise<unknown>>();
  private readonly watchers: { readonly count: number; readonly reached: () => void }[] = [];

  /** Pauses the next operations of a kind. */
  hold(step: Step): void {
    this.step = step;
    this.gate = Promise.withResolvers<void>();
    this.arrival = Promise.withResolvers<void>();
  }

  /** Resolves when an operation is paused. */
  get arrived(): Promise<void> {
    return this.arrival.promise;
  }

  /** Resumes all operations, and waits until the paused ones have ended. */
  async release(): Promise<void> {
    this.step = null;
    this.gate.resolve();
    while (this.pending.size > 0) await Promise.allSettled(this.pending);
  }

  /** Resolves after the given number of further `head` calls. */
  headsReach(count: number): Promise<void> {
    return new Promise((reached) => this.watchers.push({ count: this.heads + count, reached }));
  }

  override async head(key: string): ReturnType<LocalStorage['head']> {
    this.heads += 1;
    for (const { count, reached } of this.watchers) if (this.heads >= count) reached();
    const found = await super.head(key);
    // Pauses only for stored bytes: in the check inside a transaction, not in the one before the upload.
    if (found !== null) await this.pass('head');
    return found;
  }

  override async *list(prefix: string): ReturnType<LocalStorage['list']> {
    const listing = Promise.withResolvers<void>();
    this.track(listing.promise);
    try {
      await this.pass('list');
      yield* super.list(prefix);
    } finally {
      // Resolves after an immediately following delete has begun.
      setImmediate(listing.resolve);
    }
  }

  override put(...[key, file]: Parameters<LocalStorage['put']>): Promise<void> {
    const putting = this.pass('put').then(() => super.put(key, file));
    this.track(putting);
    return putting;
  }

  override delete(key: string): Promise<void> {
    const deleting = this.pass('delete').then(() => super.delete(key));
    this.track(deleting);
    return deleting;
  }

  private track(operation: Promise<unknown>): void {
    this.pending.add(operation);
    const end = (): unknown => this.pending.delete(operation);
    operation.then(end, end);
  }

  private async pass(step: Step): Promise<void> {
    if (this.step !== step) return;
    this.arrival.resolve();
    await this.gate.promise;
  }
}
