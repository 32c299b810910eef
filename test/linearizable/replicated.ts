/**
 * Sessions write, and read from two replicas, during disturbances of the servers and changes of the primary.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { randomFrom } from '../support/random.ts';
import { Cluster, type ScenarioName, SCENARIOS } from './cluster.ts';
import type { ReadCounts } from './instance.ts';
import { LASTING, NUMBERING } from './model.ts';
import { Session } from './session.ts';
import { Instance } from './world.ts';

export interface ReplicatedRun {
  readonly seed: number;
  readonly scenarios: readonly ScenarioName[];
  /** Reads and writes of each scenario, without those while a replica is made. */
  readonly operations: number;
  /** Whether clients repeat their positions. */
  readonly presents: boolean;
  readonly say: (line: string) => void;
}

/** Operations of the clients in one scenario. */
export interface ScenarioOutcome {
  readonly reads: number;
  readonly writes: number;
  /** Requests without a successful response. */
  readonly failures: number;
  /** Reads that the instances have sent to the addresses of the primary and of the replicas. */
  readonly sent: readonly number[];
  /** Reads with a position to which a replica has responded. */
  readonly reached: number;
  readonly problems: readonly string[];
}

const CLIENTS = 8;

/** Runs scenarios one after another on the same servers. */
export async function runReplicated(
  options: ReplicatedRun,
): Promise<Readonly<Partial<Record<ScenarioName, ScenarioOutcome>>>> {
  const cluster = new Cluster();
  const instances: Instance[] = [];
  const outcomes: Partial<Record<ScenarioName, ScenarioOutcome>> = {};
  try {
    await cluster.start();
    const [databaseUrl = '', ...replicas] = cluster.urls;
    // The fastify instance caches responses.
    for (const [adapter, by] of [
      ['express', 'replicas'],
      ['fastify', 'ledger'],
    ] as const)
      instances.push(await Instance.start(`the ${adapter} instance`, { databaseUrl, adapter, replicas, by }));
    const documentIds = await fill(cluster, instances);
    let token = LASTING;
    const nextToken = (): number => (token += 1);
    const base = {
      instances,
      documentIds,
      random: randomFrom(options.seed),
      presents: options.presents,
      nextToken,
      responded: new Map<number, number>(),
    };
    const sessions = Array.from({ length: CLIENTS }, () => new Session(base));
    const count = counter(cluster, instances, sessions);
    await count();
    for (const name of options.scenarios) {
      await perform(() => SCENARIOS[name](cluster), sessions, options.operations);
      const outcome = await count();
      outcomes[name] = outcome;
      options.say(`${name}: ${describe(outcome)}`);
    }
    return outcomes;
  } finally {
    for (const instance of instances) await instance.close();
    await cluster.stop();
  }
}

function describe({ reads, writes, failures, sent, reached, problems }: ScenarioOutcome): string {
  const [primary = 0, ...replicas] = sent;
  return (
    `${reads + writes} operations (${reads} reads, ${writes} writes, ${failures} failed); ` +
    `reads sent to the primary ${primary}, to the replicas ${replicas.join(' and ')}, ` +
    `which had reached ${reached} positions; ${problems.length} violations`
  );
}

/** Makes the tables and the documents, and waits until the replicas have them. */
async function fill(cluster: Cluster, instances: readonly Instance[]): Promise<string[]> {
  const [first, second] = instances as [Instance, Instance];
  await first.ask({ do: 'makeTables' });
  await second.ask({ do: 'look' });
  await cluster.at(0).sql(NUMBERING);
  const ids: string[] = [];
  for (let slot = 0; slot < LASTING; slot += 1) {
    const body = { data: { slot, token: slot, seq: 1 } };
    const { body: made } = await first.http('POST', '/api/items', { body });
    ids.push((JSON.parse(made) as { readonly data: { readonly documentId: string } }).data.documentId);
  }
  for (const place of [1, 2]) await cluster.at(place).catchUp(cluster.at(0));
  return ids;
}

/** Returns a function that counts what has happened since its last call. */
function counter(
  { urls }: Cluster,
  instances: readonly Instance[],
  sessions: readonly Session[],
): () => Promise<ScenarioOutcome> {
  const ports = urls.map((url) => new URL(url).port);
  const total = (name: 'reads' | 'writes' | 'failures'): number =>
    sessions.reduce((sum, { counts }) => sum + counts[name], 0);
  let before: readonly number[] = [];
  return async () => {
    const counts = (await Promise.all(instances.map((one) => one.ask({ do: 'reads' })))) as ReadCounts[];
    const sumOf = (of: (counts: ReadCounts) => number | undefined): number =>
      counts.reduce((sum, one) => sum + (of(one) ?? 0), 0);
    const now = [
      total('reads'),
      total('writes'),
      total('failures'),
      sumOf(({ reached }) => reached),
      ...ports.map((port) => sumOf(({ sent }) => sent[port])),
    ];
    const [reads = 0, writes = 0, failures = 0, reached = 0, ...sent] = now.map(
      (n, i) => n - (before[i] ?? 0),
    );
    before = now;
    const problems = sessions.flatMap((session) => session.problems.splice(0));
    return { reads, writes, failures, sent, reached, problems };
  };
}

type Disturbance = () => Promise<(() => Promise<unknown>) | null>;

/**
 * Disturbs the servers after a third of the operations, and repairs them after two thirds, while the clients
 * continue.
 */
async function perform(
  disturb: Disturbance,
  sessions: readonly Session[],
  operations: number,
): Promise<void> {
  const state = { done: 0, isOver: false };
  const client = async (session: Session): Promise<void> => {
    while (!state.isOver) {
      await session.step(sessions);
      state.done += 1;
      await sleep(2);
    }
  };
  const third = async (): Promise<void> => {
    const end = state.done + operations / 3;
    while (state.done < end) await sleep(5);
  };
  const disturbing = async (): Promise<void> => {
    try {
      await third();
      const repair = await disturb();
      await third();
      await repair?.();
      await third();
    } finally {
      state.isOver = true;
    }
  };
  await Promise.all([disturbing(), ...sessions.map(client)]);
}
