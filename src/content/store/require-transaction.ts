import type { SqlEntityManager } from '@mikro-orm/postgresql';

/**
 * Throws unless an entity manager that a write joins is in a transaction: each statement would commit by
 * itself, and free its locks.
 */
export function requireTransaction(em: SqlEntityManager | undefined): void {
  if (em !== undefined && em.getTransactionContext() === undefined)
    throw new Error('The entity manager in `em` is not in a transaction: begin one with `em.transactional`');
}
