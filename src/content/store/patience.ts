/** Timeout of a read on a replica, which also ends when the client hangs up. */
import type { Disconnect, DisconnectListener } from '../../kernel/disconnect.js';
import { TimeoutList } from '../../kernel/timeout-list.js';

/** Time that a replica has for a read, in milliseconds. */
const USUAL = 1000;
/** A read that is known to be slow has this multiple of its usual time. */
const FACTOR = 2;
/** Most slow statements in the table. */
const MAX_SLOW = 200;

export class Patience implements Disconnect, DisconnectListener {
  private readonly listeners = new Set<DisconnectListener>();
  private readonly stop: () => void;
  /** Whether the time is over. A client that hung up leaves it false. */
  ranOut = false;

  constructor(
    private readonly client: Disconnect | null,
    timeouts: TimeoutList,
  ) {
    const timeout = timeouts.add(() => {
      this.ranOut = true;
      this.disconnected();
    });
    this.stop = () => timeouts.delete(timeout);
    client?.add(this);
  }

  get happened(): boolean {
    return this.ranOut || this.client?.happened === true;
  }

  disconnected(): void {
    for (const listener of [...this.listeners]) listener.disconnected();
  }

  add(listener: DisconnectListener): void {
    this.listeners.add(listener);
  }

  delete(listener: DisconnectListener): void {
    this.listeners.delete(listener);
  }

  end(): void {
    this.stop();
    this.client?.delete(this);
  }
}

/** Time that a replica has for each statement, learned from the primary where a replica took too long. */
export class PatienceTable {
  private readonly usual = new TimeoutList(USUAL);
  private readonly slow = new Map<string, TimeoutList>();

  of(text: string, client: Disconnect | null): Patience {
    return new Patience(client, this.slow.get(text) ?? this.usual);
  }

  /** Notes the time that a statement took on the primary. Returns whether the statement is a slow one. */
  learn(text: string, milliseconds: number): boolean {
    this.slow.delete(text);
    if (FACTOR * milliseconds <= USUAL) return false;
    this.slow.set(text, new TimeoutList(FACTOR * milliseconds));
    const [oldest] = this.slow.keys();
    if (this.slow.size > MAX_SLOW && oldest !== undefined) this.slow.delete(oldest);
    return true;
  }
}
