/**
 * Connections that die while a transaction of Kysely's has them, whether it was begun here or by the host: it
 * keeps their places in the pool for ever (kysely-org/kysely#1990), so they are given back here. That is to
 * look into the pool's own lists, for want of another way; where they are not as expected, nothing is done.
 */
import type { Pool, PoolClient } from './pool-types.js';

interface InsideClient extends PoolClient {
  readonly _queryable?: boolean;
  once?(event: 'end', listener: () => void): unknown;
}

interface PoolInside {
  readonly _clients?: readonly InsideClient[];
  readonly _idle?: readonly { readonly client: unknown }[];
}

/** How long after the end of a connection its place may be somebody's, in milliseconds. */
const LOST_AFTER = 200;

/** The connections of a pool. */
export const clientsOf = (pool: Pool): readonly InsideClient[] => (pool as PoolInside)._clients ?? [];

/** Gives back the places of a pool's connections that are lost, as long as it lives. */
export function releaseLost(pool: Pool): void {
  const watch = (client: InsideClient): void => {
    // Whoever does give one back has done so soon after its end.
    client.once?.('end', () => setTimeout(() => release(pool), LOST_AFTER).unref());
  };
  for (const client of clientsOf(pool)) watch(client);
  pool.on('connect', watch);
}

/** Who does give one back after that does nothing. */
function release(pool: Pool): void {
  const { _idle: idle = [] } = pool as PoolInside;
  for (const client of [...clientsOf(pool)]) {
    const isLost = client._queryable === false && !idle.some((item) => item.client === client);
    if (!isLost || typeof client.release !== 'function') continue;
    const { release: giveBack } = client;
    client.release = () => undefined;
    giveBack(true);
  }
}
