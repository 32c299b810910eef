/** Servers that follow the primary: which of them a read is sent to, and when it has to go to the primary. */
import { compileReached } from '../compile/compile-mark.js';
import { ContentError } from '../errors.js';
import type { Mark } from '../query/mark.js';
import type { Statement } from '../sql.js';
import { isTimeout, reasonAway } from './database-errors.js';
import type { NativePool, ReadTraits } from './native-pool.js';
import type { Row } from './runner.js';

/** A server, and how long it is left alone because it did not answer. */
interface Replica {
  readonly pool: NativePool;
  /** Nobody asks it before that time. */
  quietUntil: number;
  /** How long it was left alone last, in milliseconds; 0 once it has answered. */
  pause: number;
}

/** How long a server that does not answer is left alone, in milliseconds: twice as long each time. */
const PAUSE = { first: 1000, longest: 30_000 };

export class Replicas {
  private readonly servers: readonly Replica[];
  private last = 0;

  constructor(
    pools: readonly NativePool[],
    /** Told in one line when one of them does not answer. */
    private readonly warn: (message: string) => void,
  ) {
    this.servers = pools.map((pool) => ({ pool, quietUntil: 0, pause: 0 }));
  }

  /**
   * Reads from one of them that shows what was written up to a mark, or whatever it has where that is null.
   * Null where the primary has to be asked. Throws what the primary would not do better: nobody waits any
   * more, or it takes too long.
   */
  async read(statement: Statement, traits: ReadTraits, since: Mark | null): Promise<readonly Row[] | null> {
    const replica = this.next();
    if (replica === null) return null;
    const { pool } = replica;
    try {
      const rows = await (since === null
        ? pool.run(statement, traits)
        : pool.runIf(compileReached(since), statement, traits));
      [replica.pause, replica.quietUntil] = [0, 0];
      return rows;
    } catch (error) {
      const away = reasonAway(error);
      if (away !== null || isTimeout(error)) this.leave(replica, away ?? 'it takes too long');
      if (error instanceof ContentError || isTimeout(error)) throw error;
      return null;
    }
  }

  /** One after another, but for those that are left alone. */
  private next(): Replica | null {
    const now = performance.now();
    for (let i = 1; i <= this.servers.length; i += 1) {
      const at = (this.last + i) % this.servers.length;
      const replica = this.servers[at];
      if (replica === undefined || replica.quietUntil > now) continue;
      this.last = at;
      // Of those who come meanwhile nobody else tries.
      if (replica.pause > 0) replica.quietUntil = now + replica.pause;
      return replica;
    }
    return null;
  }

  private leave(replica: Replica, why: string): void {
    if (replica.pause === 0) this.warn(`A replica is not read until it answers again: ${why}`);
    replica.pause = Math.min(Math.max(2 * replica.pause, PAUSE.first), PAUSE.longest);
    replica.quietUntil = performance.now() + replica.pause;
  }
}
