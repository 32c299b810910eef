/**
 * Answers that are kept as long as nothing has changed that they are about, which is asked anew for every
 * request: never one is older than what was committed before it was asked for.
 */
import { Generations } from './generations.js';
import type { Ledger, Subject } from './ledger.js';
import { Odds } from './odds.js';

/** What is read. */
export interface CachedRead<T> {
  /** Equal reads have the same. */
  readonly key: string;
  readonly subject: Subject;
  /** Reads it. `isChecked`: what has changed was asked just before. */
  readonly load: (isChecked: boolean) => Promise<Loaded<T>>;
  /** Reads it for nobody but who asks: it will not be kept. */
  readonly pass: () => Promise<Loaded<T>>;
}

/** An answer as it was read. */
export interface Loaded<T> {
  readonly answer: T;
  /** What was there when it was sent for; null where nobody can tell. */
  readonly position: number | null;
  readonly bytes: number;
  /** When it is worth nothing whatever has changed, in milliseconds since 1970; Infinity for never. */
  readonly until: number;
}

/** What became of reads; for who watches. */
export interface ReadCounts {
  hits: number;
  misses: number;
  /** Kept, but changed since. */
  stale: number;
  /** Not looked for, because it changes more often than it is read. */
  passed: number;
}

interface Entry<T> {
  /** Null while it changes so often that it is not kept. */
  readonly answer: T | null;
  readonly position: number;
  readonly bytes: number;
  readonly until: number;
  readonly odds: Odds;
}

/**
 * What an entry takes beside its text and a key that is longer than most, with its head and its tag: what a
 * heap of them has shown.
 */
const EMPTY = 700;

export class ReadCache<T> {
  private readonly entries: Generations<Entry<T>>;
  /** The last read of each key that has been begun and has not ended. */
  private readonly underWay = new Map<string, Promise<unknown>>();
  readonly counts: ReadCounts = { hits: 0, misses: 0, stale: 0, passed: 0 };

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
    if (entry?.odds.rests(performance.now()) === true) return this.pass(asked, entry.odds);
    // Nothing is known yet: what is read now could not be kept.
    const asks = (entry?.answer ?? null) !== null || this.ledger.server === null;
    if (!asks || !(await this.ledger.check())) return this.load(asked, false);
    return this.found(asked) ?? (await this.renewed(asked)) ?? this.load(asked, true);
  }

  /** What need not be read: it is kept and unchanged. To be asked after a check. */
  private found(asked: CachedRead<T>): T | null {
    const entry = this.entries.get(asked.key);
    if (entry === undefined || entry.answer === null || entry.until <= Date.now()) return null;
    const { position, cost } = this.ledger;
    const isChanged = this.ledger.hasChanged(asked.subject, entry.position);
    entry.odds.judge({ isChanged, position, cost }, performance.now());
    if (isChanged) return null;
    this.counts.hits += 1;
    return entry.answer;
  }

  /**
   * What somebody else is reading already, if that has seen all that the check has told: however many ask, a
   * change costs one read.
   */
  private async renewed(asked: CachedRead<T>): Promise<T | null> {
    const reading = this.underWay.get(asked.key);
    if (reading === undefined) return null;
    await reading;
    return this.found(asked);
  }

  private async pass({ pass }: CachedRead<T>, odds: Odds): Promise<T> {
    this.counts.passed += 1;
    odds.passed();
    return (await pass()).answer;
  }

  private async load(asked: CachedRead<T>, isChecked: boolean): Promise<T> {
    const { key } = asked;
    const before = this.entries.get(key);
    if ((before?.answer ?? null) === null) this.counts.misses += 1;
    else this.counts.stale += 1;
    const odds = before?.odds ?? new Odds();
    if (odds.rests(performance.now())) {
      // Remembered without its text meanwhile.
      this.entries.set(key, { answer: null, position: 0, bytes: EMPTY + key.length, until: 0, odds });
      return (await asked.pass()).answer;
    }
    const loading = this.keep(asked, odds, isChecked);
    const over = loading.then(forget, forget).then(() => {
      if (this.underWay.get(key) === over) this.underWay.delete(key);
    });
    this.underWay.set(key, over);
    return loading;
  }

  /** Reads it, and keeps it if it is known to be of the present. */
  private async keep({ key, subject, load }: CachedRead<T>, odds: Odds, isChecked: boolean): Promise<T> {
    const started = performance.now();
    const { answer, position, bytes, until } = await load(isChecked);
    odds.took(performance.now() - started);
    const keeps =
      position !== null && this.ledger.server !== null && !this.ledger.hasChanged(subject, position);
    if (keeps) this.entries.set(key, { answer, position, bytes: EMPTY + key.length + bytes, until, odds });
    return answer;
  }
}

const forget = (): void => undefined;
