import { Inject, Injectable } from '@nestjs/common';
import { compileStates } from './compile-readers.js';
import { EventLog } from './event-log.js';

/** State of a receiver of the event log. */
export interface ReaderState {
  readonly name: string;
  /** Reason why it was disabled; null if it is not. */
  readonly disabled: string | null;
  /** Time of the first failure after the last success. */
  readonly failingSince: string | null;
  /** Number of events in the log that it has not handled yet. */
  readonly lag: number;
  /** Number of events that wait for a retry. */
  readonly pending: number;
  /** Number of events that were given up. */
  readonly failed: number;
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

@Injectable()
export class ReaderStates {
  constructor(@Inject(EventLog) private readonly log: EventLog) {}

  /** Returns the state of all receivers, or of those with these names, sorted by name. */
  async all(names: readonly string[] | null = null): Promise<readonly ReaderState[]> {
    const rows = await this.log.database.run(compileStates(this.log.file, names));
    return rows.map((row) => ({
      name: String(row['name']),
      disabled: textOf(row['disabled']),
      failingSince: textOf(row['failingSince']),
      lag: Number(row['lag']),
      pending: Number(row['pending']),
      failed: Number(row['failed']),
    }));
  }
}
