/** A server that is listed as a replica: whether it can be read, and how far it lags behind. */
import { type PositionCheck, compileReplayPosition } from '../compile/compile-mark.js';
import { type Mark, markIn, placeOf } from '../query/mark.js';
import { outageReason } from '../../kernel/postgres-errors.js';
import type { NativePool } from '../../pool/native-pool.js';

/** The position of the primary, as of a time before which every commit is included. */
export interface Sample {
  readonly mark: Mark;
  readonly server: string;
  /** By `performance.now()`. */
  readonly at: number;
}

export interface ReplicaBase {
  readonly pool: NativePool;
  readonly name: string;
  readonly warn: (message: string) => void;
  /** Milliseconds that the replica may lag behind the primary. */
  readonly maxLag: number;
}

type Complaint = 'away' | 'late' | 'no replica';

const greater = (one: Mark | undefined, other: Mark): Mark =>
  one !== undefined && one > other ? one : other;

export class Replica {
  /** Everything that was committed before this time is known to be visible on it; null before it is known. */
  private freshAt: number | null = null;
  private pending: Sample | null = null;
  private readonly reached = new Map<number, Mark>();
  private server: string | null = null;
  /** Subject of the last log line; null once the replica is read again. */
  private complaint: Complaint | null = null;
  private isProbed = false;

  constructor(private readonly base: ReplicaBase) {}

  get pool(): NativePool {
    return this.base.pool;
  }

  isFresh(now: number): boolean {
    return this.freshAt !== null && now - this.freshAt <= this.base.maxLag;
  }

  positionCheck(mark: Mark, primary: string | null): PositionCheck {
    const before = this.reached.get(placeOf(mark).timeline);
    return { mark, isInherited: before !== undefined && before >= mark, primary };
  }

  leave(why: string): void {
    this.freshAt = null;
    this.complain('away', `until it responds again: ${why}`);
  }

  /** Queries how far it is; at most once at a time. `sample` is null while the primary does not answer. */
  async probe(sample: Sample | null): Promise<void> {
    if (this.isProbed) return;
    this.isProbed = true;
    try {
      const [row = {}] = await this.base.pool.run(compileReplayPosition(), null);
      this.identify(String(row['server']));
      if (row['recovers'] === true) this.compare(markIn(row['mark']), sample);
      else this.checkPrimary(sample);
    } catch (error) {
      this.leave(outageReason(error) ?? String(error));
    } finally {
      this.isProbed = false;
    }
  }

  /** Another process may have other data under the same name, or may replay again what it had replayed. */
  private identify(server: string): void {
    if (this.server === server) return;
    this.server = server;
    this.freshAt = null;
    this.reached.clear();
  }

  /** A server that is not in recovery is usable only if it is the primary. */
  private checkPrimary(sample: Sample | null): void {
    this.freshAt = sample?.server === this.server ? sample.at : null;
    if (this.freshAt !== null) this.complaint = null;
    else if (sample !== null)
      this.complain('no replica', 'because it is neither in recovery nor the primary');
  }

  private compare(mark: Mark | null, sample: Sample | null): void {
    const now = performance.now();
    const { pending } = this;
    if (mark !== null) this.note(mark);
    const found = [sample, pending].find(
      (one) => one !== null && mark !== null && this.reaches(mark, one.mark),
    );
    const isLate = pending !== null && now - pending.at > this.base.maxLag;
    if (found) [this.freshAt, this.complaint] = [Math.max(found.at, this.freshAt ?? found.at), null];
    else if (isLate) this.complain('late', this.lateness(mark, pending));
    if (sample !== null && (found !== undefined || pending === null || isLate)) this.pending = sample;
  }

  private note(mark: Mark): void {
    const { timeline } = placeOf(mark);
    this.reached.set(timeline, greater(this.reached.get(timeline), mark));
  }

  /** Whether what has replayed the log up to `mark` has reached another position. */
  private reaches(mark: Mark, other: Mark): boolean {
    const [own, wanted] = [placeOf(mark).timeline, placeOf(other).timeline];
    const before = this.reached.get(wanted);
    return own === wanted ? mark >= other : own > wanted && before !== undefined && before >= other;
  }

  private lateness(mark: Mark | null, pending: Sample): string {
    const [own, wanted] = [mark, pending.mark].map((one) => (one === null ? 0 : placeOf(one).timeline));
    const why = `until it catches up: it is more than ${this.base.maxLag} ms behind the primary ("maxReplicaLag")`;
    return own === wanted ? why : `${why}, and replays timeline ${own}, not ${wanted}`;
  }

  private complain(about: Complaint, why: string): void {
    if (this.complaint !== about) this.base.warn(`Replica ${this.base.name} is not read ${why}`);
    this.complaint = about;
  }
}
