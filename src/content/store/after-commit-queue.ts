import type { EventSubscriber, TransactionEventArgs } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { transactionOf } from './require-transaction.js';

type Work = () => Promise<void>;

/** Work that runs after a transaction commits. The work of a nested one waits for the outermost one. */
export class AfterCommitQueue implements EventSubscriber {
  private readonly waiting = new WeakMap<object, Work[]>();
  /** The transaction that another one will be nested in, by the entity manager of the nested one. */
  private readonly outer = new WeakMap<object, object>();
  private readonly parents = new WeakMap<object, object>();
  private readonly held = new WeakSet<object>();
  count = 0;

  add(em: SqlEntityManager, work: Work): void {
    this.append(transactionOf(em), [work]);
  }

  /** Returns the function that runs the work of a transaction, which its commit then does not run. */
  hold(em: SqlEntityManager): Work {
    const transaction = transactionOf(em);
    this.held.add(transaction);
    return () => this.runWork(transaction);
  }

  note(): void {
    this.count += 1;
  }

  beforeTransactionStart({ em, transaction }: TransactionEventArgs): void {
    if (isObject(transaction)) this.outer.set(em, transaction);
    else this.outer.delete(em);
  }

  afterTransactionStart({ em, transaction }: TransactionEventArgs): void {
    const parent = this.outer.get(em);
    if (parent !== undefined && isObject(transaction)) this.parents.set(transaction, parent);
    this.outer.delete(em);
  }

  async afterTransactionCommit({ transaction }: TransactionEventArgs): Promise<void> {
    if (!isObject(transaction)) return this.note();
    const parent = this.parents.get(transaction);
    if (parent !== undefined) return this.append(parent, this.take(transaction));
    this.note();
    if (!this.held.has(transaction)) await this.runWork(transaction);
  }

  private append(transaction: object, works: readonly Work[]): void {
    this.waiting.set(transaction, [...(this.waiting.get(transaction) ?? []), ...works]);
  }

  private take(transaction: object): readonly Work[] {
    const works = this.waiting.get(transaction) ?? [];
    this.waiting.delete(transaction);
    return works;
  }

  private async runWork(transaction: object): Promise<void> {
    for (const work of this.take(transaction)) await work();
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
