/**
 * A directory that behaves like an unreliable bucket: slow, silent, or disconnected before or after its work.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type KeptBytes, LocalStorage } from 'nestjs-content-api/files';

/** Longest time of a slow operation, and timeout of a silent one, in milliseconds. */
const SLOW = 60;
const SILENT = 150;

export interface FaultOptions {
  readonly directory: string;
  readonly random: () => number;
  /** Called while a sweep lists the variants of a content, by the prefix of its keys. */
  readonly atList: (prefix: string) => Promise<void>;
}

export class FaultyStorage extends LocalStorage {
  /** Whether operations fail; one of four gets a fault. */
  isFaulty = false;
  readonly faults: Record<string, number> = { slow: 0, silent: 0, 'cut before': 0, 'cut after': 0 };
  private readonly options: FaultOptions;

  constructor(options: FaultOptions) {
    super(options.directory);
    this.options = options;
  }

  override put(...args: Parameters<LocalStorage['put']>): Promise<void> {
    return this.disturbed(() => super.put(...args));
  }

  override head(key: string): ReturnType<LocalStorage['head']> {
    return this.disturbed(() => super.head(key));
  }

  override delete(key: string): Promise<void> {
    return this.disturbed(() => super.delete(key));
  }

  override async *list(prefix: string): ReturnType<LocalStorage['list']> {
    if (this.isFaulty) await this.options.atList(prefix);
    yield* await this.disturbed(() => allOf(super.list(prefix)));
  }

  private async disturbed<T>(work: () => Promise<T>): Promise<T> {
    const { random } = this.options;
    if (!this.isFaulty || random() > 0.25) return work();
    const kinds = Object.keys(this.faults);
    const kind = kinds[Math.floor(random() * kinds.length)] ?? '';
    this.faults[kind] = (this.faults[kind] ?? 0) + 1;
    if (kind === 'slow') await sleep(random() * SLOW);
    if (kind === 'silent') await sleep(SILENT);
    if (kind === 'silent' || kind === 'cut before') throw new Error(`The bucket is ${kind}`);
    const done = await work();
    if (kind === 'cut after') throw new Error('The bucket disconnected after its work');
    return done;
  }
}

async function allOf(list: AsyncIterable<KeptBytes>): Promise<KeptBytes[]> {
  const all: KeptBytes[] = [];
  for await (const one of list) all.push(one);
  return all;
}
