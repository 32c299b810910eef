/** A primary and two replicas that can be paused, promoted and replaced while applications use them. */
import { PostgresNode } from '../support/postgres-node.ts';
import { Switch } from './world.ts';

/** A port without a server. */
const NOWHERE = 9;
/** Makes the log of a server longer than the logs of the others. */
const UNRELATED = `create table if not exists unrelated as select n, repeat('x', 500) from generate_series(1, 5000) n;
  insert into unrelated select * from unrelated limit 5000`;
/** Waits until the sessions have ended: a commit under way reaches the log before that, or never. */
const END_SESSIONS = `select pg_terminate_backend(pid, 5000) from pg_stat_activity
  where backend_type = 'client backend' and pid <> pg_backend_pid()`;

/** Addresses 0 (the primary), 1 and 2 (replicas) of the applications; each can lead to another server later. */
export class Cluster {
  private readonly nodes: PostgresNode[] = [];
  private readonly gates: Switch[] = [];
  private readonly places: PostgresNode[] = [];
  readonly urls: string[] = [];

  at(place: number): PostgresNode {
    return this.places[place] as PostgresNode;
  }

  async start(): Promise<void> {
    const primary = await PostgresNode.start();
    this.nodes.push(primary);
    for (const node of [primary, await this.standby(primary), await this.standby(primary)]) {
      const gate = new Switch(node.port);
      const url = new URL(node.url);
      url.port = String(await gate.listen());
      this.urls.push(url.href);
      this.gates.push(gate);
      this.places.push(node);
    }
  }

  /** A new replica of a server, which has caught up with it. */
  async standby(of: PostgresNode): Promise<PostgresNode> {
    const node = await of.standby();
    this.nodes.push(node);
    await node.catchUp(of);
    return node;
  }

  /** Ends the connections of an address, which leads to another server from then on; null: to none. */
  put(place: number, node: PostgresNode | null): void {
    this.gates[place]?.turn(node?.port ?? NOWHERE);
    this.gates[place]?.cut();
    if (node !== null) this.places[place] = node;
  }

  async stop(): Promise<void> {
    for (const gate of this.gates) gate.close();
    for (const node of this.nodes.toReversed()) await node.stop();
  }
}

/** Disturbs the servers. Returns the function that repairs them; null if nothing is left to repair. */
type Scenario = (cluster: Cluster) => Promise<(() => Promise<unknown>) | null>;

export const SCENARIOS = {
  undisturbed: () => Promise.resolve(null),
  'a replica is paused': async (cluster) => {
    await cluster.at(2).sql('select pg_wal_replay_pause()');
    return () => cluster.at(2).sql('select pg_wal_replay_resume()');
  },
  'a replica stops its replay': (cluster) => {
    cluster.at(1).signal('SIGSTOP');
    return Promise.resolve(() => Promise.resolve(cluster.at(1).signal('SIGCONT')));
  },
  'a replica is promoted by mistake': async (cluster) => {
    const mistaken = cluster.at(1);
    await mistaken.promote();
    await mistaken.sql(UNRELATED);
    await mistaken.halt('fast');
    await mistaken.resume();
    cluster.put(1, mistaken);
    return async () => cluster.put(1, await cluster.standby(cluster.at(0)));
  },
  'an orderly failover': async (cluster) => {
    const [former, standby, next] = [cluster.at(0), cluster.at(1), cluster.at(2)];
    await former.halt('fast');
    await next.promote();
    await standby.follow(next);
    cluster.put(0, next);
    return async () => cluster.put(2, await cluster.standby(next));
  },
  'a disorderly failover': async (cluster) => {
    const [former, next] = [cluster.at(0), cluster.at(1)];
    cluster.put(0, null);
    await former.sql(END_SESSIONS);
    await next.catchUp(former);
    await next.promote();
    // The former primary continues, and the other replica follows it.
    await former.sql(UNRELATED);
    await cluster.at(2).catchUp(former);
    cluster.put(0, next);
    return async () => cluster.put(2, await cluster.standby(next));
  },
} as const satisfies Readonly<Record<string, Scenario>>;

export type ScenarioName = keyof typeof SCENARIOS;
