/** Counts the SQL statements that this process sends, by wrapping the driver's one entry. */
import pg from 'pg';

let sent = 0;
let wrapped = false;

/** Returns a reader of the running total. Call it before the application opens its pool. */
export function countStatements(): () => number {
  if (!wrapped) {
    const query = pg.Client.prototype.query as (...args: unknown[]) => unknown;
    const counting = function (this: unknown, ...args: unknown[]): unknown {
      const [first] = args as [{ statements?: readonly unknown[] }];
      sent += first.statements?.length ?? 1;
      return query.apply(this, args);
    };
    Object.assign(pg.Client.prototype, { query: counting });
    wrapped = true;
  }
  return () => sent;
}
