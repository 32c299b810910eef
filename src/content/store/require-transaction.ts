import type { SqlEntityManager } from '@mikro-orm/postgresql';

/** Returns the transaction of an entity manager. Throws an Error without one. */
export function transactionOf(em: SqlEntityManager): object {
  const transaction: object | undefined = em.getTransactionContext();
  if (transaction === undefined)
    throw new Error('The entity manager in `em` is not in a transaction: begin one with `em.transactional`');
  return transaction;
}

/**
 * Throws unless an entity manager that a write joins is in a transaction: each statement would commit by
 * itself, and free its locks.
 */
export function requireTransaction(em: SqlEntityManager | undefined): void {
  if (em !== undefined) transactionOf(em);
}
