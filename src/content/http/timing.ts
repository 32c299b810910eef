/** Durations of a request for its `Server-Timing` header (W3C Server Timing). */

/** Timed parts of a request: authentication, planning, execution. */
export type TimedPart = 'access' | 'plan' | 'read' | 'write';

const inMilliseconds = (name: string, since: number, until: number): string =>
  `${name};dur=${(until - since).toFixed(2)}`;

export class Timing {
  private readonly started = performance.now();
  private measuredAt = this.started;
  private readonly parts: string[] = [];

  ended(part: TimedPart): void {
    const now = performance.now();
    this.parts.push(inMilliseconds(part, this.measuredAt, now));
    this.measuredAt = now;
  }

  /** Returns the header's value: each part and the total in milliseconds. */
  header(): string {
    return [...this.parts, inMilliseconds('total', this.started, performance.now())].join(', ');
  }
}
