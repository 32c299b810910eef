import { Inject, Injectable } from '@nestjs/common';
import { Documents } from './documents.service.js';
import type { WrongTotal } from '../../cache/change-log-keeper.js';
import { ChangeLogWorker } from '../../cache/change-log-worker.js';

/** Counters of the read cache since the start, and its present size. */
export interface CacheMetrics {
  /** Whether responses are cached: the change log is complete, and the setting `cache` allows it. */
  readonly isOn: boolean;
  /** Reads that were answered from the cache. */
  readonly hits: number;
  /** Reads without a cache entry. */
  readonly misses: number;
  /** Reads whose cache entry had changed. */
  readonly stale: number;
  /** Reads that bypassed the cache, because the document changes more often than it is read. */
  readonly passed: number;
  readonly entries: number;
  readonly bytes: number;
  /** Number of polls of the change log. */
  readonly checks: number;
  readonly checkMilliseconds: number;
}

/**
 * Metrics of the read cache, for the application's own monitoring.
 *
 * @publicApi
 */
@Injectable()
export class ContentMetrics {
  constructor(
    @Inject(Documents) private readonly documents: Documents,
    @Inject(ChangeLogWorker) private readonly worker: ChangeLogWorker,
  ) {}

  get cache(): CacheMetrics {
    const { cache, keeps } = this.documents.reads;
    const { changeLog } = this.worker;
    return {
      isOn: keeps,
      ...cache.counts,
      entries: cache.size,
      bytes: cache.bytes,
      checks: changeLog.checks,
      checkMilliseconds: changeLog.took,
    };
  }

  /**
   * Recounts the versions of all types, or of those named by `singularApiId`, and has every instance re-read
   * its cache entries. Returns the totals that were wrong, one per type, locale and state.
   *
   * Call it after a restore or an import that disabled triggers. Writes may continue while it runs. Throws an
   * Error for an unknown type.
   */
  recount(...types: readonly string[]): Promise<readonly WrongTotal[]> {
    return this.worker.recount(...types);
  }
}
