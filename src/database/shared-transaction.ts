/**
 * One transaction for several pieces of work that do not stand in each other's way: what they look up goes in
 * one flight, and what they write in another one, with one commit. They see each other's rows as they might
 * with a transaction for each. Where anything fails, or one of them waits for somebody else, nothing is
 * written, and each is to be done again alone: which of them was to blame shows then.
 */
import { locking } from '../compile/compile-locks.js';
import type { Lock } from '../plan/locks.js';
import { constantStatement, type Statement } from '../sql.js';
import type { OwnTransaction } from './own-transaction.js';
import type { Row, Runner } from './runner.js';

/** How long all of them wait for a lock that somebody else has, in milliseconds. */
const SHORT_LOCK_TIMEOUT = constantStatement('set local lock_timeout = 100');

/** One of the pieces of work. */
export interface Member {
  readonly work: (runner: Runner) => Promise<unknown>;
  /** Taken before anything is looked at. */
  readonly locks: readonly Lock[];
  /** Whether nobody waits for it any more. */
  readonly isOver: () => boolean;
  /** How the work has ended; not called where it is to be done again. */
  readonly done: (value: unknown) => void;
  readonly fail: (error: unknown) => void;
  /** It has asked for more than a look and a write, and should go alone the next time, too. */
  readonly exceeded: () => void;
}

/** Says that each is to be done alone. */
export class NotBatchable extends Error {}

/** What a member waits for; `more` is what others cannot wait for, and `out` is nothing any more. */
type Request = 'none' | 'look' | 'last' | 'more' | 'out';

/** A member's handle on the transaction. */
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

  /** Does the work. What it comes to without a write is known at once. */
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
   * Does the work of all members. `committing` is called before anything is sent that may be committed.
   * Throws `Apart` where nothing has been sent that might be, and what the database says where it refused.
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

  /** Those who want something, and are still waited for. Throws `Apart` where one asks for too much. */
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
    // What was sent before theirs brought something, too.
    const rows = (await fly(statements)).slice(-statements.length);
    let next = 0;
    for (const part of parts) part.answer(rows.slice(next, (next += part.statements.length)));
  }

  private requested(): void {
    if (this.parts.some(({ request: wish }) => wish === 'none')) return;
    this.proceed?.();
    this.proceed = null;
  }

  /** Until each waits for something, or is out. */
  private allRequested(): Promise<void> {
    return new Promise((proceed) => {
      this.proceed = proceed;
      this.requested();
    });
  }
}
