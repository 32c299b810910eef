/** Timeout of a read on a replica, which also ends when the client disconnects. */
import type { Disconnect, DisconnectListener } from '../../kernel/disconnect.js';
import { TimeoutList } from '../../kernel/timeout-list.js';

/** Milliseconds that a replica has for a read. */
const USUAL = 1000;
/** Factor for a read that is known to be slow: multiple of its time on the primary. */
const FACTOR = 2;
/** Most slow statements in the table. */
const MAX_SLOW = 200;

export class ReplicaTimeout implements Disconnect, DisconnectListener {
  private readonly listeners = new Set<DisconnectListener>();
  private readonly stop: () => void;
  /** Whether the timeout has elapsed; false if the client has disconnected. */
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

/** Timeouts of statements on replicas, learned from the primary if a replica took too long. */
export class ReplicaTimeouts {
  private readonly usual = new TimeoutList(USUAL);
  private readonly slow = new Map<string, TimeoutList>();

  of(text: string, client: Disconnect | null): ReplicaTimeout {
    return new ReplicaTimeout(client, this.slow.get(text) ?? this.usual);
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
