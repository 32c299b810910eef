/**
 * Equal reads are one statement as far as that makes no answer older: whoever comes before it is sent joins
 * it, whoever comes later waits for the next. So what many ask for at once runs once, another one waits, and
 * every answer was read after it was asked for.
 */
import type { Hangup, HangupListener } from '../database/hangup.js';
import type { ReadTraits } from '../database/native-pool.js';

/** How a read is done for all who share it. */
export type SharedTraits = Pick<ReadTraits, 'hangup' | 'turn' | 'begun'>;

/** Has happened once everybody who waits for the same answer has hung up. */
class SharedHangup implements Hangup, HangupListener {
  private readonly clients: Hangup[] = [];
  private readonly listeners = new Set<HangupListener>();
  private staying = 0;

  get happened(): boolean {
    return this.staying === 0;
  }

  /** Somebody who waits, too; null for one who never hangs up. */
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

  /** Nobody waits any more: there is an answer. */
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

/** A read that has not been sent yet. */
interface Waiting<T> {
  readonly hangup: SharedHangup;
  readonly answer: Promise<T>;
}

export class SharedReads<T> {
  private readonly waiting = new Map<string, Waiting<T>>();

  /**
   * The answer of an equal read that has not been sent yet, or of `start`. A read without a key shares with
   * none.
   */
  read(key: string | null, hangup: Hangup | null, start: (traits: SharedTraits) => Promise<T>): Promise<T> {
    if (key === null) return start({ hangup, turn: null, begun: () => undefined });
    const waiting = this.waiting.get(key);
    // One that everybody has left is about to be given up.
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
