/**
 * Coalesces equal reads: a request joins a read that is not sent yet, and otherwise waits for the next one.
 * So of many equal requests one runs and one waits, and each response was read after its request arrived.
 */
import type { Hangup, HangupListener } from '../kernel/hangup.js';
import type { ReadTraits } from '../pool/native-pool.js';

export type SharedTraits = Pick<ReadTraits, 'hangup' | 'turn' | 'begun'>;

class SharedHangup implements Hangup, HangupListener {
  private readonly clients: Hangup[] = [];
  private readonly listeners = new Set<HangupListener>();
  private staying = 0;

  get happened(): boolean {
    return this.staying === 0;
  }

  /** Adds a client; null is one that never disconnects. */
  join(client: Hangup | null): void {
    if (client?.happened === true) return;
    this.staying += 1;
    if (client === null) return;
    this.clients.push(client);
    client.add(this);
  }

  hungUp(): void {
    this.staying -= 1;
    if (this.staying > 0) return;
    for (const listener of [...this.listeners]) listener.hungUp();
  }

  end(): void {
    for (const client of this.clients) client.delete(this);
  }

  add(listener: HangupListener): void {
    this.listeners.add(listener);
  }

  delete(listener: HangupListener): void {
    this.listeners.delete(listener);
  }
}

interface Waiting<T> {
  readonly hangup: SharedHangup;
  readonly answer: Promise<T>;
}

export class SharedReads<T> {
  private readonly waiting = new Map<string, Waiting<T>>();

  /** Joins an equal read that is not sent yet, or calls `start`. A read without a key is never shared. */
  read(key: string | null, hangup: Hangup | null, start: (traits: SharedTraits) => Promise<T>): Promise<T> {
    if (key === null) return start({ hangup, turn: null, begun: () => undefined });
    const waiting = this.waiting.get(key);
    // If all its clients have disconnected, the read is about to be cancelled.
    if (waiting === undefined || waiting.hangup.happened) return this.start(key, hangup, start);
    waiting.hangup.join(hangup);
    return waiting.answer;
  }

  private start(key: string, client: Hangup | null, start: (traits: SharedTraits) => Promise<T>): Promise<T> {
    const hangup = new SharedHangup();
    hangup.join(client);
    let isOpen = true;
    const begun = (): void => {
      isOpen = false;
      if (this.waiting.get(key)?.hangup === hangup) this.waiting.delete(key);
    };
    const over = (): void => {
      begun();
      hangup.end();
    };
    const answer = start({ hangup, turn: key, begun });
    answer.then(over, over);
    if (isOpen) this.waiting.set(key, { hangup, answer });
    return answer;
  }
}
