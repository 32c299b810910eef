/**
 * Answers that are kept as long as nothing has changed that they are about, which is asked anew for every
 * request: never one is older than what was committed before it was asked for.
 */
import { Generations } from './generations.js';
import type { Ledger, Subject } from './ledger.js';

/** What is read. */
export interface CachedRead<T> {
  /** Equal reads have the same. */
  readonly key: string;
  readonly subject: Subject;
  /** Whether the client may have the answer already, so that a check may spare reading it. */
  readonly mayBeKnown: boolean;
  /** What is left of an answer that the client has; null where it has another one. Asked after a check. */
  readonly known: () => T | null;
  /** Reads it. `isChecked`: what has changed was asked just before. */
  readonly load: (isChecked: boolean) => Promise<Loaded<T>>;
}

/** An answer as it was read. */
export interface Loaded<T> {
  readonly answer: T;
  /** What was there when it was sent for; null where nobody can tell. */
  readonly position: number | null;
  readonly bytes: number;
}

/** What became of reads; for who watches. */
export interface ReadCounts {
  hits: number;
  misses: number;
  /** Kept, but changed since. */
  stale: number;
  /** Not looked for, because it changes more often than it is read. */
  passed: number;
  unchanged: number;
}

interface Entry<T> {
  readonly answer: T | null;
  readonly position: number;
  readonly bytes: number;
  /** How often it was right lately, less what it was wrong. */
  worth: number;
  /** How many reads pass it by before it is tried again. */
  rest: number;
}

/** What is right so often stays worth a check for a while. */
const MOST = 8;
/** What a change costs: it makes a check worth nothing, and the read has to be done all the same. */
const COST = 2;
/** How many reads go without, once it has changed more often than it was read. */
const REST = 32;
/** What an entry takes beside its text. */
const EMPTY = 256;

export class ReadCache<T> {
  private readonly entries: Generations<Entry<T>>;
  readonly counts: ReadCounts = { hits: 0, misses: 0, stale: 0, passed: 0, unchanged: 0 };

  constructor(
    private readonly ledger: Ledger,
    bytes: number,
  ) {
    this.entries = new Generations(bytes);
  }

  get size(): number {
    return this.entries.size;
  }

  get bytes(): number {
    return this.entries.bytes;
  }

  clear(): void {
    this.entries.clear();
  }

  async read(asked: CachedRead<T>): Promise<T> {
    const entry = this.entries.get(asked.key);
    if (entry !== undefined && entry.rest > 0 && !asked.mayBeKnown) return this.pass(asked, entry);
    // Nothing is known yet: what is read now could not be kept.
    const asks = (entry?.answer ?? null) !== null || asked.mayBeKnown || this.ledger.server === null;
    if (!asks || !(await this.ledger.check())) return this.load(asked, entry, false);
    const kept = this.valid(asked);
    const known = asked.known();
    if (known !== null) this.counts.unchanged += 1;
    else if (kept !== null) this.counts.hits += 1;
    return known ?? kept ?? this.load(asked, entry, true);
  }

  /** What is kept and has not changed: of an entry that others may have renewed during the check. */
  private valid({ key, subject }: CachedRead<T>): T | null {
    const entry = this.entries.get(key);
    if (entry === undefined || entry.answer === null || this.ledger.hasChanged(subject, entry.position))
      return null;
    if (entry.worth < MOST) entry.worth += 1;
    return entry.answer;
  }

  private async pass({ load }: CachedRead<T>, entry: Entry<T>): Promise<T> {
    entry.rest -= 1;
    this.counts.passed += 1;
    return (await load(true)).answer;
  }

  private async load(asked: CachedRead<T>, before: Entry<T> | undefined, isChecked: boolean): Promise<T> {
    if (before?.answer == null) this.counts.misses += 1;
    else this.counts.stale += 1;
    const worth = (before?.worth ?? 0) - (before?.answer == null ? 0 : COST);
    const { key, subject } = asked;
    if (before !== undefined && worth < -MOST) {
      // Remembered without its text, until it has been passed by often enough.
      this.entries.set(key, { answer: null, position: 0, bytes: EMPTY, worth: COST - MOST, rest: REST });
      return (await asked.load(true)).answer;
    }
    const { answer, position, bytes } = await asked.load(isChecked);
    const keeps =
      position !== null && this.ledger.server !== null && !this.ledger.hasChanged(subject, position);
    if (keeps) this.entries.set(key, { answer, position, bytes: EMPTY + bytes, worth, rest: 0 });
    return answer;
  }
}
