import { Inject, Injectable } from '@nestjs/common';
import type { WrongTotal } from '../../cache/change-log-keeper.js';
import { ChangeLogWorker } from '../../cache/change-log-worker.js';
import { Documents } from '../../content/documents/documents.service.js';
import { Hooks } from '../../content/documents/hooks.js';
import { MetricParts } from '../../content/documents/metric-parts.js';
import { ScheduleWorker } from '../../content/documents/schedule-worker.js';
import { RequestCounts } from '../../content/http/request-counts.js';
import { Database } from '../../content/store/database.js';
import { BOUNDS } from '../../kernel/histogram.js';
import { prometheusText } from './prometheus-text.js';
import type { CacheMetrics, ChangeLogMetrics, ContentMetricsSnapshot, RequestMetrics } from './snapshot.js';

/**
 * Metrics of this process, for the application's own monitoring.
 *
 * @example
 * @Get('metrics') @Header('Content-Type', ContentMetrics.CONTENT_TYPE)
 * text() { return this.metrics.prometheus(); }
 *
 * @publicApi
 */
@Injectable()
export class ContentMetrics {
  /** Media type of {@link prometheus}. */
  static readonly CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

  constructor(
    @Inject(Documents) private readonly documents: Documents,
    @Inject(ChangeLogWorker) private readonly worker: ChangeLogWorker,
    @Inject(Database) private readonly database: Database,
    @Inject(RequestCounts) private readonly counts: RequestCounts,
    @Inject(ScheduleWorker) private readonly schedules: ScheduleWorker,
    @Inject(Hooks) private readonly hooks: Hooks,
    @Inject(MetricParts) private readonly parts: MetricParts,
  ) {}

  get cache(): CacheMetrics {
    const { cache, caches: keeps } = this.documents.reads;
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

  /** Returns all metrics now. Sends no statement, so it also works while the database is down. */
  snapshot(): ContentMetricsSnapshot {
    const { load } = this.database;
    return {
      pool: load?.pool ?? null,
      queues: load?.queues ?? [],
      requests: this.requests,
      bounds: BOUNDS,
      refusals: this.counts.refusals.map((refusal) => ({ ...refusal })),
      cache: this.cache,
      changeLog: this.changeLog,
      schedules: { ...this.schedules.counts },
      hooks: this.hooks.counts.map((count) => ({ ...count })),
      parts: this.parts.read(),
      present: this.parts.present(),
    };
  }

  /** Returns all metrics in the text format of Prometheus. Names begin with `content_`. */
  prometheus(): string {
    return prometheusText(this.snapshot());
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

  private get requests(): readonly RequestMetrics[] {
    return this.counts.durations.map(({ route, method, status, durations }) => {
      const buckets = [...durations.cumulative];
      const count = buckets.pop() ?? 0;
      return { route, method, status, count, milliseconds: durations.milliseconds, buckets };
    });
  }

  private get changeLog(): ChangeLogMetrics {
    const { isWhole, retained, changeLog } = this.worker;
    const { checks, checkedAt } = changeLog;
    const sincePoll = checkedAt === null ? null : performance.now() - checkedAt;
    return { isComplete: isWhole, polls: checks, sincePoll, retained };
  }
}
