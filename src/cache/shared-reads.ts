/**
 * Coalesces equal reads: a request joins a read that is not sent yet, and otherwise waits for the next one.
 * So of many equal requests one runs and one waits, and each response was read after its request arrived.
 */
import type { Disconnect, DisconnectListener } from '../kernel/disconnect.js';
import type { ReadTraits } from '../pool/native-pool.js';

export type SharedTraits = Pick<ReadTraits, 'disconnect' | 'mutex' | 'begun'>;

class SharedDisconnect implements Disconnect, DisconnectListener {
  private readonly clients: Disconnect[] = [];
  private readonly listeners = new Set<DisconnectListener>();
  private staying = 0;

  get happened(): boolean {
    return this.staying === 0;
  }

  /** Adds a client; null is one that never disconnects. */
  join(client: Disconnect | null): void {
    if (client?.happened === true) return;
    this.staying += 1;
    if (client === null) return;
    this.clients.push(client);
    client.add(this);
  }

  disconnected(): void {
    this.staying -= 1;
    if (this.staying > 0) return;
    for (const listener of [...this.listeners]) listener.disconnected();
  }

  end(): void {
    for (const client of this.clients) client.delete(this);
  }

  add(listener: DisconnectListener): void {
    this.listeners.add(listener);
  }

  delete(listener: DisconnectListener): void {
    this.listeners.delete(listener);
  }
}

interface Waiting<T> {
  readonly disconnect: SharedDisconnect;
  readonly answer: Promise<T>;
}

export class SharedReads<T> {
  private readonly waiting = new Map<string, Waiting<T>>();

  /** Joins an equal read that is not sent yet, or calls `start`. A read without a key is never shared. */
  read(
    key: string | null,
    disconnect: Disconnect | null,
    start: (traits: SharedTraits) => Promise<T>,
  ): Promise<T> {
    if (key === null) return start({ disconnect, mutex: null, begun: () => undefined });
    const waiting = this.waiting.get(key);
    // If all its clients have disconnected, the read is about to be cancelled.
    if (waiting === undefined || waiting.disconnect.happened) return this.start(key, disconnect, start);
    waiting.disconnect.join(disconnect);
    return waiting.answer;
  }

  private start(
    key: string,
    client: Disconnect | null,
    start: (traits: SharedTraits) => Promise<T>,
  ): Promise<T> {
    const disconnect = new SharedDisconnect();
    disconnect.join(client);
    let isOpen = true;
    const begun = (): void => {
      isOpen = false;
      if (this.waiting.get(key)?.disconnect === disconnect) this.waiting.delete(key);
    };
    const over = (): void => {
      begun();
      disconnect.end();
    };
    const answer = start({ disconnect, mutex: key, begun });
    answer.then(over, over);
    if (isOpen) this.waiting.set(key, { disconnect, answer });
    return answer;
  }
}
