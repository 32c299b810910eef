/** Starts a PostgreSQL server with two standbys. */
import { PostgresNode } from './postgres-node.ts';

export interface Replicated {
  readonly primary: PostgresNode;
  readonly replicas: readonly PostgresNode[];
  /** Stops all three servers. */
  stop(): Promise<void>;
}

export async function startReplicated(settings: Readonly<Record<string, string>> = {}): Promise<Replicated> {
  const nodes = [await PostgresNode.start(settings)];
  const [primary] = nodes as [PostgresNode];
  const stop = async (): Promise<void> => {
    for (const node of nodes.toReversed()) await node.stop();
  };
  try {
    for (let i = 0; i < 2; i += 1) nodes.push(await primary.standby());
    return { primary, replicas: nodes.slice(1), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
