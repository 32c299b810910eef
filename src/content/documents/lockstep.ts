/** Writes of one transaction that run at the same time and send their statements together. */
import type { Lock } from '../../pool/locks.js';
import type { Row, Runner } from '../../pool/runner.js';
import type { Statement } from '../../kernel/sql.js';

/** Most writes that run together. */
const TOGETHER = 100;

interface Waiting {
  readonly statements: readonly Statement[];
  readonly resolve: (rows: readonly (readonly Row[])[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Collects the statements of several workers until all of them wait, and sends them in the order of the
 * workers. So the number of round trips is that of one worker.
 */
class Lockstep {
  private readonly waiting = new Map<number, Waiting>();
  private active = 0;
  private failure: { readonly error: unknown } | null = null;

  constructor(private readonly runner: Runner) {}

  /** Runs one worker per element. The first error fails all. */
  async run<T, R>(elements: readonly T[], work: (element: T, runner: Runner) => Promise<R>): Promise<R[]> {
    this.active = elements.length;
    const results = await Promise.allSettled(
      elements.map((element, i) =>
        work(element, this.runnerOf(i))
          .catch((error: unknown) => this.fail(error))
          .finally(() => this.ended()),
      ),
    );
    return results.map((result) => {
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    });
  }

  private fail(error: unknown): never {
    this.failure ??= { error };
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
    throw error;
  }

  private runnerOf(place: number): Runner {
    const { em, held } = this.runner;
    const all: Runner['all'] = (statements) =>
      new Promise((resolve, reject) => {
        if (this.failure !== null) throw this.failure.error;
        this.waiting.set(place, { statements, resolve, reject });
        this.sendIfAllWait();
      });
    const run: Runner['run'] = async (statement) => (await all([statement]))[0] ?? [];
    return { em, held, run, all, load: all, finish: all };
  }

  private ended(): void {
    this.active -= 1;
    this.sendIfAllWait();
  }

  private sendIfAllWait(): void {
    if (this.active === 0 || this.waiting.size < this.active) return;
    const sent = [...this.waiting].sort(([a], [b]) => a - b).map(([, one]) => one);
    this.waiting.clear();
    this.runner
      .all(sent.flatMap(({ statements }) => statements))
      .then((rows) => {
        let start = 0;
        for (const { statements, resolve } of sent) {
          resolve(rows.slice(start, start + statements.length));
          start += statements.length;
        }
      })
      .catch((error: unknown) => {
        for (const { reject } of sent) reject(error);
      });
  }
}

const conflicts = (lock: Lock, held: ReadonlyMap<string, boolean>): boolean => {
  const isExclusive = held.get(lock.name);
  return isExclusive !== undefined && (isExclusive || lock.exclusive);
};

/**
 * Splits a list into groups of writes whose locks do not conflict. Transactions of such writes could run at
 * the same time with the same result, so their statements may be sent together.
 */
function groupsOf<T>(elements: readonly T[], locksOf: (element: T) => readonly Lock[]): T[][] {
  const groups: T[][] = [];
  let group: T[] = [];
  let held = new Map<string, boolean>();
  for (const element of elements) {
    const locks = locksOf(element);
    if (group.length === TOGETHER || locks.some((lock) => conflicts(lock, held))) {
      groups.push(group);
      group = [];
      held = new Map();
    }
    group.push(element);
    for (const { name, exclusive } of locks) held.set(name, exclusive || held.get(name) === true);
  }
  return group.length === 0 ? groups : [...groups, group];
}

export interface LockstepWork<T, R> {
  readonly locksOf: (element: T) => readonly Lock[];
  readonly work: (element: T, runner: Runner) => Promise<R>;
}

/** Runs elements in groups, each in as few round trips as one element. Returns the results in order. */
export async function inLockstep<T, R>(
  runner: Runner,
  elements: readonly T[],
  { locksOf, work }: LockstepWork<T, R>,
): Promise<R[]> {
  const results: R[] = [];
  for (const group of groupsOf(elements, locksOf))
    results.push(...(await new Lockstep(runner).run(group, work)));
  return results;
}
