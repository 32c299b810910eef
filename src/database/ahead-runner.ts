import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { Lock } from '../plan/locks.js';
import type { Statement } from '../sql.js';
import type { Row, Runner } from './runner.js';

/** Runs statements, and before the next of them those whose rows nobody waits for, in the same flight. */
export class AheadRunner implements Runner {
  private waiting: readonly Statement[] = [];

  constructor(private readonly runner: Runner) {}

  get em(): SqlEntityManager | null {
    return this.runner.em;
  }

  get held(): readonly Lock[] {
    return this.runner.held;
  }

  /** Has statements run before what is run next, which fails where one of them does. */
  ahead(statements: readonly Statement[]): void {
    this.waiting = [...this.waiting, ...statements];
  }

  /** Whether there are some that nothing has been run after. */
  get isWaiting(): boolean {
    return this.waiting.length > 0;
  }

  async run(statement: Statement): Promise<readonly Row[]> {
    const [rows = []] = await this.all([statement]);
    return rows;
  }

  async all(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    const waiting = this.taken();
    return (await this.runner.all([...waiting, ...statements])).slice(waiting.length);
  }

  async look(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    const waiting = this.taken();
    return (await this.runner.look([...waiting, ...statements])).slice(waiting.length);
  }

  async last(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    const waiting = this.taken();
    return (await this.runner.last([...waiting, ...statements])).slice(waiting.length);
  }

  private taken(): readonly Statement[] {
    const { waiting } = this;
    this.waiting = [];
    return waiting;
  }
}
