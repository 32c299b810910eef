import { Inject, Injectable } from '@nestjs/common';
import { Documents } from './documents.service.js';
import type { WrongTotal } from '../ledger/keeper.js';
import { LedgerWorker } from './ledger-worker.js';

/** What has become of reads since the start, and what is kept now. */
export interface CacheMetrics {
  /** Whether answers are kept at all: every change is noted, and the setting `cache` allows it. */
  readonly isOn: boolean;
  /** Answered from what was kept. */
  readonly hits: number;
  /** Not kept before. */
  readonly misses: number;
  /** Kept, and changed since. */
  readonly stale: number;
  /** Read without looking for a kept answer, because it changes more often than it is asked for. */
  readonly passed: number;
  readonly entries: number;
  readonly bytes: number;
  /** How often it was asked what has changed. */
  readonly checks: number;
  /** How long that took last, in milliseconds. */
  readonly checkMilliseconds: number;
}

/**
 * Numbers about kept answers, for the host's own metrics.
 *
 * @publicApi
 */
@Injectable()
export class ContentMetrics {
  constructor(
    @Inject(Documents) private readonly documents: Documents,
    @Inject(LedgerWorker) private readonly worker: LedgerWorker,
  ) {}

  /** The numbers as they are now. */
  get cache(): CacheMetrics {
    const { cache, keeps } = this.documents.reads;
    const { ledger } = this.worker;
    return {
      isOn: keeps,
      ...cache.counts,
      entries: cache.size,
      bytes: cache.bytes,
      checks: ledger.checks,
      checkMilliseconds: ledger.took,
    };
  }

  /**
   * Counts the versions of all types anew, or of some by their `singularApiId`, and has every instance read
   * anew what it has kept; answers the totals that were wrong, one for each type, locale and state. To be
   * called after a restore or an import that has switched triggers off. Writers may go on meanwhile. Throws
   * an Error for a type that there is not.
   */
  recount(...types: readonly string[]): Promise<readonly WrongTotal[]> {
    return this.worker.recount(...types);
  }
}
