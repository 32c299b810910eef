import pg from 'pg';

/** Change log statements that run outside a transaction. */
const ALONE =
  /as pending| as shape$| as xmin$|pg_is_in_recovery\(\)|pg_trigger|uncounted|content_total" t where t.type = w.type|set_config\('plan_cache_mode'|^update "content_total" t set total = 0/;
const BEGUN = /pg_try_advisory_xact_lock\(hashtextextended\('content-ledger'/;
const OVER = /^(commit|rollback)$/;

/** A query of the driver, or several statements in one pipelined batch. */
export type Sent =
  string | { readonly text: string } | { readonly statements: readonly { readonly text: string }[] };

export function textsOf(sent: Sent): string[] {
  if (typeof sent === 'string') return [sent];
  return ('statements' in sent ? [...sent.statements] : [sent]).map(({ text }) => text);
}

/** Connections in a transaction of the change log. */
const busy = new WeakSet<object>();

/**
 * Returns true if the texts of one batch on `connection` belong to the change log and not to a request.
 * Transactions of the change log have several statements; the connection is remembered until its transaction
 * ends.
 */
export function isUpkeep(connection: object, texts: readonly string[]): boolean {
  const [first = ''] = texts;
  if (texts.some((text) => BEGUN.test(text))) busy.add(connection);
  if (!busy.has(connection)) return ALONE.test(first);
  if (texts.some((text) => OVER.test(text))) busy.delete(connection);
  return true;
}

// Observes every query from the start, because a test may begin to count within such a transaction.
const original = pg.Client.prototype.query;
pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]): unknown {
  const [sent] = args as [Sent];
  if (typeof sent === 'string' || 'text' in sent || 'statements' in sent) isUpkeep(this, textsOf(sent));
  return (original as (...all: unknown[]) => unknown).apply(this, args);
} as typeof original;
