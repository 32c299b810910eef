/**
 * Releases connections that die during a transaction of Kysely, which never returns them to the pool
 * (kysely-org/kysely#1990). It reads private lists of the pool, and does nothing if they have another shape.
 */
import type { Pool, PoolClient } from './pool-types.js';

interface InsideClient extends PoolClient {
  readonly _queryable?: boolean;
  once?(event: 'end', listener: () => void): unknown;
}

interface PoolInside extends Pool {
  readonly _clients?: readonly InsideClient[];
  readonly _idle?: readonly { readonly client: unknown }[];
}

/** Milliseconds after the end of a connection in which its user may still release it. */
const LOST_AFTER = 200;

const clientsOf = ({ _clients: clients = [] }: PoolInside): readonly InsideClient[] => clients;

/** Connections that are in use. */
export function busyClients(pool: PoolInside): readonly InsideClient[] {
  const { _idle: idle = [] } = pool;
  return clientsOf(pool).filter((client) => !idle.some((item) => item.client === client));
}

/** Releases lost connections of a pool for its whole life. */
export function releaseLost(pool: Pool): void {
  const watch = (client: InsideClient): void => {
    // A user that releases a connection does so soon after its end.
    client.once?.('end', () => setTimeout(() => release(pool), LOST_AFTER).unref());
  };
  for (const client of clientsOf(pool)) watch(client);
  pool.on('connect', watch);
}

/** Releases the lost connections. A later release by the user does nothing. */
function release(pool: PoolInside): void {
  for (const client of busyClients(pool)) {
    if (client._queryable !== false || typeof client.release !== 'function') continue;
    const { release: giveBack } = client;
    client.release = () => undefined;
    giveBack(true);
  }
}
