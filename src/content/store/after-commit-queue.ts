import type { EventSubscriber, TransactionEventArgs } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';

type Work = () => Promise<void>;

/** Work that runs after a transaction of the host commits. A nested transaction counts as its own. */
export class AfterCommitQueue implements EventSubscriber {
  private readonly waiting = new WeakMap<object, Work[]>();
  count = 0;

  add(em: SqlEntityManager, work: Work): void {
    const transaction: object | undefined = em.getTransactionContext();
    if (transaction === undefined)
      throw new Error('The entity manager that a write should join is not in a transaction');
    this.waiting.set(transaction, [...(this.waiting.get(transaction) ?? []), work]);
  }

  note(): void {
    this.count += 1;
  }

  async afterTransactionCommit(args: TransactionEventArgs): Promise<void> {
    this.note();
    const transaction: unknown = args.transaction;
    if (typeof transaction !== 'object' || transaction === null) return;
    const works = this.waiting.get(transaction) ?? [];
    this.waiting.delete(transaction);
    for (const work of works) await work();
  }
}
