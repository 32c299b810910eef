/** Decides how the writes of a transaction lock unique values inside components. */
import type { SqlEntityManager } from '@mikro-orm/postgresql';

/** Maximum of writes in a bulk, and of values in its first write, if each value has its own lock. */
const MOST_WRITES = 8;
const MOST_OF_FIRST = 32;
/** Maximum of such locks in a transaction. PostgreSQL has room for a few thousand locks in all. */
const MOST_LOCKS = 256;

const ofTransactions = new WeakMap<object, ValueLocks>();

/**
 * Counts the values that one transaction locks. Its first write decides for the others: a shared lock of all
 * values of an attribute that becomes exclusive can cause deadlocks.
 */
export class ValueLocks {
  private count = 0;
  private isFew: boolean;

  private constructor(writes: number) {
    this.isFew = writes <= MOST_WRITES;
  }

  /** Returns the locks of a bulk, or of the transaction of the host that it joins. */
  static of(em: SqlEntityManager | null, writes: number): ValueLocks {
    const transaction: object | undefined = em?.getTransactionContext();
    if (transaction === undefined) return new ValueLocks(writes);
    const locks = ofTransactions.get(transaction) ?? new ValueLocks(writes);
    ofTransactions.set(transaction, locks);
    return locks;
  }

  /** Returns whether a write locks each of its values, and not all values of an attribute by one lock. */
  eachOf(values: number): boolean {
    const most = this.count === 0 ? MOST_OF_FIRST : MOST_LOCKS;
    this.count += values;
    this.isFew &&= this.count <= most;
    return this.isFew;
  }
}
