/** Writes of one transaction that run at the same time and send their statements together. */
import type { Lock } from '../../pool/locks.js';
import type { Row, Runner } from '../../pool/runner.js';
import type { Statement } from '../../kernel/sql.js';
import { mergeStatements } from './merged-statements.js';

/** Most writes that run together. */
const TOGETHER = 100;

type Rows = readonly (readonly Row[])[];

type Kind = 'load' | 'step' | 'write';

interface Waiting {
  readonly statements: readonly Statement[];
  readonly kind: Kind;
  readonly resolve: (rows: Rows) => void;
  readonly reject: (error: unknown) => void;
}

/** Sends the statements of groups one after another, in the order of the calls, until some fail. */
class Turns {
  private last: Promise<unknown> = Promise.resolve();

  constructor(readonly runner: Runner) {}

  send(statements: readonly Statement[]): Promise<Rows> {
    const sent = this.last.then(() => this.runner.all(statements));
    this.last = sent;
    return sent;
  }
}

/**
 * Collects the statements of several workers until all of them wait, and sends them in the order of the
 * workers. So the number of round trips is that of one worker, and that of statements if they are alike.
 */
class Lockstep {
  private readonly waiting = new Map<number, Waiting>();
  private active = 0;
  private failure: { readonly error: unknown } | null = null;

  /** `before` resolves when the previous group has ended; until then, this one may only load. */
  constructor(
    private readonly turns: Turns,
    private readonly before: Promise<unknown>,
  ) {}

  /** Runs one worker per element. The first error fails all. */
  async run<T, R>(elements: readonly T[], work: (element: T, runner: Runner) => Promise<R>): Promise<R[]> {
    this.active = elements.length;
    const one = async (element: T, place: number): Promise<R> => {
      try {
        return await work(element, this.runnerOf(place));
      } catch (error) {
        return this.fail(error);
      } finally {
        this.ended();
      }
    };
    const results = await Promise.allSettled(elements.map(one));
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
    const { em, held } = this.turns.runner;
    const send =
      (kind: Kind): Runner['all'] =>
      (statements) =>
        new Promise((resolve, reject) => {
          if (this.failure !== null) throw this.failure.error;
          this.waiting.set(place, { statements, kind, resolve, reject });
          this.sendIfAllWait();
        });
    const all = send('step');
    const run: Runner['run'] = async (statement) => (await all([statement]))[0] ?? [];
    const write = send('write');
    return { em, held, run, all, load: send('load'), write, finish: write };
  }

  private ended(): void {
    this.active -= 1;
    this.sendIfAllWait();
  }

  private sendIfAllWait(): void {
    if (this.active === 0 || this.waiting.size < this.active) return;
    const all = [...this.waiting].sort(([a], [b]) => a - b);
    // The writes of all workers are sent together, so that new rows get their ids in order.
    const earlier = all.filter(([, { kind }]) => kind !== 'write');
    const sent = earlier.length > 0 ? earlier : all;
    for (const [place] of sent) this.waiting.delete(place);
    void this.deliver(sent.map(([, one]) => one));
  }

  private async deliver(sent: readonly Waiting[]): Promise<void> {
    try {
      const { statements, split } = mergeStatements(sent.map((one) => one.statements));
      if (!sent.every(({ kind }) => kind === 'load')) await this.before;
      const lists = split(await this.turns.send(statements));
      for (const [i, { resolve }] of sent.entries()) resolve(lists[i] ?? []);
    } catch (error) {
      for (const { reject } of sent) reject(error);
    }
  }
}

const conflicts = (lock: Lock, held: ReadonlyMap<string, boolean>): boolean => {
  const isExclusive = held.get(lock.name);
  return isExclusive !== undefined && (isExclusive || lock.exclusive);
};

interface Group<T> {
  readonly elements: T[];
  /** Whether a lock conflicts with one of the previous group. */
  follows: boolean;
}

/**
 * Splits a list into groups of writes whose locks do not conflict. Transactions of such writes could run at
 * the same time with the same result, so their statements may be sent together.
 */
function groupsOf<T>(elements: readonly T[], locksOf: (element: T) => readonly Lock[]): Group<T>[] {
  const groups: Group<T>[] = [];
  let former = new Map<string, boolean>();
  let held = new Map<string, boolean>();
  for (const element of elements) {
    const locks = locksOf(element);
    const among = (names: ReadonlyMap<string, boolean>): boolean =>
      locks.some((lock) => conflicts(lock, names));
    let group = groups.at(-1);
    if (group === undefined || group.elements.length === TOGETHER || among(held)) {
      former = held;
      held = new Map();
      group = { elements: [], follows: false };
      groups.push(group);
    }
    group.follows ||= among(former);
    group.elements.push(element);
    for (const { name, exclusive } of locks) held.set(name, exclusive || held.get(name) === true);
  }
  return groups;
}

export interface LockstepWork<T, R> {
  readonly locksOf: (element: T) => readonly Lock[];
  readonly work: (element: T, runner: Runner) => Promise<R>;
}

/**
 * Runs elements in groups, each in as few round trips as one element. Returns the results in order. While the
 * database works for a group, the next one loads and plans, unless their locks conflict.
 */
export async function inLockstep<T, R>(
  runner: Runner,
  elements: readonly T[],
  { locksOf, work }: LockstepWork<T, R>,
): Promise<R[]> {
  const turns = new Turns(runner);
  const runs: Promise<R[]>[] = [];
  for (const { elements: group, follows } of groupsOf(elements, locksOf)) {
    const before = runs.at(-1) ?? Promise.resolve();
    const [former] = await Promise.allSettled([follows ? before : runs.at(-2)]);
    if (former.status === 'rejected') break;
    runs.push(new Lockstep(turns, before).run(group, work));
  }
  // A rollback may follow only when no group sends statements.
  const settled = await Promise.allSettled(runs);
  return settled.flatMap((run) => {
    if (run.status === 'rejected') throw run.reason;
    return run.value;
  });
}
