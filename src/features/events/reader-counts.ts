import { Injectable, type OnModuleInit, Inject } from '@nestjs/common';
import { MetricParts } from '../../content/documents/metric-parts.js';
import type { News } from './event-log.js';

/** Numbers of the receivers that this process runs. */
@Injectable()
export class ReaderCounts implements OnModuleInit {
  delivered = 0;
  failed = 0;
  givenUp = 0;
  /** Documents with undelivered events, by reader. */
  private readonly waiting = new Map<string, number>();
  /** Time of the oldest event of the last batch, by reader; null without one. */
  private readonly oldest = new Map<string, number | null>();

  constructor(@Inject(MetricParts) private readonly parts: MetricParts) {}

  onModuleInit(): void {
    this.parts.add(
      'events',
      () => ({ delivered: this.delivered, failedAttempts: this.failed, givenUp: this.givenUp }),
      () => ({
        receivers: this.waiting.size,
        waitingDocuments: [...this.waiting.values()].reduce((sum, count) => sum + count, 0),
        behindSeconds: Math.max(0, ...this.ages()) / 1000,
      }),
    );
  }

  /** Records the state of a reader before a batch. One that reads no new events (null) stays where it was. */
  note(reader: string, { waiting, news }: { readonly waiting: number; readonly news: News | null }): void {
    this.waiting.set(reader, waiting);
    const first = news?.events[0]?.at;
    if (news === null) this.oldest.set(reader, this.oldest.get(reader) ?? Date.now());
    else this.oldest.set(reader, first === undefined ? null : Date.parse(first));
  }

  private ages(): number[] {
    return [...this.oldest.values()].map((at) => (at === null ? 0 : Date.now() - at));
  }

  /** Forgets the readers that other instances run. */
  retain(readers: ReadonlySet<string>): void {
    for (const name of this.waiting.keys())
      if (!readers.has(name)) {
        this.waiting.delete(name);
        this.oldest.delete(name);
      }
  }
}
