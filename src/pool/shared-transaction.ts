/**
 * Transaction of a batch of writes: one pipelined batch loads for all of them, a second one writes and
 * commits. After any error, or a lock that another transaction has, nothing is written and each write runs
 * again unbatched. That shows which of them failed.
 */
import { lockStatements } from './locks.js';
import type { Lock } from './locks.js';
import { print, silently, sql, type Statement } from '../kernel/sql.js';
import type { OwnTransaction } from './own-transaction.js';
import type { Row, Runner } from './runner.js';

/** Bounds the wait for a lock: one write must not delay the others. */
const SHORT_LOCK_TIMEOUT = silently(print(sql`set local lock_timeout = 100`));

export interface Member {
  readonly work: (runner: Runner) => Promise<unknown>;
  readonly locks: readonly Lock[];
  readonly isOver: () => boolean;
  /** Called with the result, unless the write has to run again. */
  readonly done: (value: unknown) => void;
  readonly fail: (error: unknown) => void;
  /** Called when the write needs several queries before it writes, so that it runs unbatched next time. */
  readonly exceeded: () => void;
}

/** Thrown when each write has to run in a separate transaction. */
class NotBatchable extends Error {}

/** Next step of a member: `more` does not fit into a batch, `out` means that it has ended. */
type Step = 'none' | 'load' | 'finish' | 'more' | 'out';

class MemberRunner implements Runner {
  readonly em = null;
  step: Step = 'none';
  statements: readonly Statement[] = [];
  private hasLoaded = false;
  private resolve: ((rows: readonly (readonly Row[])[]) => void) | null = null;

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
    return this.request('more', []) as Promise<never>;
  }

  load(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    return this.request(this.hasLoaded ? 'more' : 'load', statements);
  }

  finish(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    return this.request('finish', statements);
  }

  async start(): Promise<void> {
    const { work, done, fail } = this.member;
    try {
      done(await work(this));
    } catch (error) {
      fail(error);
    }
    this.step = 'out';
    this.requested();
  }

  answer(rows: readonly (readonly Row[])[]): void {
    this.hasLoaded = true;
    this.step = 'none';
    this.resolve?.(rows);
  }

  private request(step: Step, statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    this.step = step;
    this.statements = statements;
    return new Promise((resolve) => {
      this.resolve = resolve;
      this.requested();
    });
  }
}

export class SharedTransaction {
  private readonly runners: readonly MemberRunner[];
  private proceed: (() => void) | null = null;

  constructor(
    private readonly transaction: OwnTransaction,
    members: readonly Member[],
  ) {
    this.runners = members.map((member) => new MemberRunner(member, () => this.requested()));
  }

  /**
   * Runs the work of all members; calls `committing` before it sends the COMMIT. Throws NotBatchable if
   * the writes do not fit into one, and the error of the database otherwise.
   */
  async run(committing: () => void): Promise<void> {
    for (const runner of this.runners) void runner.start();
    const before = [SHORT_LOCK_TIMEOUT, ...lockStatements(this.runners.flatMap(({ held }) => held))];
    await this.allRequested();
    const loading = this.requesting('load');
    if (loading.length > 0) {
      await this.send(loading, (statements) => this.transaction.all([...before, ...statements]));
      await this.allRequested();
    }
    const writing = this.requesting('finish');
    if (writing.length === 0) throw new NotBatchable();
    committing();
    const first = loading.length > 0 ? [] : before;
    await this.send(writing, (statements) => this.transaction.finish([...first, ...statements]));
    await this.allRequested();
  }

  /** Returns the active members with this next step. Throws NotBatchable if a step does not fit. */
  private requesting(step: Step): readonly MemberRunner[] {
    const present = this.runners.filter(({ member }) => !member.isOver());
    const unfit = present.filter(
      (runner) => runner.step === 'more' || (step === 'finish' && runner.step === 'load'),
    );
    for (const { member } of unfit) member.exceeded();
    if (unfit.length > 0) throw new NotBatchable();
    return present.filter((runner) => runner.step === step);
  }

  private async send(
    runners: readonly MemberRunner[],
    send: (statements: readonly Statement[]) => Promise<readonly (readonly Row[])[]>,
  ): Promise<void> {
    const statements = runners.flatMap((runner) => runner.statements);
    // Statements that were sent before have rows, too.
    const rows = (await send(statements)).slice(-statements.length);
    let next = 0;
    for (const runner of runners) runner.answer(rows.slice(next, (next += runner.statements.length)));
  }

  private requested(): void {
    if (this.runners.some(({ step }) => step === 'none')) return;
    this.proceed?.();
    this.proceed = null;
  }

  private allRequested(): Promise<void> {
    return new Promise((proceed) => {
      this.proceed = proceed;
      this.requested();
    });
  }
}
