import pg from 'pg';
import type { Sent } from './upkeep.ts';

/** Calls `watch` with each query that the driver gets while `work` runs, before it is sent. */
export async function watchQueries(
  watch: (query: Sent, client: pg.Client) => void,
  work: () => Promise<unknown>,
): Promise<void> {
  const original = pg.Client.prototype.query;
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]): unknown {
    watch((args as [Sent])[0], this);
    return (original as (...all: unknown[]) => unknown).apply(this, args);
  } as typeof original;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = original;
  }
}
