/**
 * Cache of responses, each valid while its dependencies are unchanged. Every request polls the change log
 * first, so no response is older than what was committed before the request.
 */
import { LRUCache } from 'lru-cache';
import type { ChangeLog, Subject } from './change-log.js';

export interface CachedRead<T> {
  readonly key: string;
  readonly subject: Subject;
  /** Runs the read. `isChecked`: the change log was polled just before. */
  readonly load: (isChecked: boolean) => Promise<LoadedAnswer<T>>;
  readonly bypass: () => Promise<LoadedAnswer<T>>;
}

export interface LoadedAnswer<T> {
  readonly answer: T;
  readonly position: number | null;
  readonly bytes: number;
  /** Expiry in milliseconds since 1970, regardless of changes; Infinity for none. */
  readonly until: number;
}

export interface ReadCounts {
  hits: number;
  misses: number;
  stale: number;
  /** Bypassed, because the entry changes more often than it is read. */
  passed: number;
}

/**
 * Admission of an entry. A stale entry costs a poll and a read instead of the read alone. An entry that is
 * stale at every poll therefore bypasses the cache for a while.
 */
class Admission {
  private staleInRow = 0;
  private polledAt = -1;
  private bypassing = 0;

  get bypasses(): boolean {
    return this.bypassing > 0;
  }

  countBypass(): void {
    this.bypassing -= 1;
  }

  /** Records the result of a poll, once per poll. */
  note(isStale: boolean, position: number): void {
    if (position === this.polledAt) return;
    this.polledAt = position;
    this.staleInRow = isStale ? this.staleInRow + 1 : 0;
    // After a bypass, a single stale poll starts the next one.
    if (this.staleInRow >= MAX_STALE) this.bypassing = BYPASSED_READS;
  }
}

/** Consecutive stale polls after which an entry bypasses the cache, and for how many reads. */
const MAX_STALE = 8;
const BYPASSED_READS = 64;

interface Entry<T> {
  readonly answer: T | null;
  readonly position: number;
  readonly bytes: number;
  readonly until: number;
  readonly admission: Admission;
}

/** Overhead per entry in bytes (long key, headers, ETag), measured in a heap snapshot. */
const ENTRY_OVERHEAD = 700;

export class ReadCache<T> {
  private readonly entries: LRUCache<string, Entry<T>>;
  private readonly underWay = new Map<string, Promise<unknown>>();
  readonly counts: ReadCounts = { hits: 0, misses: 0, stale: 0, passed: 0 };

  constructor(
    private readonly changeLog: ChangeLog,
    bytes: number,
  ) {
    // `maxSize` must be positive; without bytes, Reads does not use the cache.
    this.entries = new LRUCache({ maxSize: Math.max(1, bytes), sizeCalculation: ({ bytes: size }) => size });
  }

  get size(): number {
    return this.entries.size;
  }

  get bytes(): number {
    return this.entries.calculatedSize;
  }

  clear(): void {
    this.entries.clear();
  }

  async read(request: CachedRead<T>): Promise<T> {
    const entry = this.entries.get(request.key);
    if (entry?.admission.bypasses === true) return this.bypass(request, entry.admission);
    // Nothing is cached until a poll has identified the database server, so the first read polls, too.
    const polls = (entry?.answer ?? null) !== null || this.changeLog.server === null;
    if (!polls || !(await this.changeLog.check())) return this.load(request, false);
    return this.cachedAnswer(request) ?? (await this.afterRunningRead(request)) ?? this.load(request, true);
  }

  /** Returns the cached response if it is unchanged. Must follow a poll. */
  private cachedAnswer(request: CachedRead<T>): T | null {
    const entry = this.entries.get(request.key);
    if (entry === undefined || entry.answer === null || entry.until <= Date.now()) return null;
    const { position } = this.changeLog;
    const isChanged = this.changeLog.hasChanged(request.subject, entry.position);
    entry.admission.note(isChanged, position);
    if (isChanged) return null;
    this.counts.hits += 1;
    return entry.answer;
  }

  /**
   * Waits for a running read of the same key, if it includes all reported changes. A change then costs one
   * read for any number of requests.
   */
  private async afterRunningRead(request: CachedRead<T>): Promise<T | null> {
    const reading = this.underWay.get(request.key);
    if (reading === undefined) return null;
    await reading;
    return this.cachedAnswer(request);
  }

  private async bypass({ bypass }: CachedRead<T>, admission: Admission): Promise<T> {
    this.counts.passed += 1;
    admission.countBypass();
    return (await bypass()).answer;
  }

  private async load(request: CachedRead<T>, isChecked: boolean): Promise<T> {
    const { key } = request;
    const before = this.entries.get(key);
    if ((before?.answer ?? null) === null) this.counts.misses += 1;
    else this.counts.stale += 1;
    const admission = before?.admission ?? new Admission();
    if (admission.bypasses) {
      // Only the admission state is stored, not the response.
      this.entries.set(key, {
        answer: null,
        position: 0,
        bytes: ENTRY_OVERHEAD + key.length,
        until: 0,
        admission,
      });
      return (await request.bypass()).answer;
    }
    const loading = this.keep(request, admission, isChecked);
    const done = loading.then(forget, forget).then(() => {
      if (this.underWay.get(key) === done) this.underWay.delete(key);
    });
    this.underWay.set(key, done);
    return loading;
  }

  private async keep(
    { key, subject, load }: CachedRead<T>,
    admission: Admission,
    isChecked: boolean,
  ): Promise<T> {
    const { answer, position, bytes, until } = await load(isChecked);
    const isFresh =
      position !== null && this.changeLog.server !== null && !this.changeLog.hasChanged(subject, position);
    if (isFresh)
      this.entries.set(key, {
        answer,
        position,
        bytes: ENTRY_OVERHEAD + key.length + bytes,
        until,
        admission,
      });
    return answer;
  }
}

const forget = (): void => undefined;
