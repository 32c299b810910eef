/** Metrics of one process as plain numbers. Counts are totals since the start. */
import type { HookCount } from '../../content/documents/hooks.js';
import type { Counters } from '../../content/documents/metric-parts.js';
import type { Refusals } from '../../content/http/request-counts.js';

/** Counters of the read cache since the start, and its present size. */
export interface CacheMetrics {
  /** Whether responses are cached: the change log is complete, and the setting `cache` allows it. */
  readonly isOn: boolean;
  /** Reads that were served from the cache. */
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
  /** Duration of the last poll. */
  readonly checkMilliseconds: number;
}

/** Connections of the pool to the primary. */
export interface PoolMetrics {
  readonly max: number;
  readonly used: number;
  readonly idle: number;
}

/** Current requests for a connection. */
export interface QueueMetrics {
  /** Kind of work; `document` for writers that wait for another writer of their document. */
  readonly kind: string;
  readonly active: number;
  readonly waiting: number;
}

/** Durations of responses, if the option `monitoring.durations` is on. */
export interface RequestMetrics {
  /** Template of the path, such as `/api/articles/:documentId`. */
  readonly route: string;
  readonly method: string;
  /** `2xx` to `5xx`, or `aborted` if the client did not receive the whole response. */
  readonly status: string;
  readonly count: number;
  readonly milliseconds: number;
  /** Number of responses within each of `bounds`, all faster ones included. */
  readonly buckets: readonly number[];
}

export interface ChangeLogMetrics {
  /** Whether all writes are in the log, so that responses can be cached. */
  readonly isComplete: boolean;
  readonly polls: number;
  /** Milliseconds since the last successful poll; null before the first. Only requests cause polls. */
  readonly sincePoll: number | null;
  /** Number of stored changes at the last maintenance, every 30 s. */
  readonly retained: number;
}

/** Searches for due documents, and their results. */
export interface ScheduleMetrics {
  readonly searches: number;
  readonly failedSearches: number;
  readonly done: number;
  /** Actions that were given up. */
  readonly failed: number;
  /** Attempts that are repeated later. */
  readonly retried: number;
}

export interface HookMetrics {
  readonly moment: HookCount['moment'];
  readonly runs: number;
  readonly failures: number;
  readonly milliseconds: number;
}

/**
 * Metrics of one process as plain numbers. Counts are totals since the start.
 *
 * @publicApi
 */
export interface ContentMetricsSnapshot {
  /** Null if the database driver is not node-postgres. */
  readonly pool: PoolMetrics | null;
  readonly queues: readonly QueueMetrics[];
  readonly requests: readonly RequestMetrics[];
  /** Upper bounds of the buckets in `requests`, in milliseconds. */
  readonly bounds: readonly number[];
  readonly refusals: readonly Refusals[];
  readonly cache: CacheMetrics;
  readonly changeLog: ChangeLogMetrics;
  readonly schedules: ScheduleMetrics;
  readonly hooks: readonly HookMetrics[];
  /** Counters of imported modules: `files` of FilesModule, `events` of EventsModule. */
  readonly parts: Readonly<Record<string, Counters>>;
  /** Current values of imported modules: `events` of EventsModule. */
  readonly present: Readonly<Record<string, Counters>>;
}
