import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { Lock } from '../../pool/locks.js';
import type { Statement } from '../../kernel/sql.js';
import type { Row, Runner } from '../../pool/runner.js';

/** Runner that defers statements whose rows are not needed, and sends them with the next ones. */
export class AheadRunner implements Runner {
  private waiting: readonly Statement[] = [];

  constructor(private readonly runner: Runner) {}

  get em(): SqlEntityManager | null {
    return this.runner.em;
  }

  get held(): readonly Lock[] {
    return this.runner.held;
  }

  ahead(statements: readonly Statement[]): void {
    this.waiting = [...this.waiting, ...statements];
  }

  get isWaiting(): boolean {
    return this.waiting.length > 0;
  }

  async run(statement: Statement): Promise<readonly Row[]> {
    const [rows = []] = await this.all([statement]);
    return rows;
  }

  all(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    return this.after(statements, (every) => this.runner.all(every));
  }

  write(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    const { runner } = this;
    return this.after(statements, (every) => (runner.write ? runner.write(every) : runner.all(every)));
  }

  load(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    return this.after(statements, (every) => this.runner.load(every));
  }

  finish(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    return this.after(statements, (every) => this.runner.finish(every));
  }

  private after(
    statements: readonly Statement[],
    run: (every: readonly Statement[]) => Promise<readonly (readonly Row[])[]>,
  ): Promise<readonly (readonly Row[])[]> {
    const { waiting } = this;
    if (waiting.length === 0) return run(statements);
    this.waiting = [];
    return run([...waiting, ...statements]).then((rows) => rows.slice(waiting.length));
  }
}
