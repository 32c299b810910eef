/** What one request took, as its `Server-Timing` says it (W3C Server Timing). */

/** What is timed: who asks, what is meant, and what was done. */
export type TimedPart = 'access' | 'plan' | 'read' | 'write';

const inMilliseconds = (name: string, since: number, until: number): string =>
  `${name};dur=${(until - since).toFixed(2)}`;

export class Timing {
  private readonly started = performance.now();
  private last = this.started;
  private readonly parts: string[] = [];

  /** A part has ended, and whatever is next begins. */
  ended(part: TimedPart): void {
    const now = performance.now();
    this.parts.push(inMilliseconds(part, this.last, now));
    this.last = now;
  }

  /** The header's value: each part, and all of it until now, in milliseconds. */
  header(): string {
    return [...this.parts, inMilliseconds('total', this.started, performance.now())].join(', ');
  }
}
