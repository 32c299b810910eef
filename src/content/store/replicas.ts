/** Reads from replicas, and from the primary if no replica can respond as required. */
import { compileMark, compileHasReached } from '../compile/compile-mark.js';
import { type Mark, markIn } from '../query/mark.js';
import type { Statement } from '../../kernel/sql.js';
import { isTimeout, outageReason } from '../../kernel/postgres-errors.js';
import type { ReadTraits } from '../../pool/native-pool.js';
import { type ReplicaTimeout, ReplicaTimeouts } from './replica-timeouts.js';
import { Replica, type ReplicaBase, type Sample } from './replica.js';
import type { Row } from '../../pool/runner.js';

export interface ReplicasBase extends Pick<ReplicaBase, 'warn' | 'maxLag'> {
  readonly servers: readonly Pick<ReplicaBase, 'pool' | 'name'>[];
  readonly primary: (statement: Statement, traits: ReadTraits) => Promise<readonly Row[]>;
  /** Runs a statement of the library itself on the primary, whose failure is not logged. */
  readonly query: (statement: Statement) => Promise<readonly Row[]>;
}

interface ReplicaRead {
  readonly statement: Statement;
  readonly traits: ReadTraits;
  readonly since: Mark | null;
  readonly timeout: ReplicaTimeout;
}

/** Least time between two probes, in milliseconds. Without reads there are none. */
const PROBE_EVERY = 500;

export class Replicas {
  private readonly replicas: readonly Replica[];
  private readonly timeouts = new ReplicaTimeouts();
  private lastUsed = 0;
  private isProbing = false;
  private probedAt = -Infinity;
  private sample: Sample | null = null;
  private isPrimaryAway = false;

  constructor(private readonly base: ReplicasBase) {
    const { warn, maxLag } = base;
    this.replicas = base.servers.map((server) => new Replica({ ...server, warn, maxLag }));
  }

  /**
   * Reads from a replica that has replayed the position `since`, or from any fresh one if that is null.
   * Without such a replica, reads from the primary.
   */
  async read(statement: Statement, traits: ReadTraits, since: Mark | null): Promise<readonly Row[]> {
    void this.probe();
    const replica = this.next();
    if (replica === null) return this.base.primary(statement, traits);
    const timeout = this.timeouts.of(statement.text, traits.disconnect);
    const rows = await this.readFrom(replica, { statement, traits, since, timeout });
    if (rows !== null) return rows;
    const started = performance.now();
    try {
      return await this.base.primary(statement, traits);
    } finally {
      const isReplicaSlow = timeout.ranOut && traits.disconnect?.happened !== true;
      if (isReplicaSlow && !this.timeouts.learn(statement.text, performance.now() - started))
        replica.leave('it takes too long');
    }
  }

  /** Returns null if the replica has not reached the position, does not respond in time, or fails. */
  private async readFrom(replica: Replica, read: ReplicaRead): Promise<readonly Row[] | null> {
    const { statement, since, timeout } = read;
    const { pool } = replica;
    const traits = { ...read.traits, disconnect: timeout };
    try {
      if (since === null) return await pool.run(statement, traits);
      const question = compileHasReached(replica.positionCheck(since, this.sample?.server ?? null));
      return await pool.runIf(question, statement, traits);
    } catch (error) {
      const why = outageReason(error) ?? (isTimeout(error) ? 'it takes too long' : null);
      if (why !== null) replica.leave(why);
      return null;
    } finally {
      timeout.end();
    }
  }

  /**
   * Selects a fresh replica, round robin. An unreachable primary accepts no writes, so freshness counts from
   * its last response.
   */
  private next(): Replica | null {
    const now = this.isPrimaryAway && this.sample !== null ? this.sample.at : performance.now();
    for (let i = 1; i <= this.replicas.length; i += 1) {
      const at = (this.lastUsed + i) % this.replicas.length;
      const replica = this.replicas[at];
      if (replica?.isFresh(now) !== true) continue;
      this.lastUsed = at;
      return replica;
    }
    return null;
  }

  /** Queries the position of the primary, then how far each replica is. Never throws. */
  private async probe(): Promise<void> {
    const at = performance.now();
    if (this.isProbing || at - this.probedAt < PROBE_EVERY || this.replicas.length === 0) return;
    [this.isProbing, this.probedAt] = [true, at];
    const [row] = await this.base.query(compileMark()).catch(() => []);
    const mark = markIn(row?.['mark']);
    const sample = mark === null ? null : { mark, server: String(row?.['server']), at };
    this.isPrimaryAway = sample === null;
    this.sample = sample ?? this.sample;
    this.isProbing = false;
    await Promise.all(this.replicas.map((replica) => replica.probe(sample)));
  }
}
