/** Counts the SQL statements that this process sends, by wrapping the driver's one entry point. */
import pg from 'pg';
import { isUpkeep, type Sent, textsOf } from '../support/upkeep.ts';

let sent = 0;
let wrapped = false;

/** Returns a reader of the running total. Call it before the application opens its pool. */
export function countStatements(): () => number {
  if (!wrapped) {
    const query = pg.Client.prototype.query as (...args: unknown[]) => unknown;
    const counting = function (this: object, ...args: unknown[]): unknown {
      const texts = textsOf((args as [Sent])[0]);
      if (!isUpkeep(this, texts)) sent += texts.length;
      return query.apply(this, args);
    };
    Object.assign(pg.Client.prototype, { query: counting });
    wrapped = true;
  }
  return () => sent;
}
