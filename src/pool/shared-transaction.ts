/**
 * Transaction of a batch of writes: one pipelined batch loads for all of them, a second one writes and
 * commits. After any error, or a lock that another transaction has, nothing is written and each write runs
 * again unbatched. That shows which of them failed.
 */
import { locking } from './locks.js';
import type { Lock } from './locks.js';
import { constantStatement, type Statement } from '../kernel/sql.js';
import type { OwnTransaction } from './own-transaction.js';
import type { Row, Runner } from './runner.js';

/** Bounds the wait for a lock: one write must not delay the others. */
const SHORT_LOCK_TIMEOUT = constantStatement('set local lock_timeout = 100');

/** Write of the batch. */
export interface Member {
  readonly work: (runner: Runner) => Promise<unknown>;
  /** Locks that the transaction acquires first. */
  readonly locks: readonly Lock[];
  /** Whether its request has ended. */
  readonly isOver: () => boolean;
  /** Called with the result, unless the write has to run again. */
  readonly done: (value: unknown) => void;
  readonly fail: (error: unknown) => void;
  /** Called when the write needs several queries before it writes, so that it runs unbatched next time. */
  readonly exceeded: () => void;
}

/** Thrown when each write has to run in a transaction of its own. */
export class NotBatchable extends Error {}

/** Next step of a member: `more` does not fit into a batch, `out` means that it has ended. */
type Request = 'none' | 'look' | 'last' | 'more' | 'out';

/** Runner of one member. */
class MemberRunner implements Runner {
  readonly em = null;
  request: Request = 'none';
  statements: readonly Statement[] = [];
  private hasLooked = false;
  private take: ((rows: readonly (readonly Row[])[]) => void) | null = null;

  constructor(
    readonly member: Member,
    private readonly requested: () => void,
  ) {}

  get held(): readonly Lock[] {
    return this.member.locks;
  }

  run(): Promise<never> {
    return this.all();
  }

  all(): Promise<never> {
    return this.ask('more', []) as Promise<never>;
  }

  look(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    return this.ask(this.hasLooked ? 'more' : 'look', statements);
  }

  last(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    return this.ask('last', statements);
  }

  /** Runs the work. A result without a write is delivered immediately. */
  async start(): Promise<void> {
    const { work, done, fail } = this.member;
    try {
      done(await work(this));
    } catch (error) {
      fail(error);
    }
    this.request = 'out';
    this.requested();
  }

  answer(rows: readonly (readonly Row[])[]): void {
    this.hasLooked = true;
    this.request = 'none';
    this.take?.(rows);
  }

  private ask(wish: Request, statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    this.request = wish;
    this.statements = statements;
    return new Promise((take) => {
      this.take = take;
      this.requested();
    });
  }
}

export class SharedTransaction {
  private readonly parts: readonly MemberRunner[];
  private proceed: (() => void) | null = null;

  constructor(
    private readonly transaction: OwnTransaction,
    members: readonly Member[],
  ) {
    this.parts = members.map((member) => new MemberRunner(member, () => this.requested()));
  }

  /**
   * Runs the work of all members; calls `committing` before it sends the COMMIT. Throws NotBatchable if
   * nothing was sent that may be committed, and the error of the database otherwise.
   */
  async run(committing: () => void): Promise<void> {
    for (const part of this.parts) void part.start();
    const before = [SHORT_LOCK_TIMEOUT, ...locking(this.parts.flatMap(({ held }) => held))];
    await this.allRequested();
    const looking = this.requesting('look');
    if (looking.length > 0) {
      await this.send(looking, (statements) => this.transaction.all([...before, ...statements]));
      await this.allRequested();
    }
    const writing = this.requesting('last');
    if (writing.length === 0) throw new NotBatchable();
    committing();
    const first = looking.length > 0 ? [] : before;
    await this.send(writing, (statements) => this.transaction.last([...first, ...statements]));
    await this.allRequested();
  }

  /** Returns the active members with this next step. Throws NotBatchable if a step does not fit. */
  private requesting(wish: Request): readonly MemberRunner[] {
    const present = this.parts.filter(({ member }) => !member.isOver());
    const strays = present.filter(
      (part) => part.request === 'more' || (wish === 'last' && part.request === 'look'),
    );
    for (const { member } of strays) member.exceeded();
    if (strays.length > 0) throw new NotBatchable();
    return present.filter((part) => part.request === wish);
  }

  private async send(
    parts: readonly MemberRunner[],
    fly: (statements: readonly Statement[]) => Promise<readonly (readonly Row[])[]>,
  ): Promise<void> {
    const statements = parts.flatMap((part) => part.statements);
    // Statements that were sent before have rows, too.
    const rows = (await fly(statements)).slice(-statements.length);
    let next = 0;
    for (const part of parts) part.answer(rows.slice(next, (next += part.statements.length)));
  }

  private requested(): void {
    if (this.parts.some(({ request: wish }) => wish === 'none')) return;
    this.proceed?.();
    this.proceed = null;
  }

  /** Resolves when each member has a next step or has ended. */
  private allRequested(): Promise<void> {
    return new Promise((proceed) => {
      this.proceed = proceed;
      this.requested();
    });
  }
}
