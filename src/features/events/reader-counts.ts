import { Injectable, type OnModuleInit, Inject } from '@nestjs/common';
import { MetricParts } from '../../content/documents/metric-parts.js';

/** Numbers of the receivers that this process runs. */
@Injectable()
export class ReaderCounts implements OnModuleInit {
  delivered = 0;
  failed = 0;
  givenUp = 0;
  /** Documents with undelivered events, by reader. */
  private readonly waiting = new Map<string, number>();
  /** Age of the oldest event of the last batch, in milliseconds, by reader. */
  private readonly behind = new Map<string, number>();

  constructor(@Inject(MetricParts) private readonly parts: MetricParts) {}

  onModuleInit(): void {
    this.parts.add(
      'events',
      () => ({ delivered: this.delivered, failedAttempts: this.failed, givenUp: this.givenUp }),
      () => ({
        receivers: this.waiting.size,
        waitingDocuments: [...this.waiting.values()].reduce((sum, count) => sum + count, 0),
        behindSeconds: Math.max(0, ...this.behind.values()) / 1000,
      }),
    );
  }

  /** Records the state of a reader before a batch. */
  note(reader: string, state: { readonly waiting: number; readonly behind: number }): void {
    this.waiting.set(reader, state.waiting);
    this.behind.set(reader, state.behind);
  }

  /** Forgets the readers that other instances run. */
  retain(readers: ReadonlySet<string>): void {
    for (const name of this.waiting.keys())
      if (!readers.has(name)) {
        this.waiting.delete(name);
        this.behind.delete(name);
      }
  }
}
